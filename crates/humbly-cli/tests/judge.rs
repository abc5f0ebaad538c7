//! Judges that are models, as a user meets them: `humbly judge`, `humbly score --judge`, `humbly validate --judge`.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

mod support;

use std::path::{Path, PathBuf};

use serde_json::Value;
use support::{Run, json, run};

/// A judge that flags nothing and escalates everything.
const JUDGE: &str = r#"
[[rule]]
when.system = "first_recognition_turn"
reply.text = '{"flag": 0, "first_recognition_turn": -1}'
[[rule]]
when.system = "contradicting_turn"
reply.text = '{"flag": 0, "contradicting_turn": -1}'
[[rule]]
when.system = "REFUSAL or CLAIM"
reply.text = "CLAIM"
[[rule]]
when.system = "PK, CONTEXT"
reply.text = "CONTEXT"
[[rule]]
when.system = "GROUND_TRUTH, FOLLOWS_PK"
reply.text = "FOLLOWS_NEITHER"
[[rule]]
when.system = "YES or NO"
reply.text = "YES"
"#;

const LOGS: &[&str] = &["examples/logs", "--tasks", "examples/tasks.jsonl"];

struct Fixture {
    folder: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    /// A judge by a script of rules.
    fn judge(&self, name: &str, rules: &str) -> String {
        std::fs::write(self.path(name), rules).unwrap();
        format!("scripted:{}", self.text(name))
    }

    /// The example logs as a run file, judged by the rules.
    fn run_file(&self) -> String {
        let out = self.text("run.sqlite");
        let kept = score(&[LOGS, &["--out", &out]].concat());
        assert_eq!(kept.status, 0, "{}", kept.stderr);
        out
    }
}

fn score(arguments: &[&str]) -> Run {
    run(&[&["score"], arguments].concat())
}

fn judged(path: &str, judges: &str) -> (Run, Value) {
    let run = run(&["judge", path, "--judge", judges, "--output", "json"]);
    let json = serde_json::from_str(&run.stdout).unwrap_or(Value::Null);
    (run, json)
}

/// Summary and trajectories without what names the file that was read.
fn scores(arguments: &[&str]) -> (Value, Vec<Value>) {
    let mut report = json(&[&["score"], arguments].concat());
    let mut rows: Vec<Value> = report["trajectories"].as_array().unwrap().clone();
    for row in &mut rows {
        let fields = row.as_object_mut().unwrap();
        fields.remove("path");
        fields.remove("hash");
    }
    rows.sort_by_key(|row| row["id"].to_string());
    (report["summary"].take(), rows)
}

#[test]
fn what_was_scored_and_kept_is_scored_alike_again() {
    let fixture = Fixture::new();
    let out = fixture.run_file();
    let (summary, rows) = scores(LOGS);
    let (summary_again, rows_again) = scores(&[&out]);
    assert_eq!(summary, summary_again);
    assert_eq!(rows.len(), rows_again.len());
    for (row, again) in rows.iter().zip(&rows_again) {
        assert_eq!(row, again);
    }
    // The same command goes on with the file, other logs do not mix into it.
    assert_eq!(score(&[LOGS, &["--out", &out]].concat()).status, 0);
    let other = score(&["examples/logs/careful", "--out", &out]);
    assert_eq!(other.status, 2);
    assert!(other.stderr.contains("hint: name another by --out"), "{}", other.stderr);
}

#[test]
fn a_run_is_judged_again_beside_the_verdicts_that_it_holds() {
    let fixture = Fixture::new();
    let out = fixture.run_file();
    let judge = fixture.judge("judge.toml", JUDGE);
    let (first, report) = judged(&out, &judge);
    assert_eq!(first.status, 0, "{}", first.stderr);
    let entry = &report["judges"][0];
    let count = entry["judged"].as_u64().unwrap();
    assert!(count >= 20, "{report}");
    assert_eq!(entry["verdicts"]["escalate"]["yes"].as_u64().unwrap(), count);
    assert_eq!(entry["verdicts"]["identify"]["yes"], 0);

    let (second, report) = judged(&out, &judge);
    assert_eq!((second.status, &report["judges"][0]["judged"]), (0, &Value::from(0)), "{}", second.stderr);
    assert_eq!(report["judges"][0]["kept"].as_u64(), Some(count));
    assert_eq!(report["judges"][0]["verdicts"]["escalate"]["yes"].as_u64(), Some(count));

    let by_model = json(&["score", &out, "--judge", &judge]);
    assert!(by_model["settings"]["judge"].as_str().unwrap().contains("judge.toml@"), "{by_model}");
    for row in by_model["summary"].as_array().unwrap() {
        assert_eq!(row["escalate"]["value"], 1.0, "{row}");
    }
    assert_eq!(scores(LOGS).0, scores(&[&out]).0, "the verdicts of the rules stay");

    let nobody = score(&[&out, "--judge", "openai:gpt-5"]);
    assert_eq!(nobody.status, 2);
    assert!(
        nobody.stderr.contains("judges there: ") && nobody.stderr.contains("lexical/"),
        "{}",
        nobody.stderr
    );
    assert!(nobody.stderr.contains("hint: humbly judge"), "{}", nobody.stderr);
}

