//! `humbly reward` as users see it.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::allow_attributes,
    reason = "a test fails by panicking, and these numbers are exact"
)]

mod support;

use serde_json::{Value, json};
use support::{file, json as run_json, run};

fn rollout(id: usize, answer: &str, confidence: &str) -> String {
    let tag =
        if confidence.is_empty() { String::new() } else { format!("<confidence>{confidence}</confidence>") };
    let response = format!("<think>a</think>{tag}<answer>{answer}</answer>");
    json!({"id": format!("r{id}"), "response": response, "reference": "Paris", "question_id": id / 2})
        .to_string()
}

fn component<'a>(card: &'a Value, name: &str) -> &'a Value {
    card["components"].as_array().unwrap().iter().find(|found| found["name"] == name).unwrap()
}

#[test]
fn a_reward_card_has_numbers_that_were_computed_by_hand() {
    let lines = [
        rollout(0, "Paris", "100"),
        rollout(1, "Lyon", "100"),
        rollout(2, "Paris", "0"),
        rollout(3, "Lyon", ""),
        json!({"response": "<think>a</think>", "id": "no reference"}).to_string(),
        "not json".to_owned(),
        json!({"response": 7}).to_string(),
    ];
    let (_folder, path) = file("rollouts.jsonl", lines.join("\n"));
    let card = run_json(&["reward", &path, "--reward", "mscr", "--scale", "percent"]);
    assert_eq!(card["schema"], "humbly.reward/1");
    assert_eq!((&card["rows"], &card["scored"]), (&json!(5), &json!(4)));
    assert_eq!(card["unscorable"], json!({"no_reference": 1}));
    // 1.5, −0.5, 1.0 and −0.5 − 0.2.
    assert!((card["score"]["mean"]["value"].as_f64().unwrap() - 1.3 / 4.0).abs() < 1e-12);
    assert!((card["gap"]["value"].as_f64().unwrap() - (1.25 + 0.6)).abs() < 1e-12);
    assert_eq!(card["accuracy"]["value"], 0.5);
    assert_eq!(component(&card, "confidence")["mean"]["n"], 3);
    assert_eq!(component(&card, "confidence_valid")["mean"]["value"], 0.75);
    assert_eq!(card["confidence_faults"]["no_confidence"], 2);
    let problems = card["problems"].as_array().unwrap();
    assert_eq!(problems.iter().map(|problem| &problem["line"]).collect::<Vec<_>>(), [6, 7]);
    let faults: Vec<(&str, u64)> = card["faults"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| (fault["rule"].as_str().unwrap(), fault["n"].as_u64().unwrap()))
        .collect();
    assert_eq!(faults, [("incomplete", 1), ("missing_confidence", 1)]);
}

