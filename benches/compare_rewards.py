#!/usr/bin/env python3
"""Times our MSCR reward beside verl's `search_r1_like_qa_em` on the same strings, in turn within one run, on one core.

    cargo build --release -p humbly-rewards --example time_rewards
    pip download verl==0.9.1 --no-deps && unzip verl-*.whl 'verl/utils/reward_score/*' -d VERL
    python3 benches/compare_rewards.py target/release/examples/time_rewards VERL/verl/utils/reward_score/search_r1_like_qa_em.py

Ours reads the format, finds and compares the answer, reads the confidence and returns all components; verl's only finds and
compares the answer. Prints scores a second of each, medians over the rounds, and the ratio. Verl's function prints one
sample in 64; its output goes nowhere here.
"""

import argparse
import contextlib
import importlib.util
import io
import json
import os
import random
import statistics
import subprocess
import time

PROSE = (
    "The question asks who was there first, so the page on the city should say.",
    "I should check the year before I answer, because two towns share this name.",
    "The first result names the river and the second one the province.",
    "Nothing in these results contradicts that, but the date is missing.",
)
PAGE = (
    "Doc {i}(Title: \"{title}\") The town lies on the river and was first named in a charter of {year}.",
    "It grew around a market, and its walls were taken down in {year} to make room for the railway.",
    "The population was {year} at the last census; most people work in the nearby city.",
)
NAMES = ("Paris", "The Beatles", "New York City", "Marie Curie", "1911", "Mount Everest", "Lake Victoria", "U.S.A.")


def response(chance, size):
    name = chance.choice(NAMES)
    text = []
    rounds = chance.randint(1, 3)
    while len("".join(text)) < size - 300:
        text = []
        rounds += 1
        for i in range(rounds):
            thought = " ".join(chance.choice(PROSE) for _ in range(chance.randint(2, 4)))
            pages = "\n".join(
                line.format(i=i + 1, title=chance.choice(NAMES), year=chance.randint(1100, 2020)) for line in PAGE
            )
            text.append(f"<think>{thought}</think>\n<search>{name} {i}</search>\n\n<information>{pages}</information>\n\n")
    answer = name if chance.random() < 0.5 else chance.choice(NAMES)
    text.append(f"<think>{chance.choice(PROSE)}</think>\n<confidence>{chance.randint(0, 100)}</confidence>")
    text.append(f"<answer> {answer} </answer>")
    return {"response": "".join(text), "references": [name]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ours")
    parser.add_argument("verl")
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--size", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    spec = importlib.util.spec_from_file_location("search_r1_like_qa_em", arguments.verl)
    verl = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(verl)
    chance = random.Random(1)
    rows = [response(chance, arguments.size) for _ in range(arguments.rows)]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    ours, theirs = [], []
    for _ in range(arguments.rounds):
        found = subprocess.run([arguments.ours, "3"], input=lines, capture_output=True, text=True, check=True).stdout
        passes = [line.split() for line in found.splitlines()]
        ours.append(statistics.median(float(fields[0]) for fields in passes))
        with contextlib.redirect_stdout(io.StringIO()):
            started = time.perf_counter()
            right = sum(verl.compute_score(row["response"], {"target": row["references"]}) for row in rows)
            theirs.append(time.perf_counter() - started)
        assert float(passes[0][2]) == right, (passes[0], right)
        assert float(passes[0][3]) == len(rows), "a response that breaks the format"
    mean = sum(len(row["response"].encode()) for row in rows) / len(rows)
    a, b = statistics.median(ours), statistics.median(theirs)
    print(f"{len(rows)} responses, {mean:.0f} bytes on average, {right:.0f} right, medians of {arguments.rounds} rounds")
    print(f"humbly mscr, all components: {len(rows) / a:,.0f} a second")
    print(f"verl search_r1_like_qa_em:   {len(rows) / b:,.0f} a second")
    print(f"ratio: {b / a:.1f}")


if __name__ == "__main__":
    main()
