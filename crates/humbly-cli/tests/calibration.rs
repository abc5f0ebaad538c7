//! The calibration study from one experiment file on scripted models: every number of the tables is worked out here.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

mod support;

use serde_json::Value;
use support::study::{EXPERIMENT, Study};

/// The value in a row whose name holds all parts, under a column; `None` where it is undefined.
#[track_caller]
fn cell(report: &Value, item: &str, parts: &[&str], group: &str, column: &str) -> Value {
    let table = report["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["determined"]["item"] == item)
        .unwrap_or_else(|| panic!("{item} is not determined: {report}"));
    let table = &table["determined"];
    let place = table["groups"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|of| of["columns"].as_array().unwrap().iter().map(move |name| (&of["name"], name)))
        .position(|(of, name)| (group.is_empty() || of == group) && name == column)
        .unwrap_or_else(|| panic!("no column {group} {column}: {}", table["groups"]));
    let rows: Vec<&Value> = table["rows"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| parts.iter().all(|part| row["name"].as_str().unwrap().contains(part)))
        .collect();
    let [row] = rows.as_slice() else { panic!("{} rows of {parts:?} in {}", rows.len(), table["rows"]) };
    row["cells"][place].clone()
}

#[track_caller]
fn is(found: &Value, value: f64) {
    let number = found["number"]["value"].as_f64().unwrap_or_else(|| panic!("undefined: {found}"));
    assert!((number - value).abs() < 1e-9, "{number} is not {value}");
}

#[test]
fn every_number_of_the_tables_by_hand() {
    let study = Study::new();
    study.run();
    let report = study.report(&[]);
    let one = |parts: &[&str], column: &str| cell(&report, "car1", parts, "", column);

    // CAR Table 1. Search: item 1 of four is right, the wrong ones say 60, 80 and 50.
    let direct = ["search · nq-open", "· direct ·"];
    is(&one(&direct, "Acc."), 0.25);
    is(&one(&direct, "MCIP"), 1.9 / 3.0);
    is(&one(&direct, "calls a sample"), 0.0);
    let tool = ["search · nq-open", "· prompted-tool ·"];
    is(&one(&tool, "Acc."), 0.5);
    is(&one(&tool, "MCIP"), 0.95);
    is(&one(&tool, "calls a sample"), 1.0);
    // Items 2 and 3 are wrong in both; the trained model called no tool and is not compared.
    is(&one(&direct, "MCIP common"), 0.7);
    is(&one(&tool, "MCIP common"), 0.95);
    let trained = ["search · nq-open", "· trained ·", "· tool not used"];
    assert_eq!(one(&trained, "MCIP common")["kind"], "tool_not_used");
    // It abstains on item 1, with a confidence that counts nowhere.
    is(&one(&trained, "Acc."), 0.0);
    is(&one(&trained, "MCIP"), 0.2);
    assert_eq!(one(&trained, "samples")["value"], 4);
    // Calculator: 32 samples of two problems, the hard one always wrong at 60 (50 after a call).
    let number = "confidence as a number";
    let direct = ["calculator · aime-2024", "· direct ·", number];
    is(&one(&direct, "Acc."), 0.5);
    is(&one(&direct, "MCIP"), 0.6);
    assert_eq!(one(&direct, "samples")["value"], 64);
    assert_eq!(one(&direct, "Acc.")["number"]["interval"]["clusters"], 2);
    is(&one(&["calculator · aime-2024", "· prompted-tool ·", number], "MCIP common"), 0.5);

    // CAR Table 2.
    let two = |parts: &[&str], column: &str| cell(&report, "car2", parts, "nq-open (ID)", column);
    let direct = ["· direct ·", "as a number"];
    let at = |name: &str| -> Value {
        let table = report["items"]
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["determined"]["item"] == "car2")
            .unwrap();
        let rows = table["determined"]["rows"].as_array().unwrap();
        rows.iter().find(|row| row["name"].as_str().unwrap().ends_with(name)).unwrap()["cells"].clone()
    };
    let stated = at("direct · confidence as a number");
    is(&stated[0], 0.25);
    is(&stated[1], (0.1 + 0.6 + 0.8 + 0.5) / 4.0);
    is(&stated[2], (0.01 + 0.36 + 0.64 + 0.25) / 4.0);
    is(&stated[3], 1.0);
    // T = 1.5: sigmoid(logit(p) / 1.5).
    let scaled = |p: f64| 1.0 / (1.0 + (-(p / (1.0 - p)).ln() / 1.5).exp());
    let brier = ((scaled(0.9) - 1.0).powi(2) + scaled(0.6).powi(2) + scaled(0.8).powi(2) + 0.25) / 4.0;
    is(&two(&[direct[0], "T = 1.5"], "Brier"), brier);
    let with_tool = at("prompted-tool · confidence as a number");
    is(&with_tool[1], (0.9 + 0.3 + 1.0) / 4.0);
    is(&with_tool[2], (0.0 + 0.81 + 1.0 + 0.09) / 4.0);
    is(&with_tool[3], 1.5 / 4.0);

    // CAR Table 4: gaps of 0.6 and 0.1 at equal counts.
    let four =
        |column: &str| cell(&report, "car4", &["· direct ·", "number", "T = 1.5"], "aime-2024", column);
    is(&four("Acc."), 0.5);
    let direct = cell(&report, "car5", &["aime-2024", "· direct ·", number], "Brier score", "reliability");
    is(&direct, f64::midpoint(0.36, 0.01));
    is(&cell(&report, "car5", &["aime-2024", "· direct ·", number], "Brier score", "resolution"), 0.25);
    is(&cell(&report, "car5", &["aime-2024", "· direct ·", number], "collapse", "commonest (%)"), 0.5);
    is(&cell(&report, "car5", &["aime-2024", "· direct ·", number], "collapse", "entropy (bits)"), 1.0);
    // The most confident half are the easy ones: all right. The error rate is 0 for these, then 1/2 for all.
    is(
        &cell(&report, "car5", &["aime-2024", "· direct ·", number], "selective accuracy (%)", "at 50 %"),
        1.0,
    );
    is(&cell(&report, "car5", &["aime-2024", "· direct ·", number], "ranking", "AURC"), 0.25);
    // Agreement: no two samples of the hard problem agree, all of the easy one do.
    is(&cell(&report, "car1", &["aime-2024", "· direct ·", "agreement"], "", "MCIP"), 0.0);

    // Settings compared: differences of −0.3 and −0.2, t = −5 with one degree of freedom.
    let six = |column: &str| cell(&report, "car6", &["nq-open", "direct against prompted-tool"], "", column);
    assert_eq!(six("questions")["value"], 2);
    is(&six("difference"), -0.25);
    is(&six("p paired t"), 0.125_665_916_378);
    is(&cell(&report, "car6", &["aime-2024", "direct against prompted-tool", number], "", "difference"), 0.1);

    // Halves of two questions each; the fixed temperature changes each Brier score as it must.
    assert_eq!(cell(&report, "car7", &["nq-open", "· direct ·", "as stated"], "", "answers")["value"], 2);
    let change =
        cell(&report, "car7", &["nq-open", "· direct ·", "temperature 1.50, given"], "", "change of Brier");
    assert!(change["number"]["value"].is_number(), "{change}");

    // Before and after the first call: 40 to 90 on average with search, 80 to 72.5 with the calculator.
    let eight = |parts: &[&str], column: &str| cell(&report, "car8", parts, "", column);
    let evidence = ["first call · evidence ·", "prompted-tool"];
    assert_eq!(eight(&evidence, "events")["value"], 4);
    is(&eight(&evidence, "before"), 0.4);
    is(&eight(&evidence, "after"), 0.9);
    is(&eight(&evidence, "change"), 0.5);
    let verification = ["first call · verification ·", "prompted-tool"];
    assert_eq!(eight(&verification, "events")["value"], 64);
    is(&eight(&verification, "change"), -0.075);
    is(&eight(&["evidence − verification", "prompted-tool"], "change"), 0.575);

    // Reliability: the bin of 60 holds the hard problem, 32 answers to one question, which say nothing about others.
    let nine = cell(&report, "car9", &["aime-2024", "· direct ·", number, "0.5 to 0.6"], "", "accuracy");
    is(&nine, 0.0);
    assert_eq!((&nine["number"]["n"], &nine["number"]["interval"]), (&32.into(), &Value::Null));
    // No condition has a corpus of its own.
    let missing =
        report["items"].as_array().unwrap().iter().find(|one| one["not_determined"]["item"] == "car3");
    assert!(missing.unwrap()["not_determined"]["reason"].as_str().unwrap().contains("corpus"));
}

