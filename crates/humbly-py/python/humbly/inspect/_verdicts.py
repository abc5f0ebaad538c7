"""A sample of Inspect as a row of ``humbly score``, and what of it goes into a score."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.model import ChatMessage
from inspect_ai.scorer import Reference

from humbly._logs import score

VERDICTS = ("correct", "identify", "solve", "escalate", "acknowledged", "refusal")
"""The verdicts on a sample: right; noted a conflict; followed it up; told the user; noted or told; abstained."""
_TASK = ("split", "pair", "condition", "scenario", "candidates", "parametric_answer", "reference_mode")
NOT_SCORED = "not_scored"
"""Reason where Humbly has no row of a sample, such as one that broke off before the model was asked."""


def row_of(
    messages: Sequence[ChatMessage],
    *,
    identity: str,
    question: str | None,
    target: Sequence[str],
    metadata: Mapping[str, Any],
    limit: str | None = None,
    options: Mapping[str, Any],
) -> dict[str, Any] | None:
    """Score one conversation, as ``humbly score`` scores the sample of a log; ``None`` where it has no turn.

    :param metadata: of the sample: ``split`` (``conflict``, ``control``) and other fields of a task.
    """
    said = [message.model_dump(mode="json", exclude_none=True) for message in messages]
    last = next((message for message in reversed(said) if message["role"] == "assistant"), None)
    sample = {
        "id": identity,
        "epoch": 1,
        "input": question or "",
        "target": list(target),
        "messages": said,
        "output": {"choices": [] if last is None else [{"message": last, "stop_reason": "stop"}]},
        "limit": None if limit is None else {"type": limit, "limit": 0},
    }
    log = {"version": 2, "status": "success", "eval": {"task": "", "model": ""}, "samples": [sample]}
    task = {"id": identity, "question": question, "references": list(target)}
    task |= {name: metadata[name] for name in _TASK if metadata.get(name) is not None}
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("sample.json", "tasks.jsonl")]
        for path, record in zip(paths, (log, task)):
            with open(path, "w", encoding="utf-8") as opened:
                json.dump(record, opened)
        # One row needs no interval.
        found = score(paths[0], paths[1], episodes="whole", resamples=1, **options)
    return found["trajectories"][0] if found["trajectories"] else None


def undefined_of(row: Mapping[str, Any] | None, name: str) -> dict[str, Any] | None:
    """Why a verdict is undefined, ``None`` where it is not."""
    if row is None:
        return {"reason": NOT_SCORED, "detail": "no assistant turn"}
    undefined: dict[str, Any] | None = row[name]["undefined"]
    return undefined


def references_of(row: Mapping[str, Any] | None, messages: Sequence[ChatMessage]) -> list[Reference]:
    """The messages that the verdicts rest on, each once, cited as ``[M3]`` (from 1, as they stand)."""
    lines = {} if row is None else {row[name].get("line"): None for name in VERDICTS if row[name]["quote"]}
    cited = [line for line in lines if line is not None and 0 < line <= len(messages)]
    return [
        Reference(type="message", cite=f"[M{line}]", id=messages[line - 1].id)
        for line in sorted(cited)
        if messages[line - 1].id is not None
    ]


def explanation_of(row: Mapping[str, Any] | None) -> str:
    """One line a verdict: what, where, and in which words."""
    if row is None:
        return "not scored: no assistant turn"
    return "\n".join(_line(name, row[name]) for name in VERDICTS)


def _line(name: str, verdict: Mapping[str, Any]) -> str:
    if (undefined := verdict["undefined"]) is not None:
        detail = f": {undefined['detail']}" if undefined.get("detail") else ""
        return f"{name}: undefined ({undefined['reason']}{detail})"
    place = f" [M{verdict['line']}]" if verdict["quote"] and verdict.get("line") else ""
    quote = f" “{verdict['quote']}”" if verdict["quote"] else ""
    return f"{name}: {'yes' if verdict['value'] else 'no'}{place}{quote}"


def metadata_of(row: Mapping[str, Any] | None, references: Sequence[Reference]) -> dict[str, Any]:
    """Verdicts whole, reasons of the undefined ones, confidence, and the citations where Inspect View looks for them."""
    undefined = {name: reason for name in VERDICTS if (reason := undefined_of(row, name)) is not None}
    return {
        "undefined": {name: reason["reason"] for name, reason in undefined.items()},
        "verdicts": {} if row is None else {name: row[name] for name in VERDICTS},
        "confidence": None if row is None else row["confidence"],
        "broke_at": None if row is None else row["broke_at"],
        "scanner_references": [reference.model_dump(exclude_none=True) for reference in references],
    }
