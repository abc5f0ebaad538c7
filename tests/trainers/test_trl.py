"""The plug-in of TRL against TRL itself: a real run of its GRPO on a tiny random model."""

from __future__ import annotations

import importlib.util
import pathlib
import pickle
import warnings
from typing import Any

import pytest

import humbly
from humbly.rewards import Reward
from humbly.trl import PARTS, reward_func, reward_funcs, reward_weights

RIGHT = "<think>of France</think><confidence>90</confidence><answer>Paris</answer>"
SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "examples" / "trainers" / "trl_grpo.py"


def columns(n: int, **more: Any) -> dict[str, Any]:
    return {"prompts": ["q"] * n, "completion_ids": [[1]] * n, **more}


@pytest.fixture(scope="module")
def trained(met: Any) -> Any:
    met("trl", "trl"), met("torch", "torch")
    transformers = met("transformers", "transformers")
    spec = importlib.util.spec_from_file_location("trl_grpo", SCRIPT)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    trainer = script.build(None, "mscr", steps=30, generations=16, seed=1)
    # TRL keeps the completions of the last step alone.
    trainer.seen = []

    class Kept(transformers.TrainerCallback):
        def on_step_end(self, *_: Any, **__: Any) -> None:
            rows = (trainer._logs["prompt"], trainer._logs["rewards"]["mscr_outcome"], trainer._logs["advantages"])
            trainer.seen.append(list(zip(*map(list, rows))))

    trainer.add_callback(Kept())
    trainer.train()
    print("\n".join(script.table(trainer, "mscr")))
    return trainer


def test_a_real_run_learns_and_logs_every_component(trained: Any) -> None:
    log = [row for row in trained.state.log_history if "reward" in row]
    assert len(log) == 30
    first, last = (sum(row["reward"] for row in part) / 5 for part in (log[:5], log[-5:]))
    assert last > first + 0.5, (first, last)
    for part in (*PARTS, "correct", "confidence", "format_valid"):
        assert all(f"rewards/mscr_{part}/mean" in row for row in log)
    for row in log:
        parts = sum(row[f"rewards/mscr_{part}/mean"] for part in PARTS)
        assert parts == pytest.approx(row["reward"], abs=1e-5)


def test_what_cannot_be_scored_has_no_advantage(trained: Any) -> None:
    """Case trl-all-none: the row without reference is left out, it is no 0 that moves the others."""
    rows = [row for step in trained.seen for row in step]
    unscorable = [(reward, advantage) for prompt, reward, advantage in rows if prompt == "? ?"]
    assert 0 < len(unscorable) < len(rows)
    assert all(reward != reward and advantage == 0.0 for reward, advantage in unscorable)
    assert any(advantage for *_, advantage in rows)


def test_the_weighted_sum_of_the_functions_is_the_reward() -> None:
    texts = [RIGHT, RIGHT.replace("Paris", "Rome"), "no tag", "", RIGHT]
    answers = ["Paris", ["Paris"], {"target": ["Paris"]}, "Paris", None]
    functions = reward_funcs("mscr", scale="percent", monitors=["correct"])
    weights = reward_weights(functions)
    assert weights == [1.0, 1.0, 1.0, 0.0]
    found = [function(completions=texts, **columns(5, answer=answers)) for function in functions]
    alone = Reward("mscr", scale="percent").batch(texts[:4], [["Paris"]] * 4)["score"].tolist()
    sums = [sum(weight * value for weight, value in zip(weights, row)) for row in list(zip(*found))[:4]]
    assert sums == [pytest.approx(score) for score in alone]
    assert [row[4] for row in found] == [None] * 4


def test_names_messages_and_pickling() -> None:
    [whole] = [reward_func("rl-ua")]
    assert whole.__name__ == "rl_ua"
    function = pickle.loads(pickle.dumps(reward_funcs("mscr", scale="percent")[0]))
    messages = [
        {"role": "assistant", "content": "<think>a</think><search>France</search>"},
        {"role": "tool", "content": "Paris. </information><answer>Rome</answer>"},
        {"role": "assistant", "content": [{"type": "text", "text": RIGHT}]},
    ]
    assert function(completions=[messages], **columns(1, solution=["Paris"])) == [1.0]
    assert function.__name__ == "mscr_outcome"


def test_a_missing_column_stops_the_training() -> None:
    with pytest.raises(humbly.ParameterError, match="ground_truth"):
        reward_func("em")(completions=[RIGHT], **columns(1))
    with pytest.raises(humbly.ParameterError, match="gold"):
        reward_func("em", references="gold")(completions=[RIGHT], **columns(1, answer=["Paris"]))
    with pytest.raises(humbly.ParameterError, match="label"):
        reward_func("rl-ua")(completions=[RIGHT], **columns(1, answer=["Paris"]))
    with pytest.raises(humbly.ParameterError, match="colour"):
        reward_funcs("em", monitors=["colour"])


def test_a_group_is_what_shares_a_prompt() -> None:
    """Case searchr1-group-index: without an id of the question the prompt stands for it."""
    mash = reward_func("mash")
    search = "<think>a</think><search>b</search><information>c</information><think>d</think><answer>Paris</answer>"
    direct = "<think>d</think><answer>Paris</answer>"
    scores = mash(
        prompts=["q", "q", "r"], completions=[search, direct, search], completion_ids=[[1]] * 3, answer=["Paris"] * 3
    )
    assert scores == [pytest.approx(0.7), 1.0, 1.0]
    assert sorted(mash.reward.state.values()) == [0, 1]
    rows = {"prompts": ["q"] * 4, "completions": [direct] * 4, "completion_ids": [[1]] * 4, "answer": ["Paris"] * 4}
    with pytest.warns(humbly.HumblyWarning, match="each group has size 1"):
        reward_func("mash")(**rows, uid=["a", "b", "c", "d"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        reward_func("mash")(**rows, uid=["a", "a", "b", "b"])
        reward_func("mash")(**{**rows, "prompts": ["q", "r", "s", "t"]}, uid=["a", "b", "c", "d"])


def test_the_whole_reward_logs_its_components() -> None:
    """Case components-logging-pr, on TRL's side."""
    seen: dict[str, float] = {}
    reward_func("em")(completions=[RIGHT], **columns(1, answer=["Paris"], log_metric=seen.__setitem__))
    assert seen["em/correct"] == 1.0 and len(seen) == 15
