//! `humbly sheet` as a user sees it.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

mod support;

use std::path::Path;

use support::{Run, run};

/// Draws a sheet over the example logs into `folder`.
fn make(folder: &Path, arguments: &[&str]) -> Run {
    let sheet = folder.join("sheet.csv");
    let base = ["sheet", "make", "examples/logs", "--seed", "3", "--to", sheet.to_str().unwrap()];
    run(&[&base, arguments].concat())
}

/// The sheet with labels by row number.
fn filled(sheet: &str, label: impl Fn(usize) -> &'static str) -> String {
    let mut reader = csv::Reader::from_reader(sheet.as_bytes());
    let mut text = String::from("id,label\n");
    for (index, record) in reader.records().enumerate() {
        text.push_str(&format!("{},{}\n", &record.unwrap()[0], label(index)));
    }
    text
}

#[test]
fn a_sheet_is_drawn_filled_and_read() {
    let folder = tempfile::tempdir().unwrap();
    let made =
        make(folder.path(), &["--verdict", "identify", "--rows", "6", "--tasks", "examples/tasks.jsonl"]);
    assert_eq!(made.status, 0, "{}", made.stderr);
    assert!(made.stderr.contains("positive by lexical/4"), "{}", made.stderr);
    let sheet = std::fs::read_to_string(folder.path().join("sheet.csv")).unwrap();
    let key = std::fs::read_to_string(folder.path().join("sheet.key.jsonl")).unwrap();
    assert!(sheet.starts_with("id,question,text,label,comment\n"));
    assert!(key.lines().next().unwrap().contains("\"split\":\"c"), "{key}");

    let lexical: Vec<bool> = key.lines().map(|line| line.contains("\"kind\":\"positive\"")).collect();
    let by_judge = |index: usize| if lexical[index] { "yes" } else { "no" };
    for (name, other) in [("ann", 0), ("ben", 1)] {
        let text = filled(&sheet, |index| if index < other { "no" } else { by_judge(index) });
        std::fs::write(folder.path().join(format!("{name}.csv")), text).unwrap();
    }
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let arguments = ["sheet", "read", &path("ann.csv"), &path("ben.csv"), "--key", &path("sheet.key.jsonl")];
    let json = support::json(&arguments);
    assert_eq!(json["items"], lexical.len());
    assert_eq!(json["annotators"], serde_json::json!(["ann", "ben"]));
    let judge = &json["judges"][0];
    assert_eq!(
        (judge["judge"].as_str(), judge["each"]["ann"]["raw"]["value"].as_f64()),
        (Some("lexical/4"), Some(1.0))
    );
    let table = run(&arguments);
    assert!(
        table.stdout.contains("people (kappa: Fleiss)")
            && table.stdout.contains("lexical/4 and the majority")
    );

    std::fs::write(path("ben.csv"), "id,label\n1,maybe\n").unwrap();
    let faulty = run(&arguments);
    assert_eq!(faulty.status, 2);
    assert!(faulty.stderr.contains("row 2, column `label`: found `maybe`"), "{}", faulty.stderr);
}

#[test]
fn a_sheet_with_somebodys_work_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("sheet.csv"), "hours of work").unwrap();
    let made = make(folder.path(), &["--verdict", "escalate"]);
    assert_eq!(made.status, 2);
    assert!(made.stderr.contains("exists: a sheet may hold somebody's work"), "{}", made.stderr);
    assert_eq!(std::fs::read_to_string(folder.path().join("sheet.csv")).unwrap(), "hours of work");
}

#[test]
fn verdicts_of_another_judge_decide_what_is_positive() {
    let folder = tempfile::tempdir().unwrap();
    let verdicts = folder.path().join("verdicts.jsonl");
    let scored = run(&["score", "examples/logs", "--verdicts", verdicts.to_str().unwrap()]);
    assert_eq!(scored.status, 0, "{}", scored.stderr);
    let text = std::fs::read_to_string(&verdicts).unwrap().replace("lexical/4", "m@1");
    std::fs::write(&verdicts, text).unwrap();
    let given = ["--verdict", "escalate", "--rows", "4", "--verdicts", verdicts.to_str().unwrap()];
    let made = make(folder.path(), &given);
    assert_eq!(made.status, 0, "{}", made.stderr);
    assert!(made.stderr.contains("positive by m@1"), "{}", made.stderr);
    let key = std::fs::read_to_string(folder.path().join("sheet.key.jsonl")).unwrap();
    assert!(key.contains("\"m@1\":") && key.contains("\"lexical/4\":"), "{key}");

    let other = tempfile::tempdir().unwrap();
    let unknown = make(other.path(), &["--verdict", "escalate", "--judge", "nobody"]);
    assert_eq!(unknown.status, 2);
    assert!(
        unknown.stderr.contains("no verdicts of the judge `nobody`, expected one of lexical/4"),
        "{}",
        unknown.stderr
    );
}
