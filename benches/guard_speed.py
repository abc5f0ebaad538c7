#!/usr/bin/env python3
"""Times `humbly guard` as a harness sees it: whole calls of the hook, from start to exit.

    python3 benches/guard_speed.py HUMBLY SAMPLES [--runs 11] [--keep FOLDER]

SAMPLES is a folder of real logs (`claude-code-session`, `codex-rollout`). A transcript is made of copies of real
sessions with new ids, numbers and words (`make_sets.py`; of Codex one rollout with new ids, of Gemini CLI made text),
and of a last episode that keeps a conflict silent or tells it. Prints median and worst wall time, median CPU time and peak memory
of each call.
"""

import argparse
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import tempfile
import time

import make_sets

NOTICED = "The parish register says the mill opened in 1874, whereas the walkers' guide gives 1871."
ANSWERS = {"silent": "The Harrow mill opened in 1874.",
           "tells": "It opened in 1874 by the register; the walkers' guide gives 1871."}


def lines(records):
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def claude_episode(number, answer):
    """A prompt, a turn that notices, its result, and the answer."""
    uuid = 0

    def record(kind, content, message=None):
        nonlocal uuid
        uuid += 1
        body = {"role": kind, "content": content}
        if message:
            body |= {"id": f"msg_{number}_{message}", "type": "message", "model": "m"}
        return {"parentUuid": f"{number}-{uuid - 1}", "isSidechain": False, "sessionId": "s", "version": "2.1.332",
                "type": kind, "message": body, "uuid": f"{number}-{uuid}", "timestamp": "2026-11-30T10:00:00.000Z"}

    return lines([
        record("user", "In which year did the Harrow mill open?"),
        record("assistant", [{"type": "text", "text": NOTICED}], 1),
        record("assistant", [{"type": "tool_use", "id": f"toolu_{number}", "name": "Read", "input": {"p": "c"}}], 1),
        record("user", [{"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": "Cover page."}]),
        record("assistant", [{"type": "text", "text": answer}], 2),
    ])


def codex_episode(answer):
    def item(payload):
        return {"timestamp": "2026-11-30T10:00:00.000Z", "type": "response_item", "payload": payload}

    def said(role, kind, text):
        return item({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})

    return lines([
        said("user", "input_text", "In which year did the Harrow mill open?"),
        item({"type": "reasoning", "summary": [{"type": "summary_text", "text": NOTICED}], "encrypted_content": "e"}),
        item({"type": "function_call", "call_id": f"call_{answer[:9]}", "name": "shell", "arguments": "{}"}),
        item({"type": "function_call_output", "call_id": f"call_{answer[:9]}", "output": "Cover page."}),
        said("assistant", "output_text", answer),
    ])


def gemini_episode(name, answer):
    def message(number, kind, content, **more):
        return {"id": f"{name}-{number}", "timestamp": "t", "type": kind, "content": content} | more

    call = {"id": "c", "name": "read_file", "args": {}, "status": "success",
            "result": [{"functionResponse": {"response": {"output": "Cover page."}}}]}
    return lines([
        message(1, "user", [{"text": "In which year did the Harrow mill open?"}]),
        message(2, "gemini", NOTICED, toolCalls=[call]),
        message(3, "gemini", answer),
    ])


def gemini_session(path, size):
    """Made, not copied: turns that read files of 20 kB of random words."""
    rng = random.Random(1)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randrange(2, 10))) for _ in range(5_000)]
    text = lambda count: " ".join(rng.choices(words, k=count))
    records, length = [{"sessionId": "s", "projectHash": "p", "startTime": "t", "kind": "main"}], 0
    while length < size:
        output = {"functionResponse": {"response": {"output": text(3_000)}}}
        call = {"id": "c", "name": "read_file", "args": {}, "status": "success", "result": [output]}
        number = len(records)
        records.append({"id": f"u{number}", "type": "user", "timestamp": "t", "content": [{"text": text(20)}]})
        records.append({"id": f"g{number}", "type": "gemini", "timestamp": "t", "content": text(60) + ".",
                        "toolCalls": [call]})
        length += len(json.dumps(records[-1]))
    path.write_bytes(lines(records))


