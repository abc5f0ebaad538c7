//! Suites, runs, their joining and export with a scripted model, and what each mistake says.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

mod support;

use std::ops::Deref;

use serde_json::{Value, json};
use support::http::{Fake, answer};
use support::{Folder, Run, collect};

const QUESTIONS: &str = r#"{"id": "q1", "question": "What is the capital of Italy?", "answer": "Rome", "false_answer": "Milan", "passages_true": ["Rome has been the capital since 1871.", "The Italian parliament sits in Rome."], "passages_false": ["Milan became the capital, some guides claim."]}
{"id": "q2", "question": "Who painted the Mona Lisa?", "answer": "Leonardo", "false_answer": "Raphael", "passages_true": ["The Mona Lisa is by Leonardo.", "Leonardo worked on it for years."], "passages_false": ["An old inventory gives it to Raphael."]}
{"id": "q3", "question": "Which river flows through Lima?", "answer": "Rimac", "false_answer": "Amazon", "passages_true": ["The Rimac crosses Lima.", "Lima was founded on the Rimac."], "passages_false": ["A leaflet puts Lima on the Amazon."]}
"#;
const MODEL: &str = r#"
[[rule]]
when.any = "capital of Italy"
reply.text = "Rome"
[[rule]]
when.any = "Mona Lisa"
reply.text = "Leonardo"
[[rule]]
reply.text = "I do not know."
"#;
/// The same, but one question cannot be answered.
const FAILING: &str = r#"
[[rule]]
when.any = "capital of Italy"
error = { kind = "refused" }
[[rule]]
reply.text = "Leonardo"
"#;

struct Fixture {
    folder: Folder,
}

impl Deref for Fixture {
    type Target = Folder;

    fn deref(&self) -> &Folder {
        &self.folder
    }
}

impl Fixture {
    fn new() -> Self {
        let files = [("q.jsonl", QUESTIONS), ("model.toml", MODEL), ("failing.toml", FAILING)];
        Self { folder: Folder::with(&files) }
    }

    /// A fixture with the suite of the scripted model.
    fn with_suite() -> Self {
        let fixture = Self::new();
        let built = fixture.humbly(&[
            "suite",
            "build",
            "conflict",
            "--model",
            "scripted:model.toml",
            "--questions",
            "q.jsonl",
        ]);
        assert_eq!(built.status, 0, "{}", built.stderr);
        fixture
    }

    /// Runs the suite on a script into a file.
    fn experiment(&self, rules: &str, out: &str, more: &[&str]) -> Run {
        let model = format!("scripted:{rules}");
        let base = ["run", "suite.json", "--model", &model, "--protocol", "plain", "--out", out];
        self.humbly(&[&base, more].concat())
    }
}

#[test]
fn a_suite_is_built_and_shown() {
    let fixture = Fixture::with_suite();
    let shown = fixture.json(&["suite", "show", "suite.json"]);
    assert_eq!(
        (&shown["asked"], &shown["levels"], &shown["failed"]),
        (&json!(3), &json!([1, 0, 0, 2]), &json!(0))
    );
    let counts: Vec<u64> =
        shown["tasks"].as_array().unwrap().iter().map(|row| row["tasks"].as_u64().unwrap()).collect();
    assert_eq!(counts, [2, 2]);
    let table = fixture.humbly(&["suite", "show", "suite.json"]);
    assert!(
        table.stdout.contains("L3 agreed") && table.stdout.contains("rag conflict 2"),
        "{}",
        table.stdout
    );
    // One of the questions cannot be asked: the others stand, and it is named.
    let partly = fixture.humbly(&[
        "suite",
        "build",
        "conflict",
        "--model",
        "scripted:failing.toml",
        "--questions",
        "q.jsonl",
    ]);
    assert_eq!(partly.status, 3, "{}", partly.stderr);
    assert!(
        partly.stderr.contains("1 of 3 questions could not be asked") && partly.stderr.contains("`q1`"),
        "{}",
        partly.stderr
    );
}

