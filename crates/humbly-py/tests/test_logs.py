"""Logs, judges and the command: the same as on the command line."""

import json
import pathlib
import subprocess
import sys

import pytest

import humbly
from humbly import judges

ROOT = pathlib.Path(__file__).resolve().parents[3]
LOGS, TASKS = ROOT / "examples" / "logs", ROOT / "examples" / "tasks.jsonl"
HUMBLY = pathlib.Path(sys.executable).with_name("humbly")


def run(*arguments):
    return subprocess.run([HUMBLY, *map(str, arguments)], capture_output=True, text=True, check=False)


def test_score_gives_the_document_of_the_command():
    printed = run("score", LOGS, "--tasks", TASKS, "--output", "json", "--resamples", "200")
    assert printed.returncode == 0, printed.stderr
    assert humbly.score(LOGS, TASKS, resamples=200) == json.loads(printed.stdout)


def test_the_command_of_the_wheel_keeps_its_exit_statuses():
    assert run("--version").stdout.split() == ["humbly", humbly.__version__]
    assert run("no-such-command").returncode == 2
    missed = run("score", LOGS, "--tasks", TASKS, "--resamples", "100", "--gate", "solve.low>=0.999")
    assert missed.returncode == 1


def test_read_gives_plain_dicts():
    trajectories = humbly.read([LOGS])
    assert len(trajectories) == 40
    assert all(row["id"] and row["path"] and row["turns"] for row in trajectories)
    json.dumps(trajectories, allow_nan=False)
    assert {row["name"] for row in humbly.formats()} >= {"claude-code"}


def test_what_cannot_be_read_raises(tmp_path):
    with pytest.raises(humbly.InputError, match="nowhere"):
        humbly.read(tmp_path / "nowhere")
    (tmp_path / "bad.jsonl").write_text("no log\n")
    with pytest.raises(humbly.InputError):
        humbly.score(tmp_path / "bad.jsonl")
    with pytest.raises(humbly.ParameterError, match="formats"):
        humbly.read(LOGS, format="no-such-format")
    with pytest.raises(humbly.ParameterError):
        humbly.score(LOGS, resamples=0)


def test_the_lexical_judge_says_yes_no_or_why_not():
    yes = judges.escalate("He was born in 1912 according to the parish register, whereas the obituary gives 1913.")
    assert yes.value is True and yes.quote and yes.rule and yes.judge == judges.NAME
    assert not judges.escalate("He was born in 1912.")
    assert judges.refusal("There is not enough information to answer.").value is True
    assert judges.identify("\ud800 He was born in 1912.").value is False
    other = judges.escalate("Согласно одному источнику, он родился в 1912 году, а по другому источнику в 1913 году.")
    assert other.value.reason == "language_not_covered"
    with pytest.raises(TypeError, match="language_not_covered"):
        bool(other)