def one_episode(path, size, answer):
    """The last episode with turns between: text of 60 words, a call, a result of 20 kB of random words."""
    rng = random.Random(2)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randrange(2, 10))) for _ in range(5_000)]
    text = lambda count: " ".join(rng.choices(words, k=count))
    begin, end = claude_episode(0, answer).rsplit(b"\n", 2)[0], claude_episode(0, answer).splitlines(keepends=True)[-1]
    with path.open("wb") as file:
        file.write(begin + b"\n")
        number = 0
        while file.tell() < size:
            number += 1
            said = [{"type": "text", "text": f"{text(60)}."},
                    {"type": "tool_use", "id": f"toolu_m{number}", "name": "Read", "input": {"p": text(1)}}]
            result = [{"type": "tool_result", "tool_use_id": f"toolu_m{number}", "content": text(3_000)}]
            for kind, content in (("assistant", said), ("user", result)):
                message = {"role": kind, "content": content}
                if kind == "assistant":
                    message |= {"id": f"msg_m{number}", "type": "message", "model": "m"}
                file.write(lines([{"parentUuid": "x", "isSidechain": False, "sessionId": "s", "version": "2.1.332",
                                   "type": kind, "message": message, "uuid": f"m-{kind}-{number}",
                                   "timestamp": "2026-11-30T10:00:00.000Z"}]))
        file.write(end)


def claude_copies(samples, folder, size, path):
    """Real sessions with new words, as one session of about `size` bytes."""
    make_sets.sessions(samples, folder, int(size / 80_000) + 3, 1)
    with path.open("wb") as file:
        for session in sorted(folder.glob("sessions/*/*.jsonl")):
            if file.tell() < size:
                file.write(re.sub(rb'"sessionId":"[^"]*"', b'"sessionId":"s"', session.read_bytes()))


def repeated(source, size, ids, path):
    """A real log again and again, the ids that `ids` finds made new."""
    path.parent.mkdir(parents=True)
    number = 0
    with path.open("wb") as file:
        while file.tell() < size:
            number += 1
            file.write(re.sub(ids, lambda match: match[0] + b"%d" % number, source))


def cut(source, path, size):
    """The whole lines of the first `size` bytes."""
    written = 0
    with source.open("rb") as lines, path.open("wb") as file:
        for line in lines:
            written += len(line)
            if written > size:
                break
            file.write(line)


def append(path, text):
    with path.open("ab") as file:
        file.write(text)


