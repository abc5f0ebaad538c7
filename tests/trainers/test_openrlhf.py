"""The plug-in of OpenRLHF against its own executor, loaded from a file as ``--reward.remote_url`` does."""

from __future__ import annotations

import asyncio
import pathlib
from types import SimpleNamespace
from typing import Any

import pytest

from humbly.openrlhf import reward_function
from humbly.rewards import COMPONENTS

RIGHT = "<think>of France</think><confidence>90</confidence><answer>Paris</answer>"
PROMPT = "<|im_start|>user\nAnswer like <answer>Beijing</answer>. Capital?<|im_end|>\n<|im_start|>assistant\n"


def test_its_executor_takes_the_file_and_the_response_is_scored_alone(
    met: Any, tiny_model: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    """Case searchr1-two-answers: the example in the prompt is no answer."""
    met("openrlhf", "openrlhf")
    from openrlhf.utils.agent import SingleTurnAgentExecutor
    from transformers import AutoTokenizer

    tokens = AutoTokenizer.from_pretrained(tiny_model)
    plug = tmp_path / "reward.py"
    plug.write_text(
        "from humbly.openrlhf import reward_function\nreward_func = reward_function('mscr', scale='percent')\n"
    )
    ids = tokens.encode(RIGHT, add_special_tokens=False) + [tokens.eos_token_id]

    class Engine:
        async def generate(self, prompt: list[int], params: Any, multi_modal_data: Any = None) -> Any:
            return SimpleNamespace(outputs=[SimpleNamespace(token_ids=ids, finish_reason="stop", logprobs=None)])

    params = SimpleNamespace(max_tokens=300, logprobs=None)
    executor = SingleTurnAgentExecutor(str(plug))
    found = asyncio.run(executor.execute(PROMPT, "Paris", params, 1024, tokens, Engine()))
    assert float(found["reward"]) == pytest.approx(1.495)
    assert float(found["scores"]) == 1.0
    assert set(found["extra_logs"]) == {*COMPONENTS, "prompt_found"}
    assert float(found["extra_logs"]["answers"]) == 1.0
    assert float(found["extra_logs"]["format_valid"]) == 1.0


def test_nothing_is_raised_on_a_sample_and_what_is_missing_is_counted() -> None:
    reward = reward_function("mscr", scale="percent")
    queries = [PROMPT + RIGHT + "</s>", "<s>" + PROMPT + RIGHT, RIGHT, PROMPT, PROMPT + RIGHT]
    found = reward(queries, [PROMPT] * 5, ["Paris", ["Rome", "Paris"], "Paris", "Paris", None])
    assert found["rewards"].tolist() == [pytest.approx(value) for value in (1.495, 1.495, 0.0, -0.7, 0.0)]
    assert found["extra_logs"]["prompt_found"].tolist() == [1, 1, 0, 1, 1]
    assert found["extra_logs"]["scorable"].tolist() == [1, 1, 0, 1, 0]
    assert found["scores"].tolist() == [1, 1, 0, 0, 0]


def test_labels_of_rl_ua() -> None:
    reward = reward_function("rl-ua")
    labels = [{"references": ["7"], "label": "answerable"}, {"references": [], "label": "data"}]
    found = reward([r"\boxed{7}", r"\boxed{7}"], ["", ""], labels)
    assert found["rewards"].tolist() == [1.0, -1.0]