#[test]
fn the_paper_stands_beneath_and_all_forms_are_written() {
    let study = Study::new();
    study.run();
    let report = study.report(&["--table", "car1,car2", "--against", "paper"]);
    let published = cell(&report, "car1", &["evidence · nq-open · rl-tool"], "", "MCIP");
    assert_eq!(published["value"], 0.948);
    let published = cell(&report, "car2", &["Qwen2.5-3B · CAR MSCR"], "simpleqa-verified", "ECE");
    assert_eq!(published["value"], 0.192);
    let table = study.humbly(&["report", "run.sqlite", "--resamples", "50", "--report", "page.html"]);
    assert_eq!(table.status, 0, "{}", table.stderr);
    assert!(
        table.stdout.contains("CAR Table 1: ") && table.stdout.contains("tool not used"),
        "{}",
        table.stdout
    );
    assert!(table.stdout.contains("abstained, "), "{}", table.stdout);
    let page = std::fs::read_to_string(study.path("page.html")).unwrap();
    assert!(page.contains("Calibration of tool-use agents") && page.contains("<svg"));
    let latex =
        study.humbly(&["report", "run.sqlite", "--resamples", "50", "--table", "car1", "--output", "latex"]);
    assert!(
        latex.stdout.contains("tool not used}") && latex.stdout.contains("tab:humbly-car1"),
        "{}",
        latex.stdout
    );
    let csv =
        study.humbly(&["report", "run.sqlite", "--resamples", "50", "--table", "car1", "--output", "csv"]);
    assert!(csv.stdout.contains("tool_not_used"), "{}", csv.stdout);
}

