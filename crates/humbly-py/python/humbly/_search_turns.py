"""Search-R1's game of one growing text: what a turn did, and what the environment answers."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["INVALID", "STOPS", "Turn", "read_turn"]

STOPS: tuple[str, ...] = ("</search>", "</answer>")
"""A turn ends at the first of them."""

_ACTION = re.compile(r"<(search|answer)>(.*?)</\1>", re.DOTALL)

INVALID = (
    "\nThis was neither a search nor an answer. A search is put between its two search tags, an answer between its two "
    "answer tags.\n"
)
"""What a turn without action gets; without tags of its own, which a format check would count as the model's."""


@dataclass(frozen=True)
class Turn:
    """One turn of the model."""

    text: str
    """What stays of it: what follows the first end of an action is cut."""
    query: str | None = None
    """What it searches for."""
    is_answer: bool = False
    """Whether it ends the game."""


def read_turn(text: str) -> Turn:
    """Cut a turn behind its first closed ``<search>``, else its first closed ``<answer>``, and read the action."""
    for stop in STOPS:
        at = text.find(stop)
        if at >= 0:
            text = text[: at + len(stop)]
            break
    action = _ACTION.search(text)
    if action is None:
        return Turn(text)
    kind, content = action.groups()
    return Turn(text, query=content.strip() if kind == "search" else None, is_answer=kind == "answer")
