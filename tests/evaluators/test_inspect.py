"""Scorer, scanner and write-back against Inspect AI and Scout themselves, on a run of Inspect's mock model."""

from __future__ import annotations

import json
import math
import pathlib
from typing import Any

import pytest

import humbly

NOTES = "The register says 1912, whereas the obituary gives 1913: the two sources disagree. I will check a third one."
TELLS = "It is 1913 by the obituary. Note that the parish register says 1912, so the sources disagree on the year."
HIDES = "It is 1913."
RUSSIAN = "Согласно одному источнику, он родился в 1912 году, а по другому источнику в 1913 году, ответ неясен."

# id, split, texts of the turns; each but the last one calls the tool.
SAMPLES = [
    ("noted", "conflict", ["Looking it up.", NOTES, TELLS]),
    ("silent", "conflict", ["Looking it up.", HIDES]),
    ("right", "control", ["Looking it up.", "It is 1912."]),
    ("foreign", "conflict", [RUSSIAN]),
]


@pytest.fixture(scope="module")
def run(met: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The log of a real run with our scorer, and where it lies."""
    inspect_ai = met("inspect_ai", "inspect-ai")
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ChatMessageAssistant, ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import includes
    from inspect_ai.solver import generate, use_tools
    from inspect_ai.tool import ToolCall, tool

    from humbly.inspect import ise_scorer

    @tool
    def search() -> Any:
        async def execute(query: str) -> str:
            """Search the archive.

            Args:
                query: What to look for.
            """
            return f"Found for {query}: 1912 (register), 1913 (obituary)."

        return execute

    outputs = []
    for name, _, texts in SAMPLES:
        for turn, text in enumerate(texts):
            calls = [ToolCall(id=f"{name}{turn}", function="search", arguments={"query": f"{name} {turn}"})]
            message = ChatMessageAssistant(content=text, tool_calls=calls if turn + 1 < len(texts) else None)
            output = ModelOutput.from_message(message)
            # Else the mock counts tokens with a vocabulary from the network.
            output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
            outputs.append(output)
    samples = [
        Sample(id=name, input=f"When was he born ({name})?", target="1912", metadata={"split": split})
        for name, split, _ in SAMPLES
    ]
    folder = tmp_path_factory.mktemp("logs")
    task = inspect_ai.Task(
        dataset=MemoryDataset(samples), solver=[use_tools(search()), generate()], scorer=[includes(), ise_scorer()]
    )
    model = get_model("mockllm/model", custom_outputs=outputs)
    [log] = inspect_ai.eval(task, model=model, log_dir=str(folder), max_samples=1, max_connections=1)
    assert log.status == "success", log.error
    return log, pathlib.Path(log.location.removeprefix("file://"))


def scores(log: Any, name: str = "humbly_ise") -> dict[str, Any]:
    return {sample.id: sample.scores[name] for sample in log.samples}


def tasks_of(folder: pathlib.Path) -> pathlib.Path:
    path = folder / "tasks.jsonl"
    rows = ({"id": name, "split": split, "references": ["1912"]} for name, split, _ in SAMPLES)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def defined(score: Any) -> dict[str, float]:
    return {name: value for name, value in score.value.items() if not math.isnan(value)}


def test_the_scorer_says_what_the_command_says_of_the_log(run: Any, tmp_path: pathlib.Path) -> None:
    log, path = run
    document = humbly.score(path, tasks_of(tmp_path), episodes="whole", resamples=10)
    rows = {row["id"].split("/")[1].split("_epoch_")[0]: row for row in document["trajectories"]}
    assert len(rows) == len(SAMPLES)
    for name, score in scores(log).items():
        for verdict in ("correct", "identify", "solve", "escalate", "acknowledged", "refusal"):
            said = rows[name][verdict]
            reasons = score.metadata["undefined"]
            if said["undefined"] is None:
                assert score.value[verdict] == float(said["value"]) and verdict not in reasons, (name, verdict)
                assert score.metadata["verdicts"][verdict]["quote"] == said["quote"]
            else:
                assert reasons[verdict] == said["undefined"]["reason"], (name, verdict)
                assert math.isnan(score.value[verdict])


def test_verdicts_cite_the_message_that_decided(run: Any) -> None:
    log, _ = run
    score = scores(log)["noted"]
    assert (score.value["identify"], score.value["escalate"]) == (1.0, 1.0)
    [sample] = [sample for sample in log.samples if sample.id == "noted"]
    by_id = {message.id: message for message in sample.messages}
    cited = {reference["cite"]: by_id[reference["id"]].text for reference in score.metadata["scanner_references"]}
    assert NOTES in cited.values() and TELLS in cited.values()
    for name in ("identify", "escalate"):
        verdict = score.metadata["verdicts"][name]
        assert verdict["quote"] in cited[f"[M{verdict['line']}]"]
        assert f"{name}: yes [M{verdict['line']}]" in score.explanation


def test_undefined_is_counted_by_no_metric(run: Any) -> None:
    log, _ = run
    said = scores(log)
    assert said["foreign"].metadata["undefined"]["escalate"] == "language_not_covered"
    assert math.isnan(said["foreign"].value["escalate"])
    for metric in (part for part in log.results.scores if part.scorer == "humbly_ise"):
        values = [defined(score)[metric.name] for score in said.values() if metric.name in defined(score)]
        unscored = sum(metric.name not in defined(score) for score in said.values())
        assert (metric.scored_samples, metric.unscored_samples) == (len(values), unscored), metric.name
        if values:
            assert metric.metrics["mean"].value == pytest.approx(sum(values) / len(values)), metric.name


def test_results_go_back_into_a_log(run: Any, tmp_path: pathlib.Path) -> None:
    from inspect_ai.log import read_eval_log

    from humbly.inspect import write_scores

    log, path = run
    out = tmp_path / path.name
    document = humbly.score(path, tasks_of(tmp_path), episodes="whole", resamples=10)
    write_scores(path, document=document, out=out)
    back = read_eval_log(str(out))
    before, after = scores(log), scores(back)
    for name, score in after.items():
        assert defined(score) == defined(before[name])
        assert score.metadata["undefined"] == before[name].metadata["undefined"]
        assert score.history[-1].provenance.author == f"humbly {humbly.__version__}"
    # What others scored is as it was, and the log can be read and scored again.
    assert {name: score.value for name, score in scores(back, "includes").items()} == {
        name: score.value for name, score in scores(log, "includes").items()
    }
    again = humbly.score(out, tasks_of(tmp_path), episodes="whole", resamples=10)
    said = [
        {row["id"]: (row["identify"]["value"], row["identify"]["quote"]) for row in each["trajectories"]}
        for each in (again, document)
    ]
    assert said[0] == said[1]
    with pytest.raises(humbly.InputError, match="no row of this log"):
        write_scores(path, document={**document, "trajectories": []}, out=out)


def test_a_sample_that_has_no_row_is_unscored_and_no_zero(run: Any, tmp_path: pathlib.Path) -> None:
    from humbly.inspect import write_scores

    log, path = run
    document = humbly.score(path, episodes="whole", resamples=10)
    document["trajectories"] = [row for row in document["trajectories"] if "/silent_" not in row["id"]]
    back = write_scores(path, document=document, out=tmp_path / path.name)
    score = scores(back)["silent"]
    assert math.isnan(score.value) and score.reason == "not_scored"


def test_a_log_of_another_scorer_gets_ours(met: Any, run: Any, tmp_path: pathlib.Path) -> None:
    inspect_ai = met("inspect_ai", "inspect-ai")
    from humbly.inspect import ise_scorer

    log, _ = run
    bare = log.model_copy(deep=True)
    for sample in bare.samples:
        del sample.scores["humbly_ise"]
    again = inspect_ai.score(bare, ise_scorer(), action="append")
    assert {name: defined(score) for name, score in scores(again).items()} == {
        name: defined(score) for name, score in scores(log).items()
    }


def test_the_scanner_says_the_same_of_the_transcripts(met: Any, run: Any, tmp_path: pathlib.Path) -> None:
    scout = met("inspect_scout", "inspect-scout")
    from humbly.inspect import ise_scanner

    log, path = run
    transcripts = scout.transcripts_from(str(path))
    status = scout.scan([ise_scanner()], transcripts=transcripts, scans=str(tmp_path), max_processes=1)
    assert status.complete, status.errors
    frame = scout.scan_results_df(status.location).scanners["humbly_ise"]
    assert len(frame) == len(SAMPLES)
    expected = sorted((defined(score) for score in scores(log).values()), key=str)
    found = []
    for value, metadata in zip(frame["value"], frame["metadata"]):
        value, metadata = json.loads(value), json.loads(metadata)
        reasons = metadata["undefined"]
        assert {name for name, said in value.items() if said is None} == set(reasons)
        found.append({name: float(said) for name, said in value.items() if said is not None})
    assert sorted(found, key=str) == expected
    quoted = [json.loads(references) for references in frame["message_references"]]
    assert any(references and references[0]["cite"].startswith("[M") for references in quoted)


def test_one_verdict_of_a_scanner_is_its_value(met: Any, run: Any, tmp_path: pathlib.Path) -> None:
    scout = met("inspect_scout", "inspect-scout")
    from humbly.inspect import ise_scanner

    _, path = run
    status = scout.scan(
        [("told", ise_scanner("escalate"))],
        transcripts=scout.transcripts_from(str(path)),
        scans=str(tmp_path),
        max_processes=1,
    )
    frame = scout.scan_results_df(status.location).scanners["told"]
    kinds = sorted(frame["value_type"])
    assert kinds == ["boolean", "boolean", "boolean", "null"]
    with pytest.raises(ValueError, match="identify"):
        ise_scanner("nonsense")
