//! The collection of faults that users of such tools met: each has a test that carries its id.
//!
//! A test names its cases in a comment before or inside it (`/// cal-01: …`, `// Case thk-01.`) or in its own name
//! (`fn cal_01_…`).

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// Every id that a test names, as `area-number`.
fn named(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            named(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            if text.contains("#[test]") || text.contains("#[tokio::test") {
                text.lines().for_each(|line| of_line(line.trim(), found));
            }
        }
    }
}

fn of_line(line: &str, found: &mut BTreeSet<String>) {
    if let Some(name) = line.strip_prefix("fn ") {
        let mut parts = name.splitn(3, '_');
        if let (Some(area), Some(number)) = (parts.next(), parts.next()) {
            found.insert(format!("{area}-{number}"));
        }
    } else if line.starts_with("//") {
        let words = line.split(|char: char| !char.is_ascii_alphanumeric() && char != '-');
        found.extend(words.map(str::to_owned));
    }
}

#[test]
fn every_case_has_a_test() {
    let Some(shared) = support::shared() else { return };
    let mut found = BTreeSet::new();
    named(&support::root().join("crates"), &mut found);
    let cases = fs::read_to_string(shared.join("cases/evaluation.jsonl")).unwrap();
    let cases: Vec<Value> = cases.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(cases.len(), 50, "the collection is another one");
    let missing: Vec<&str> =
        cases.iter().map(|case| case["id"].as_str().unwrap()).filter(|id| !found.contains(*id)).collect();
    assert!(missing.is_empty(), "no test names {missing:?}");
}

#[test]
fn an_id_counts_in_comments_and_names_only() {
    let mut found = BTreeSet::new();
    for line in
        ["/// cal-01: the last bin.", "// Cases thk-01, ext-03.", "fn auc_02_ties() {", "let a = \"log-05\";"]
    {
        of_line(line, &mut found);
    }
    assert!(["cal-01", "thk-01", "ext-03", "auc-02"].iter().all(|id| found.contains(*id)), "{found:?}");
    assert!(!found.contains("log-05"));
}
