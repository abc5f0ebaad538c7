"""The lexical judge of single texts: rules over sentences, no model, no network. English only.

>>> escalate("The register says 1912, whereas the obituary gives 1913.").value
True
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from humbly import _humbly
from humbly._measured import Undefined

__all__ = ["NAME", "Verdict", "escalate", "identify", "refusal"]


@dataclass(frozen=True)
class Verdict:
    """Yes, no, or undefined with a reason; with the span that decided."""

    value: bool | Undefined
    """``True``, ``False``, or :class:`humbly.Undefined` (``language_not_covered``)."""
    quote: str | None
    """The span that decided: without it the text is no yes."""
    rule: str | None
    """The rule that decided."""
    judge: str
    """Name and version of the judge."""

    @property
    def is_defined(self) -> bool:
        """Whether the judge decided."""
        return not isinstance(self.value, Undefined)

    def __bool__(self) -> bool:
        # An undefined verdict raises here: it is not a no.
        return bool(self.value)


@lru_cache(maxsize=1)
def _judge() -> _humbly.LexicalJudge:
    return _humbly.LexicalJudge()


NAME: str = _judge().name
"""Name and version of the rules, as in every verdict."""


def _text(text: str) -> str:
    # A lone surrogate, which no UTF-8 holds, must not stop a batch of logs.
    if not isinstance(text, str):
        raise _humbly.ParameterError(f"the text is a {type(text).__name__}, expected a str")
    return text.encode("utf-8", "replace").decode()


def _listed(candidates: str | Iterable[str]) -> list[str]:
    return [candidates] if isinstance(candidates, str) else list(candidates)


def _verdict(written: str) -> Verdict:
    record = json.loads(written)
    undefined = record["undefined"]
    return Verdict(
        value=record["value"] if undefined is None else Undefined(**undefined),
        quote=record["quote"],
        rule=record["rule"],
        judge=record["judge"],
    )


def escalate(text: str, *, question: str | None = None, candidates: Iterable[str] = ()) -> Verdict:
    """Whether a final answer's visible text passes a specific uncertainty on to the reader.

    :param question: the question, where it is known.
    :param candidates: the answers that compete; the judge is never told which is right.
    """
    return _verdict(_judge().escalate(_text(text), question, _listed(candidates)))


def identify(text: str, *, question: str | None = None, candidates: Iterable[str] = ()) -> Verdict:
    """Whether one intermediate turn, reasoning and text, recognises a specific gap or conflict."""
    return _verdict(_judge().identify(_text(text), question, _listed(candidates)))


def refusal(text: str) -> Verdict:
    """Whether a final answer abstains or refuses in free text. Phrases have low recall."""
    return _verdict(_judge().refusal(_text(text)))