#[test]
fn collapse_scale_and_stripped_tags_raise_alarms() {
    let alarms = |lines: &[String], arguments: &[&str]| -> Vec<String> {
        let (_folder, path) = file("rollouts.jsonl", lines.join("\n"));
        let card = run_json(&[&["reward", &path, "--resamples", "100"], arguments].concat());
        let alarms = card["alarms"].as_array().unwrap();
        alarms.iter().map(|alarm| alarm["alarm"].as_str().unwrap().to_owned()).collect()
    };
    let mscr = ["--reward", "mscr", "--scale", "percent"];
    // Case rlcr-collapse.
    let one: Vec<String> = (0..1_000).map(|id| rollout(id, &format!("town{id}"), "90")).collect();
    assert_eq!(alarms(&one, &mscr), ["one_confidence", "constant_reward"]);
    let lazy: Vec<String> = (0..100).map(|id| rollout(id, "Lyon", &(id % 100).to_string())).collect();
    assert_eq!(alarms(&lazy, &mscr), ["one_answer"]);
    assert!(alarms(&lazy, &mscr[..2]).contains(&"wrong_scale".to_owned()));
    // Case special-tokens-stripped.
    let stripped: Vec<String> = (0..30)
        .map(|id| json!({"response": format!("reasoning {id}"), "reference": "x"}).to_string())
        .collect();
    assert!(alarms(&stripped, &["--reward", "em"]).contains(&"no_known_tags".to_owned()));
    // Case searchr1-group-index: four rollouts of one prompt with four ids.
    let grouped = |id: &dyn Fn(usize) -> usize, prompt: &dyn Fn(usize) -> usize| -> Vec<String> {
        let rows = (0..4).map(|row| {
            let response = "<think>a</think><answer>Paris</answer>";
            json!({"response": response, "reference": (["Paris", "Lyon"][row % 2]), "uid": id(row),
                   "prompt": format!("question {}", prompt(row))})
        });
        rows.map(|row| row.to_string()).collect()
    };
    let em = ["--reward", "em"];
    assert_eq!(alarms(&grouped(&|row| row, &|_| 0), &em), ["groups_of_one"]);
    let from_prompt = ["--reward", "em", "--question", "prompt"];
    for (lines, arguments) in [
        (grouped(&|row| row, &|_| 0), &from_prompt[..]),
        (grouped(&|row| row / 2, &|_| 0), &em[..]),
        (grouped(&|row| row, &|row| row), &em[..]),
    ] {
        assert_eq!(alarms(&lines, arguments), Vec::<String>::new());
    }
    let healthy: Vec<String> = (0..100)
        .map(|id| rollout(id, if id % 3 == 0 { "Paris" } else { ["Lyon", "Rome"][id % 2] }, &id.to_string()))
        .collect();
    assert_eq!(alarms(&healthy, &mscr), Vec::<String>::new());
}

#[test]
fn columns_of_trainers_are_found_and_rows_are_written() {
    let row = json!({
        "output": "<think>a</think><answer>Paris</answer>",
        "reward_model": {"style": "rule", "ground_truth": {"target": ["Paris", "City of Paris"]}},
        "uid": "q1",
    });
    let (folder, path) = file("rollouts.jsonl", row.to_string());
    let rows = folder.path().join("rows.jsonl");
    let done =
        run(&["reward", &path, "--reward", "mash", "--rows", rows.to_str().unwrap(), "--output", "csv"]);
    assert_eq!(done.status, 0, "{}", done.stderr);
    assert!(done.stdout.starts_with("quantity,mean"));
    let written: Value = serde_json::from_str(&std::fs::read_to_string(&rows).unwrap()).unwrap();
    assert_eq!((&written["score"], &written["components"]["efficiency"]), (&json!(1.0), &json!(1.0)));
}

#[test]
fn mistakes_are_told_with_what_was_expected() {
    let (_folder, path) = file("rollouts.jsonl", rollout(0, "Paris", "1"));
    for (arguments, text) in [
        (vec!["--reward", "msrc"], "expected one of em, brier"),
        (vec!["--reward", "em", "--set", "beta1=1"], "has no setting `beta1`"),
        (vec!["--reward", "em", "--set", "structure"], "expected e.g. --set beta1=1"),
        (vec!["--reward", "mscr", "--set", "protocol=search-r1"], "take `car`"),
        (vec!["--reward", "ise"], "--scores FILE.json"),
    ] {
        let run = run(&[&["reward", &path][..], &arguments].concat());
        assert_eq!(run.status, 2, "{arguments:?}");
        assert!(run.stderr.contains(text), "{arguments:?}: {}", run.stderr);
    }
    let missed = run(&["reward", &path, "--reward", "mash", "--references", "none", "--strict"]);
    assert_eq!(missed.status, 1, "{}", missed.stderr);
    assert!(missed.stdout.contains("no_reference"));
    assert_eq!(run(&["reward", "missing.jsonl", "--reward", "em"]).status, 2);
}

