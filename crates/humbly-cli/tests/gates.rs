//! Gates, their exit status and the files for continuous integration.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

mod support;

use support::{file, run};

const EXAMPLES: [&str; 4] = ["score", "examples/logs", "--tasks", "examples/tasks.jsonl"];

fn with(extra: &[&str]) -> support::Run {
    run(&[&EXAMPLES[..], extra].concat())
}

#[test]
fn a_met_gate_is_exit_status_0_and_a_missed_one_1() {
    assert_eq!(with(&["--gate", "accuracy>=0", "--min-n", "1"]).status, 0);
    let missed = with(&["--gate", "accuracy>=0.99", "--min-n", "1"]);
    assert_eq!(missed.status, 1);
    assert!(missed.stderr.contains("gate missed: accuracy>=0.99"), "{}", missed.stderr);
}

#[test]
fn an_undefined_value_misses_the_gate_and_says_why() {
    let missed = run(&["score", "examples/logs", "--gate", "escalate>=0", "--min-n", "1"]);
    assert_eq!(missed.status, 1);
    assert!(missed.stderr.contains("undefined: no_labels"), "{}", missed.stderr);
}

#[test]
fn a_small_n_misses_the_gate() {
    let missed = with(&["--gate", "accuracy>=0", "--min-n", "1000"]);
    assert_eq!(missed.status, 1);
    assert!(missed.stderr.contains("below the minimum of 1000"), "{}", missed.stderr);
}

#[test]
fn a_gate_that_cannot_be_read_is_a_usage_error() {
    let fault = with(&["--gate", "humility>=1"]);
    assert_eq!(fault.status, 2);
    assert!(fault.stderr.contains("expected one of"), "{}", fault.stderr);
    assert_eq!(with(&["--gate", "delta(escalate)>=0"]).status, 2, "a delta needs a baseline");
}

#[test]
fn a_baseline_is_compared_in_pairs() {
    let now = run(&[&EXAMPLES[..], &["--output", "json"]].concat());
    let (_folder, path) = file("old.json", &now.stdout);
    let same = with(&["--baseline", &path, "--gate", "delta(accuracy)>=0", "--min-n", "1"]);
    assert_eq!(same.status, 0, "{}", same.stderr);
    let worse = with(&["--baseline", &path, "--gate", "delta(accuracy)>0", "--min-n", "1"]);
    assert_eq!(worse.status, 1, "{}", worse.stderr);
    assert!(worse.stderr.contains("n = 40"), "{}", worse.stderr);
}

#[test]
fn junit_and_markdown_say_which_gate_was_missed() {
    let folder = tempfile::tempdir().unwrap();
    let (xml, markdown) = (folder.path().join("gates.xml"), folder.path().join("summary.md"));
    let missed = with(&[
        "--gate",
        "accuracy>=0.99",
        "--min-n",
        "1",
        "--junit",
        xml.to_str().unwrap(),
        "--markdown",
        markdown.to_str().unwrap(),
    ]);
    assert_eq!(missed.status, 1);
    let xml = std::fs::read_to_string(xml).unwrap();
    assert!(xml.contains("<failure") && xml.contains("accuracy&gt;=0.99"), "{xml}");
    let markdown = std::fs::read_to_string(markdown).unwrap();
    assert!(markdown.contains("**missed**") && markdown.contains("| Identify F1 |"), "{markdown}");
}

#[test]
fn strict_turns_a_problem_into_status_1() {
    let good = std::fs::read_to_string(support::root().join("examples/logs/careful/own.jsonl")).unwrap();
    let (_folder, path) = file("own.jsonl", format!("{good}{{\"humbly\":1,"));
    assert_eq!(run(&["score", &path]).status, 0);
    assert_eq!(run(&["score", &path, "--strict"]).status, 1);
}
