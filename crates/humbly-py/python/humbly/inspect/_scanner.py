"""A scanner of Inspect Scout."""

from __future__ import annotations

import asyncio
from typing import Any

from inspect_scout import Result, Scanner, Transcript, scanner

from humbly.inspect._verdicts import VERDICTS, explanation_of, metadata_of, references_of, row_of, undefined_of


@scanner(messages="all", name="humbly_ise")
def ise_scanner(verdict: str | None = None, **options: Any) -> Scanner[Transcript]:
    """Our verdicts on a transcript, each with the message that decided; ``None`` where undefined.

    :param verdict: one of :data:`VERDICTS` as the value; without it all of them, as an object.
    :param options: those of :func:`humbly.score`.
    """
    if verdict is not None and verdict not in VERDICTS:
        raise ValueError(f"verdict is `{verdict}`, expected one of {', '.join(VERDICTS)}")

    async def scan(transcript: Transcript) -> Result:
        sample = transcript.metadata.get("sample_metadata") or {}
        target = transcript.metadata.get("target") or []
        row = await asyncio.to_thread(
            row_of,
            transcript.messages,
            identity=transcript.task_id or transcript.transcript_id,
            question=next((message.text for message in transcript.messages if message.role == "user"), None),
            target=[target] if isinstance(target, str) else [str(text) for text in target],
            metadata=sample if isinstance(sample, dict) else {},
            limit=transcript.limit or None,
            options=options,
        )
        values = {name: row[name]["value"] if row and undefined_of(row, name) is None else None for name in VERDICTS}
        references = references_of(row, transcript.messages)
        return Result(
            value=values if verdict is None else values[verdict],
            answer=None if row is None or row["final_answer"] is None else row["final_answer"]["text"],
            explanation=explanation_of(row),
            metadata=metadata_of(row, references),
            references=references,
        )

    return scan
