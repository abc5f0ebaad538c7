//! The run file through the command: killed, shared, interrupted, resumed, exported, estimated.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

mod support;

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use humbly_store::{RunFile, SampleState, Shard};
use serde_json::Value;
use support::scripted::Scripted;
use support::{collect, humbly};

/// Starts the command in the folder and does not wait.
fn start(scripted: &Scripted, arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_humbly"))
        .current_dir(scripted.root())
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Done samples; `None` where the file is not there yet.
fn done(scripted: &Scripted, name: &str) -> Option<u64> {
    RunFile::read(&scripted.path(name)).and_then(|run| run.totals()).ok().map(|totals| totals.done)
}

fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_mins(1), "waited for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Every sample's key, state and record, without times.
fn content(scripted: &Scripted, name: &str) -> Vec<(String, SampleState, Option<Value>)> {
    let run = RunFile::read(&scripted.path(name)).unwrap();
    let mut found = Vec::new();
    run.for_each_sample(|sample| {
        let record = sample.record.map(|text| serde_json::from_str(&text).unwrap());
        found.push((sample.key, sample.state, record));
    })
    .unwrap();
    found
}

/// run-01, run-04: nothing that was finished runs again, what was in flight does, and the whole equals an unbroken run.
#[test]
fn killed_at_any_moment_only_what_was_in_flight_is_lost() {
    let scripted = Scripted::slow(12, 0.01);
    scripted.run("whole.sqlite");
    let arguments = Scripted::run_arguments("killed.sqlite");
    // Moments that differ from kill to kill; the first ones hit the start.
    let mut delay = 7;
    let mut before = 0;
    for _ in 0..8 {
        let mut child = start(&scripted, &arguments);
        delay = (delay * 31 + 17) % 190;
        std::thread::sleep(Duration::from_millis(40 + delay));
        child.kill().unwrap();
        child.wait().unwrap();
        if let Some(now) = done(&scripted, "killed.sqlite") {
            assert!(now >= before, "{now} after {before}: a finished sample was lost");
            before = now;
        }
    }
    let run = scripted.humbly(&arguments);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(content(&scripted, "killed.sqlite"), content(&scripted, "whole.sqlite"));
    let totals = |name: &str| {
        let totals = RunFile::read(&scripted.path(name)).unwrap().totals().unwrap();
        (totals.planned, totals.done, totals.usage, totals.cost_usd, totals.failures())
    };
    assert_eq!(totals("killed.sqlite"), totals("whole.sqlite"));
    let attempts = |name: &str| {
        let mut most = 0;
        RunFile::read(&scripted.path(name))
            .unwrap()
            .for_each_sample(|sample| most = most.max(sample.attempts))
            .unwrap();
        most
    };
    assert_eq!(attempts("killed.sqlite"), 1, "nothing that was finished ran again");
}

#[test]
fn a_second_process_is_refused_and_reading_goes_on() {
    let scripted = Scripted::slow(12, 0.05);
    let arguments = Scripted::run_arguments("run.sqlite");
    let mut first = start(&scripted, &arguments);
    wait_for("the first sample", || done(&scripted, "run.sqlite").is_some_and(|done| done > 0));
    let second = scripted.humbly(&arguments);
    assert_eq!(second.status, 2);
    assert!(second.stderr.contains("is in use by another process"), "{}", second.stderr);
    assert!(second.stderr.contains("hint: wait for the other process"), "{}", second.stderr);
    let read = scripted.humbly(&["score", "run.sqlite", "--resamples", "10"]);
    assert_eq!(read.status, 0, "{}", read.stderr);
    assert!(first.wait().unwrap().success());
    assert_eq!(done(&scripted, "run.sqlite"), Some(48));
}

#[cfg(unix)]
#[test]
fn an_interruption_finishes_what_is_in_flight() {
    let scripted = Scripted::slow(12, 0.05);
    let arguments = Scripted::run_arguments("run.sqlite");
    let child = start(&scripted, &arguments);
    wait_for("the first sample", || done(&scripted, "run.sqlite").is_some_and(|done| done > 0));
    let before = done(&scripted, "run.sqlite").unwrap();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let ended = child.wait_with_output().unwrap();
    let text = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(0), "{text}");
    assert!(text.contains("interrupted: run again with the same arguments to go on"), "{text}");
    let after = done(&scripted, "run.sqlite").unwrap();
    assert!(
        after > before && after < 48,
        "{before}, then {after}: eight in flight were finished, no more begun"
    );
    let run = RunFile::read(&scripted.path("run.sqlite")).unwrap();
    assert_eq!(run.totals().unwrap().failures(), 0);
    assert_eq!(run.waiting(Shard::WHOLE, true).unwrap().len() as u64, 48 - after);
    scripted.run("run.sqlite");
    assert_eq!(done(&scripted, "run.sqlite"), Some(48));
}