#[test]
fn a_run_is_finished_scored_and_exported() {
    let fixture = Fixture::with_suite();
    let run = fixture.experiment("model.toml", "run.sqlite", &[]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stderr.contains("8 of 8 samples done"), "{}", run.stderr);
    let scored = fixture.json(&["score", "run.sqlite"]);
    assert_eq!(scored["trajectories"].as_array().unwrap().len(), 8);
    assert_eq!(scored["summary"][0]["accuracy"]["conflict"]["value"], 1.0);
    for (format, name) in [("jsonl", "out.jsonl"), ("inspect", "out.json")] {
        let exported = fixture.humbly(&["data", "export", "run.sqlite", "--format", format, "--to", name]);
        assert_eq!(exported.status, 0, "{}", exported.stderr);
    }
    let again = fixture.json(&["score", "out.jsonl"]);
    assert_eq!(again["trajectories"].as_array().unwrap().len(), 8);
    let log: Value = serde_json::from_str(&fixture.text("out.json")).unwrap();
    assert_eq!((&log["status"], log["samples"].as_array().unwrap().len()), (&json!("success"), 8));
}

/// run-02: a run of which nothing is left goes straight to its end, and its tables are there.
#[test]
fn a_run_of_which_nothing_is_left_is_done() {
    let fixture = Fixture::with_suite();
    assert_eq!(fixture.experiment("model.toml", "run.sqlite", &["--cache", "cache.sqlite"]).status, 0);
    let again = fixture.experiment("model.toml", "run.sqlite", &["--cache", "cache.sqlite"]);
    assert_eq!(again.status, 0, "{}", again.stderr);
    assert!(again.stderr.contains("8 of 8 samples done"), "{}", again.stderr);
    // All answered by the cache, in a file of their own.
    let cached = fixture.experiment("model.toml", "other.sqlite", &["--cache", "cache.sqlite"]);
    assert_eq!(cached.status, 0, "{}", cached.stderr);
    let summary = |path: &str| fixture.json(&["score", path])["summary"].clone();
    assert_eq!(summary("run.sqlite"), summary("other.sqlite"));
}

#[test]
fn shards_are_joined_to_the_whole() {
    let fixture = Fixture::with_suite();
    for (shard, out) in [("1/2", "one.sqlite"), ("2/2", "two.sqlite")] {
        let run = fixture.experiment("model.toml", out, &["--shard", shard]);
        assert_eq!(run.status, 0, "{}", run.stderr);
        assert!(run.stderr.contains("4 of 8 samples done"), "{}", run.stderr);
    }
    let merged = fixture.humbly(&["merge", "one.sqlite", "two.sqlite", "--out", "all.sqlite"]);
    assert_eq!(merged.status, 0, "{}", merged.stderr);
    assert!(merged.stderr.contains("8 samples, 0 still to be run"), "{}", merged.stderr);
    fixture.experiment("model.toml", "whole.sqlite", &[]);
    let summary = |path: &str| fixture.json(&["score", path])["summary"].clone();
    assert_eq!(summary("all.sqlite"), summary("whole.sqlite"));
    let wrong = fixture.experiment("model.toml", "x.sqlite", &["--shard", "3/2"]);
    assert!(wrong.status == 2 && wrong.stderr.contains("expected k/n with 1 <= k <= n"), "{}", wrong.stderr);
    let there = fixture.humbly(&["merge", "one.sqlite", "--out", "all.sqlite"]);
    assert!(there.status == 2 && there.stderr.contains("exists already"), "{}", there.stderr);
}

/// run-09, run-07: failed samples are in no rate and in no wrong answer, both readings are printed with the
/// counts of each failure, and the status is 3, also where an earlier sitting failed.
#[test]
fn failed_samples_are_neither_wrong_nor_forgotten() {
    let fixture = Fixture::with_suite();
    let run = fixture.experiment("failing.toml", "run.sqlite", &[]);
    assert_eq!(run.status, 3, "{}", run.stderr);
    assert!(
        run.stderr.contains("4 failed (refused)") && run.stderr.contains("--retry-failed"),
        "{}",
        run.stderr
    );
    assert_eq!(fixture.experiment("failing.toml", "run.sqlite", &[]).status, 3);
    let scored = fixture.humbly(&["score", "run.sqlite"]);
    assert!(
        scored.stderr.contains("4 samples failed (4 refused) and are in no rate; right: 4 of 4 that ran, 4 of 8 with the failed ones"),
        "{}",
        scored.stderr
    );
    let summary = &fixture.json(&["score", "run.sqlite"])["summary"][0]["accuracy"];
    assert_eq!((&summary["conflict"]["n"], &summary["conflict"]["value"]), (&json!(1), &json!(1.0)));
    std::fs::write(fixture.path("failing.toml"), MODEL).unwrap();
    let retried = fixture.experiment("failing.toml", "run.sqlite", &["--retry-failed"]);
    assert_eq!(retried.status, 0, "{}", retried.stderr);
    let nothing = fixture.experiment("none.toml", "none.sqlite", &[]);
    assert_eq!(nothing.status, 2, "nothing ran: {}", nothing.stderr);
}

