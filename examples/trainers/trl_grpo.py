#!/usr/bin/env python3
"""A few steps of TRL's GRPO on the CPU under a calibration reward of Humbly.

    python examples/trainers/trl_grpo.py                                # a random model that speaks only tags, seconds
    python examples/trainers/trl_grpo.py --model FOLDER_OR_FILE.gguf    # a real one

Prints versions and paths of what it met, one row a step, and at the end two completions with their components.
"""

from __future__ import annotations

import argparse
import logging
import math
import pathlib
import tempfile
from typing import Any

import datasets
import torch
import transformers
import trl
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

import humbly
from humbly.rewards import Reward
from humbly.trl import reward_funcs, reward_weights

CAPITALS = {
    "France": "Paris",
    "Italy": "Rome",
    "Spain": "Madrid",
    "Japan": "Tokyo",
    "Egypt": "Cairo",
    "Kenya": "Nairobi",
}
NOBODY_KNOWS = "Atlantis"
PIECES = (
    "<think>so</think>",
    "<confidence>0.9</confidence>",
    "<confidence>0.1</confidence>",
    "<answer>Paris</answer>",
    "<answer>Lyon</answer>",
)


def tiny() -> tuple[Any, Any]:
    """A random two-layer model; each of its few tokens is a whole tag, so that chance alone finds good responses."""
    words = ("<|pad|>", "<|end|>", "?", *PIECES)
    plain = Tokenizer(models.WordLevel({word: at for at, word in enumerate(words)}, unk_token="?"))
    plain.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokens = PreTrainedTokenizerFast(tokenizer_object=plain, pad_token="<|pad|>", eos_token="<|end|>", unk_token="?")
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(words),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=128,
        pad_token_id=tokens.pad_token_id,
        eos_token_id=tokens.eos_token_id,
        bos_token_id=None,
    )
    return LlamaForCausalLM(config), tokens


def loaded(path: pathlib.Path) -> tuple[Any, Any]:
    """A model and its tokeniser from a folder of transformers or a GGUF file."""
    place, kind = (path.parent, {"gguf_file": path.name}) if path.suffix == ".gguf" else (path, {})
    model = AutoModelForCausalLM.from_pretrained(place, dtype=torch.float32, **kind)
    return model, AutoTokenizer.from_pretrained(place, **kind)


def said(country: str, city: str, confidence: float) -> str:
    """A response in the tags of the protocol `car`."""
    return f"<think>The capital of {country}.</think><confidence>{confidence}</confidence><answer>{city}</answer>"


def rows(is_tiny: bool) -> datasets.Dataset:
    """Questions; the last has no reference, so it cannot be scored."""
    if is_tiny:
        return datasets.Dataset.from_list(
            [{"prompt": "?", "answer": "Paris"}] * 7 + [{"prompt": "? ?", "answer": None}]
        )
    shown = [("Germany", "Berlin", 0.95), ("Chad", "N'Djamena", 0.6)]
    examples = [
        message
        for country, city, confidence in shown
        for message in (
            {"role": "user", "content": f"What is the capital of {country}?"},
            {"role": "assistant", "content": said(country, city, confidence)},
        )
    ]
    asked = [*CAPITALS.items(), (NOBODY_KNOWS, None)]
    return datasets.Dataset.from_list(
        [
            {"prompt": [*examples, {"role": "user", "content": f"What is the capital of {country}?"}], "answer": city}
            for country, city in asked
        ]
    )


def build(model_path: pathlib.Path | None, reward: str, steps: int, generations: int, seed: int) -> trl.GRPOTrainer:
    """A trainer that is ready to run."""
    is_tiny = model_path is None
    model, tokens = tiny() if model_path is None else loaded(model_path)
    functions = reward_funcs(reward, monitors=("correct", "confidence", "format_valid"))
    config = trl.GRPOConfig(
        output_dir=tempfile.mkdtemp(),
        use_cpu=True,
        seed=seed,
        max_steps=steps,
        num_generations=generations,
        per_device_train_batch_size=2 * generations if is_tiny else generations,
        max_completion_length=4 if is_tiny else 48,
        learning_rate=1e-2 if is_tiny else 1e-5,
        lr_scheduler_type="constant",
        reward_weights=reward_weights(functions),
        logging_steps=1,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        gradient_checkpointing=False,
        bf16=False,
    )
    trainer = trl.GRPOTrainer(
        model=model, reward_funcs=functions, args=config, train_dataset=rows(is_tiny), processing_class=tokens
    )
    trainer.remove_callback(transformers.PrinterCallback)
    # It would print every unscorable row; the table counts them.
    logging.getLogger("trl").setLevel(logging.ERROR)
    return trainer


def table(trainer: trl.GRPOTrainer, reward: str) -> list[str]:
    """One row a step. TRL averages a component over the completions that have it; `none` where no completion has."""
    name = reward.replace("-", "_")
    columns = {
        "reward": "reward",
        f"rewards/{name}_outcome/mean": "outcome",
        f"rewards/{name}_calibration/mean": "calib.",
        f"rewards/{name}_format/mean": "format",
        f"rewards/{name}_correct/mean": "correct",
        f"rewards/{name}_confidence/mean": "confid.",
        f"rewards/{name}_format_valid/mean": "valid",
        "frac_reward_zero_std": "same",
        "loss": "loss",
        "step_time": "seconds",
    }
    lines = ["step " + " ".join(f"{title:>8}" for title in columns.values())]
    for row in trainer.state.log_history:
        if "reward" in row:
            lines.append(f"{row['step']:>4} " + " ".join(_cell(row.get(key)) for key in columns))
    return lines


def _cell(value: float | None) -> str:
    return f"{'none' if value is None or math.isnan(value) else format(value, '.3f'):>8}"


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--model", type=pathlib.Path, help="folder of transformers or GGUF file; without it a random one"
    )
    parser.add_argument("--reward", default="mscr")
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--generations", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for package in (humbly, trl, transformers, torch):
        print(f"{package.__name__} {package.__version__} at {pathlib.Path(package.__file__).parent}")
    trainer = build(arguments.model, arguments.reward, arguments.steps, arguments.generations, arguments.seed)
    trainer.train()
    print("\n".join(table(trainer, arguments.reward)))
    texts = [one if isinstance(one, str) else one[0]["content"] for one in list(trainer._logs["completion"])[-2:]]
    for text in texts:
        row = Reward(arguments.reward)(text, list(CAPITALS.values()))
        kept = {key: row[key] for key in ("score", "confidence", "format_valid", "answers")}
        print(f"{text!r}\n    against every capital: {kept}")


if __name__ == "__main__":
    main()
