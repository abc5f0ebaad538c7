"""Rewards for TRL's ``GRPOTrainer``: one named function a component, their weighted sum is the reward.

>>> from humbly import trl
>>> functions = trl.reward_funcs("mscr", scale="percent")
>>> [function.__name__ for function in functions]
['mscr_outcome', 'mscr_calibration', 'mscr_format', 'mscr_correct', 'mscr_confidence']
>>> trl.reward_weights(functions)
[1.0, 1.0, 1.0, 0.0, 0.0]

A completion that cannot be scored is ``None`` for every function, which TRL leaves out of its group. TRL itself is
not imported here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from humbly import _rollouts
from humbly._humbly import ParameterError
from humbly.rewards import COMPONENTS, Batch, Reward, Setting

__all__ = ["PARTS", "ComponentReward", "reward_func", "reward_funcs", "reward_weights"]

PARTS: tuple[str, ...] = ("outcome", "calibration", "format")
"""The components whose sum is ``score``."""

_REFERENCES = ("references", "reference", "ground_truth", "solution", "answer")
_QUESTIONS = ("question_id", "uid")


class _Columns:
    """Where the columns of the data set stand; the last batch is kept, as TRL asks each function in turn."""

    def __init__(self, reward: Reward, references: str | None, question: str | None, label: str) -> None:
        self.reward = reward
        self.references, self.question, self.label = references, question, label
        self._tags = _rollouts.TagWatch()
        self._groups = _rollouts.GroupWatch()
        self._last: tuple[tuple[Any, ...], Batch] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_last": None}

    def batch(
        self, prompts: Sequence[Any], completions: Sequence[_rollouts.Completion], columns: Mapping[str, Any]
    ) -> Batch:
        key = (
            [_rollouts.response(completion) for completion in completions],
            [_rollouts.references(one) for one in self._references(columns)],
            self._questions(prompts, columns),
            self._labels(columns),
        )
        last = self._last
        if last is not None and last[0] == key:
            return last[1]
        responses, references, questions, labels = key
        self._tags.see(responses)
        batch = self.reward.batch(responses, references, questions=questions, labels=labels)
        self._last = (key, batch)
        return batch

    def _references(self, columns: Mapping[str, Any]) -> Sequence[Any]:
        given = self.references
        known = _REFERENCES if given is None else (given,)
        for name in known:
            if name in columns:
                found: Sequence[Any] = columns[name]
                return found
        raise ParameterError(
            f"the data set has none of the columns {', '.join(known)}, expected reference answers in one of them"
        )

    def _labels(self, columns: Mapping[str, Any]) -> list[str | None] | None:
        if self.label in columns:
            return list(columns[self.label])
        if self.reward.name == "rl-ua":
            raise ParameterError(f"the data set has no column {self.label}, expected answerable, data or model in it")
        return None

    def _questions(self, prompts: Sequence[Any], columns: Mapping[str, Any]) -> list[str] | None:
        if not self.reward.has_state:
            return None
        given = self.question
        for name in _QUESTIONS if given is None else (given,):
            if name in columns:
                questions = [str(one) for one in columns[name]]
                self._groups.see(questions, prompts)
                return questions
        # A group is what shares a prompt.
        return [_digest(prompt) for prompt in prompts]


def _digest(prompt: Any) -> str:
    text = prompt if isinstance(prompt, str) else json.dumps(prompt, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


class ComponentReward:
    """One component of a reward as TRL calls it. May be pickled, and shared between threads."""

    def __init__(self, columns: _Columns, component: str, weight: float) -> None:
        self._columns = columns
        self.component = component
        """Its name in :data:`humbly.rewards.COMPONENTS`."""
        self.weight = weight
        """1 where it belongs to the reward, 0 where it is only watched."""
        name = columns.reward.name.replace("-", "_")
        self.__name__ = name if component == "score" else f"{name}_{component}"

    @property
    def reward(self) -> Reward:
        """The reward, which holds the state of ``mash``."""
        return self._columns.reward

    def __call__(
        self, prompts: Sequence[Any], completions: Sequence[_rollouts.Completion], **columns: Any
    ) -> list[float | None]:
        """The component of each completion, ``None`` where the completion cannot be scored."""
        batch = self._columns.batch(prompts, completions, columns)
        values = batch[self.component].tolist()
        scores = [value if reason is None else None for value, reason in zip(values, batch.unscorable)]
        log_metric = columns.get("log_metric")
        if self.component == "score" and callable(log_metric):
            for name in COMPONENTS[1:]:
                log_metric(f"{self.__name__}/{name}", float(batch[name].mean()))
        return scores


def reward_funcs(
    name: str,
    /,
    *,
    monitors: Sequence[str] = ("correct", "confidence"),
    references: str | None = None,
    question: str | None = None,
    label: str = "label",
    **settings: Setting,
) -> list[ComponentReward]:
    """The parts of a reward as functions for ``reward_funcs``, followed by components that are only watched.

    TRL logs each as ``rewards/NAME_COMPONENT/mean``. Pass :func:`reward_weights` as ``reward_weights``.

    :param name: one of :func:`humbly.rewards.entries`.
    :param monitors: components with weight 0.
    :param references: column of reference answers; without it ``references``, ``reference``, ``ground_truth``,
        ``solution`` or ``answer``.
    :param question: column of question ids, which ``mash`` needs; without it ``question_id`` or ``uid``, else the
        prompt stands for the question.
    :param label: column of labels, which ``rl-ua`` needs.
    :param settings: settings of the reward (``scale="percent"``, ``beta1=1``).
    """
    unknown = [component for component in monitors if component not in COMPONENTS]
    if unknown:
        raise ParameterError(f"no component is called {unknown[0]!r}, expected one of {', '.join(COMPONENTS)}")
    columns = _Columns(Reward(name, state=None, **settings), references, question, label)
    parts = [ComponentReward(columns, component, 1.0) for component in PARTS]
    return parts + [ComponentReward(columns, component, 0.0) for component in monitors]


def reward_weights(functions: Sequence[ComponentReward]) -> list[float]:
    """The weights under which ``functions`` sum to the reward."""
    return [function.weight for function in functions]


def reward_func(
    name: str,
    /,
    *,
    references: str | None = None,
    question: str | None = None,
    label: str = "label",
    **settings: Setting,
) -> ComponentReward:
    """The whole reward as one function; every other component is logged by TRL's ``log_metric``.

    The mean of a component is over all completions, those that cannot be scored among them, with the numbers that
    stand for "nobody can tell".
    """
    return ComponentReward(_Columns(Reward(name, state=None, **settings), references, question, label), "score", 1.0)
