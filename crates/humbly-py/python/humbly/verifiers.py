"""Tasks and rewards for verifiers 0.4: a taskset of questions, and rewards that plug into any other taskset.

As a taskset, in a package of your own that verifiers finds by name:

.. code-block:: python

    from humbly.verifiers import HumblyTaskset
    __all__ = ["HumblyTaskset"]

Into another taskset, by configuration alone: ``--env.taskset.task.rewards.mscr.fn humbly.verifiers:mscr``. The task's
data then need ``references`` (else ``answer``). With settings, name what :func:`plugged` made in a module of your own.

Importing this module imports ``verifiers``.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import verifiers.v1 as vf

from humbly import _rollouts
from humbly._humbly import InputError
from humbly.rewards import Reward, Setting

__all__ = ["HumblyTaskset", "brier", "em", "mscr", "plugged", "response", "rl_ua"]

_KNOWN = ("references", "reference", "ground_truth", "answer")


def response(trace: Any) -> str:
    """The response of a trace: what the model and its tools wrote after the prompt on the final branch."""
    messages = [message.model_dump() for message in trace.messages]
    first = next((at for at, message in enumerate(messages) if message["role"] == "assistant"), len(messages))
    return _rollouts.response(messages[first:])


@lru_cache(maxsize=64)
def _reward(name: str, settings: tuple[tuple[str, Setting], ...]) -> Reward:
    return Reward(name, state=None, **dict(settings))


def _components(task: Any, trace: Any, name: str, settings: dict[str, Setting]) -> dict[str, float]:
    known = next((getattr(task, column) for column in _KNOWN if getattr(task, column, None) is not None), None)
    return _reward(name, tuple(sorted(settings.items())))(
        response(trace),
        _rollouts.references(known),
        question=getattr(task, "question_id", None) or task.id or task.prompt_text,
        label=getattr(task, "label", None),
    )


def plugged(name: str, /, **settings: Setting) -> Callable[..., Awaitable[float]]:
    """A reward as an async function of ``task`` and ``trace``, to be named in ``rewards.NAME.fn``.

    :param name: one of :func:`humbly.rewards.entries`.
    :param settings: settings of the reward.
    """
    _reward(name, tuple(sorted(settings.items())))

    async def score(task: Any, trace: Any) -> float:
        return _components(task, trace, name, settings)["score"]

    score.__name__ = name.replace("-", "_")
    return score


em = plugged("em")
"""Search-R1's exact match with structure."""
brier = plugged("brier")
"""Weighted Brier reward, confidence in [0, 1]."""
mscr = plugged("mscr")
"""MSCR, confidence in [0, 1]."""
rl_ua = plugged("rl-ua")
"""RL-UA; the task's data need ``label``."""


class HumblyConfig(vf.TaskConfig):
    """Which reward, with its settings."""

    reward: str = "mscr"
    settings: dict[str, str | float | int | bool] = {}


class HumblyData(vf.TaskData):
    """A question with its reference answers."""

    references: list[str] = []
    question_id: str | None = None
    label: str | None = None


class HumblyTask(vf.Task[HumblyData, vf.State, HumblyConfig]):
    """Scored by one of our rewards; its components are metrics."""

    @vf.reward
    async def humbly(self, trace: vf.Trace) -> float:
        """The reward."""
        return self._scored(trace)["score"]

    @vf.metric
    async def components(self, trace: vf.Trace) -> dict[str, float]:
        """Every component but the reward itself, always the same keys."""
        return {name: value for name, value in self._scored(trace).items() if name != "score"}

    def _scored(self, trace: vf.Trace) -> dict[str, float]:
        return _components(self.data, trace, self.config.reward, self.config.settings)


class HumblyTasksetConfig(vf.TasksetConfig):
    """Where the rows are."""

    file: Path
    """JSONL with ``prompt`` and ``references``, and where a reward needs them ``question_id`` and ``label``."""
    task: HumblyConfig = HumblyConfig()


class HumblyTaskset(vf.Taskset[HumblyTask, HumblyTasksetConfig]):
    """Questions of a JSONL file."""

    def load(self) -> Iterator[HumblyTask]:
        """Yield the tasks in the order of the file; a row that cannot be read raises :class:`humbly.InputError`."""
        with self.config.file.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield HumblyTask(self._data(number, line), self.config.task)

    def _data(self, number: int, line: str) -> HumblyData:
        at = f"line {number} of `{self.config.file}`"
        try:
            row = json.loads(line)
        except ValueError as failed:
            raise InputError(f"{at} is no JSON object: {failed}") from failed
        if not isinstance(row, dict) or not isinstance(row.get("prompt"), (str, list)):
            raise InputError(f"{at} has no `prompt`, expected a text or messages")
        known = next((row[column] for column in _KNOWN if row.get(column) is not None), None)
        identifier = row.get("question_id", row.get("id"))
        return HumblyData(
            id=None if identifier is None else str(identifier),
            prompt=row["prompt"],
            references=_rollouts.references(known),
            question_id=None if identifier is None else str(identifier),
            label=row.get("label"),
        )
