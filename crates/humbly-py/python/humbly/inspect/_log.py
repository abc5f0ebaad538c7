"""Our results back in a log of Inspect."""

from __future__ import annotations

import os
import pathlib
from typing import Any, Union

from inspect_ai.log import EvalLog, ProvenanceData, edit_score, read_eval_log, recompute_metrics, write_eval_log
from inspect_ai.scorer import ScoreEdit

from humbly import __version__
from humbly._humbly import InputError
from humbly._logs import score
from humbly.inspect._scorer import score_of

Path = Union[str, "os.PathLike[str]"]
NAME = "humbly_ise"
"""The score that is written."""


def write_scores(
    log: Path,
    tasks: Path | None = None,
    *,
    document: dict[str, Any] | None = None,
    out: Path | None = None,
    **options: Any,
) -> EvalLog:
    """Write the verdicts of ``humbly score`` into the samples of a log, as Inspect's own edits of scores.

    Other scores stay as they are; writing again replaces ours, with Inspect's history of it. A sample of which
    Humbly has no row is unscored with the reason ``not_scored``.

    :param log: an ``.eval`` or ``.json`` log.
    :param tasks: a JSONL file that says which questions were conflicts, and what is right.
    :param document: what :func:`humbly.score` or a model judge gave (``humbly score --output json``); without it the
        log is scored now.
    :param out: where to write it; without it the log is replaced.
    :param options: those of :func:`humbly.score`, where it is scored now.
    :raises InputError: the document has no row of any sample of the log.
    """
    path = os.fspath(log)
    if document is None:
        document = score(path, tasks, **{"episodes": "whole", **options})
    found = read_eval_log(path)
    rows = {row["id"]: row for row in document["trajectories"]}
    stem = pathlib.Path(path).stem
    samples = found.samples or []
    named = {f"{stem}/{sample.id}_epoch_{sample.epoch}": sample for sample in samples}
    if not rows.keys() & named.keys():
        some = next(iter(rows), "none")
        raise InputError(f"{path}: the document has no row of this log (it has `{some}`, expected `{stem}/…`)")
    author = ProvenanceData(author=f"humbly {__version__}", reason=f"judge {document['settings']['judge']}")
    for name, sample in named.items():
        made = score_of(rows.get(name), sample.messages)
        edit = ScoreEdit(
            value=made.value,
            answer=made.answer,
            explanation=made.explanation,
            reason=made.reason,
            metadata=made.metadata or {},
            provenance=author,
        )
        edit_score(found, sample.id, NAME, edit, recompute_metrics=False, epoch=sample.epoch)
    recompute_metrics(found)
    write_eval_log(found, path if out is None else os.fspath(out))
    return found