class Hook:
    """Calls of the hook in a home of its own."""

    def __init__(self, humbly, root):
        self.humbly, self.home = humbly, root

    def forget(self):
        subprocess.run(["rm", "-rf", str(self.home / ".cache")], check=True)

    def call(self, harness, payload):
        """Seconds of wall and CPU, peak kB, and what was printed."""
        environment = {"HOME": str(self.home), "PATH": os.environ["PATH"]}
        begin = time.perf_counter()
        process = subprocess.Popen([self.humbly, "guard", "--harness", harness], env=environment,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process.stdin.write(json.dumps(payload).encode())
        process.stdin.close()
        printed = process.stdout.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, printed


def payload(path, answer, **more):
    return {"session_id": "s", "transcript_path": str(path), "cwd": "/", "permission_mode": "default",
            "hook_event_name": "Stop", "stop_hook_active": False, "last_assistant_message": answer} | more


def report(what, calls, asks=None):
    if asks is not None:
        for call in calls:
            assert ("decision" in call[3]) == asks, f"{what}: {call[3]}"
    walls, cpus, peaks, _ = zip(*calls)
    print(f"| {what} | {1e3 * statistics.median(walls):.1f} | {1e3 * max(walls):.1f} | "
          f"{1e3 * statistics.median(cpus):.1f} | {max(peaks) / 1024:.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("humbly")
    parser.add_argument("samples", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    temporary = tempfile.TemporaryDirectory(prefix="guard-speed-")
    root = arguments.keep or pathlib.Path(temporary.name)
    hook = Hook(str(pathlib.Path(arguments.humbly).resolve()), root)
    runs = range(arguments.runs)
    print("| call | wall ms, median | worst | CPU ms | peak MB |\n| --- | --- | --- | --- | --- |")

    # On disk, since a child's peak memory starts from its parent's.
    copies = root / "copies.jsonl"
    claude_copies(arguments.samples, root / "sets", 100e6, copies)
    small = root / ".claude/projects/p/small.jsonl"
    small.parent.mkdir(parents=True, exist_ok=True)
    small.write_bytes(claude_episode(0, ANSWERS["silent"]))
    active = payload(small, ANSWERS["silent"], stop_hook_active=True)
    report("stop hook active: reads nothing", [hook.call("claude-code", active) for _ in runs], False)

    for megabytes in (10, 100):
        path = root / f".claude/projects/p/t{megabytes}.jsonl"
        for name, asks in (("silent", True), ("tells", False)):
            cut(copies, path, int(megabytes * 1e6))
            append(path, claude_episode(0, ANSWERS[name]))
            calls = []
            for _ in runs:
                hook.forget()
                calls.append(hook.call("claude-code", payload(path, ANSWERS[name])))
            verb = "asks" if asks else "silent"
            report(f"Claude Code, {megabytes} MB never seen, {verb}", calls, asks)
        # From where the last call left off: a session of 100 kB comes on before each call.
        grown, number = root / "grown.jsonl", 0
        cut(copies, grown, 100_000)
        for name, asks in (("silent", True), ("tells", False)):
            calls = []
            for _ in runs:
                number += 1
                text = grown.read_bytes().replace(b"msg_", b"msg_%d" % number)
                append(path, text.replace(b"toolu_", b"toolu_%d" % number))
                append(path, claude_episode(number, ANSWERS[name]))
                calls.append(hook.call("claude-code", payload(path, ANSWERS[name])))
            verb = "asks" if asks else "silent"
            report(f"Claude Code, the same, 0.1 MB further, {verb}", calls, asks)

    path = root / ".claude/projects/p/one.jsonl"
    for name, asks in (("silent", True), ("tells", False)):
        one_episode(path, 10e6, ANSWERS[name])
        calls = []
        for _ in runs:
            hook.forget()
            calls.append(hook.call("claude-code", payload(path, ANSWERS[name])))
        report(f"Claude Code, one episode of 10 MB never seen, {'asks' if asks else 'silent'}", calls, asks)

    codex = max((arguments.samples / "codex-rollout").glob("*.jsonl"), key=lambda path: path.stat().st_size)
    path = root / ".codex/sessions/2026/11/30/rollout-2026-11-30T10-00-00-s.jsonl"
    repeated(codex.read_bytes(), 10e6, rb'"call_[A-Za-z0-9]{8,}', path)
    for name, asks in (("silent", True), ("tells", False)):
        append(path, codex_episode(ANSWERS[name]))
        calls = []
        for _ in runs:
            hook.forget()
            calls.append(hook.call("codex", payload(path, ANSWERS[name])))
        report(f"Codex, 10 MB never seen, {'asks' if asks else 'silent'}", calls, asks)

    path = root / ".gemini/tmp/h/chats/session-1.jsonl"
    path.parent.mkdir(parents=True)
    gemini_session(path, 10e6)
    for name, asks in (("silent", True), ("tells", False)):
        append(path, gemini_episode(name, ANSWERS[name]))
        event = payload(path, None, hook_event_name="AfterAgent", prompt_response=ANSWERS[name])
        calls = []
        for _ in runs:
            hook.forget()
            calls.append(hook.call("gemini-cli", event))
        report(f"Gemini CLI, 10 MB, read whole at every call, {'asks' if asks else 'silent'}", calls, asks)


if __name__ == "__main__":
    main()
