"""A scorer of Inspect AI."""

from __future__ import annotations

import asyncio
from typing import Any

from inspect_ai.model import ChatMessage
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from humbly.inspect._verdicts import VERDICTS, explanation_of, metadata_of, references_of, row_of, undefined_of


def score_of(row: dict[str, Any] | None, messages: list[ChatMessage]) -> Score:
    """The score of a row: 1 or 0 a verdict, NaN (which Inspect counts as unscored) where it is undefined."""
    defined = {name: undefined_of(row, name) is None for name in VERDICTS}
    answer = None if row is None or row["final_answer"] is None else row["final_answer"]["text"]
    explanation, metadata = explanation_of(row), metadata_of(row, references_of(row, messages))
    if row is None or not any(defined.values()):
        reason = next(iter(metadata["undefined"].values()))
        return Score.unscored(reason=reason, answer=answer, explanation=explanation, metadata=metadata)
    values = {name: float(row[name]["value"]) if defined[name] else float("nan") for name in VERDICTS}
    return Score(value=values, answer=answer, explanation=explanation, metadata=metadata)


@scorer(metrics={"*": [mean(), stderr()]}, name="humbly_ise")
def ise_scorer(**options: Any) -> Scorer:
    """Identify, Solve, Escalate and the rest of :data:`VERDICTS` on each sample, by the lexical judge.

    The mean of a verdict is over the samples in which it is defined (Solve: where a conflict was noted; Escalate on
    conflicts: where the answer is wrong); intervals, F1 and comparisons are ``humbly score``'s, on the log.

    The sample says what it is by its metadata: ``split`` (``conflict`` or ``control``), ``pair``, ``candidates``,
    ``parametric_answer``; its target are the references. Without a split nothing is assumed.

    :param options: those of :func:`humbly.score`, such as ``solve_over="all"``.
    """

    async def score(state: TaskState, target: Target) -> Score:
        row = await asyncio.to_thread(
            row_of,
            state.messages,
            identity=str(state.sample_id),
            question=state.input_text,
            target=[text for text in target if text],
            metadata=state.metadata,
            options=options,
        )
        return score_of(row, state.messages)

    return score
