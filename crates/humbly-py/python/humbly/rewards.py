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
from humbly._humbly import ParameterError

__all__ = ["COMPONENTS", "Batch", "Reward", "entries", "ise"]

COMPONENTS: tuple[str, ...] = tuple(_humbly.component_names())
"""The keys of every scored response, in order."""

Setting = Union[str, float, int, bool]
References = Union[str, float, int, Iterable[Union[str, float, int]]]


def entries() -> list[dict[str, Any]]:
    """Every reward: ``name``, ``summary``, ``protocol``, its ``settings`` and those ``common`` to all."""
    known: list[dict[str, Any]] = json.loads(_humbly.reward_entries())
    return known


def _written(value: Setting) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value)


def _references(references: References | None) -> list[str]:
    if isinstance(references, str):
        return [references]
    if references is None or _is_missing(references):
        return []
    if isinstance(references, (int, float, np.generic)):
        return [_reference(references)]
    return [_reference(reference) for reference in references if not _is_missing(reference)]


def _is_missing(value: Any) -> bool:
    # As data frames have it: None, NaN, or the mark of pandas.
    if isinstance(value, (float, np.floating)):
        return bool(value != value)
    return value is None or type(value).__name__ == "NAType"


def _reference(reference: Any) -> str:
    """A number counts as it is written, as on the command line."""
    if isinstance(reference, np.generic):
        reference = reference.item()
    if isinstance(reference, bool):
        return "true" if reference else "false"
    if isinstance(reference, (str, int, float)):
        return str(reference)
    raise ParameterError(f"a reference is a {type(reference).__name__}, expected a text or a number")


def _column(name: str, values: Iterable[Any]) -> Sequence[Any]:
    """The column as the native half reads it, not copied where it is a list or a tuple.

    :raises ParameterError: it is one text.
    """
    if isinstance(values, (str, bytes)):
        raise ParameterError(f"{name} is one {type(values).__name__}, expected one entry a response")
    return values if isinstance(values, (list, tuple)) else list(values)


def _check_texts(name: str, texts: Sequence[Any], *, optional: bool = False) -> None:
    """Checks a column of texts.

    :raises ParameterError: it holds something else, with its index.
    """
    for index, text in enumerate(texts):
        if not isinstance(text, str) and not (optional and text is None):
            raise ParameterError(f"{name}[{index}] is a {type(text).__name__}, expected a text")


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
        if component not in COMPONENTS:
            raise KeyError(f"no component `{component}`, expected one of {', '.join(COMPONENTS)}")
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
        one = ([text] if text is not None else None for text in (prompt, question, label))
        values, _ = self._score([response], [references], *one)
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
        """Score a batch in order, without the GIL; arguments as in a single call, one entry a response.

        :raises ParameterError: lengths differ, or an entry is no text, with its index.
        """
        values, unscorable = self._score(responses, references, prompts, questions, labels)
        return Batch(np.frombuffer(values).reshape(-1, len(COMPONENTS)), unscorable)

    def _score(
        self,
        responses: Sequence[str],
        references: Sequence[References | None],
        *columns: Sequence[str | None] | None,
    ) -> tuple[bytes, list[str | None]]:
        responses = _column("responses", responses)
        references = _column("references", references)
        named = [
            (name, None if values is None else _column(name, values))
            for name, values in zip(("prompts", "questions", "labels"), columns)
        ]
        others = [values for _, values in named]
        try:
            return self._reward.score(responses, references, *others)
        except TypeError:
            # Something is no text: the slow way says what, or takes a number as it is written.
            _check_texts("responses", responses)
            for name, values in named:
                _check_texts(name, values or (), optional=True)
            return self._reward.score(responses, [_references(one) for one in references], *others)


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
    said = _humbly.score_ise(os.fspath(verdicts), json.dumps(scores), weights, seed, resamples)
    found: dict[str, Any] = json.loads(said)
    return found
