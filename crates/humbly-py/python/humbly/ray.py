"""Rewards and scores at scale, over Ray Data: files in, a data set out, the numbers of the command line bit for bit.

.. code-block:: python

    import humbly.ray

    scored = humbly.ray.rewards("s3://bucket/rollouts", "mscr", settings={"scale": "percent"})
    scored.write_parquet("s3://bucket/scored")

Sources are JSONL or Parquet on local disk or object storage (whatever pyarrow or fsspec can open). They are cut into
blocks; one actor a core takes a block at a time. An actor that dies is started anew and its block is done again.
Needs ``ray[data]``.
"""

from __future__ import annotations

import json
import os
import pathlib
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate, groupby
from typing import Any

import pyarrow as pa
import pyarrow.dataset
import ray
import ray.data

from humbly import _humbly
from humbly._logs import options_of
from humbly._storage import Block, File, Path, blocks_of, count_lines, files_of, lines_of, storage_of
from humbly.rewards import COMPONENTS, Reward, Setting

__all__ = ["document", "rewards", "scores", "write_rows"]

_ROLLOUTS = (".jsonl", ".ndjson", ".parquet", ".pq")
_PACKED = (".zst", ".zstd", ".gz")
_PLAIN = (".json", ".jsonl", ".ndjson", ".traj")
_LOGS = (*_PLAIN, ".eval", ".txt", ".log", *(plain + packed for plain in _PLAIN for packed in _PACKED))
_COLUMNS = "id response output completion references reference ground_truth reward_model prompt question_id uid label"
_VERDICTS = ("correct", "identify", "solve", "solve_successful", "escalate", "acknowledged", "refusal")

REWARD_SCHEMA = pa.schema(
    [("file", pa.string()), ("line", pa.int64()), ("id", pa.string()), ("reward", pa.float64())]
    + [("unscorable", pa.string()), ("fault", pa.string())]
    + [(name, pa.float64()) for name in COMPONENTS]
    + [("row", pa.string()), ("problem", pa.string())]
)
"""Columns of :func:`rewards`; a line that could not be read has a ``problem`` and nothing else."""

SCORE_SCHEMA = pa.schema(
    [("file", pa.string()), ("position", pa.int64()), ("id", pa.string()), ("task", pa.string())]
    + [("split", pa.string()), ("turns", pa.int64()), ("tool_calls", pa.int64()), ("confidence", pa.float64())]
    + [column for name in _VERDICTS for column in ((name, pa.bool_()), (f"{name}_undefined", pa.string()))]
    + [("row", pa.string()), ("hash", pa.string()), ("problems", pa.string())]
)
"""Columns of :func:`scores`: one row a trajectory, and one a log (``position`` −1) with its hash and problems."""


def rewards(
    paths: Path | Iterable[Path],
    reward: str,
    *,
    settings: Mapping[str, Setting] | None = None,
    columns: Mapping[str, str] | None = None,
    workers: int | None = None,
    blocks: int | None = None,
    retries: int = 3,
    filesystem: Any = None,
) -> ray.data.Dataset:
    """Score rollouts as ``humbly reward FILE --reward …``; lazily, as all of Ray Data.

    Columns are :data:`REWARD_SCHEMA`: the components, ``reward`` (null where there is none, ``unscorable`` says why)
    and ``row``, the exact line that the command writes with ``--rows``.

    :param paths: JSONL or Parquet files, or folders with them; URIs such as ``s3://…``.
    :param reward: a name from :func:`humbly.rewards.entries`; not ``mash``, whose rewards depend on other blocks.
    :param settings: settings of the reward, such as ``{"scale": "percent"}``.
    :param columns: names of columns by role (``response``, ``references``, ``prompt``, ``question``, ``label``).
    :param workers: actors; without it one for each core of the cluster.
    :param blocks: into how many blocks JSONL is cut, about; without it one for each 32 MB. A row group is a block.
    :param retries: how often a block is done again when its actor died.
    :param filesystem: of pyarrow or fsspec, where the path does not say it.
    :raises InputError: a path does not exist.
    :raises ParameterError: a setting, a role, or a reward that cannot be split.
    """
    given: dict[str, Any] = dict(settings or {})
    columns = dict(columns or {})
    scorer = Reward(reward, **given)
    if scorer.has_state:
        raise _humbly.ParameterError(f"reward `{reward}` depends on what other blocks hold; score it in one process")
    scorer._reward.score_lines([], "", columns)  # names a wrong role now, not on a worker
    files = files_of(paths, _ROLLOUTS, filesystem)
    for file in files:
        if file.inner.lower().endswith(_PACKED):
            raise _humbly.InputError(f"{file.shown}: packed rollouts cannot be cut into blocks; unpack, or use Parquet")
    cut = _counted(blocks_of(files, blocks))
    arguments = {"reward": reward, "settings": given, "columns": columns}
    return _mapped(_RewardActor, arguments, cut, workers, retries, REWARD_SCHEMA)


