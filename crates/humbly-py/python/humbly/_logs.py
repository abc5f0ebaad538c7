"""Logs of agents: read them, score them."""

from __future__ import annotations

import json
import operator
import os
import warnings
from collections.abc import Iterable
from typing import Any, Literal, Union

from humbly import _humbly

Path = Union[str, "os.PathLike[str]"]


class HumblyWarning(UserWarning):
    """Something could not be used; the rest was, and this was counted."""


def paths_of(paths: Path | Iterable[Path]) -> list[str]:
    """One path or several, as text."""
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    return [os.fspath(path) for path in paths]


def globs_of(include: str | Iterable[str]) -> list[str]:
    """One glob or several."""
    return [include] if isinstance(include, str) else list(include)


def whole(name: str, value: int, bits: int = 32) -> int:
    """A whole number from 0 that has at most so many bits.

    :raises ParameterError: it is not.
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = -1
    if not 0 <= number < 1 << bits:
        raise _humbly.ParameterError(f"{name} is {value!r}, expected a whole number from 0")
    return number


def warn_of(problems: list[dict[str, Any]], stacklevel: int = 3) -> None:
    """One warning for all problems, the first three in words."""
    if not problems:
        return
    shown = "; ".join(f"{problem['path']}: {problem['message']}" for problem in problems[:3])
    more = f"; and {len(problems) - 3} more" if len(problems) > 3 else ""
    warnings.warn(f"{shown}{more}", HumblyWarning, stacklevel=stacklevel)


def formats() -> list[dict[str, str]]:
    """The log formats that can be read: ``name``, ``title``, ``recognised_by``."""
    return [dict(zip(("name", "title", "recognised_by"), row)) for row in _humbly.formats()]


def read(
    paths: Path | Iterable[Path],
    *,
    format: str = "auto",
    include: Iterable[str] = (),
    episodes: Literal["each", "whole"] = "each",
) -> list[dict[str, Any]]:
    """Read logs of agents as plain dicts, one a trajectory.

    Each is Humbly's own record (``id``, ``turns``, ``final_answer``, ``stop``, …) with the ``path`` that it came
    from; ``log`` holds every step with its place. What the log does not say is absent, not empty.

    :param paths: files, or folders with logs; formats are recognised and may be mixed.
    :param format: a name from :func:`formats` instead.
    :param include: globs that files below a folder must match.
    :param episodes: a log with several prompts is one trajectory each, or one as a whole.
    :raises InputError: nothing could be read.
    :raises ParameterError: an unknown format.
    :warns HumblyWarning: records that could not be read.
    """
    found = json.loads(
        _humbly.read(paths_of(paths), globs_of(include), None if format == "auto" else format, episodes)
    )
    warn_of(found["problems"])
    trajectories: list[dict[str, Any]] = found["trajectories"]
    return trajectories


def score(
    paths: Path | Iterable[Path],
    tasks: Path | None = None,
    *,
    format: str = "auto",
    include: Iterable[str] = (),
    task_id: str | None = None,
    since: str | None = None,
    episodes: Literal["each", "whole"] = "each",
    matching: Literal["auto", "exact", "contains", "gaia", "monaco", "latex"] = "auto",
    solve_over: Literal["conflict", "all"] = "conflict",
    solve_same_turn: bool = False,
    paper: bool = False,
    scale: Literal["unit", "percent"] = "unit",
    f1: Literal["released", "balanced"] = "released",
    seed: int = 0,
    resamples: int = 10_000,
) -> dict[str, Any]:
    """Score logs by the lexical judge: the document of ``humbly score --output json``, as dicts.

    Its keys are ``schema``, ``settings``, ``summary``, ``trajectories``, ``problems``; a measured number is a dict
    with ``value`` and ``undefined``, of which exactly one is ``None``. :meth:`Measured.from_dict` makes an object
    of it. The options are those of the command; see ``humbly score --help``.

    :param paths: files, or folders with logs.
    :param tasks: a JSONL file that says which questions were conflicts, and what is right.
    :raises InputError: nothing could be read, or the tasks could not.
    :raises ParameterError: an option out of range.
    """
    options = options_of(
        format=format,
        include=include,
        task_id=task_id,
        since=since,
        episodes=episodes,
        matching=matching,
        solve_over=solve_over,
        solve_same_turn=solve_same_turn,
        paper=paper,
        scale=scale,
        f1=f1,
        seed=seed,
        resamples=resamples,
    )
    tasks = None if tasks is None else os.fspath(tasks)
    document: dict[str, Any] = json.loads(_humbly.score(paths_of(paths), tasks, options))
    return document


def options_of(
    *,
    format: str = "auto",
    include: Iterable[str] = (),
    task_id: str | None = None,
    since: str | None = None,
    episodes: str = "each",
    matching: str = "auto",
    solve_over: str = "conflict",
    solve_same_turn: bool = False,
    paper: bool = False,
    scale: str = "unit",
    f1: str = "released",
    seed: int = 0,
    resamples: int = 10_000,
) -> str:
    """The options of :func:`score` as the native half reads them."""
    options = {
        "include": globs_of(include),
        "format": None if format == "auto" else format,
        "task_id": task_id,
        "since": since,
        "episodes": episodes,
        "matching": matching,
        "solve_over": solve_over,
        "solve_same_turn": solve_same_turn,
        "paper": paper,
        "confidence_scale": scale,
        "attribution_f1": f1,
        "seed": whole("seed", seed, 64),
        "resamples": whole("resamples", resamples),
    }
    return json.dumps(options)
