#!/usr/bin/env python3
"""Times MSCR over a batch from Python beside the same from Rust, in turn within one run, on one core.

    cargo build --release -p humbly-rewards --example time_rewards
    python3 benches/python_batch.py target/release/examples/time_rewards

Rust gets samples that lie in memory and gives every component of each; Python hands over lists of `str` and takes an array
back. Prints scores a second of each, medians over the rounds, and the ratio.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import time

from compare_rewards import response
from humbly.rewards import Reward


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ours")
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--size", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    chance = random.Random(1)
    rows = [response(chance, arguments.size) for _ in range(arguments.rows)]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    texts, references = [row["response"] for row in rows], [row["references"] for row in rows]
    reward = Reward("mscr", scale="percent")
    rust, python, one_by_one = [], [], []
    for _ in range(arguments.rounds):
        found = subprocess.run([arguments.ours, "3", "batch"], input=lines, capture_output=True, text=True, check=True).stdout
        passes = [line.split() for line in found.splitlines()]
        rust.append(statistics.median(float(fields[0]) for fields in passes))
        taken = []
        for _ in range(3):
            started = time.perf_counter()
            batch = reward.batch(texts, references)
            taken.append(time.perf_counter() - started)
        python.append(statistics.median(taken))
        started = time.perf_counter()
        for text, known in zip(texts, references):
            reward(text, known)
        one_by_one.append(time.perf_counter() - started)
        assert abs(float(passes[0][1]) - batch["score"].sum()) < 1e-3
    a, b, c = (statistics.median(times) for times in (rust, python, one_by_one))
    size = sum(len(text.encode()) for text in texts) / len(texts)
    print(f"{len(rows)} responses, {size:.0f} bytes on average, medians of {arguments.rounds} rounds")
    print(f"Rust:               {len(rows) / a:,.0f} a second")
    print(f"Python, one batch:  {len(rows) / b:,.0f} a second, {100 * (b / a - 1):+.0f} % time")
    print(f"Python, one by one: {len(rows) / c:,.0f} a second")


if __name__ == "__main__":
    main()
