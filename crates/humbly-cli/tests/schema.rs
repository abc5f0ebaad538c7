//! The JSON schemas of documents are generated; this holds the files and the documents to them.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

mod support;

use humbly_pipeline::rewards::RewardCard;
use humbly_score::ScoreReport;
use humbly_synth::Statistics;
use schemars::schema_for;
use support::schema::assert_fits;
use support::{file, json, root};

#[test]
fn the_schema_files_are_those_of_the_types() {
    for (name, schema) in [
        ("humbly.score.1", schema_for!(ScoreReport)),
        ("humbly.reward.1", schema_for!(RewardCard)),
        ("humbly.synth.1", schema_for!(Statistics)),
    ] {
        let schema = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        let path = root().join(format!("docs/schemas/{name}.json"));
        if std::env::var_os("HUMBLY_BLESS").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &schema).unwrap();
        }
        let written = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(schema == written, "{name} is old; look at the difference, then run with HUMBLY_BLESS=1");
    }
}

/// The document of `humbly synth` is held to its schema beside its other tests.
#[test]
fn documents_are_what_their_schemas_say() {
    assert_fits("humbly.score.1", &json(&["score", "examples/logs", "--tasks", "examples/tasks.jsonl"]));
    let rows = [
        r#"{"response": "<think>a</think><confidence>nan</confidence><answer>P</answer>", "reference": "P"}"#,
        r#"{"response": "", "question_id": 1}"#,
        "no row",
    ];
    let (_folder, path) = file("rollouts.jsonl", rows.join("\n"));
    assert_fits("humbly.reward.1", &json(&["reward", &path, "--reward", "mscr", "--resamples", "100"]));
}

#[test]
#[should_panic(expected = "$.rows is \"one\", expected integer")]
fn a_document_of_another_shape_does_not_fit() {
    let (_folder, path) = file("rollouts.jsonl", r#"{"response": "", "reference": "P"}"#);
    let mut card = json(&["reward", &path, "--reward", "em", "--resamples", "100"]);
    card["rows"] = "one".into();
    assert_fits("humbly.reward.1", &card);
}
