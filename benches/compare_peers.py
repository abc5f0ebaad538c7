#!/usr/bin/env python3
"""Times `humbly score` beside its peers on the sets of make_sets.py, whole processes, in turn within one run.

    python3 benches/compare_peers.py HUMBLY SETS [--runs 5] [--peers-python PYTHON]

Prints a Markdown table: median CPU seconds (user + system), wall seconds and peak memory of each command, and the ratio of
the peer's CPU to ours. PYTHON is an interpreter with `inspect-ai` and `inspect-scout`; without it only the plain-Python
baseline runs.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import time

BASELINE = r"""
import json, pathlib, re, sys
cues = re.compile(r"contradict|disagree|conflict|inconsisten|however|could not find|whereas", re.I)
hits = 0
for path in pathlib.Path(sys.argv[1]).rglob("*.jsonl"):
    for line in open(path, "rb"):
        record = json.loads(line)
        message = record.get("message")
        if record.get("type") == "assistant" and isinstance(message, dict):
            for block in message.get("content") or []:
                text = block.get("text") or block.get("thinking") if isinstance(block, dict) else None
                if text and cues.search(text):
                    hits += 1
print(hits)
"""

INSPECT = r"""
import sys
from inspect_ai.log import read_eval_log
print(len(read_eval_log(sys.argv[1]).samples))
"""

SCOUT = r"""
import asyncio, sys, tempfile
from inspect_scout import grep_scanner, scan, transcripts_db, transcripts_from
from inspect_scout.sources import claude_code

async def load(source, target):
    async with transcripts_db(target) as db:
        await db.insert(claude_code(path=source))

target = sys.argv[1]
if sys.argv[2] == "sessions":
    target = tempfile.mkdtemp()
    asyncio.run(load(sys.argv[1], target))
scan(scanners=[grep_scanner(["contradict", "disagree", "conflict", "inconsisten", "whereas"])],
     transcripts=transcripts_from(target), scans=tempfile.mkdtemp(), display="none")
"""


def measure(command):
    start = time.perf_counter()
    pid = os.posix_spawnp(command[0], command, os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0), (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)])
    _, status, usage = os.wait4(pid, 0)
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - start, usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status)


def median_of(samples):
    return [statistics.median(column) for column in zip(*(sample[:3] for sample in samples))]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("humbly")
    parser.add_argument("sets", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--peers-python")
    arguments = parser.parse_args()
    sets, humbly = arguments.sets, arguments.humbly
    one = next(iter(sorted((sets / "sessions").rglob("*.jsonl"))), None)
    rows = [("start (`--version`)", [humbly, "--version"], {})]
    if one:
        rows.append(("one Claude Code session", [humbly, "score", str(one)], {}))
    for name in ("sessions", "sessions-10000"):
        if (sets / name).is_dir():
            files = list((sets / name).rglob("*.jsonl"))
            size = sum(path.stat().st_size for path in files) / 1e6
            peers = {"Python, json and regex": [sys.executable, "-c", BASELINE, str(sets / name)]}
            if arguments.peers_python and name == "sessions":
                peers["Inspect Scout"] = [arguments.peers_python, "-c", SCOUT, str(sets / name), "sessions"]
            rows.append((f"{len(files):,} Claude Code sessions, {size:.0f} MB", [humbly, "score", str(sets / name)], peers))
    for name, label in (("inspect", "2,000 Inspect samples"), ("inspect-small", "5,000 small Inspect samples")):
        for path in sorted((sets / name).glob("*.eval")) if (sets / name).is_dir() else []:
            peers = {}
            if arguments.peers_python:
                peers["Inspect's reader"] = [arguments.peers_python, "-c", INSPECT, str(path)]
                peers["Inspect Scout"] = [arguments.peers_python, "-c", SCOUT, str(path), "inspect"]
            size = path.stat().st_size / 1e6
            rows.append((f"{label}, {size:.0f} MB `.eval`", [humbly, "score", str(path)], peers))
    print("| what | command | CPU s | wall s | peak MB | peer's CPU / ours |\n| --- | --- | --- | --- | --- | --- |")
    for what, own, peers in rows:
        samples = {"humbly": []}
        measure(own)
        for run in range(arguments.runs):
            samples["humbly"].append(measure(own))
            for peer, command in peers.items():
                if run < (1 if "Inspect" in peer else 3):
                    samples.setdefault(peer, []).append(measure(command))
        ours = median_of(samples["humbly"])
        for who, values in samples.items():
            failed = [value[3] for value in values if value[3] != 0]
            cpu, wall, peak = median_of(values)
            ratio = "" if who == "humbly" else f"{cpu / max(ours[0], 1e-3):.1f}"
            note = f" (exit {failed[0]})" if failed else ""
            print(f"| {what} | {who}{note} | {cpu:.3f} | {wall:.3f} | {peak:.0f} | {ratio} |", flush=True)


if __name__ == "__main__":
    main()
