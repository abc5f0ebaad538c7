//! Every kind of bad input: what was found, where, what was expected, what to do; the rest is scored.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

mod support;

use std::io::Write as _;

use support::{Run, file, json, run};

/// A record that is scored whatever stands beside it.
const GOOD: &str = r#"{"humbly":1,"id":"good","question":"q","turns":[{"text":"four"}]}"#;

fn score(name: &str, content: impl AsRef<[u8]>) -> Run {
    let (_folder, path) = file(name, content);
    run(&["score", &path])
}

/// The rest is scored (status 0), and the message holds these words.
fn is_listed(run: &Run, words: &[&str]) {
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("1 trajectories"), "{}", run.stdout);
    for word in words {
        assert!(run.stderr.contains(word), "`{word}` is missing in {}", run.stderr);
    }
    assert!(!run.stderr.contains("panicked"));
}

/// Nothing is readable (status 2), and the message holds these words.
fn is_unusable(run: &Run, words: &[&str]) {
    assert_eq!(run.status, 2, "{}{}", run.stdout, run.stderr);
    for word in words {
        assert!(run.stderr.contains(word), "`{word}` is missing in {}", run.stderr);
    }
    assert!(!run.stderr.contains("panicked"));
}

#[test]
fn a_cut_last_line() {
    let run = score("own.jsonl", format!("{GOOD}\n{{\"humbly\":1,\"id\":\"b\",\"tur"));
    is_listed(&run, &["own.jsonl:2", "cut off", "hint"]);
}

#[test]
fn invalid_utf8() {
    let mut bytes = GOOD.replace("four", "fo~ur").into_bytes();
    let position = bytes.iter().position(|byte| *byte == b'~').unwrap();
    bytes[position] = 0xff;
    is_listed(&score("own.jsonl", bytes), &["own.jsonl:1", "UTF-8", "hint"]);
}

#[test]
fn a_lone_surrogate() {
    is_listed(
        &score("own.jsonl", GOOD.replace("four", r"\ud83d four")),
        &["own.jsonl:1", "surrogate", "hint"],
    );
}

