"""What trainers hand over, in the shapes that a reward reads: reference answers, responses, labels.

Tags that stand in text which the model did not write are quoted, so that a retrieved page can neither answer
nor break the format.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Union

import numpy as np

from humbly._humbly import ParameterError
from humbly._logs import HumblyWarning

__all__ = ["Completion", "GroupWatch", "TagWatch", "information", "quoted", "references", "response"]

Completion = Union[str, Sequence[Mapping[str, Any]]]
"""A response as text, or as the messages that follow the prompt."""

_TAG = re.compile(r"<(?=/?(?:think|search|information|answer|confidence|escalate|analysis)>)", re.IGNORECASE)
_ENVELOPE = re.compile(r"\s*<information>(.*)</information>\s*", re.DOTALL)


_ANY_TAG = re.compile(r"</?(?:think|answer|confidence)>|\\boxed")


class TagWatch:
    """Warns once where no tag stands in any of the first ``after`` responses: then the trainer drops them.

    Trainers decode without special tokens, so that tags which are special tokens of the tokeniser never arrive.
    """

    def __init__(self, after: int = 256) -> None:
        self._left = after

    def see(self, responses: Iterable[str]) -> None:
        """Look at responses until a tag was found or the warning was given."""
        if self._left <= 0:
            return
        for response in responses:
            if _ANY_TAG.search(response):
                self._left = 0
                return
            self._left -= 1
        if self._left <= 0:
            told = (
                "no response so far holds a tag of any protocol; if the tokeniser has them as special tokens, the "
                "trainer removes them before the reward sees the text"
            )
            warnings.warn(told, HumblyWarning, stacklevel=3)


class GroupWatch:
    """Warns once where questions that should form groups have an id for each rollout: then every group has size 1."""

    def __init__(self, after: int = 256) -> None:
        self._left = after
        self._seen: set[str] = set()

    def see(self, questions: Sequence[str | None], prompts: Sequence[Any] | None = None) -> None:
        """Look at a batch until two rollouts shared an id or the warning was given.

        Where prompts are given, equal ones under different ids say it at once; else ``after`` rollouts have to differ.
        """
        if self._left <= 0:
            return
        distinct = set(questions)
        if None in distinct or len(distinct) < len(questions) or not self._seen.isdisjoint(distinct):
            self._left = 0
            return
        repeats = prompts is not None and len({repr(prompt) for prompt in prompts}) < len(questions)
        self._seen.update(question for question in questions if question is not None)
        self._left = 0 if repeats else self._left - len(questions)
        if self._left <= 0:
            told = (
                "every rollout so far has a question id of its own, so that each group has size 1 and nothing to be "
                "measured against; is it the id of the row?"
            )
            warnings.warn(told, HumblyWarning, stacklevel=3)


def references(ground_truth: Any) -> list[str]:
    """Reference answers out of a text, a number, a list, an array, or ``{"target": …}`` as Search-R1 has it.

    ``None``, NaN and what is empty give no reference: the sample cannot be scored then.
    """
    if ground_truth is None or isinstance(ground_truth, float) and ground_truth != ground_truth:
        return []
    if isinstance(ground_truth, str):
        return [ground_truth]
    if isinstance(ground_truth, (np.ndarray, np.generic)):
        return references(ground_truth.tolist())
    if isinstance(ground_truth, bool):
        return ["true" if ground_truth else "false"]
    if isinstance(ground_truth, (int, float)):
        return [str(ground_truth)]
    if isinstance(ground_truth, Mapping):
        return references(ground_truth.get("target"))
    if isinstance(ground_truth, Iterable) and not isinstance(ground_truth, (bytes, bytearray)):
        return [answer for one in ground_truth for answer in references(one)]
    raise ParameterError(
        f"the ground truth is a {type(ground_truth).__name__}, expected a text, a number, a list of them, "
        "or a dict with `target`"
    )


def quoted(text: str) -> str:
    """``text`` with the angle brackets of known tags quoted."""
    return _TAG.sub("&lt;", text)


def information(text: str) -> str:
    """Text of the environment as the protocols read it, without tags of its own."""
    envelope = _ENVELOPE.fullmatch(text)
    return f"\n\n<information>{quoted((envelope[1] if envelope else text).strip())}</information>\n\n"


def response(completion: Completion) -> str:
    """The response as one text.

    Of messages the assistant's are joined; separated reasoning goes back into ``<think>``, and what tools and
    users wrote becomes ``<information>``. Calls of native tools are no tags and are not read.
    """
    if isinstance(completion, str):
        return completion
    return "".join(map(_message, completion))


def _message(message: Mapping[str, Any]) -> str:
    content = _content(message.get("content"))
    if message.get("role", "assistant") != "assistant":
        return information(content)
    reasoning = message.get("reasoning_content") or message.get("reasoning")
    return f"<think>{quoted(reasoning)}</think>{content}" if isinstance(reasoning, str) else content


def _content(content: Any) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    parts = (part.get("text") if isinstance(part, Mapping) else part for part in content)
    return "".join(part for part in parts if isinstance(part, str))