#[test]
fn mistakes_say_what_was_found_and_what_to_do() {
    let fixture = Fixture::with_suite();
    let base = ["suite", "build", "conflict", "--questions", "q.jsonl", "--to", "x.json", "--model"];
    let with_model = |model: &'static str| [&base[..], &[model]].concat();
    std::fs::write(fixture.path("exp.toml"), "suite = \"suite.json\"\nmodles = []\n").unwrap();
    std::fs::write(fixture.path("empty.jsonl"), "\n").unwrap();
    for (arguments, said) in [
        (base[..7].to_vec(), "--model"),
        (with_model("gpt-5"), "hint: name a model as PROVIDER:MODEL"),
        (with_model("scripted:none.toml"), "cannot use `none.toml`"),
        (vec!["run", "suite.json"], "a suite needs --model, e.g. --model embedded:smollm2-135m"),
        (vec!["run", "q.jsonl", "--model", "scripted:model.toml"], "is no suite of humbly"),
        (vec!["run", "none.json", "--model", "scripted:model.toml"], "cannot use `none.json`"),
        (vec!["run", "exp.toml"], "modles"),
        (vec!["suite", "show", "q.jsonl"], "is no suite of humbly"),
        (
            vec![
                "suite",
                "build",
                "conflict",
                "--model",
                "scripted:model.toml",
                "--questions",
                "empty.jsonl",
            ],
            "no usable question",
        ),
        (vec!["data", "export", "q.jsonl", "--format", "jsonl", "--to", "x"], "is no run file of humbly"),
        (vec!["data", "export", "none.sqlite", "--format", "jsonl", "--to", "x"], "does not exist"),
        (vec!["merge", "q.jsonl", "--out", "x.sqlite"], "is no run file of humbly"),
    ] {
        let run = fixture.humbly(&arguments);
        assert_eq!(run.status, 2, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(said), "{arguments:?}: {}", run.stderr);
    }
    let mut keyless = fixture.command(&with_model("openai:gpt-5"));
    let keyless = collect(keyless.env_remove("OPENAI_API_KEY"));
    assert_eq!(keyless.status, 2);
    assert!(
        keyless.stderr.contains("OPENAI_API_KEY") && keyless.stderr.contains("hint: set the variable"),
        "{}",
        keyless.stderr
    );
}

#[test]
fn a_run_file_of_a_newer_version_is_left_alone() {
    let fixture = Fixture::with_suite();
    assert_eq!(fixture.experiment("model.toml", "run.sqlite", &[]).status, 0);
    let path = fixture.path("run.sqlite");
    let mut bytes = std::fs::read(&path).unwrap();
    // `PRAGMA user_version` stands at byte 60 of the header, big-endian.
    bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
    std::fs::write(&path, bytes).unwrap();
    for command in [
        vec!["score", "run.sqlite"],
        vec!["data", "export", "run.sqlite", "--format", "jsonl", "--to", "x"],
        vec!["judge", "run.sqlite", "--judge", "lexical"],
    ] {
        let run = fixture.humbly(&command);
        assert_eq!(run.status, 2, "{command:?}: {}", run.stderr);
        assert!(run.stderr.contains("version 99 of the run file"), "{command:?}: {}", run.stderr);
    }
    let run = fixture.experiment("model.toml", "run.sqlite", &[]);
    assert!(run.status == 2 && run.stderr.contains("hint: read it with the version"), "{}", run.stderr);
}