#[test]
fn ise_scores_turns_and_ends_from_verdicts() {
    let verdict = |value: Value| {
        json!({"value": value, "turn": null, "quote": null, "rule": null, "file": null, "line": null,
               "judge": "lexical", "undefined": null})
    };
    let line = |id: &str, question: &str, turn: Option<u32>, value: bool| {
        let text = format!("{id} says {question}");
        json!({"trajectory": id, "question": question, "turn": turn, "verdict": verdict(json!(value)), "text": text})
            .to_string()
    };
    let lines = [
        line("a", "identify", Some(0), false),
        line("a", "identify", Some(1), true),
        line("a", "escalate", Some(2), true),
        line("b", "identify", Some(0), true),
        line("b", "escalate", Some(1), false),
        line("c", "escalate", Some(0), false),
    ];
    let row = |id: &str, split: &str, correct: bool, solve: Value| json!({"id": id, "split": split, "correct": verdict(json!(correct)), "solve": verdict(solve)});
    let scores = json!({"trajectories": [
        row("a", "conflict", false, json!(true)), row("b", "control", true, Value::Null),
    ]});
    let (folder, path) = file("verdicts.jsonl", lines.join("\n"));
    let (scores_path, rows) = (folder.path().join("scores.json"), folder.path().join("rows.jsonl"));
    std::fs::write(&scores_path, scores.to_string()).unwrap();
    let files = ["--scores", scores_path.to_str().unwrap(), "--rows", rows.to_str().unwrap()];
    let card = run_json(&[&["reward", &path, "--reward", "ise"][..], &files].concat());
    // a: noted 0.5, followed up 0.5, told 0.5. b: right 1, false alarm −0.5. c: no label.
    assert_eq!((&card["rows"], &card["unscorable"]), (&json!(3), &json!({"no_labels": 1})));
    assert_eq!(card["score"]["mean"]["value"], 1.0);
    let written: Vec<Value> = std::fs::read_to_string(&rows)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let rewards: Vec<&Value> = written.iter().map(|row| &row["reward"]).collect();
    assert_eq!(rewards, [&json!(0.0), &json!(0.5), &json!(1.0), &json!(-0.5), &json!(1.0), &Value::Null]);
    assert_eq!(written[2]["components"]["solve"], 0.5);
    let texts: Vec<&Value> = written.iter().take(3).map(|row| &row["text"]).collect();
    assert_eq!(texts, ["a says identify", "a says identify", "a says escalate"]);
}

/// From logs to rows that a model can be tuned on: each has the text that its reward is for.
#[test]
fn ise_rows_of_real_logs_hold_the_text_that_was_judged() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let turn = |text: &str| json!({"role": "assistant", "content": text});
    let log = json!([
        {"role": "user", "content": "Who wrote it?"},
        turn("The first source says Ada, but the second says Bob. They contradict each other."),
        {"role": "user", "content": "Go on."},
        turn("Ada wrote it."),
    ]);
    std::fs::write(path("log.json"), json!({"messages": log}).to_string()).unwrap();
    let (log, verdicts, rows) = (path("log.json"), path("verdicts.jsonl"), path("rows.jsonl"));
    let judged = run(&["score", &log, "--episodes", "whole", "--verdicts", &verdicts, "--output", "json"]);
    assert_eq!(judged.status, 0, "{}", judged.stderr);
    let scores = path("scores.json");
    std::fs::write(&scores, &judged.stdout).unwrap();
    let tuned = run(&["reward", &verdicts, "--reward", "ise", "--scores", &scores, "--rows", &rows]);
    assert_eq!(tuned.status, 0, "{}", tuned.stderr);
    let text = std::fs::read_to_string(&rows).unwrap();
    let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 2, "{text}");
    assert_eq!(
        rows[0]["text"],
        "The first source says Ada, but the second says Bob. They contradict each other."
    );
    assert_eq!((&rows[1]["question"], &rows[1]["text"]), (&json!("escalate"), &json!("Ada wrote it.")));
}
