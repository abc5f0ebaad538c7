//! `humbly data list|pull|show` as a user sees them.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

fn golden(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../humbly-data/tests/golden").join(path)
}

/// Runs `humbly data …` with a cache of its own and without a network.
fn data(cache: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_humbly"))
        .arg("data")
        .args(arguments)
        .env("HUMBLY_CACHE", cache)
        .env("HF_ENDPOINT", "http://127.0.0.1:9")
        .env_remove("HF_TOKEN")
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_registered_file_is_listed_and_shown() {
    let cache = tempfile::tempdir().unwrap();
    let file = golden("monaco/monaco_version_1_release.jsonl");
    let (status, stdout, stderr) = data(cache.path(), &["pull", "monaco", "--path", file.to_str().unwrap()]);
    assert_eq!((status, stdout.as_str()), (Some(0), ""), "{stderr}");
    assert!(stderr.contains("40 rows, 40 questions"), "{stderr}");
    assert!(stderr.contains("keep them out of public files"));

    let (_, stdout, _) = data(cache.path(), &["list", "--output", "json"]);
    let list: Value = serde_json::from_str(&stdout).unwrap();
    let local: Vec<_> = list["data_sets"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|set| set["local"] == true)
        .map(|set| set["name"].as_str().unwrap())
        .collect();
    assert_eq!(local, ["monaco"]);
    assert!(list["imports"].as_array().unwrap().len() >= 4);

    let (status, stdout, _) = data(cache.path(), &["show", "monaco", "--output", "json"]);
    let rows: Vec<Value> = stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((status, rows.len()), (Some(0), 40));
    assert_eq!(rows[0]["references"][0], "Mercury");
    let (_, stdout, _) = data(cache.path(), &["show", "monaco", "--limit", "2", "--output", "csv"]);
    assert_eq!(stdout.lines().count(), 3, "{stdout}");
}

#[test]
fn what_is_not_there_says_what_to_do() {
    let cache = tempfile::tempdir().unwrap();
    let (status, _, stderr) = data(cache.path(), &["show", "gaia"]);
    assert_eq!(status, Some(2));
    assert!(stderr.contains("hint: `humbly data pull gaia`"), "{stderr}");
    let (status, _, stderr) = data(cache.path(), &["pull", "gsm9k"]);
    assert_eq!(status, Some(2));
    assert!(stderr.contains("no data set `gsm9k`") && stderr.contains("humbly data list"), "{stderr}");
    let (status, _, stderr) = data(cache.path(), &["pull", "monaco"]);
    assert_eq!(status, Some(2));
    assert!(
        stderr.contains("cannot fetch http://127.0.0.1:9/") && stderr.contains("--path FILE"),
        "{stderr}"
    );
}

#[test]
fn a_file_of_another_set_is_refused() {
    let cache = tempfile::tempdir().unwrap();
    let file = golden("gaia/metadata.jsonl");
    let (status, _, stderr) = data(cache.path(), &["pull", "monaco", "--path", file.to_str().unwrap()]);
    assert_eq!(status, Some(2));
    assert!(stderr.contains("no `ex_num`, expected text or a number"), "{stderr}");
}

#[test]
fn a_training_set_for_verl_holds_what_can_be_scored() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let tasks = [
        r#"{"id": "a", "dataset": "mine", "question": " What is 2 + 2? ", "references": ["4"], "answerable": true}"#,
        r#"{"id": "b", "question": "What is x?", "answerable": false}"#,
        r#"{"id": "c", "question": "Nobody said"}"#,
        r#"{"id": "d", "references": ["5"]}"#,
        r#"{"id": "e", "question": "Who?", "references": ["Ada", "Ada Lovelace"]}"#,
    ];
    std::fs::write(at("tasks.jsonl"), tasks.join("\n")).unwrap();
    let export = |source: &str, more: &[&str]| {
        let to = at("train.parquet");
        data(folder.path(), &[&["export", source, "--format", "verl", "--to", &to], more].concat())
    };
    let (status, stdout, stderr) = export(&at("tasks.jsonl"), &["--protocol", "boxed"]);
    assert_eq!((status, stdout.as_str()), (Some(0), ""), "{stderr}");
    assert!(stderr.contains("train.parquet: 3 rows"), "{stderr}");
    assert!(stderr.contains("1 (no reference answer)") && stderr.contains("1 (no question)"), "{stderr}");
    // Our own reader of verl's rows takes back those with one answer.
    let (status, stdout, stderr) =
        data(folder.path(), &["show", "math-500", "--path", &at("train.parquet"), "--output", "json"]);
    let rows: Vec<Value> = stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((status, rows.len()), (Some(0), 1), "{stderr}");
    assert_eq!((&rows[0]["question"], &rows[0]["references"][0]), (&"What is 2 + 2?".into(), &"4".into()));
    assert!(stderr.contains("0 entries in `target`") && stderr.contains("2 entries in `target`"), "{stderr}");

    std::fs::write(at("nq.jsonl"), r#"{"question": "who wrote emma", "answer": ["Jane Austen"]}"#).unwrap();
    let (status, _, stderr) =
        export("nq-open", &["--path", &at("nq.jsonl"), "--scale", "percent", "--split", "test"]);
    assert_eq!(status, Some(0), "{stderr}");
    let (status, _, stderr) = export(&at("tasks.jsonl"), &["--protocol", "cars"]);
    assert_eq!(status, Some(2));
    assert!(stderr.contains("`cars`") && stderr.contains("boxed-confidence"), "{stderr}");
    let (status, _, stderr) = export("no-such-set", &[]);
    assert_eq!(status, Some(2));
    assert!(stderr.contains("no-such-set"), "{stderr}");
}