/// log-05: constants that are no JSON are read where others wrote them, said, and never written.
#[test]
fn nan_in_json() {
    for constant in ["NaN", "Infinity", "-Infinity"] {
        let log = GOOD.replace("\"question\"", &format!("\"score\":[{constant},1.0],\"question\""));
        is_listed(
            &score("own.jsonl", &log),
            &["own.jsonl:1", "NaN or Infinity, which JSON does not know; read as null", "hint"],
        );
        let (_folder, path) = file("own.jsonl", log);
        assert_eq!(json(&["score", &path])["trajectories"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn a_line_of_50_megabytes_is_read() {
    let huge = "x".repeat(50 << 20);
    let log = format!("{GOOD}\n{}\n", GOOD.replace("\"good\"", "\"huge\"").replace("four", &huge));
    let run = score("own.jsonl", log);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("2 trajectories"), "{}", run.stdout);
}

#[test]
fn json_nested_100_000_deep() {
    let deep = format!("{{\"humbly\":1,\"id\":\"d\",\"turns\":{}", "[".repeat(100_000));
    let run = score("own.jsonl", format!("{GOOD}\n{deep}\n"));
    is_listed(&run, &["own.jsonl:2", "nested deeper"]);
    is_unusable(&score("deep.json", "[".repeat(100_000)), &["deep.json:1", "nested deeper", "hint"]);
}

#[test]
fn an_empty_file() {
    is_unusable(&score("empty.jsonl", ""), &["empty.jsonl", "empty", "expected an agent log"]);
}

#[test]
fn a_binary_file() {
    is_unusable(
        &score("picture.jsonl", [0x89, b'P', b'N', b'G', 0, 1, 2, 255]),
        &["picture.jsonl", "humbly formats"],
    );
}

#[test]
fn an_unknown_format() {
    is_unusable(
        &score("x.json", r#"{"shopping": ["milk"]}"#),
        &["x.json", "not recognised", "humbly formats"],
    );
    let fault = run(&["score", "examples/logs", "--format", "claud"]);
    is_unusable(&fault, &["`claud`", "humbly formats"]);
}

#[test]
fn a_missing_path() {
    is_unusable(&run(&["score", "no/such/folder"]), &["no/such/folder", "cannot be read"]);
}

#[test]
fn a_zip_that_is_none() {
    let run = score("broken.eval", b"PK\x03\x04 and then nothing of the kind");
    assert_ne!(run.status, 101);
    assert!(run.stderr.contains("broken.eval"), "{}", run.stderr);
}

/// An Inspect log with one sound sample and these entries.
fn inspect_log(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let sound = br#"{"id":"a","epoch":1,"input":"q","messages":[{"role":"user","content":"q"},
        {"role":"assistant","content":"four"}],"output":{"choices":[{"stop_reason":"stop"}]}}"#;
    let header = br#"{"version":2,"status":"success","eval":{"model":"m","task":"t"},"plan":{}}"#;
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    let first: [(&str, &[u8]); 2] = [("header.json", header), ("samples/a_epoch_1.json", sound)];
    for (name, bytes) in first.iter().chain(entries) {
        zip.start_file(*name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn a_zip_bomb() {
    let log = inspect_log(&[("samples/b_epoch_1.json", &vec![b' '; 80 << 20])]);
    is_listed(&score("bomb.eval", log), &["bomb.eval [samples/b_epoch_1.json]", "which no log does", "hint"]);
}

#[test]
fn a_zip_entry_that_leaves_the_archive() {
    let log = inspect_log(&[("../x", b"{}")]);
    is_listed(
        &score("slip.eval", log),
        &["slip.eval [../x]", "leaves the archive", "expected a plain name", "hint"],
    );
}

#[test]
fn a_recognised_log_without_an_assistant_turn_is_no_failure() {
    let log = r#"{"parentUuid":null,"isSidechain":false,"sessionId":"s","type":"user","message":{"role":"user","content":"q"},"uuid":"1"}"#;
    let (_folder, path) = file("s.jsonl", log);
    let report = json(&["score", &path]);
    assert_eq!(report["trajectories"].as_array().unwrap().len(), 0);
    assert_eq!(report["problems"].as_array().unwrap().len(), 1, "{}", report["problems"]);
    assert_eq!(run(&["score", &path]).status, 0);
}

#[test]
fn a_tasks_file_with_duplicate_ids() {
    let (_folder, tasks) = file("tasks.jsonl", "{\"id\":\"good\"}\n{\"id\":\"good\"}\n");
    let (_other, log) = file("own.jsonl", GOOD);
    let run = run(&["score", &log, "--tasks", &tasks]);
    is_listed(&run, &["tasks.jsonl:2", "good", "unique"]);
}

#[test]
fn a_tasks_file_that_cannot_be_used() {
    let (_folder, tasks) = file("tasks.jsonl", "not json\n");
    let (_other, log) = file("own.jsonl", GOOD);
    is_unusable(&run(&["score", &log, "--tasks", &tasks]), &["tasks.jsonl", "`id`"]);
    is_unusable(&run(&["score", &log, "--tasks", "absent.jsonl"]), &["absent.jsonl"]);
}

#[test]
fn a_trajectory_without_a_task_is_named() {
    let (_folder, tasks) = file("tasks.jsonl", "{\"id\":\"other\"}\n");
    let (_other, log) = file("own.jsonl", GOOD);
    let run = run(&["score", &log, "--tasks", &tasks]);
    is_listed(&run, &["[good]", "no task fits", "--task-id"]);
}

#[test]
fn confidences_in_percent_where_unit_was_stated() {
    let (_folder, table) = file("c.csv", "confidence,correct\n85,1\n0.4,0\n");
    let run = run(&["stats", "calibration", &table, "--confidence", "confidence", "--correct", "correct"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stderr.contains("c.csv:2") && run.stderr.contains("--scale percent"), "{}", run.stderr);
}

#[test]
fn labels_and_confidences_swapped() {
    let (_folder, table) = file("c.csv", "confidence,correct\n1,0.82\n0,0.4\n1,0.77\n");
    let run = run(&["stats", "calibration", &table, "--confidence", "confidence", "--correct", "correct"]);
    is_unusable(&run, &["c.csv:2", "expected 0 or 1", "swapped"]);
}

#[test]
fn an_unknown_column_names_those_that_exist() {
    let (_folder, table) = file("c.csv", "confidence,right\n0.5,1\n");
    let run = run(&["stats", "calibration", &table, "--confidence", "confidence", "--correct", "correct"]);
    is_unusable(&run, &["`correct`", "right"]);
}
