"""Writes the golden files of the gated sets in the forms of their upstream: `python3 make.py`.

The rows are ours (`facts.py`); BrowseComp's scheme is applied as its evaluation applies it.
"""

import base64
import csv
import hashlib
import itertools
import json
import pathlib

from facts import BROWSECOMP, GAIA, MONACO

HERE = pathlib.Path(__file__).parent
CANARY = "humbly golden rows: our own questions, encrypted to test the decryption"


def encrypt(text, canary):
    key = hashlib.sha256(canary.encode()).digest()
    mixed = bytes(a ^ b for a, b in zip(text.encode(), itertools.cycle(key)))
    return base64.b64encode(mixed).decode()


def lines(path, rows):
    with open(HERE / path, "w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


lines("gaia/metadata.jsonl", (
    {
        "task_id": f"00000000-0000-4000-8000-{index:012}",
        "Question": question,
        "Level": index % 3 + 1,
        "Final answer": str(answer),
        "file_name": "",
        "Annotator Metadata": {
            "Steps": "1. Look it up.\n2. Write it down.",
            "Number of steps": "2",
            "How long did this take?": "1 minute",
            "Tools": "1. A search engine",
            "Number of tools": "1",
        },
    }
    for index, (question, answer) in enumerate(GAIA)
))
lines("monaco/monaco_version_1_release.jsonl", (
    {
        "ex_num": index + 1,
        "question": question,
        "validated_answer": answer,
        "decomposition": ["find what is asked for", "return #1"],
    }
    for index, (question, answer) in enumerate(MONACO)
))
with open(HERE / "browsecomp/browse_comp_test_set.csv", "w", encoding="utf-8", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["problem", "answer", "problem_topic", "canary"])
    for question, answer in BROWSECOMP:
        writer.writerow([encrypt(question, CANARY), encrypt(answer, CANARY), "General", CANARY])
for facts in (GAIA, MONACO, BROWSECOMP):
    assert len(facts) == 40 and len({question for question, _ in facts}) == 40
