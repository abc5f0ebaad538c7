//! What a run exports, other readers read.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

use humbly_readers::{Input, Sink, read_input};
use humbly_store::{Finished, PlannedSample, RunFile, inspect_log, write_jsonl};
use humbly_types::{CallRecord, Problem, Record, Trajectory, TurnRecord};
use serde_json::json;

#[derive(Default)]
struct Collected {
    trajectories: Vec<Trajectory>,
    problems: Vec<Problem>,
}

impl Sink for Collected {
    fn trajectory(&mut self, trajectory: Trajectory) {
        self.trajectories.push(trajectory);
    }
    fn problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }
}

fn record(id: &str) -> Record {
    let call = CallRecord {
        name: "search".into(),
        arguments: json!({"query": "height of the tower"}),
        result: Some("300 m".into()),
        is_error: Some(false),
        ..CallRecord::default()
    };
    Record {
        task_id: Some(format!("task-{id}")),
        model: Some("tiny".into()),
        question: Some("How high is it?".into()),
        references: vec!["300 m".into()],
        turns: vec![
            TurnRecord { reasoning: Some("look it up".into()), calls: vec![call], ..TurnRecord::default() },
            TurnRecord { text: "It is 300 m.".into(), ..TurnRecord::default() },
        ],
        stop: Some("completed".into()),
        ..Record::new(id)
    }
}

fn run(folder: &std::path::Path) -> RunFile {
    let run = RunFile::create(&folder.join("run.sqlite"), &json!({"name": "s", "model": "tiny"})).unwrap();
    let plan: Vec<_> = ["a", "b", "c"].map(|key| PlannedSample { key: key.into(), plan: json!(null) }).into();
    run.plan(&plan).unwrap();
    for key in ["a", "b"] {
        let record = Some(serde_json::to_string(&record(key)).unwrap());
        run.finish(key, &Finished { record, ..Finished::default() }).unwrap();
    }
    let error = Some(("timed_out".to_owned(), "no reply within 5 s".to_owned()));
    run.finish("c", &Finished { error, ..Finished::default() }).unwrap();
    run
}

fn read(name: &str, bytes: Vec<u8>, format: &str) -> Collected {
    let mut collected = Collected::default();
    let read = read_input(&Input::bytes(name, bytes), None, &mut collected);
    assert_eq!(read.format, Some(format));
    collected
}

#[test]
fn the_own_jsonl_is_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = Vec::new();
    assert_eq!(write_jsonl(&run(folder.path()), &mut bytes).unwrap(), 2);
    let collected = read("run.jsonl", bytes, "humbly");
    assert!(collected.problems.is_empty());
    assert_eq!(collected.trajectories.len(), 2);
    let first = &collected.trajectories[0];
    assert_eq!((first.turns().count(), first.calls().count(), first.results().count()), (2, 1, 1));
}

#[test]
fn the_inspect_log_is_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let log = inspect_log(&run(folder.path()), "2026-01-01T00:00:00Z").unwrap();
    assert_eq!(log["status"], "error");
    assert_eq!(log["samples"][2]["error"]["message"], "timed_out: no reply within 5 s");
    let collected = read("log.json", serde_json::to_vec(&log).unwrap(), "inspect-json");
    let problems: Vec<_> = collected.problems.iter().map(|problem| problem.message.as_str()).collect();
    assert!(matches!(problems[..], [one] if one.contains("c_epoch_1") && one.contains("no assistant turn")));
    let first = &collected.trajectories[0];
    assert_eq!(first.final_answer.as_ref().unwrap().text, "It is 300 m.");
    assert_eq!((first.turns().count(), first.calls().count()), (2, 1));
    assert_eq!(first.references.for_correctness(), ["300 m"]);
}