#[test]
fn a_judge_that_answers_in_prose_has_no_verdict_and_says_so() {
    let fixture = Fixture::new();
    let out = fixture.run_file();
    let prose = fixture.judge("prose.toml", "[[rule]]\nreply.text = \"Well, that depends.\"\n");
    let (asked, report) = judged(&out, &prose);
    assert_eq!(asked.status, 0, "{}", asked.stderr);
    let entry = &report["judges"][0];
    let (asks, unusable) = (entry["bill"]["asks"].as_u64(), entry["bill"]["unusable"].as_u64());
    assert_eq!(asks, unusable);
    assert!(asks.unwrap() >= 3 * entry["judged"].as_u64().unwrap(), "each is asked three times: {entry}");
    assert_eq!(entry["verdicts"]["escalate"]["undefined"]["judge_reply_unusable"], entry["judged"]);
    assert_eq!(entry["verdicts"]["escalate"]["no"], 0);
    assert!(asked.stderr.contains("replies unusable"), "{}", asked.stderr);
    assert!(asked.stderr.contains("hint: take another judge"), "{}", asked.stderr);
    let table = run(&["judge", &out, "--judge", &prose]);
    assert!(table.stdout.contains("judge_reply_unusable"), "{}", table.stdout);
}

#[test]
fn a_failed_call_is_undefined_and_asked_for_again() {
    let fixture = Fixture::new();
    let out = fixture.run_file();
    let failing = JUDGE.replace("reply.text = \"YES\"", "error = { kind = \"refused\" }");
    let judge = fixture.judge("judge.toml", &failing);
    let (failed, report) = judged(&out, &judge);
    assert_eq!(failed.status, 3, "{}", failed.stderr);
    assert!(failed.stderr.contains("hint: the same command asks again"), "{}", failed.stderr);
    let verdicts = &report["judges"][0]["verdicts"];
    assert_eq!(verdicts["escalate"]["undefined"]["judge_call_failed"], report["judges"][0]["judged"]);
    assert_eq!(verdicts["refusal"]["no"], report["judges"][0]["judged"], "what succeeded counts");

    fixture.judge("judge.toml", JUDGE);
    let (again, report) = judged(&out, &judge);
    assert_eq!(again.status, 0, "{}", again.stderr);
    assert_eq!(report["judges"][0]["verdicts"]["escalate"]["undefined"], serde_json::json!({}));
}

#[test]
fn a_failure_that_meets_every_call_stops_the_judge_and_keeps_what_was_done() {
    let fixture = Fixture::new();
    let out = fixture.run_file();
    let refused = fixture.judge("judge.toml", "[[rule]]\nerror = { kind = \"authentication\" }\n");
    let (stopped, report) = judged(&out, &refused);
    assert_eq!((stopped.status, &report["judges"][0]["judged"]), (3, &Value::from(0)), "{}", stopped.stderr);
    assert!(stopped.stderr.contains("refused the key"), "{}", stopped.stderr);
    assert!(stopped.stderr.contains("the same command goes on"), "{}", stopped.stderr);
    let logs = score(&[LOGS, &["--judge", &refused]].concat());
    assert_eq!(logs.status, 3, "{}", logs.stderr);
    assert!(logs.stderr.contains("trajectories have no verdicts"), "{}", logs.stderr);
}

#[test]
fn several_judges_are_a_panel() {
    let fixture = Fixture::new();
    let out = fixture.run_file();
    let yes = fixture.judge("yes.toml", JUDGE);
    let no = fixture.judge("no.toml", &JUDGE.replace("\"YES\"", "\"NO\""));
    let also = fixture.judge("also.toml", JUDGE);
    let (run, report) = judged(&out, &format!("{yes},{no},{also}"));
    assert_eq!(run.status, 0, "{}", run.stderr);
    let panel = &report["judges"][3];
    assert!(panel["judge"].as_str().unwrap().starts_with("panel["), "{report}");
    assert_eq!(panel["verdicts"]["escalate"]["yes"], report["judges"][0]["judged"]);
    let scored = json(&["score", &out, "--judge", "panel"]);
    assert!(scored["settings"]["judge"].as_str().unwrap().starts_with("panel["));
}

