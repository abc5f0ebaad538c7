"""``compute_score`` as verl calls it: by keyword, from threads, one sample a call."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import lru_cache
from threading import Lock
from typing import Any

from humbly import _rollouts
from humbly.rewards import COMPONENTS, Reward, Setting

__all__ = ["KEYS", "compute_score"]

logger = logging.getLogger(__name__)

_tags = _rollouts.TagWatch()
_groups = _rollouts.GroupWatch()
_building = Lock()

KEYS: tuple[str, ...] = (*COMPONENTS, "acc", "error")
"""The keys of every answer, whatever the sample: verl takes the set from the first one."""

_UNSCORABLE: dict[str, float] = {
    **dict.fromkeys(COMPONENTS, 0.0),
    **dict.fromkeys(("correct", "confidence", "retrieval_hit", "acc"), -1.0),
}


@lru_cache(maxsize=64)
def _reward(name: str, settings: tuple[tuple[str, Setting], ...]) -> Reward:
    # One object a process: the state of `mash` lives in it.
    return Reward(name, state=None, **dict(settings))


def _question(extra_info: Mapping[str, Any], data_source: str) -> str | None:
    for name in ("question_id", "uid", "index"):
        if extra_info.get(name) is not None:
            return f"{data_source}/{extra_info[name]}"
    return None


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: Any,
    extra_info: Mapping[str, Any] | None = None,
    *,
    reward: str = "mscr",
    settings: Mapping[str, Setting] | None = None,
    **_: Any,
) -> dict[str, float]:
    """Score one response for verl.

    A wrong reward or setting raises :class:`humbly.ParameterError` at the first sample. Afterwards nothing raises:
    a sample that fails has ``error`` 1, ``scorable`` 0 and ``score`` 0, and the failure is logged.

    :param data_source: the data set; with the question's id it names the question for ``mash``.
    :param solution_str: the response alone, as verl decodes it.
    :param ground_truth: a text, a list of texts, or ``{"target": …}`` as in Search-R1's files.
    :param extra_info: ``question_id`` (else ``uid`` or ``index``) for ``mash`` and ``label`` for ``rl-ua`` are read.
    :param reward: one of :func:`humbly.rewards.entries`.
    :param settings: settings of the reward; say the scale of the confidence here.
    :returns: :data:`KEYS`, all finite numbers. ``acc`` is ``correct``: 1, 0, or −1 where nobody can tell.
    """
    with _building:
        scorer = _reward(reward, tuple(sorted((settings or {}).items())))
    try:
        _tags.see([solution_str])
        extra_info = extra_info or {}
        question = _question(extra_info, data_source)
        if scorer.has_state and extra_info.get("split") in (None, "train"):
            _groups.see([question])
        row = scorer(
            solution_str,
            _rollouts.references(ground_truth),
            question=question,
            label=extra_info.get("label"),
        )
    except Exception:
        logger.exception("a sample of %s could not be scored", data_source)
        return {**_UNSCORABLE, "error": 1.0}
    return {**row, "acc": row["correct"], "error": 0.0}
