//! UA-Bench from rows to tables with a model whose every answer is known: each number was worked out by hand.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

mod support;

use std::path::Path;

use serde_json::Value;
use support::{Run, collect, humbly};

struct Fixture(tempfile::TempDir);

impl Fixture {
    /// The example's files in a folder of their own.
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/ua-bench");
        std::fs::create_dir(folder.path().join("rows")).unwrap();
        for name in [
            "experiment.toml",
            "model.toml",
            "judge.toml",
            "rows/gaia.jsonl",
            "rows/musique.jsonl",
            "rows/selfaware.json",
            "rows/olympiadbench.jsonl",
            "rows/mip.json",
        ] {
            std::fs::copy(example.join(name), folder.path().join(name)).unwrap();
        }
        Self(folder)
    }

    fn run(&self, arguments: &[&str]) -> Run {
        let mut command = humbly(arguments);
        command.current_dir(self.0.path()).env("HUMBLY_CACHE", self.0.path().join("cache"));
        collect(&mut command)
    }

    fn build(&self, more: &[&str]) -> Run {
        let sets = [
            "suite",
            "build",
            "ua-bench",
            "--to",
            "suite.json",
            "--set",
            "gaia=rows/gaia.jsonl",
            "--set",
            "musique=rows/musique.jsonl",
            "--set",
            "selfaware=rows/selfaware.json",
            "--set",
            "olympiadbench=rows/olympiadbench.jsonl",
            "--set",
            "mip-overthinking=rows/mip.json",
        ];
        self.run(&[&sets, more].concat())
    }

    fn with_run() -> Self {
        let fixture = Self::new();
        assert_eq!(fixture.build(&[]).status, 0);
        let run = fixture.run(&["run", "experiment.toml"]);
        assert_eq!(run.status, 0, "{}", run.stderr);
        fixture
    }

    fn report(&self, more: &[&str]) -> Value {
        let arguments = [&["report", "run.sqlite", "--resamples", "200", "--output", "json"], more].concat();
        let run = self.run(&arguments);
        serde_json::from_str(&run.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}{}", run.stdout, run.stderr))
    }
}

fn row<'a>(report: &'a Value, prompt: &str, set: &str) -> &'a Value {
    report["rows"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["prompt"] == prompt && row["set"] == set)
        .unwrap()
}

fn rounded(row: &Value, pointer: &str) -> Option<f64> {
    row.pointer(pointer).unwrap()["value"].as_f64().map(|value| (value * 1000.0).round() / 1000.0)
}

/// ACC, abstention, then DU, MU, AVG as released and balanced.
fn numbers(row: &Value) -> Vec<Option<f64>> {
    [
        "/accuracy",
        "/abstention",
        "/released/data",
        "/released/model",
        "/released/average",
        "/balanced/data",
        "/balanced/model",
        "/balanced/average",
    ]
    .map(|pointer| rounded(row, pointer))
    .to_vec()
}

#[test]
fn the_first_line_says_what_could_be_built() {
    let fixture = Fixture::new();
    let built = fixture.build(&[]);
    assert_eq!(built.status, 0, "{}", built.stderr);
    let line = "built 14 of 3,505: gaia 3 of 165, musique 2 of 1,000 (public test split has no answers: dev used), \
        selfaware 2 of 1,032, olympiadbench-math 5 of 674 (675 published, row 1965 left out), gsm8k-mip 2 of 582, \
        math-mip 0 of 52";
    assert_eq!(built.stdout.lines().next(), Some(line));
    fixture.run(&["run", "experiment.toml"]);
    let report = fixture.run(&["report", "run.sqlite", "--resamples", "100"]);
    assert_eq!(report.stdout.lines().next(), Some(line), "{}", report.stderr);
}

#[test]
fn every_number_is_as_worked_out_by_hand() {
    let fixture = Fixture::with_run();
    let report = fixture.report(&[]);
    let of = |prompt, set| numbers(row(&report, prompt, set));
    let some = |values: [f64; 8]| values.map(Some).to_vec();
    assert_eq!(of("attribution", "all"), some([0.4, 0.643, 0.75, 0.5, 0.625, 0.72, 0.571, 0.646]));
    assert_eq!(of("attribution", "knowledge"), some([0.4, 0.714, 0.857, 0.727, 0.792, 0.857, 0.8, 0.829]));
    assert_eq!(of("attribution", "reasoning"), some([0.4, 0.571, 0.6, 0.308, 0.454, 0.545, 0.364, 0.455]));
    // The same outputs abstain; without labels nothing is blamed on the question.
    assert_eq!(of("abstention", "all"), some([0.4, 0.643, 0.0, 0.571, 0.286, 0.0, 0.588, 0.294]));

    let attribution = row(&report, "attribution", "all");
    assert_eq!(attribution["failures"][0]["count"], 1, "the train");
    assert_eq!(attribution["failures"][1]["count"], 2, "the bell tower and the digits");
    assert_eq!(attribution["labels"]["asks_user"], 5);
    assert_eq!(attribution["labels"]["asks_user_rightly"], 3);
    assert_eq!(attribution["labels"]["uses_tool"], 4);
    assert_eq!(attribution["labels"]["uses_tool_rightly"], 3);
    let answers = &attribution["confusion"][0];
    assert_eq!(
        (&answers["unanswerable"], &answers["answered_correctly"], &answers["missed"]),
        (&0.into(), &4.into(), &1.into())
    );
    assert_eq!(rounded(row(&report, "attribution", "gaia"), "/abstention"), Some(0.667));
}