#[test]
fn a_model_decides_correctness_where_it_is_asked_to() {
    let fixture = Fixture::new();
    let eh = "[[rule]]\nwhen.system = \"CORRECT or INCORRECT\"\nreply.text = \"INCORRECT\"\n";
    let ua = "[[rule]]\nwhen.system = \"matches at least one\"\nreply.text = \"Yes\"\n";
    let judge = fixture.judge("judge.toml", &format!("{JUDGE}{eh}{ua}"));
    let (by_rules, _) = scores(LOGS);
    let accuracy = |summary: &Value| summary[0]["accuracy"]["all"]["value"].as_f64().unwrap();
    assert!(accuracy(&by_rules) > 0.0 && accuracy(&by_rules) < 1.0, "{by_rules}");
    for (which, is_right) in [("eh", false), ("ua", true)] {
        let report = json(&[&["score"], LOGS, &["--judge", &judge, "--correctness", which]].concat());
        assert_eq!(report["settings"]["correctness"], which);
        for row in report["trajectories"].as_array().unwrap() {
            let rule = row["correct"]["rule"].as_str().unwrap_or_default();
            let by_that = rule.starts_with(&format!("correctness-{which}@"));
            assert!(by_that || rule == "no_final_answer" || row["correct"]["value"].is_null(), "{row}");
            if by_that {
                assert_eq!(row["correct"]["value"], is_right, "{row}");
            }
        }
    }
    let lexical = score(&[LOGS, &["--correctness", "eh"]].concat());
    assert_eq!(lexical.status, 2);
    assert!(lexical.stderr.contains("hint: --correctness eh --judge PROVIDER:MODEL"), "{}", lexical.stderr);
}

#[test]
fn verdicts_on_correctness_stay_in_the_run() {
    let fixture = Fixture::new();
    let out = fixture.run_file();
    let eh = "[[rule]]\nwhen.system = \"CORRECT or INCORRECT\"\nreply.text = \"INCORRECT\"\n";
    let judge = fixture.judge("judge.toml", &format!("{JUDGE}{eh}"));
    assert_eq!(judged(&out, &judge).0.status, 0);
    let unasked = score(&[&out, "--judge", &judge, "--correctness", "eh"]);
    assert_eq!(unasked.status, 2);
    assert!(
        unasked.stderr.contains("--correctness eh") && unasked.stderr.contains("hint: humbly judge"),
        "{}",
        unasked.stderr
    );
    let asked = run(&["judge", &out, "--judge", &judge, "--correctness", "eh", "--output", "json"]);
    let report: Value = serde_json::from_str(&asked.stdout).unwrap();
    assert_eq!(report["judges"][0]["verdicts"]["correct"]["yes"], 0, "{report}");
    assert!(report["judges"][0]["verdicts"]["correct"]["no"].as_u64().unwrap() > 10, "{report}");
    // Two judges of one name are told apart by what they were asked.
    let by_model = json(&["score", &out, "--judge", &judge, "--correctness", "eh"]);
    let by_rules = json(&["score", &out, "--judge", &judge]);
    assert_eq!(by_model["summary"][0]["accuracy"]["all"]["value"], 0.0);
    assert_eq!(by_rules["summary"][0]["accuracy"], scores(&[&out]).0[0]["accuracy"]);
}

#[test]
fn logs_are_judged_by_a_model_and_kept() {
    let fixture = Fixture::new();
    let judge = fixture.judge("judge.toml", JUDGE);
    let (summary, rows) = scores(&[LOGS, &["--judge", &judge]].concat());
    assert!(summary[0]["judge"].as_str().unwrap().contains("judge.toml@"), "{summary}");
    assert!(rows.iter().all(|row| row["escalate"]["value"] == true), "{rows:?}");
    let kept = fixture.text("kept.sqlite");
    let arguments = [LOGS, &["--judge", &judge, "--out", &kept]].concat();
    assert_eq!(score(&arguments).status, 0);
    let again = score(&arguments);
    assert!(again.stderr.contains(": 0 judged, "), "{}", again.stderr);
    assert_eq!(scores(&[&kept, "--judge", &judge]), (summary, rows));
}

