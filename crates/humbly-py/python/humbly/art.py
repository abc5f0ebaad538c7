"""Rewards for ART (``openpipe-art``), which has no callback: score a trajectory, then train on its group.

.. code-block:: python

    scorer = TrajectoryScorer("mscr", scale="percent")
    group = art.TrajectoryGroup([scorer(trajectory, ["Paris"]) for trajectory in trajectories])

ART itself is not imported here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from humbly import _rollouts
from humbly.rewards import References, Reward, Setting

__all__ = ["TrajectoryScorer"]

TrajectoryT = TypeVar("TrajectoryT")


class TrajectoryScorer:
    """Sets ``reward`` and ``metrics`` of trajectories by one reward. May be pickled and shared between threads.

    :param name: one of :func:`humbly.rewards.entries`.
    :param settings: settings of the reward.
    """

    def __init__(self, name: str, /, **settings: Setting) -> None:
        self.reward = Reward(name, state=None, **settings)
        """The reward, which holds the state of ``mash``."""

    def __call__(
        self,
        trajectory: TrajectoryT,
        references: References | None,
        *,
        question: str | None = None,
        label: str | None = None,
    ) -> TrajectoryT:
        """Score ``trajectory`` in place and return it.

        Its response is what follows the first message or choice of the assistant, that one included. Metrics are
        the components, all numbers; where ``scorable`` is 0 the reward is 0, as for all of its group.
        """
        answers = _rollouts.references(references)
        row = self.reward(_response(trajectory), answers, question=question, label=label)
        scored: Any = trajectory
        scored.reward = row.pop("score")
        scored.metrics.update(row)
        return trajectory


def _response(trajectory: Any) -> str:
    messages = list(trajectory.messages())
    return _rollouts.response(messages[_first_reply(message.get("role") for message in messages) :])


def _first_reply(roles: Iterable[str]) -> int:
    at = 0
    for at, role in enumerate(roles):
        if role == "assistant":
            return at
    return at + 1
