"""Metrics on arrays and lists: calibration, attribution, agreement, comparison.

The functions for one number (:func:`ece`, :func:`brier`, …) are fast and refuse whatever is no probability.
The tables (:func:`calibration`, :func:`attribution`, :func:`agreement`, :func:`compare`) give the numbers of
``humbly stats`` with intervals, leave out what is missing or out of range, and count it.

>>> str(ece([0.95, 0.95, 0.25], [1, 0, 0]))
'0.383, n=3'
>>> mcip([0.9], [1]).value
Undefined(reason='no_wrong_answers', detail=None)
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any, Literal, Union

import numpy as np

from humbly import _humbly
from humbly._logs import warn_of, whole
from humbly._measured import Measured, with_measured

__all__ = [
    "agreement",
    "attribution",
    "auroc",
    "aurc",
    "brier",
    "calibration",
    "compare",
    "ece",
    "ece_debiased",
    "ece_smooth",
    "log_loss",
    "mce",
    "mcip",
]

Numbers = Union[np.ndarray, Sequence[float], Sequence[int], Sequence[bool]]
Scale = Literal["unit", "percent"]
Edges = Literal["right-closed", "left-closed", "guo2017", "equal-mass"]


def _floats(values: Numbers, name: str) -> bytes:
    try:
        array = np.asarray(values)
        if array.dtype.kind == "c":
            raise TypeError("complex numbers")
        if array.dtype in (np.float32, np.float16):
            # As it is written: 0.8 in single precision is a little more than 0.8, on the other side of an edge.
            array = array.astype("U32")
        array = array.astype("<f8")
    except (TypeError, ValueError) as error:
        raise _humbly.ParameterError(f"{name} holds something that is no number: {error}") from error
    if array.ndim != 1:
        raise _humbly.ParameterError(f"{name} has {array.ndim} dimensions, expected 1")
    return array.tobytes()


def _measure(
    name: str, confidence: Numbers, correct: Numbers, scale: Scale, bins: int = 10, edges: str = "right-closed"
) -> Measured:
    if scale not in ("unit", "percent"):
        raise _humbly.ParameterError(f"scale is `{scale}`, expected unit or percent")
    pairs = _floats(confidence, "confidence"), _floats(correct, "correct")
    written = _humbly.measure(name, *pairs, whole("bins", bins), edges, scale == "percent")
    return Measured.from_dict(json.loads(written))


def ece(
    confidence: Numbers, correct: Numbers, *, bins: int = 10, edges: Edges = "right-closed", scale: Scale = "unit"
) -> Measured:
    """Expected calibration error: mean gap between confidence and accuracy over bins (Guo et al. 2017).

    :param confidence: ``[n]``, in ``[0, 1]``, or in ``[0, 100]`` with ``scale="percent"``; never guessed.
    :param correct: ``[n]``, 0 and 1 or truth values.
    :param edges: the rule for a confidence on the edge of a bin; it is part of the result.
    :returns: undefined (``no_samples``) where ``n`` is 0.
    :raises ParameterError: a confidence out of range or NaN, lengths that differ, an outcome that is neither 0 nor 1.
    """
    return _measure("ece", confidence, correct, scale, bins, edges)


def ece_debiased(
    confidence: Numbers, correct: Numbers, *, bins: int = 10, edges: Edges = "right-closed", scale: Scale = "unit"
) -> Measured:
    """:func:`ece` less what perfect calibration would show on so many samples; may be below 0."""
    return _measure("ece-debiased", confidence, correct, scale, bins, edges)


def ece_smooth(confidence: Numbers, correct: Numbers, *, scale: Scale = "unit") -> Measured:
    """Smooth calibration error, which needs no bins."""
    return _measure("ece-smooth", confidence, correct, scale)


def mce(
    confidence: Numbers, correct: Numbers, *, bins: int = 10, edges: Edges = "right-closed", scale: Scale = "unit"
) -> Measured:
    """Maximum calibration error: the largest gap of a bin."""
    return _measure("mce", confidence, correct, scale, bins, edges)


def brier(confidence: Numbers, correct: Numbers, *, scale: Scale = "unit") -> Measured:
    """Brier score: mean squared gap between confidence and outcome."""
    return _measure("brier", confidence, correct, scale)


def log_loss(confidence: Numbers, correct: Numbers, *, scale: Scale = "unit") -> Measured:
    """Mean negative log-likelihood, in nats; undefined (``not_finite``) where a sure answer was wrong."""
    return _measure("log-loss", confidence, correct, scale)


def auroc(confidence: Numbers, correct: Numbers, *, scale: Scale = "unit") -> Measured:
    """Chance that a right answer has more confidence than a wrong one, ties half; undefined for one class."""
    return _measure("auroc", confidence, correct, scale)


def mcip(confidence: Numbers, correct: Numbers, *, scale: Scale = "unit") -> Measured:
    """Mean confidence of the wrong answers (CAR §3.2); undefined (``no_wrong_answers``) where none is wrong."""
    return _measure("mcip", confidence, correct, scale)


def aurc(confidence: Numbers, correct: Numbers, *, scale: Scale = "unit") -> Measured:
    """Area under the risk–coverage curve, ties as one point: lower is better."""
    return _measure("aurc", confidence, correct, scale)


def _cell(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    # The mark of pandas for a missing value, without asking for pandas.
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if not isinstance(value, (str, int, float)):
        return str(value)
    # JSON has no NaN; as a word it is refused and counted where a number is asked for.
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def _column(name: str, values: Iterable[Any]) -> list[Any]:
    if isinstance(values, np.ndarray) and values.ndim != 1:
        raise _humbly.ParameterError(f"{name} has {values.ndim} dimensions, expected 1")
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise _humbly.ParameterError(f"{name} is one {type(values).__name__}, expected a column of them")
    if getattr(values, "dtype", None) in (np.float32, np.float16):
        return [float(str(value)) for value in values]
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def _rows(**columns: Iterable[Any] | None) -> bytes:
    given = {name: _column(name, values) for name, values in columns.items() if values is not None}
    lengths = {name: len(values) for name, values in given.items()}
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise _humbly.ParameterError(f"columns of different lengths ({said}), expected the same")
    if not any(lengths.values()):
        raise _humbly.InputError(f"no rows ({', '.join(given)} are empty), expected at least one")
    lines = (json.dumps(dict(zip(given, map(_cell, row)))) for row in zip(*given.values()))
    return "\n".join(lines).encode()


def _answer(written: str) -> Any:
    answer = json.loads(written)
    warn_of(answer["problems"], stacklevel=5)
    return with_measured(answer["result"])


def _groups(written: str) -> list[dict[str, Any]]:
    groups: list[dict[str, Any]] = _answer(written)
    return groups


def _one(written: str) -> dict[str, Any]:
    result: dict[str, Any] = _answer(written)
    return result


def calibration(
    confidence: Iterable[float | None],
    correct: Iterable[bool | int | None],
    *,
    by: Iterable[Any] | None = None,
    id: Iterable[Any] | None = None,
    setting: Iterable[Any] | None = None,
    bins: int = 10,
    edges: Edges = "right-closed",
    scale: Scale = "unit",
    seed: int = 0,
    resamples: int = 10_000,
) -> list[dict[str, Any]]:
    """Calibration with intervals, as ``humbly stats calibration``: one dict a group (and setting).

    Keys as in its JSON (``ece``, ``brier``, ``auroc``, ``mcip``, ``mcip_common``, ``aurc``, ``bins``, …), measured
    numbers as :class:`humbly.Measured`. A confidence that is missing, NaN or out of range is left out and
    counted in ``left_out`` by reason, with a :class:`humbly.HumblyWarning`.

    :param by: one result for each of these values.
    :param id: ids of questions; with ``setting``, settings are compared on the questions that all got wrong.
    """
    if scale not in ("unit", "percent"):
        raise _humbly.ParameterError(f"scale is `{scale}`, expected unit or percent")
    draws = whole("seed", seed, 64), whole("resamples", resamples)
    rows = _rows(confidence=confidence, correct=correct, by=by, id=id, setting=setting)
    given = [name for name, values in (("by", by), ("id", id), ("setting", setting)) if values is not None]
    return _groups(_humbly.calibration(rows, given, (whole("bins", bins), edges), scale == "percent", draws))


def attribution(
    form: Iterable[str | None],
    answerable: Iterable[bool | int | None],
    correct: Iterable[bool | int | None],
    *,
    by: Iterable[Any] | None = None,
    f1: Literal["released", "balanced"] = "released",
    seed: int = 0,
    resamples: int = 10_000,
) -> list[dict[str, Any]]:
    """Attribution of uncertainty (UA §3.3), as ``humbly stats attribution``: one dict a group.

    :param form: ``answer``, ``data_uncertain``, ``model_uncertain``, ``dont_know`` or ``unparsable``.
    :param answerable: whether the question has an answer.
    :param f1: the estimator; the two differ, and the result says which.
    """
    if f1 not in ("released", "balanced"):
        raise _humbly.ParameterError(f"f1 is `{f1}`, expected released or balanced")
    rows = _rows(form=form, answerable=answerable, correct=correct, by=by)
    return _groups(_humbly.attribution(rows, by is not None, f1 == "balanced", whole("seed", seed, 64), whole("resamples", resamples)))


def agreement(item: Iterable[Any], rater: Iterable[Any], label: Iterable[Any]) -> dict[str, Any]:
    """Agreement of raters, as ``humbly stats agreement``: raw, Cohen κ, Fleiss κ, Gwet AC1, Krippendorff α."""
    return _one(_humbly.agreement(_rows(item=item, rater=rater, label=label)))


def compare(
    first: tuple[Iterable[Any], Iterable[float]],
    second: tuple[Iterable[Any], Iterable[float]],
    *,
    seed: int = 0,
    resamples: int = 10_000,
) -> dict[str, Any]:
    """Paired comparison of two sets of scores, as ``humbly stats compare``; each is ``(ids, scores)``."""
    rows, others = (_rows(id=ids, score=scores) for ids, scores in (first, second))
    return _one(_humbly.compare(rows, others, whole("seed", seed, 64), whole("resamples", resamples)))
