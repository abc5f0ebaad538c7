"""Rewards for reinforcement learning: a response in, the same numeric keys out for every sample.

>>> reward = Reward("mscr", scale="percent")
>>> response = "<think>of France</think><confidence>90</confidence><answer>Paris</answer>"
>>> round(reward(response, "Paris")["score"], 3)
1.495
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

import numpy as np

from humbly import _humbly

__all__ = ["COMPONENTS", "Batch", "Reward", "entries", "ise"]

COMPONENTS: tuple[str, ...] = tuple(_humbly.component_names())
"""The keys of every scored response, in order."""

Setting = Union[str, float, int, bool]
References = Union[str, Iterable[str]]


def entries() -> list[dict[str, Any]]:
    """Every reward: ``name``, ``summary``, ``protocol``, its ``settings`` and those ``common`` to all."""
    return json.loads(_humbly.reward_entries())


def _written(value: Setting) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value)


def _references(references: References | None) -> list[str]:
    if references is None:
        return []
    return [references] if isinstance(references, str) else list(references)


@dataclass(frozen=True)
class Batch:
    """The numbers of a scored batch."""

    values: np.ndarray
    """``[n, len(COMPONENTS)]``, float64, read-only, always finite."""
    unscorable: list[str | None]
    """For each sample why it has no reward (``no_reference``, …), ``None`` where it has one."""

    def __len__(self) -> int:
        return len(self.unscorable)

    def __getitem__(self, component: str) -> np.ndarray:
        """One component, ``[n]``."""
        return self.values[:, COMPONENTS.index(component)]

    @property
    def columns(self) -> dict[str, np.ndarray]:
        """Every component by name, ``[n]`` each."""
        return {name: self.values[:, index] for index, name in enumerate(COMPONENTS)}

    def rows(self) -> list[dict[str, float]]:
        """One dict a sample, all with the same keys."""
        return [dict(zip(COMPONENTS, row)) for row in self.values.tolist()]

    def scores(self) -> list[float | None]:
        """The rewards; ``None`` where a sample cannot be scored (TRL leaves it out of the sum then)."""
        scores = self["score"].tolist()
        return [score if reason is None else None for score, reason in zip(scores, self.unscorable)]


class Reward:
    """A reward by name, with settings as on the command line (``humbly reward --set NAME=VALUE``).

    It never raises on text: a response that cannot be read is scored as what it is, and a sample without
    reference has ``scorable`` 0 and ``score`` 0. Wrong settings raise :class:`humbly.ParameterError` here.
    It may be shared between threads (the GIL is released) and pickled; ``mash`` keeps its :attr:`state`.

    :param name: one of :func:`entries`.
    :param state: what :attr:`state` gave in an earlier run.
    """

    def __init__(self, name: str, /, *, state: Mapping[str, int] | None = None, **settings: Setting) -> None:
        self.name = name
        """Its name."""
        self.settings = settings
        """The settings that were given."""
        pairs = [(setting, _written(value)) for setting, value in settings.items()]
        self._reward = _humbly.Reward(name, pairs, dict(state or {}))

    def __repr__(self) -> str:
        settings = "".join(f", {name}={value!r}" for name, value in self.settings.items())
        return f"Reward({self.name!r}{settings})"

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name, "settings": self.settings, "state": self.state}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__init__(kept["name"], state=kept["state"], **kept["settings"])  # type: ignore[misc]

    @property
    def protocol(self) -> str:
        """The protocol (tags and their order) that it reads."""
        return self._reward.protocol

    @property
    def has_state(self) -> bool:
        """Whether a score depends on what was scored before."""
        return self._reward.has_state

    @property
    def state(self) -> dict[str, int]:
        """For ``mash``: the fewest searches that a right answer needed, by question."""
        return self._reward.state()

    def __call__(
        self,
        response: str,
        references: References | None,
        *,
        prompt: str | None = None,
        question: str | None = None,
        label: str | None = None,
    ) -> dict[str, float]:
        """Score one response.

        :param response: what the model (and its environment) wrote, without the prompt.
        :param references: reference answers, any one is right; ``None`` or empty where none is known.
        :param prompt: cut off where it stands in front of the response; never read.
        :param question: id of the question, which ``mash`` needs.
        :param label: ``answerable``, ``data`` or ``model``, which ``rl-ua`` needs.
        """
        values, _ = self._reward.score(
            [response],
            [_references(references)],
            None if prompt is None else [prompt],
            None if question is None else [question],
            None if label is None else [label],
        )
        return dict(zip(COMPONENTS, np.frombuffer(values).tolist()))

    def batch(
        self,
        responses: Sequence[str],
        references: Sequence[References | None],
        *,
        prompts: Sequence[str | None] | None = None,
        questions: Sequence[str | None] | None = None,
        labels: Sequence[str | None] | None = None,
    ) -> Batch:
        """Score a batch in order, without the GIL; arguments as in a single call, one entry a response."""
        values, unscorable = self._reward.score(
            list(responses),
            [_references(all_of_one) for all_of_one in references],
            None if prompts is None else list(prompts),
            None if questions is None else list(questions),
            None if labels is None else list(labels),
        )
        return Batch(np.frombuffer(values).reshape(-1, len(COMPONENTS)), unscorable)


def ise(
    verdicts: str | os.PathLike[str],
    scores: Mapping[str, Any],
    *,
    identify: float = 0.5,
    solve: float = 0.5,
    escalate: float = 0.5,
    correct: float = 1.0,
    seed: int = 0,
    resamples: int = 10_000,
) -> dict[str, Any]:
    """Reward each turn by what a judge said of it: process supervision.

    :param verdicts: the file of ``humbly score --verdicts``.
    :param scores: what :func:`humbly.score` gave on the same logs, with tasks.
    :returns: ``card`` (distributions and counts) and ``rows`` (one a turn, one at the end of a trajectory).
    """
    weights = (identify, solve, escalate, correct)
    return json.loads(_humbly.score_ise(os.fspath(verdicts), json.dumps(scores), weights, seed, resamples))
