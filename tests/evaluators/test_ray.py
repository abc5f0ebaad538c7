"""Scale-out against Ray itself: the files of the command line to the byte, also when a worker is killed."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

import humbly

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOGS, TASKS = ROOT / "examples" / "logs", ROOT / "examples" / "tasks.jsonl"
ROWS = 4_000
MSCR = {"scale": "percent", "beta1": 0.7}


@pytest.fixture(scope="module", autouse=True)
def cluster(met: Any) -> Iterator[Any]:
    """A local cluster of two cores."""
    ray = met("ray", "ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield ray
    ray.shutdown()


def command(*arguments: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "humbly", *map(str, arguments)], capture_output=True, text=True, check=False, cwd=ROOT
    )


def rollouts() -> Iterator[dict[str, Any] | str]:
    """Right, wrong, badly formatted, long, without reference; blank lines and lines that are no rollout among them."""
    for index in range(ROWS):
        if index % 501 == 7:
            yield ""
        if index % 701 == 9:
            yield '{"id": "broken", "response": 3}'
        confidence = ["90", "33.333333333333336", "nan", "0.1", "７"][index % 5]
        answer = ["Paris", "Lyon", "ein anderer Ort, naïve"][index % 3]
        think = "word " * (index % 400)
        response = f"<think>{think}</think><confidence>{confidence}</confidence><answer>{answer}</answer>"
        row = {"id": f"r{index:05}", "response": response, "references": ["Paris"], "question_id": f"q{index // 8}"}
        if index % 97 == 3:
            row["references"] = []
        if index % 89 == 5:
            row["response"] = response[: len(response) // 2]
        yield row


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[pathlib.Path, pathlib.Path]:
    """A file of rollouts, and the rows that the command writes of it."""
    folder = tmp_path_factory.mktemp("rollouts")
    source, written = folder / "rollouts.jsonl", folder / "command.jsonl"
    lines = (row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rollouts())
    source.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    settings = [part for name, value in MSCR.items() if name != "scale" for part in ("--set", f"{name}={value}")]
    ran = command("reward", source, "--reward", "mscr", "--scale", "percent", *settings, "--rows", written, "--resamples", 10)
    assert ran.returncode == 0, ran.stderr
    return source, written


def by_id(path: pathlib.Path) -> bytes:
    """The lines of a file of rows in the order of their ids."""
    return b"".join(sorted(path.read_bytes().splitlines(keepends=True), key=lambda line: json.loads(line)["id"]))


def test_a_killed_worker_changes_no_byte(
    cluster: Any, files: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """8 blocks, 2 worker processes, one of them killed by its id in the middle of a block."""
    import humbly.ray

    source, written = files
    trace = tmp_path / "trace"
    trace.mkdir()

    class Watched(humbly.ray._RewardActor):
        """The actor itself; it notes each block it takes, and waits in the middle of the one with line 2500."""

        def score(self, block: Any) -> Any:
            name = f"{block.before}-{os.getpid()}"
            for part, rows in enumerate(super().score(block)):
                (trace / f"{name}-{part}").touch()
                yield rows[: len(rows) // 2]
                is_chosen = block.before <= 2_500 and any(row["line"] == 2_500 for row in rows)
                if is_chosen and not (trace / "victim").exists():
                    (trace / "written").write_text(str(os.getpid()))
                    (trace / "written").rename(trace / "victim")
                    time.sleep(600)
                yield rows[len(rows) // 2 :]

    cluster.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    mapped = humbly.ray._mapped
    monkeypatch.setattr(humbly.ray, "_mapped", lambda _, *arguments: mapped(Watched, *arguments))
    killed = []

    def kill() -> None:
        deadline = time.monotonic() + 120
        while not (trace / "victim").exists():
            if time.monotonic() > deadline:
                return
            time.sleep(0.05)
        killed.append(int((trace / "victim").read_text()))
        os.kill(killed[0], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    scored = humbly.ray.rewards(source, "mscr", settings=MSCR, workers=2, blocks=8)
    out = tmp_path / "scored"
    scored.write_parquet(str(out))
    killer.join()

    taken: dict[str, set[int]] = {}
    for path in trace.iterdir():
        if path.name.count("-") == 2:
            before, process, _ = path.name.split("-")
            taken.setdefault(before, set()).add(int(process))
    processes = set().union(*taken.values())
    assert len(taken) == 8, taken
    assert len(processes) >= 2 and killed[0] in processes
    again = [workers for workers in taken.values() if killed[0] in workers and len(workers) > 1]
    assert again, "the killed worker's block was done by nobody else"

    lines = tmp_path / "rows.jsonl"
    assert humbly.ray.write_rows(out, lines) == ROWS
    assert by_id(lines) == by_id(written)
    assert lines.read_bytes() == written.read_bytes()
    print(f"8 blocks, processes {sorted(processes)}, killed {killed[0]}; {ROWS} rows, {lines.stat().st_size} bytes equal")


def test_columns_hold_the_numbers_of_the_rows(files: Any, tmp_path: pathlib.Path) -> None:
    import pyarrow.parquet

    import humbly.ray
    from humbly.rewards import COMPONENTS

    source, written = files
    humbly.ray.rewards(source, "mscr", settings=MSCR, workers=1, blocks=3).write_parquet(str(tmp_path / "scored"))
    table = pyarrow.parquet.read_table(tmp_path / "scored").sort_by("line").to_pylist()
    expected = {row["line"]: row for row in map(json.loads, written.read_text(encoding="utf-8").splitlines())}
    problems = [row for row in table if row["problem"] is not None]
    assert len(table) == len(expected) + len(problems) and len(problems) == 6
    assert all(row["reward"] is None and row["row"] is None for row in problems)
    for row in table:
        if row["problem"] is None:
            said = expected[row["line"]]
            assert (row["id"], row["reward"], row["unscorable"]) == (said["id"], said["score"], said["unscorable"])
            assert {name: row[name] for name in COMPONENTS} == said["components"]
    assert any(row["unscorable"] == "no_reference" and row["reward"] is None for row in table)


def test_parquet_and_object_storage(files: Any, tmp_path: pathlib.Path) -> None:
    """Row groups of Parquet are blocks; a storage of fsspec is read as a disk is."""
    import fsspec
    import pyarrow as pa
    import pyarrow.parquet

    import humbly.ray

    rows = [row for row in rollouts() if isinstance(row, dict)][:1_000]
    source, plain, written = tmp_path / "a.parquet", tmp_path / "a.jsonl", tmp_path / "command.jsonl"
    pyarrow.parquet.write_table(pa.Table.from_pylist(rows), source, row_group_size=130)
    plain.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    ran = command("reward", plain, "--reward", "brier", "--scale", "percent", "--rows", written, "--resamples", 10)
    assert ran.returncode == 0, ran.stderr
    humbly.ray.rewards(source, "brier", settings={"scale": "percent"}, workers=2).write_parquet(str(tmp_path / "scored"))
    humbly.ray.write_rows(tmp_path / "scored", tmp_path / "rows.jsonl")
    assert (tmp_path / "rows.jsonl").read_bytes() == written.read_bytes()

    # A bucket that lies in a folder: pyarrow knows no such scheme, fsspec does.
    storage = fsspec.filesystem("dir", path=str(tmp_path), target_protocol="file")
    scored = humbly.ray.rewards("a.jsonl", "brier", settings={"scale": "percent"}, blocks=4, filesystem=storage)
    scored.write_parquet(str(tmp_path / "remote"))
    humbly.ray.write_rows("remote", "remote.jsonl", filesystem=storage)
    assert (tmp_path / "remote.jsonl").read_bytes() == written.read_bytes()


def test_scores_are_the_document_of_the_command(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import humbly.ray

    monkeypatch.chdir(ROOT)
    printed = command("score", "examples/logs", "--tasks", "examples/tasks.jsonl", "--output", "json", "--resamples", 200)
    assert printed.returncode == 0, printed.stderr
    out = tmp_path / "scored"
    scored = humbly.ray.scores("examples/logs", "examples/tasks.jsonl", workers=2, resamples=200)
    scored.write_parquet(str(out))
    assert humbly.ray.document(out, "examples/tasks.jsonl", resamples=200) == printed.stdout


def test_mistakes_are_told_before_anything_runs(files: Any, tmp_path: pathlib.Path) -> None:
    import humbly.ray

    source, _ = files
    with pytest.raises(humbly.ParameterError, match="mash"):
        humbly.ray.rewards(source, "mash")
    with pytest.raises(humbly.ParameterError, match="beta3"):
        humbly.ray.rewards(source, "mscr", settings={"beta3": 1})
    with pytest.raises(humbly.ParameterError, match="answer"):
        humbly.ray.rewards(source, "mscr", columns={"answer": "a"})
    with pytest.raises(humbly.ParameterError, match="blocks"):
        humbly.ray.rewards(source, "mscr", blocks=0)
    with pytest.raises(humbly.InputError, match="nowhere"):
        humbly.ray.rewards(tmp_path / "nowhere.jsonl", "mscr")
    packed = tmp_path / "a.jsonl.gz"
    packed.write_bytes(b"")
    with pytest.raises(humbly.InputError, match="packed"):
        humbly.ray.rewards(packed, "mscr")
    with pytest.raises(humbly.ParameterError, match="include"):
        humbly.ray.scores(LOGS, include=["*.json"])
