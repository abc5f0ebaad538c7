"""Speed of the embedded model beside llama.cpp, in turns on the same cores.

    cargo build --release -p humbly-model --example speed
    pip install xllamacpp
    python benches/compare_llama.py target/release/examples/speed MODEL.gguf [ROUNDS]

Prompt: 512 tokens. One stream: 64 tokens after a prompt of 16. Eight rows: the
same, eight at once, counted as tokens of all rows a second of wall time. Each
round measures both, so that a busy machine slows both; medians and the median
of the rounds' ratios are printed.
"""
import json
import os
import statistics
import subprocess
import sys
import threading
import time

import xllamacpp

KINDS = ["prompt_per_second", "single_per_second", "eight_per_second"]
ROW_TOKENS = 64


def server(path, parallel):
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.n_ctx = 1024 * parallel
    params.n_parallel = parallel
    params.n_batch = 512
    params.n_ubatch = 512
    params.cache_prompt = False
    params.warmup = True
    params.cpuparams.n_threads = os.cpu_count()
    params.cpuparams_batch.n_threads = os.cpu_count()
    return xllamacpp.Server(params)


def ask(server, tokens, count, seed=1):
    reply = {}
    server.handle_completions(
        {
            "prompt": tokens,
            "n_predict": count,
            "ignore_eos": True,
            "temperature": 2.0,
            "top_k": 0,
            "top_p": 1.0,
            "min_p": 0.0,
            "seed": seed,
            "cache_prompt": False,
            "stream": False,
        },
        lambda value: reply.update(value if isinstance(value, dict) else json.loads(value)),
    )
    if "timings" not in reply:
        raise SystemExit(f"llama.cpp answered {str(reply)[:300]}")
    return reply["timings"]


def tokens(row, length):
    return [1000 + (row * 977 + index * 131) % 40000 for index in range(length)]


def rows_at_once(server, count):
    threads = [threading.Thread(target=ask, args=(server, tokens(row, 16), count, row)) for row in range(8)]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - start


def llama(one, eight):
    prompt = ask(one, tokens(0, 512), 1)["prompt_per_second"]
    single = ask(one, tokens(0, 16), ROW_TOKENS)["predicted_per_second"]
    seconds = rows_at_once(eight, ROW_TOKENS) - rows_at_once(eight, 1)
    return dict(zip(KINDS, [prompt, single, 8 * (ROW_TOKENS - 1) / seconds]))


def main():
    program, path = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    ours = subprocess.Popen(
        [program, path, str(rounds), "paced"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    one, eight = server(path, 1), server(path, 8)
    llama(one, eight)
    measured = []
    for _ in range(rounds):
        ours.stdin.write("\n")
        ours.stdin.flush()
        mine = json.loads(ours.stdout.readline())
        while "prompt_per_second" not in mine:
            mine = json.loads(ours.stdout.readline())
        measured.append((mine, llama(one, eight)))
        print(json.dumps({"humbly": mine, "llama.cpp": measured[-1][1]}), file=sys.stderr)
    ours.stdin.close()
    print(f"{'tokens a second':20} {'humbly':>9} {'llama.cpp':>9} {'ratio':>6}   (xllamacpp {xllamacpp.__version__})")
    for kind in KINDS:
        mine = statistics.median(a[kind] for a, _ in measured)
        other = statistics.median(b[kind] for _, b in measured)
        ratio = statistics.median(a[kind] / b[kind] for a, b in measured)
        print(f"{kind:20} {mine:9.1f} {other:9.1f} {ratio:6.2f}")


main()
