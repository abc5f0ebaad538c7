#!/usr/bin/env python3
"""What `humbly run` costs around the calls: CPU of scripted samples, resume of a large run, memory with many calls in flight.

    python3 benches/run_overhead.py target/release/humbly [--in-flight 1000] [--samples 5000] [--large 100000]

Everything is made in a temporary folder: questions, a script that answers them, suites. The slow server speaks the
OpenAI chat protocol on the loopback interface and answers after two seconds.
"""

import argparse
import asyncio
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

DELAY_SECONDS = 2.0
SUPPORT = pathlib.Path(__file__).resolve().parent.parent / "crates/humbly-cli/tests/support"
# The question and the beliefs are those of the tests; the agent here is a shorter one.
ITEM = (SUPPORT / "item.json").read_text(encoding="utf-8")
BELIEFS = (SUPPORT / "beliefs.toml").read_text(encoding="utf-8")
AGENT = r"""
[[rule]]
when.turn = 2
when.any = { regex = 'code of item (\d+)\?' }
reply.text = "amber ${1}."
[[rule]]
when.turn = 1
reply.text = "search: none"
[[rule]]
reply.text = "The passages are about the item."
"""


def prepare(humbly, folder, questions):
    """A suite of two tasks a question in `folder`."""
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/questions.jsonl", "w", encoding="utf-8") as out:
        for number in range(questions):
            out.write(ITEM.replace("CODE", f"{number:06d}"))
    with open(f"{folder}/rules.toml", "w", encoding="utf-8") as out:
        out.write(BELIEFS + AGENT)
    command = [humbly, "suite", "build", "conflict", "--model", "scripted:rules.toml", "--questions", "questions.jsonl"]
    subprocess.run(command + ["--to", "suite.json"], cwd=folder, check=True, capture_output=True)


def experiment(folder, name, **values):
    """An experiment file; the two conditions double the samples of the suite."""
    lines = ['suite = "suite.json"', 'protocols = ["plain"]']
    lines += [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    lines += ['[[conditions]]\nname = "default"', '[[conditions]]\nname = "humility"\nclauses = ["humility"]']
    with open(f"{folder}/{name}", "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")


def measured(command, folder):
    """CPU seconds, wall seconds, and memory in MB over time."""
    begun = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    sizes, texts = [], []
    reader = threading.Thread(target=lambda: texts.append(process.stderr.read()))
    reader.start()
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        try:
            with open(f"/proc/{process.pid}/status", encoding="utf-8") as status_file:
                found = re.search(r"VmRSS:\s+(\d+) kB", status_file.read())
            if found:
                sizes.append(int(found.group(1)) / 1024)
        except FileNotFoundError:
            pass
        time.sleep(0.02)
    process.returncode = os.waitstatus_to_exitcode(status)
    reader.join()
    if process.returncode != 0:
        sys.exit(f"{command} ended with {process.returncode}: {texts[0][-2000:]}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - begun, sizes


class SlowServer:
    """Answers every chat completion after a delay and counts how many are open at once."""

    def __init__(self):
        self.open = self.most = self.answered = 0

    async def serve(self, reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = re.search(rb"content-length:\s*(\d+)", head, re.IGNORECASE)
                await reader.readexactly(int(length.group(1)) if length else 0)
                self.open += 1
                self.most = max(self.most, self.open)
                await asyncio.sleep(DELAY_SECONDS)
                message = {"role": "assistant", "content": "amber."}
                body = json.dumps({
                    "id": "1", "object": "chat.completion", "created": 0, "model": "slow",
                    "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                    "usage": {"prompt_tokens": 100, "completion_tokens": 3, "total_tokens": 103},
                }).encode()
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
                await writer.drain()
                self.open -= 1
                self.answered += 1
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def start(self):
        ready = threading.Event()

        async def main():
            server = await asyncio.start_server(self.serve, "127.0.0.1", 0, backlog=4096)
            self.port = server.sockets[0].getsockname()[1]
            ready.set()
            await server.serve_forever()

        threading.Thread(target=lambda: asyncio.run(main()), daemon=True).start()
        ready.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("humbly")
    parser.add_argument("--samples", type=int, default=5_000)
    parser.add_argument("--large", type=int, default=100_000)
    parser.add_argument("--in-flight", type=int, default=1_000)
    arguments = parser.parse_args()
    humbly = os.path.abspath(arguments.humbly)
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
    print("| what | CPU s | wall s | peak MB |\n| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        small = f"{folder}/small"
        prepare(humbly, small, arguments.samples // 4)
        experiment(small, "run.toml", models=["scripted:rules.toml"], tools=["search"], concurrency=64)
        cpu, wall, sizes = measured([humbly, "run", "run.toml", "--out", "run.sqlite"], small)
        print(f"| {arguments.samples:,} scripted samples of three calls | {cpu:.2f} | {wall:.2f} | {max(sizes, default=0):.0f} |")

        large = f"{folder}/large"
        prepare(humbly, large, arguments.large // 40)
        experiment(large, "run.toml", models=["scripted:rules.toml"], repeats=10, concurrency=64)
        command = [humbly, "run", "run.toml", "--out", "run.sqlite"]
        cpu, wall, sizes = measured(command, large)
        print(f"| {arguments.large:,} scripted samples of two calls | {cpu:.2f} | {wall:.2f} | {max(sizes, default=0):.0f} |")
        connection = sqlite3.connect(f"{large}/run.sqlite")
        connection.execute("UPDATE sample SET state = 'waiting', record = NULL WHERE position % 1000 = 7")
        connection.commit()
        connection.close()
        cpu, wall, sizes = measured(command, large)
        left = arguments.large // 1000
        print(f"| resume of these with {left} to run | {cpu:.2f} | {wall:.2f} | {max(sizes, default=0):.0f} |")

        server = SlowServer()
        server.start()
        flying = f"{folder}/flying"
        prepare(humbly, flying, arguments.in_flight // 4)
        experiment(flying, "run.toml", models=["openai:slow"], repeats=4)
        os.environ["OPENAI_API_KEY"] = "none"
        command = [humbly, "run", "run.toml", "--out", "run.sqlite", "--concurrency", str(arguments.in_flight)]
        cpu, wall, sizes = measured(command + ["--base-url", f"http://127.0.0.1:{server.port}/v1"], flying)
        what = f"{server.answered:,} calls to a server that takes {DELAY_SECONDS:.0f} s, {server.most:,} in flight at most"
        print(f"| {what} | {cpu:.2f} | {wall:.2f} | {max(sizes, default=0):.0f} |")
        places = [sizes[int(share * (len(sizes) - 1))] for share in (0.25, 0.5, 0.75, 1.0)] if sizes else []
        print("\nmemory at a quarter, half, three quarters and the end of that run, MB: "
              + ", ".join(f"{size:.0f}" for size in places))


if __name__ == "__main__":
    main()
