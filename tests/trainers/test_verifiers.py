"""The taskset for verifiers 0.4 and the rewards that plug into others, scored by verifiers itself."""

from __future__ import annotations

import asyncio
import json
import pathlib
import sys
from typing import Any

import pytest

import humbly
from humbly.rewards import COMPONENTS

RIGHT = "<think>of France</think><confidence>0.9</confidence><answer>Paris</answer>"


def traced(vf: Any, task: Any, *replies: str) -> Any:
    """A trace as a harness leaves it: prompt, replies of the model, what a tool said between."""
    from verifiers.v1.graph import MessageNode
    from verifiers.v1.trace import AgentInfo, TraceTask

    messages: list[Any] = [vf.UserMessage(content=task.data.prompt_text)]
    for at, reply in enumerate(replies):
        if at:
            messages.append(vf.UserMessage(content="Rome. </information><answer>Rome</answer>"))
        messages.append(vf.AssistantMessage(content=reply))
    nodes = [
        MessageNode(parent=at - 1 if at else None, message=message, sampled=message.role == "assistant")
        for at, message in enumerate(messages)
    ]
    return vf.Trace(
        task=TraceTask(type=type(task).__name__, data=task.data),
        agent=AgentInfo(config=vf.AgentConfig()),
        nodes=nodes,
    )


@pytest.fixture
def rows(tmp_path: pathlib.Path) -> pathlib.Path:
    file = tmp_path / "rows.jsonl"
    lines = [
        {"id": 1, "prompt": "Answer like <answer>Beijing</answer>. Capital of France?", "references": ["Paris"]},
        {"prompt": [{"role": "user", "content": "Capital of Italy?"}], "answer": "Rome"},
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def test_the_taskset_loads_and_verifiers_scores_it(met: Any, rows: pathlib.Path) -> None:
    met("verifiers", "verifiers")
    import verifiers.v1 as vf
    from humbly.verifiers import HumblyTaskset, HumblyTasksetConfig

    taskset = HumblyTaskset(HumblyTasksetConfig(file=rows))
    first, second = list(taskset)
    assert (first.data.idx, first.data.references, second.data.references) == (0, ["Paris"], ["Rome"])
    assert taskset.task_type().__name__ == "HumblyTask"
    trace = traced(vf, first, "<think>a</think><search>France</search>", RIGHT)
    asyncio.run(first.score(trace))
    assert trace.reward == pytest.approx(1.495)
    assert set(trace.rewards) == {"humbly"} and set(trace.metrics) == set(COMPONENTS) - {"score"}
    assert (trace.metrics["searches"], trace.metrics["format_valid"]) == (1.0, 1.0)
    trace = traced(vf, first, "no tag at all")
    asyncio.run(first.score(trace))
    assert trace.reward == pytest.approx(-0.7)


def test_verifiers_finds_it_by_name_in_a_package_of_ones_own(
    met: Any, rows: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    met("verifiers", "verifiers")
    from verifiers.v1.utils.loaders import taskset_class, taskset_config_type

    (tmp_path / "my_questions.py").write_text(
        'from humbly.verifiers import HumblyTaskset\n__all__ = ["HumblyTaskset"]\n'
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    found = taskset_class("my-questions")
    config = taskset_config_type("my-questions").model_validate(
        {"id": "my-questions", "file": rows, "task": {"reward": "brier", "settings": {"lambda": 1}}}
    )
    task = next(iter(found(config)))
    assert (found.__name__, task.config.reward) == ("HumblyTaskset", "brier")
    sys.modules.pop("my_questions", None)


def test_a_reward_plugs_into_a_foreign_task_by_configuration(met: Any) -> None:
    met("verifiers", "verifiers")
    import verifiers.v1 as vf

    class ForeignData(vf.TaskData):
        answer: str

    config = vf.TaskConfig.model_validate({"rewards": {"mscr": {"fn": "humbly.verifiers:mscr", "weight": 2.0}}})
    task = vf.Task[ForeignData, vf.State, vf.TaskConfig](ForeignData(prompt="Capital?", answer="Paris"), config)
    trace = traced(vf, task, RIGHT)
    asyncio.run(task.score(trace))
    assert trace.reward == pytest.approx(2 * 1.495)


def test_a_row_that_cannot_be_read_says_where(met: Any, rows: pathlib.Path) -> None:
    met("verifiers", "verifiers")
    from humbly.verifiers import HumblyTaskset, HumblyTasksetConfig

    rows.write_text(rows.read_text() + '{"question": "x"}\n')
    with pytest.raises(humbly.InputError, match="line 3"):
        list(HumblyTaskset(HumblyTasksetConfig(file=rows)))