def scores(
    paths: Path | Iterable[Path],
    tasks: Path | None = None,
    *,
    workers: int | None = None,
    retries: int = 3,
    filesystem: Any = None,
    **options: Any,
) -> ray.data.Dataset:
    """Score logs of agents as :func:`humbly.score`, a log at a time; :func:`document` sums them up.

    Columns are :data:`SCORE_SCHEMA`: verdicts (null where undefined, ``…_undefined`` says why) and ``row``, a row
    of ``trajectories`` as the command has it. A log is one file; formats that spread one over several
    files (sub-agents beside their session) need :func:`humbly.score`.

    :param paths: log files, or folders with them.
    :param tasks: a JSONL file that says which questions were conflicts, and what is right.
    :param options: those of :func:`humbly.score`.
    """
    if "include" in options:
        raise _humbly.ParameterError("include is for folders of `humbly.score`; name the files or folders instead")
    said = options_of(**options)
    files = files_of(paths, _LOGS, filesystem)
    arguments = {"tasks": _content(tasks, filesystem), "options": said}
    return _mapped(_ScoreActor, arguments, [Block(file, 0, file.size) for file in files], workers, retries, SCORE_SCHEMA)


def write_rows(parquet: Path, out: Path, *, filesystem: Any = None) -> int:
    """Write the exact lines of ``humbly reward --rows`` from what :func:`rewards` wrote, by file and line.

    :param parquet: the folder that ``write_parquet`` made.
    :param out: the JSONL file to write; it is replaced.
    :returns: how many lines were written; those that could not be read have none.
    """
    table = _table(parquet, ["file", "line", "row"], filesystem).sort_by([("file", "ascending"), ("line", "ascending")])
    storage, inner = storage_of(os.fspath(out), filesystem)
    with storage.open_output_stream(inner) as opened:
        rows = [row for row in table["row"].to_pylist() if row is not None]
        for row in rows:
            opened.write(row.encode() + b"\n")
    return len(rows)


def document(parquet: Path, tasks: Path | None = None, *, filesystem: Any = None, **options: Any) -> str:
    """The document of ``humbly score --output json``, to the byte, from what :func:`scores` wrote.

    :param parquet: the folder that ``write_parquet`` made.
    :param tasks: the tasks, as for :func:`scores`.
    :param options: the options, as for :func:`scores`.
    """
    table = _table(parquet, ["file", "position", "row", "hash", "problems"], filesystem)
    logs: dict[str, tuple[str, list[str], str]] = {}
    for row in sorted(table.to_pylist(), key=lambda row: (row["file"].split("/"), row["position"])):
        if row["position"] < 0:
            logs[row["file"]] = (row["hash"], [], row["problems"])
        else:
            logs[row["file"]][1].append(row["row"])
    with _written(_content(tasks, filesystem)) as path:
        return _humbly.gather_logs(list(logs.values()), path, options_of(**options))


def _table(parquet: Path, columns: list[str], filesystem: Any) -> pa.Table:
    storage, inner = storage_of(os.fspath(parquet), filesystem)
    return pa.dataset.dataset(inner, filesystem=storage, format="parquet").to_table(columns)


def _content(path: Path | None, filesystem: Any) -> tuple[str, bytes] | None:
    if path is None:
        return None
    storage, inner = storage_of(os.fspath(path), filesystem)
    with storage.open_input_file(inner) as opened:
        return os.fspath(path), opened.read()


class _written:
    """A file with the given content while the block lasts; ``None`` stays ``None``."""

    def __init__(self, content: tuple[str, bytes] | None) -> None:
        self._content = content
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> str | None:
        if self._content is None:
            return None
        shown, content = self._content
        if os.path.exists(shown):
            return shown  # problems name the path that the user wrote
        self._folder = tempfile.TemporaryDirectory()
        path = pathlib.Path(self._folder.name, os.path.basename(shown))
        path.write_bytes(content)
        return str(path)

    def __exit__(self, *_: object) -> None:
        if self._folder is not None:
            self._folder.cleanup()


def _counted(cut: list[Block]) -> list[Block]:
    """The blocks with the lines before them, counted on the cluster where a file has several."""
    several = [block for block in cut if not block.file.is_parquet and (block.start or block.stop < block.file.size)]
    count = ray.remote(count_lines)
    counts = dict(zip(several, ray.get([count.remote(block) for block in several]))) if several else {}
    counted = []
    for file, group in groupby(cut, key=lambda block: block.file):
        own = list(group)
        if file.is_parquet or len(own) == 1:
            counted += own
            continue
        before = accumulate((counts[block] for block in own), initial=0)
        counted += [Block(file, block.start, block.stop, lines) for block, lines in zip(own, before)]
    return counted


