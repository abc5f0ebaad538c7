#!/usr/bin/env python3
"""Makes the sets that speed is measured on, by replicating real samples with new ids, numbers and words.

    python3 benches/make_sets.py SAMPLES OUT [--sessions 2000] [--inspect 2000] [--small-inspect 5000]

SAMPLES is a folder of real logs (`claude-code-session/*.jsonl`, `inspect-json/*.json`). In every copy each number of
three digits or more and every tenth word of five letters or more is replaced by a draw of a seeded generator, so that
more than half of the bytes' lines differ from copy to copy.
"""

import argparse
import json
import pathlib
import random
import re
import zipfile

WORD = re.compile(rb"(?<![\\\w])[a-z]{5,}(?!\w)")
NUMBER = re.compile(rb"\d{3,}")
HEX = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
KEYS = {b"type", b"message", b"content", b"assistant", b"tool_use", b"tool_result", b"thinking", b"usage", b"input",
        b"model", b"version", b"system", b"summary", b"false", b"external", b"timestamp", b"cwd", b"error",
        b"claude", b"sonnet", b"haiku", b"history", b"snapshot", b"queue", b"operation", b"boundary", b"compact"}


def sessions(samples, out, count, seed):
    sources = [path.read_bytes() for path in sorted(samples.glob("claude-code-session/full-session*.jsonl"))]
    target_size = 175e6 / 2000
    for index in range(count):
        rng = random.Random(seed * 1_000_003 + index)

        def number(match, rng=rng):
            digits = match[0]
            if digits.startswith((b"0", b"2025", b"2026")):
                return digits
            # A JSON number has no leading zero.
            return b"%d" % rng.randrange(10 ** (len(digits) - 1), 10 ** len(digits))

        source = sources[index % len(sources)]
        tokens = sorted(set(re.findall(rb"(?:msg|toolu|req)_[A-Za-z0-9]{10,}", source)) | set(HEX.findall(source)))
        body, size, round_number = [], 0, 0
        lines = source.splitlines(keepends=True)
        wanted = rng.uniform(0.6, 1.4)
        while size < target_size * wanted:
            text = b"".join(lines)
            for token in tokens:
                head = token.split(b"_")[0] + b"_" if b"_" in token else b""
                text = text.replace(token, head + b"%032x" % rng.getrandbits(128))
            text = NUMBER.sub(number, text)
            count_words = 0

            def word(match):
                nonlocal count_words
                count_words += 1
                if count_words % 10 or match[0] in KEYS or text[match.end():match.end() + 2] == b'":':
                    return match[0]
                return bytes(rng.choice(b"abcdefghijklmnopqrstuvwxyz") for _ in match[0])

            # Only values change: keys are followed by a colon.
            text = WORD.sub(word, text)
            body.append(text)
            size += len(text)
            round_number += 1
        folder = out / "sessions" / f"project-{index % 20:02}"
        folder.mkdir(parents=True, exist_ok=True)
        kept, size = [], 0
        for line in b"".join(body).splitlines(keepends=True):
            size += len(line)
            if kept and size > target_size * wanted:
                break
            kept.append(line)
        (folder / f"{rng.getrandbits(64):016x}-{index:06}.jsonl").write_bytes(b"".join(kept))


def inspect_archive(samples, path, count, seed, words):
    source = json.loads((samples / "inspect-json" / "generated_conflict_demo.json").read_text())
    rng = random.Random(seed)
    header = {key: value for key, value in source.items() if key != "samples"}
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps({key: header.get(key) for key in ("version", "eval", "plan")}))
        for index in range(count):
            sample = json.loads(json.dumps(rng.choice(source["samples"])))
            sample["id"], sample["epoch"] = f"sample-{index}", 1
            if words:
                sample.pop("events", None)
                sample["attachments"] = {}
            for message in sample["messages"]:
                if isinstance(message.get("content"), str):
                    extra = " ".join("%x" % rng.getrandbits(40) for _ in range(words or 60))
                    message["content"] += " " + extra
            archive.writestr(f"samples/sample-{index}_epoch_1.json", json.dumps(sample))
        archive.writestr("header.json", json.dumps(header))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("samples", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--sessions", type=int, default=2000)
    parser.add_argument("--inspect", type=int, default=2000)
    parser.add_argument("--small-inspect", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.sessions:
        sessions(arguments.samples, arguments.out, arguments.sessions, arguments.seed)
    if arguments.inspect:
        inspect_archive(arguments.samples, arguments.out / "inspect" / "large.eval", arguments.inspect, arguments.seed, 0)
    if arguments.small_inspect:
        inspect_archive(arguments.samples, arguments.out / "inspect-small" / "small.eval", arguments.small_inspect,
                        arguments.seed, 12)


if __name__ == "__main__":
    main()