#[test]
fn confidences_are_read_on_the_scale_of_the_run_and_on_no_other() {
    let study = Study::new();
    study.run();
    let again = study.run();
    assert!(again.stderr.contains("0 samples") || !again.stderr.contains("failed,"), "{}", again.stderr);
    let scored = study.humbly(&["score", "run.sqlite", "--output", "json"]);
    let scored: Value = serde_json::from_str(&scored.stdout).unwrap();
    assert_eq!(scored["settings"]["confidence_scale"], "percent");
    let refused = study.humbly(&["score", "run.sqlite", "--scale", "unit"]);
    assert_eq!(refused.status, 2);
    assert!(refused.stderr.contains("asked for confidences on the percent scale"), "{}", refused.stderr);
    // A second run on another scale is not scored together with the first.
    study.write("other.toml", EXPERIMENT.replace("\"percent\"", "\"unit\""));
    let other = study.humbly(&["run", "other.toml", "--out", "other.sqlite"]);
    assert_eq!(other.status, 0, "{}", other.stderr);
    let mixed = study.humbly(&["score", "run.sqlite", "other.sqlite"]);
    assert_eq!(mixed.status, 2);
    assert!(
        mixed.stderr.contains("on the unit scale, `run.sqlite` on the percent scale"),
        "{}",
        mixed.stderr
    );
    // Read as unit, 90 is off the scale: undefined, never 90 %.
    let report = study.humbly(&["report", "other.sqlite", "--resamples", "50", "--table", "car1"]);
    assert!(report.stdout.contains("outside the unit scale are undefined"), "{}", report.stdout);
}

#[test]
fn mistakes_say_what_was_expected() {
    let study = Study::new();
    let of = |arguments: &[&str]| {
        let run = study.humbly(arguments);
        assert_eq!(run.status, 2, "{}{}", run.stdout, run.stderr);
        run.stderr
    };
    let build = ["suite", "build", "calibration"];
    assert!(of(&[&build[..], &["--set", "trivia"]].concat()).contains("expected nq-open, hotpotqa"));
    assert!(of(&[&build[..], &["--set", "nq-open=none.jsonl"]].concat()).contains("none.jsonl"));
    assert!(of(&[&build[..], &["--set", "starter=nq.jsonl"]].concat()).contains("comes with humbly"));
    assert!(of(&[&build[..], &["--set", "nq-open=corpus.jsonl"]].concat()).contains("nq-open"));
    let twice = of(&[&build[..], &["--set", "nq-open=nq.jsonl", "--set", "nq-open=nq.jsonl"]].concat());
    assert!(twice.contains("names `nq-open` twice"), "{twice}");
    assert!(of(&build).contains("--set"));
    let misplaced = of(&["suite", "build", "conflict", "--set", "starter"]);
    assert!(misplaced.contains("--set goes with `humbly suite build calibration`"), "{misplaced}");
    study.write("bare.toml", EXPERIMENT.replace("corpus = \"corpus.jsonl\"\n", ""));
    assert!(
        of(&["run", "bare.toml", "--out", "b.sqlite"]).contains("a file of documents for the search tool")
    );
    study.write("off.toml", EXPERIMENT.replace("\"percent\"", "\"per cent\""));
    assert!(of(&["run", "off.toml", "--out", "b.sqlite"]).contains("percent"));
    assert!(of(&["report", "none.sqlite", "--table", "car1"]).contains("none.sqlite"));
    assert!(of(&["report", "run.sqlite", "--table", "car12"]).contains("car1 to car9"));
}