#[test]
fn a_failed_sample_is_no_wrong_answer() {
    let scripted = Scripted::new(4);
    let rules = scripted.text("rules.toml");
    let failing =
        "[[rule]]\nwhen.any = 'code of item 000002'\nwhen.turn = 2\nerror = { kind = 'context_too_long' }\n";
    std::fs::write(scripted.path("rules.toml"), format!("{failing}{rules}")).unwrap();
    let run = scripted.humbly(&Scripted::run_arguments("run.sqlite"));
    assert_eq!(run.status, 3, "{}", run.stderr);
    let scored = scripted.humbly(&["score", "run.sqlite", "--output", "json", "--resamples", "10"]);
    let report: Value = serde_json::from_str(&scored.stdout).unwrap();
    assert_eq!(report["trajectories"].as_array().unwrap().len(), 12);
    assert!(
        scored.stderr.contains("4 samples failed (4 context_too_long) and are in no rate"),
        "{}",
        scored.stderr
    );
    let reported = scripted.humbly(&["report", "run.sqlite", "--resamples", "10", "--table", "1"]);
    let text = "4 samples failed and are in no rate (context_too_long 4)";
    assert!(
        reported.stderr.contains(text) && reported.stdout.contains("12 trajectories"),
        "{}",
        reported.stderr
    );
    let exported = ["data", "export", "run.sqlite", "--format", "parquet", "--to", "run.parquet"];
    assert_eq!(scripted.humbly(&exported).status, 0);
    let columns = ["key", "state", "correct", "correct_undefined", "error_code"];
    let table = humbly_table::read(&scripted.path("run.parquet"), &columns).unwrap();
    let of = |name: &str| table.column_text(name).unwrap();
    let failed: Vec<usize> =
        (0..table.len()).filter(|&row| of("state")[row].as_deref() == Some("failed")).collect();
    assert_eq!((table.len(), failed.len()), (16, 4));
    for row in failed {
        assert_eq!(of("correct")[row], None);
        assert_eq!(of("correct_undefined")[row].as_deref(), Some("sample_failed"));
        assert_eq!(of("error_code")[row].as_deref(), Some("context_too_long"));
    }
}