/// What a server that is no model's gives, and what is said of it. One question each, so that no wait adds up.
#[test]
fn servers_that_give_no_reply_are_told_apart() {
    let fixture = Fixture::new();
    let first = QUESTIONS.lines().next().unwrap();
    std::fs::write(fixture.path("one.jsonl"), first).unwrap();
    let whole = json!({"choices": [{"message": {"content": "Rome"}, "finish_reason": "stop"}]}).to_string();
    let half = {
        let bytes = answer("200 OK", "application/json", &whole);
        bytes[..bytes.len() - 20].to_vec()
    };
    let json_answer = |status: &str, body: &str| answer(status, "application/json", body);
    for (bytes, code, hint) in [
        (
            answer("200 OK", "text/html", "<html><title>Sign in</title></html>"),
            "not_a_reply",
            "check --base-url",
        ),
        (json_answer("200 OK", ""), "empty_reply", "the server gave nothing"),
        (half, "broken_off", "the server is at fault"),
        (json_answer("429 Too Many Requests", "{}"), "rate_limited", "try again later"),
        (json_answer("500 Internal Server Error", "{}"), "server", "the server is at fault"),
        (
            json_answer("401 Unauthorized", "{\"error\": {\"message\": \"no\"}}"),
            "authentication",
            "check the key",
        ),
        (
            json_answer(
                "400 Bad Request",
                "{\"error\": {\"message\": \"prompt is too long\", \"code\": \"context_length_exceeded\"}}",
            ),
            "context_too_long",
            "a longer context",
        ),
        (
            json_answer("404 Not Found", "{\"error\": {\"message\": \"the model m does not exist\"}}"),
            "unknown_model",
            "check the model's name",
        ),
    ] {
        let server = Fake::start(move |_, _| bytes.clone());
        let url = format!("{}/v1", server.url);
        let arguments = [
            "suite",
            "build",
            "conflict",
            "--model",
            "m",
            "--base-url",
            &url,
            "--questions",
            "one.jsonl",
            "--attempts",
            "2",
            "--to",
            "x.json",
        ];
        let run = fixture.humbly(&arguments);
        assert_eq!(run.status, 3, "{code}: {}", run.stderr);
        assert!(run.stderr.contains(&format!("({code})")), "{code}: {}", run.stderr);
        assert!(run.stderr.contains("1 of 1 questions could not be asked"), "{code}: {}", run.stderr);
        assert!(
            run.stderr.contains(&format!("hint: {hint}")) || run.stderr.contains(hint),
            "{code}: {}",
            run.stderr
        );
        let asked =
            if ["rate_limited", "server", "broken_off", "empty_reply"].contains(&code) { 2 } else { 1 };
        assert_eq!(server.requests(), asked, "{code}");
    }
    let nobody = [
        "suite",
        "build",
        "conflict",
        "--model",
        "m",
        "--base-url",
        "http://127.0.0.1:9/v1",
        "--questions",
        "one.jsonl",
        "--attempts",
        "1",
        "--to",
        "x.json",
    ];
    let run = fixture.humbly(&nobody);
    assert_eq!(run.status, 3, "{}", run.stderr);
    assert!(
        run.stderr.contains("(connection)") && run.stderr.contains("check the address"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_refused_key_ends_the_asking_and_leaves_the_suite_that_is_there() {
    let fixture = Fixture::with_suite();
    let before = fixture.text("suite.json");
    let server = Fake::start(|_, _| {
        answer("401 Unauthorized", "application/json", "{\"error\": {\"message\": \"no\"}}")
    });
    let url = format!("{}/v1", server.url);
    let run = collect(
        fixture
            .command(&[
                "suite",
                "build",
                "conflict",
                "--model",
                "openai:m",
                "--base-url",
                &url,
                "--to",
                "suite.json",
            ])
            .env("OPENAI_API_KEY", "sk-wrong"),
    );
    assert_eq!(run.status, 3, "{}", run.stderr);
    assert!(run.stderr.contains("`suite.json` stays as it was"), "{}", run.stderr);
    assert!(run.stderr.contains("hint: check the key"), "{}", run.stderr);
    assert_eq!(fixture.text("suite.json"), before);
    assert!(server.requests() < 100, "{} of 400 requests were sent", server.requests());
}

#[test]
fn a_cost_limit_without_a_price_asks_nobody() {
    let fixture = Fixture::new();
    let server = Fake::start(|_, _| answer("200 OK", "application/json", "{}"));
    let url = format!("{}/v1", server.url);
    let arguments =
        ["suite", "build", "conflict", "--model", "m", "--base-url", &url, "--questions", "q.jsonl"];
    let limited = fixture.humbly(&[&arguments[..], &["--max-cost", "0.01"]].concat());
    assert_eq!((limited.status, server.requests()), (3, 0), "{}", limited.stderr);
    assert!(
        limited.stderr.contains("(no_price)") && limited.stderr.contains("--prices"),
        "{}",
        limited.stderr
    );
}

#[test]
fn natural_rows_become_a_suite_with_its_funnel() {
    let fixture = Fixture::new();
    let folder = fixture.root();
    let gaia: Vec<String> = (0..4)
        .map(|k| {
            let answer = if k == 3 { "?".to_owned() } else { (10 + k).to_string() };
            json!({"task_id": format!("g{k}"), "Question": format!("How many lamps hang in hall {k}?"), "Level": 1, "Final answer": answer})
                .to_string()
        })
        .collect();
    std::fs::write(folder.join("gaia.jsonl"), gaia.join("\n")).unwrap();
    // Right and sure in hall 0, wrong and sure in hall 1, silent in hall 2.
    let rules = r#"
[[rule]]
when.user = "stand by"
reply.text = "Yes."
[[rule]]
when.user = "hall 0"
reply.text = "Answer: 10"
[[rule]]
when.user = "hall 1"
reply.text = "Answer: 99"
[[rule]]
reply.text = "Answer: I do not know."
"#;
    std::fs::write(folder.join("natural.toml"), rules).unwrap();
    let natural = [
        "suite",
        "build",
        "natural",
        "--dataset",
        "gaia",
        "--path",
        "gaia.jsonl",
        "--model",
        "scripted:natural.toml",
        "--to",
        "natural.json",
    ];
    let built = fixture.humbly(&natural);
    assert_eq!(built.status, 0, "{}", built.stderr);
    assert!(built.stderr.contains("3 usable of 4 rows; left out: 1 no_reference"), "{}", built.stderr);
    let shown = fixture.json(&["suite", "show", "natural.json"]);
    let funnel = &shown["funnel"];
    let counts: Vec<u64> =
        ["total", "has_pk", "self_agrees", "disagrees_gt", "selected", "agrees_gt", "no_strong_belief"]
            .map(|name| funnel[name].as_u64().unwrap())
            .into();
    assert_eq!((counts, &shown["dropped"]["no_reference"]), (vec![3, 2, 2, 1, 1, 1, 1], &json!(1)));
    assert_eq!(shown["nested"], json!({"total": 3, "has_pk": 2, "self_agrees": 2, "disagrees_gt": 1}));
    assert!(
        built.stdout.contains("of these self agrees") && built.stdout.contains("1 (50 %)"),
        "{}",
        built.stdout
    );
}

#[test]
fn rows_with_two_sides_become_a_conflict_suite() {
    let fixture = Fixture::new();
    let folder = fixture.root();
    let contradiction = json!({
        "question": "When was the mill built?", "answer1": "1842", "answer2": "1851",
        "context1": "The mill was built in the year 1842. It stands on the east bank of the river.",
        "context2": "Records of the town give 1851 as the year of the mill.",
    });
    std::fs::write(folder.join("wiki.jsonl"), contradiction.to_string()).unwrap();
    std::fs::write(folder.join("mill.toml"), "[[rule]]\nreply.text = \"1842\"\n").unwrap();
    let conflict = [
        "suite",
        "build",
        "conflict",
        "--dataset",
        "wikicontradict",
        "--path",
        "wiki.jsonl",
        "--model",
        "scripted:mill.toml",
        "--to",
        "wiki.json",
    ];
    let built = fixture.humbly(&conflict);
    assert_eq!(built.status, 0, "{}", built.stderr);
    let suite: Value = serde_json::from_str(&fixture.text("wiki.json")).unwrap();
    assert_eq!(suite["dropped"], json!({"context_cannot_be_split": 1}));
    let tasks = suite["tasks"].as_array().unwrap();
    assert_eq!(tasks.len(), 2);
    let texts = |index: usize| {
        let passages = tasks[index]["passages"].as_array().unwrap().iter();
        passages.map(|passage| passage["text"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(tasks[0]["task"]["split"], "conflict");
    assert!(texts(0).contains(&contradiction["context1"].as_str().unwrap().to_owned()), "{:?}", texts(0));
    assert!(texts(0).contains(&contradiction["context2"].as_str().unwrap().to_owned()), "{:?}", texts(0));
    let mut control = texts(1);
    control.sort_unstable();
    assert_eq!(control, ["It stands on the east bank of the river.", "The mill was built in the year 1842."]);

    for (arguments, said) in [
        (
            vec!["suite", "build", "natural", "--model", "scripted:mill.toml"],
            "a natural suite needs --dataset",
        ),
        (
            vec!["suite", "build", "conflict", "--dataset", "gsm8k", "--model", "scripted:mill.toml"],
            "expected `conflictqa` or `wikicontradict`",
        ),
        (
            vec!["suite", "build", "natural", "--dataset", "nothing", "--model", "scripted:mill.toml"],
            "nothing",
        ),
    ] {
        let run = fixture.humbly(&arguments);
        assert_eq!(run.status, 2, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(said), "{arguments:?}: {}", run.stderr);
    }
}
