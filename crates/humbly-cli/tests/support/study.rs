//! A calibration study on scripted models, small enough to be worked out by hand.

use std::ops::Deref;

use serde_json::Value;

use super::{Folder, Run};

/// Four questions for a search, in NQ's form.
const NQ: &str = r#"{"question": "What is the code of item 1?", "answer": ["amber"]}
{"question": "What is the code of item 2?", "answer": ["amber"]}
{"question": "What is the code of item 3?", "answer": ["amber"]}
{"question": "What is the code of item 4?", "answer": ["amber"]}
"#;
/// Two problems for a calculator, in AIME's form: 32 samples of each.
const AIME: &str = r#"{"problem": "Find the hard number.", "answer": 40, "year": 2024}
{"problem": "Find the easy number.", "answer": 5, "year": 2024}
"#;
const CORPUS: &str = r#"{"id": "0", "contents": "\"Register\"\nThe code of item 1 is amber."}
"#;
/// Direct: item 1 is right. With tools: one call first, then items 1 and 4 are right.
const MODEL: &str = r#"
[[rule]]
when.tools_called = false
when.offers = "search"
reply.text = "I look it up.\nConfidence: 40"
reply.calls = [{ name = "search", arguments = { query = "code of item" } }]
[[rule]]
when.tools_called = false
when.offers = "calculator"
reply.text = "I compute.\nConfidence: 80"
reply.calls = [{ name = "calculator", arguments = { expression = "1 + 1" } }]
[[rule]]
when.tools_called = true
when.any = "item 1?"
reply.text = "amber\nConfidence: 100"
[[rule]]
when.tools_called = true
when.any = "item 2?"
reply.text = "cobalt\nConfidence: 90"
[[rule]]
when.tools_called = true
when.any = "item 3?"
reply.text = "cobalt\nConfidence: 100"
[[rule]]
when.tools_called = true
when.any = "item 4?"
reply.text = "amber\nConfidence: 70"
[[rule]]
when.any = "item 1?"
reply.text = "amber\nConfidence: 90"
[[rule]]
when.any = "item 2?"
reply.text = "cobalt\nConfidence: 60"
[[rule]]
when.any = "item 3?"
reply.text = "cobalt\nConfidence: 80"
[[rule]]
when.any = "item 4?"
reply.text = "cobalt\nConfidence: 50"
[[rule]]
when.tools_called = true
when.any = "hard number"
reply.text = "${sample}\nConfidence: 50"
[[rule]]
when.tools_called = true
reply.text = "5\nConfidence: 95"
[[rule]]
when.any = "hard number"
reply.text = "${sample}\nConfidence: 60"
[[rule]]
reply.text = "5\nConfidence: 90"
"#;
/// A trained model that calls no tool and abstains once.
const TRAINED: &str = r#"
[[rule]]
when.any = "item 1?"
reply.text = "I don't know.\nConfidence: 99"
[[rule]]
when.any = "item"
reply.text = "cobalt\nConfidence: 20"
[[rule]]
reply.text = "5\nConfidence: 30"
"#;
pub(crate) const EXPERIMENT: &str = r#"
suite = "suite.json"
models = ["scripted:model.toml"]
confidence = "percent"
confidence_every_turn = true
tools = ["search", "calculator"]
corpus = "corpus.jsonl"
in_distribution = ["nq-open"]

[[conditions]]
name = "direct"
tools = []

[[conditions]]
name = "prompted-tool"

[[conditions]]
name = "trained"
models = { "scripted:model.toml" = "scripted:trained.toml" }
"#;

/// A folder with the suite and the models.
pub(crate) struct Study {
    folder: Folder,
}

impl Deref for Study {
    type Target = Folder;

    fn deref(&self) -> &Folder {
        &self.folder
    }
}

impl Study {
    pub(crate) fn new() -> Self {
        let folder = Folder::with(&[
            ("nq.jsonl", NQ),
            ("aime.jsonl", AIME),
            ("corpus.jsonl", CORPUS),
            ("model.toml", MODEL),
            ("trained.toml", TRAINED),
            ("experiment.toml", EXPERIMENT),
        ]);
        let study = Self { folder };
        let built = study.humbly(&[
            "suite",
            "build",
            "calibration",
            "--set",
            "nq-open=nq.jsonl",
            "--set",
            "aime=aime.jsonl",
            "--to",
            "suite.json",
        ]);
        assert_eq!(built.status, 0, "{}", built.stderr);
        study
    }

    pub(crate) fn run(&self) -> Run {
        let run = self.humbly(&["run", "experiment.toml", "--out", "run.sqlite"]);
        assert_eq!(run.status, 0, "{}", run.stderr);
        run
    }

    pub(crate) fn report(&self, more: &[&str]) -> Value {
        self.report_of(200, more)
    }

    pub(crate) fn report_of(&self, resamples: u32, more: &[&str]) -> Value {
        let resamples = resamples.to_string();
        let arguments = ["report", "run.sqlite", "--resamples", &resamples, "--output", "json"];
        let run = self.humbly(&[&arguments, more].concat());
        assert_eq!(run.status, 0, "{}", run.stderr);
        serde_json::from_str(&run.stdout).unwrap()
    }
}