#[test]
fn exports_hold_what_the_run_holds() {
    let scripted = Scripted::new(5);
    scripted.run("run.sqlite");
    for (format, to) in [("jsonl", "run.jsonl"), ("parquet", "run.parquet"), ("inspect", "log.json")] {
        let run = scripted.humbly(&["data", "export", "run.sqlite", "--format", format, "--to", to]);
        assert_eq!(run.status, 0, "{}", run.stderr);
    }
    // The tasks of the suite, as other logs would be given them.
    let suite: Value = serde_json::from_str(&scripted.text("suite.json")).unwrap();
    let tasks: Vec<String> =
        suite["tasks"].as_array().unwrap().iter().map(|task| task["task"].to_string()).collect();
    std::fs::write(scripted.path("tasks.jsonl"), tasks.join("\n")).unwrap();
    let score = |path: &str| -> Value {
        let run = scripted.humbly(&[
            "score",
            path,
            "--tasks",
            "tasks.jsonl",
            "--output",
            "json",
            "--resamples",
            "10",
        ]);
        assert_eq!(run.status, 0, "{}", run.stderr);
        serde_json::from_str(&run.stdout).unwrap()
    };
    let verdicts = |report: &Value| -> Vec<(Value, Value, Value, Value)> {
        let mut rows: Vec<_> = report["trajectories"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| {
                let value = |name: &str| row[name]["value"].clone();
                (row["task"].clone(), value("correct"), value("identify"), value("escalate"))
            })
            .collect();
        rows.sort_by_key(|row| format!("{row:?}"));
        rows
    };
    let own = verdicts(&score("run.sqlite"));
    assert_eq!(own.len(), 20);
    assert_eq!(verdicts(&score("run.jsonl")), own);
    assert_eq!(verdicts(&score("log.json")), own, "our own reader of Inspect reads what was written");
    let log: Value = serde_json::from_str(&scripted.text("log.json")).unwrap();
    let mut places: Vec<String> = log["samples"]
        .as_array()
        .unwrap()
        .iter()
        .map(|sample| format!("{} {}", sample["id"], sample["epoch"]))
        .collect();
    places.sort();
    places.dedup();
    assert_eq!(places.len(), 20, "id and epoch are unique");
    let targets =
        log["samples"].as_array().unwrap().iter().map(|sample| sample["target"][0].as_str().unwrap());
    assert!(targets.into_iter().all(|target| target.starts_with("amber ")));

    let columns =
        ["key", "split", "correct", "escalate", "solve", "solve_undefined", "input_tokens", "cost_usd"];
    let table = humbly_table::read(&scripted.path("run.parquet"), &columns).unwrap();
    assert_eq!(table.len(), 20);
    let correct = table.column_bool("correct").unwrap().values;
    let expected = own.iter().filter(|row| row.1 == true).count();
    assert_eq!(correct.iter().filter(|value| **value == Some(true)).count(), expected);
    let (solve, reason) = (table.cells("solve").unwrap(), table.column_text("solve_undefined").unwrap());
    for (value, reason) in solve.iter().zip(reason) {
        assert_ne!(
            value.text().is_none(),
            reason.is_none(),
            "a value or a reason, never both and never neither"
        );
    }
}

#[test]
fn a_run_says_what_it_will_ask_for_and_cost() {
    let scripted = Scripted::new(4);
    let run = scripted.run("run.sqlite");
    let line = run.stderr.lines().find(|line| line.starts_with("estimate: ")).unwrap();
    assert!(line.contains("16 samples, about 48 calls"), "{line}");
    assert!(
        line.contains("16 prompts measured") && line.ends_with("no cost: it runs on this machine"),
        "{line}"
    );

    let unknown = |more: &[&str]| {
        let base = [
            "run",
            "suite.json",
            "--model",
            "openai:no-such-model",
            "--protocol",
            "plain",
            "--out",
            "x.sqlite",
        ];
        let url = ["--base-url", "http://127.0.0.1:9/v1"];
        let mut command = humbly(&[&base[..], &url, more].concat());
        collect(command.current_dir(scripted.root()).env("OPENAI_API_KEY", "none"))
    };
    let refused = unknown(&["--max-cost", "1"]);
    assert_eq!(refused.status, 2, "{}", refused.stderr);
    assert!(
        refused.stderr.contains("cost undefined: no price for `openai:no-such-model`"),
        "{}",
        refused.stderr
    );
    assert!(refused.stderr.contains("--max-cost 1 cannot be kept"), "{}", refused.stderr);
    assert!(!refused.stderr.contains('$'), "{}", refused.stderr);
    let prices = "as_of = \"2026-11\"\n[openai]\n\"no-such-model\" = { input = 1000, output = 1000 }\n";
    std::fs::write(scripted.path("prices.toml"), prices).unwrap();
    let dear = unknown(&["--max-cost", "0.01", "--prices", "prices.toml"]);
    assert!(
        dear.stderr.contains("prices of 2025-12, and `prices.toml` of 2026-11: check them"),
        "{}",
        dear.stderr
    );
    assert!(dear.stderr.contains("the least estimate is above --max-cost"), "{}", dear.stderr);
    assert_eq!(dear.status, 3, "no sample can be paid: {}", dear.stderr);
    assert!(
        dear.stderr.contains("was given up with 16 samples to be run: cost limit of 0.01 USD reached"),
        "{}",
        dear.stderr
    );
    assert!(dear.stderr.contains("hint: raise --max-cost"), "{}", dear.stderr);
}