def _mapped(
    actor: type, arguments: dict[str, Any], cut: list[Block], workers: int | None, retries: int, schema: pa.Schema
) -> ray.data.Dataset:
    if not ray.is_initialized():
        ray.init()
    if workers is None:
        workers = max(1, int(ray.cluster_resources().get("CPU", 1)))
    if workers < 1 or retries < 0:
        raise _humbly.ParameterError(f"workers is {workers} and retries {retries}, expected at least 1 and 0")
    actors = max(1, min(workers, len(cut)))
    items = ray.data.from_items([{"block": index} for index in range(len(cut))], override_num_blocks=max(1, len(cut)))
    return items.map_batches(
        actor,
        fn_constructor_kwargs={**arguments, "cut": cut, "schema": schema},
        batch_size=1,
        batch_format="pyarrow",
        num_cpus=1,
        compute=ray.data.ActorPoolStrategy(size=actors),
        ray_remote_args_fn=lambda: {"max_restarts": -1, "max_task_retries": retries},
    )


class _Actor:
    def __init__(self, cut: list[Block], schema: pa.Schema) -> None:
        # One actor a core: its own threads would only be in the way of the others'.
        os.environ.setdefault("RAYON_NUM_THREADS", "1")
        self.cut, self.schema = cut, schema

    def __call__(self, batch: pa.Table) -> Iterator[pa.Table]:
        for index in batch["block"].to_pylist():
            for rows in self.score(self.cut[index]):
                yield pa.Table.from_pylist(rows, schema=self.schema)

    def score(self, block: Block) -> Iterator[list[dict[str, Any]]]:
        raise NotImplementedError


class _RewardActor(_Actor):
    def __init__(
        self, reward: str, settings: dict[str, Any], columns: dict[str, str], cut: list[Block], schema: pa.Schema
    ) -> None:
        super().__init__(cut, schema)
        self.reward, self.columns = Reward(reward, **settings), columns
        self.read = {*_COLUMNS.split(), *columns.values(), *(name.split(".")[0] for name in columns.values())}

    def score(self, block: Block) -> Iterator[list[dict[str, Any]]]:
        file = block.file.shown
        for lines in lines_of(block, self.read):
            rows, problems = self.reward._reward.score_lines(lines, file, self.columns)
            yield [_reward_row(file, row) for row in rows] + [
                {"file": file, "line": problem["line"], "problem": json.dumps(problem)} for problem in json.loads(problems)
            ]


def _reward_row(file: str, row: str) -> dict[str, Any]:
    said = json.loads(row)
    kept = {name: said[name] for name in ("line", "id", "unscorable", "fault")}
    return {"file": file, **kept, "reward": said["score"], **said["components"], "row": row}


class _ScoreActor(_Actor):
    def __init__(
        self, tasks: tuple[str, bytes] | None, options: str, cut: list[Block], schema: pa.Schema
    ) -> None:
        super().__init__(cut, schema)
        self.tasks, self.options = tasks, options

    def score(self, block: Block) -> Iterator[list[dict[str, Any]]]:
        file = block.file
        with file.storage.open_input_file(file.inner) as opened:
            content = opened.read()
        with tempfile.TemporaryDirectory() as folder, _written(self.tasks) as tasks:
            path = pathlib.Path(folder, os.path.basename(file.inner))
            path.write_bytes(content)
            said = _humbly.score_log(str(path), file.shown, tasks, self.options)
        found, recognised, rows, problems = said
        if not recognised and _is_incidental(file):
            problems = "[]"
        log = {"file": file.shown, "position": -1, "hash": found, "problems": problems}
        yield [log, *(_score_row(file.shown, position, row) for position, row in enumerate(rows))]


def _is_incidental(file: File) -> bool:
    # As on the command line: a text file below a folder that is no log is no fault.
    return not file.is_named and file.inner.lower().endswith((".txt", ".log"))


def _score_row(file: str, position: int, row: str) -> dict[str, Any]:
    said = json.loads(row)
    kept = {name: said[name] for name in ("id", "task", "split", "turns", "tool_calls")}
    for name in _VERDICTS:
        undefined = said[name]["undefined"]
        kept |= {name: said[name]["value"], f"{name}_undefined": None if undefined is None else undefined["reason"]}
    return {"file": file, "position": position, **kept, "confidence": said["confidence"]["value"], "row": row}