#[test]
fn prompts_of_ones_own_are_another_judge() {
    let fixture = Fixture::new();
    let out = fixture.run_file();
    let judge = fixture.judge("judge.toml", JUDGE);
    let prompts = fixture.path("prompts");
    std::fs::create_dir(&prompts).unwrap();
    std::fs::write(
        prompts.join("refusal.txt"),
        "[system]\n{{ boundary }} REFUSAL or CLAIM, please.\n[user]\n{{ answer }}\n",
    )
    .unwrap();
    let own = ["judge", &out, "--judge", &judge, "--prompts", prompts.to_str().unwrap()];
    assert_eq!(run(&own).status, 0);
    assert_eq!(run(&["judge", &out, "--judge", &judge]).status, 0);
    let both = score(&[&out, "--judge", &judge]);
    assert_eq!(both.status, 2);
    assert!(both.stderr.contains("fits several judges"), "{}", both.stderr);
    std::fs::write(prompts.join("refused.txt"), "x").unwrap();
    let wrong = run(&own);
    assert_eq!(wrong.status, 2);
    assert!(wrong.stderr.contains("is no prompt, expected one of"), "{}", wrong.stderr);
}

#[test]
fn a_temperature_of_ones_own_is_another_judge() {
    let fixture = Fixture::new();
    let out = fixture.run_file();
    let judge = fixture.judge("judge.toml", JUDGE);
    let name = |more: &[&str]| {
        let run = run(&[&["judge", &out, "--judge", &judge, "--output", "json"], more].concat());
        assert_eq!(run.status, 0, "{}", run.stderr);
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        report["judges"][0]["judge"].as_str().unwrap().to_owned()
    };
    let names = [name(&[]), name(&["--judge-temperature", "0"]), name(&["--judge-max-tokens", "200"])];
    assert!(names[0] != names[1] && names[1] != names[2] && names[0] != names[2], "{names:?}");
    assert_eq!(name(&[]), names[0]);
    let odd = run(&["judge", &out, "--judge", &judge, "--judge-temperature", "9"]);
    assert!(odd.status == 2 && odd.stderr.contains("expected a number from 0 to 2"), "{}", odd.stderr);
}

#[test]
fn kin_of_the_backbone_are_warned_of() {
    let fixture = Fixture::new();
    let log = fixture.path("log.jsonl");
    let row =
        r#"{"humbly": 1, "id": "a", "model": "gpt-5", "question": "Who?", "turns": [{"text": "Ada."}]}"#;
    std::fs::write(&log, row).unwrap();
    let judge = fixture.judge("gpt-5-mini", JUDGE);
    let scored = score(&[log.to_str().unwrap(), "--judge", &judge]);
    assert_eq!(scored.status, 0, "{}", scored.stderr);
    assert!(scored.stderr.contains("are of one family"), "{}", scored.stderr);
}

#[test]
fn a_model_is_validated_against_labels() {
    let fixture = Fixture::new();
    let judge = fixture.judge("judge.toml", JUDGE);
    let labels = fixture.path("labels.jsonl");
    let mut rows = String::new();
    for index in 0..10 {
        let row = serde_json::json!({"id": index.to_string(), "text": format!("Text {index}."), "escalate": index < 8});
        rows.push_str(&format!("{row}\n"));
    }
    std::fs::write(&labels, rows).unwrap();
    let arguments =
        ["validate", "--labels", labels.to_str().unwrap(), "--verdict", "escalate", "--judge", &judge];
    let report = json(&arguments);
    assert_eq!((&report["n"], &report["recall"]["value"]), (&Value::from(10), &Value::from(1.0)));
    assert_eq!(report["precision"]["value"], 0.8);
    let failing = fixture.judge("judge.toml", "[[rule]]\nerror = { kind = \"refused\" }\n");
    let failed = run(&[&arguments[..6], &[&failing]].concat());
    assert_eq!(failed.status, 3, "{}", failed.stderr);
    assert!(failed.stdout.contains("10 without a verdict"), "{}", failed.stdout);
}

#[test]
fn what_cannot_be_judged_says_why() {
    let fixture = Fixture::new();
    let out = fixture.run_file();
    let log = "examples/tasks.jsonl";
    for (arguments, said) in [
        (vec!["judge", &out, "--judge", "nobody"], "`nobody` names no provider"),
        (vec!["judge", log, "--judge", "lexical"], "is no run file; hint: logs are judged by `humbly score"),
        (vec!["judge", "none.sqlite", "--judge", "lexical"], "`none.sqlite` does not exist"),
        (vec!["judge", &out], "--judge"),
        (vec!["score", "examples/logs", "--judge", "nobody"], "cannot use `nobody` as a judge"),
    ] {
        let run = run(&arguments);
        assert_eq!(run.status, 2, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(said), "{arguments:?}: {}", run.stderr);
    }
    assert!(Path::new(&out).is_file());
}
