"""Reference values for the agreement tests, from transformers on torch in f32.

    python reference.py MODEL.gguf > smollm2.json

The GGUF's tensors are dequantised by transformers' own reader, so neither the
file parser, the tokeniser nor the forward pass shares code with this crate.

The texts hold no numeric signs but digits (such as ½): transformers' GGUF reader
gives the pre-tokeniser `smollm` GPT-2's rule alone, without the split at each
\\p{N} before it that the model was trained with and llama.cpp has.
"""
import json
import os
import sys

import torch
import transformers
from transformers import AutoModelForCausalLM, AutoTokenizer

PROMPTS = [
    "Hi",
    "The capital of France is",
    "1 + 1 =",
    "Water boils at a temperature of",
    "def fibonacci(n):\n    if n < 2:\n        return n\n    return",
    "Größe, naïve, Ελλάδα, 日本語 and an emoji 🦀 in one line",
    "  leading spaces,\ttabs\n\n\nand many   inner   spaces  ",
    "In 1969, 2 astronauts walked on the Moon; 1234567890 is a long number.",
    "<|im_start|>user\nWho wrote Hamlet?<|im_end|>\n<|im_start|>assistant\n",
    "<|im_start|>system\nAnswer with one word.<|im_end|>\n<|im_start|>user\nWhich planet is the largest?<|im_end|>\n<|im_start|>assistant\n",
    "A list of fruit: apple, pear, plum, cherry, apple, pear, plum, cherry, apple, pear, plum,",
    "It's what we've said; they'll see, I'm sure, you're right, he'd know.",
    "{\"name\": \"Ada\", \"born\": 1815, \"fields\": [\"mathematics\", \"computing\"], \"alive\":",
    "Once upon a time there was a small town by the sea where every house had a blue door. " * 3 + "One day",
    "The quick brown fox jumps over the lazy dog. " * 12,
    "Q: Who painted the ceiling of the Sistine Chapel?\nA:",
    "x" * 40,
    "Photosynthesis turns light, water and carbon dioxide into sugar and oxygen. Plants do this in their leaves, "
    "which hold a green pigment. Without it, life on land would look very different, because almost every food "
    "chain begins with a plant. In short, photosynthesis is",
    "The Treaty of Westphalia was signed in 1648. The Congress of Vienna ended in 1815. " * 10 + "The Treaty of Versailles was signed in",
    "\n",
]
TEXTS = PROMPTS + [
    "don't DON'T I'LL we'Re",
    "a1b22c333d4444",
    "tabs\tand\r\nwindows lines\r\n",
    "\u00a0no-break\u3000ideographic\u2003em",
    "👩‍👩‍👧‍👦 flags 🇩🇪🇯🇵 and e\u0301 combining",
    "price: $3.50 (≈ €3,20) — 50% off!!!",
    "https://example.org/path?query=1&other=two#part",
    "   ",
    "end with space ",
    "<|endoftext|>mixed<|im_end|> special <|im_start|>",
]
GREEDY = [1, 8, 9, 15]
GREEDY_TOKENS = 64


def main(path):
    folder, name = os.path.split(os.path.abspath(path))
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=name)
    model = AutoModelForCausalLM.from_pretrained(folder, gguf_file=name, dtype=torch.float32)
    model.eval()
    out = {
        "made_with": {
            "torch": torch.__version__,
            "transformers": transformers.__version__,
            "model": name,
        },
        "texts": [
            {"text": text, "tokens": tokenizer.encode(text, add_special_tokens=False)} for text in TEXTS
        ],
        "prompts": [],
    }
    with torch.no_grad():
        for index, prompt in enumerate(PROMPTS):
            ids = tokenizer.encode(prompt, add_special_tokens=False)
            logits = model(torch.tensor([ids])).logits[0, -1].double()
            top = torch.topk(logits, 50)
            row = {
                "prompt": prompt,
                "tokens": ids,
                "top": [[int(i), round(float(v), 5)] for i, v in zip(top.indices, top.values)],
                "sum": float(logits.sum()),
                "sum_of_squares": float((logits**2).sum()),
                "log_sum_exp": float(torch.logsumexp(logits, 0)),
            }
            if index in GREEDY:
                text = list(ids)
                gaps = []
                for _ in range(GREEDY_TOKENS):
                    step = model(torch.tensor([text])).logits[0, -1]
                    best = torch.topk(step, 2)
                    gaps.append(round(float(best.values[0] - best.values[1]), 5))
                    text.append(int(best.indices[0]))
                row["greedy"] = text[len(ids):]
                row["greedy_gaps"] = gaps
            out["prompts"].append(row)
            print(index, len(ids), file=sys.stderr)
    print("{")
    print(f'"made_with": {json.dumps(out["made_with"])},')
    for key, end in [("texts", "],"), ("prompts", "]")]:
        print(f'"{key}": [')
        print(",\n".join(json.dumps(row) for row in out[key]))
        print(end)
    print("}")


main(sys.argv[1])