#[test]
fn what_no_rule_decides_is_undefined_until_a_judge_decides() {
    let fixture = Fixture::with_run();
    let before = fixture.report(&[]);
    let undecided = row(&before, "answer only", "all");
    assert_eq!(undecided["undecided"], 1, "York for Ludlow");
    assert_eq!(undecided["accuracy"]["undefined"]["reason"], "needs_model_judge");
    assert!(
        undecided["accuracy"]["undefined"]["detail"].as_str().unwrap().contains("between 0.500 and 0.600")
    );

    let missing = fixture.run(&["report", "run.sqlite", "--judge", "scripted:judge.toml"]);
    assert!(missing.status == 2 && missing.stderr.contains("holds no verdicts"), "{}", missing.stderr);
    let judged = fixture.run(&["judge", "run.sqlite", "--judge", "scripted:judge.toml"]);
    assert_eq!(judged.status, 0, "{}", judged.stderr);
    let after = fixture.report(&["--judge", "scripted:judge.toml"]);
    let decided = row(&after, "answer only", "all");
    assert_eq!(decided["undecided"], 0);
    assert_eq!(numbers(decided), [0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0].map(Some).to_vec());
}

#[test]
fn a_judge_that_says_neither_yes_nor_no_decides_nothing() {
    let fixture = Fixture::with_run();
    std::fs::write(fixture.0.path().join("judge.toml"), "[[rule]]\nreply.text = \"perhaps\"\n").unwrap();
    fixture.run(&["judge", "run.sqlite", "--judge", "scripted:judge.toml"]);
    let report = fixture.report(&["--judge", "scripted:judge.toml"]);
    let row = row(&report, "answer only", "all");
    assert_eq!((&row["undecided"], &row["left_out"]), (&0.into(), &1.into()));
    assert_eq!(rounded(row, "/accuracy"), Some(0.556), "5 of the 9 that are known");
}

#[test]
fn pages_sheets_and_going_on() {
    let fixture = Fixture::with_run();
    let again = fixture.run(&["run", "experiment.toml"]);
    assert_eq!(again.status, 0, "{}", again.stderr);
    let page = fixture.run(&["report", "run.sqlite", "--resamples", "100", "--report", "page.html"]);
    assert_eq!(page.status, 0, "{}", page.stderr);
    let html = std::fs::read_to_string(fixture.0.path().join("page.html")).unwrap();
    assert!(
        html.contains("built 14 of 3,505") && html.contains("Abstention, gaia") && !html.contains("http://")
    );
    let sheet = ["sheet", "outputs", "run.sqlite", "--rows", "10", "--seed", "1", "--to", "sheet.csv"];
    assert_eq!(fixture.run(&sheet).status, 0);
    let text = std::fs::read_to_string(fixture.0.path().join("sheet.csv")).unwrap();
    assert!(text.starts_with("key,question,references,output,parsed_form"), "{text}");
    assert_eq!(fixture.run(&sheet).status, 2, "a sheet is never overwritten");
    let released = fixture.report(&["--compat", "released"]);
    assert_eq!(released["settings"]["extraction"], "released");
}

#[test]
fn mistakes_are_named() {
    let fixture = Fixture::new();
    let nothing = fixture.run(&["suite", "build", "ua-bench"]);
    assert_eq!(nothing.status, 2);
    assert!(
        nothing.stderr.contains("gaia 0 of 165 (not pulled: accept its terms, set HF_TOKEN)"),
        "{}",
        nothing.stderr
    );
    let wrong = fixture.run(&["suite", "build", "ua-bench", "--set", "gaia=none.jsonl"]);
    assert!(wrong.status == 2 && wrong.stderr.contains("none.jsonl"), "{}", wrong.stderr);
    let unknown = fixture.run(&["suite", "build", "ua-bench", "--set", "gia=rows/gaia.jsonl"]);
    assert!(
        unknown.stderr.contains("`gia` is no source of UA-Bench, expected gaia, musique"),
        "{}",
        unknown.stderr
    );
}
