//! Faults that users of such tools met, at the level of the command; the others stand beside the code.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

mod support;

use std::fmt::Write;

use support::{file, json, run};

fn calibration(table: &str, extra: &[&str]) -> support::Run {
    let (_folder, path) = file("rows.csv", table);
    let columns = ["stats", "calibration", &path, "--confidence", "confidence", "--correct", "correct"];
    run(&[&columns[..], extra].concat())
}

fn calibration_json(table: &str) -> serde_json::Value {
    let run = calibration(table, &["--output", "json"]);
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}{}", run.stdout, run.stderr))
}

/// nrm-07: an unknown score letter is listed and the rest is measured.
#[test]
fn an_unknown_score_letter_is_listed_and_the_rest_is_measured() {
    let table = "confidence,correct\n0.9,C\n0.2,I\n0.5,?\n";
    let run = calibration(table, &[]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stderr.contains("rows.csv:4") && run.stderr.contains("`?`"), "{}", run.stderr);
    assert_eq!(calibration_json(table)[0]["n"], 2);
}

/// cal-06: no data is no calibration, and never perfect.
#[test]
fn no_rows_are_undefined_and_not_zero() {
    let report = calibration_json("confidence,correct\n");
    assert!(report[0]["ece"]["value"].is_null());
    assert_eq!(report[0]["ece"]["undefined"]["reason"], "no_samples");
}

/// cal-01: a confidence of exactly 1.0 falls in the last bin.
#[test]
fn a_confidence_of_one_is_in_the_last_bin() {
    let ece = calibration_json("confidence,correct\n0.93,1\n1.0,0\n")[0]["ece"]["value"].as_f64().unwrap();
    assert!((ece - 0.465).abs() < 1e-12, "{ece}");
}

/// cal-09: values outside the scale are undefined, named and counted.
#[test]
fn negated_uncertainty_is_refused_and_not_rescaled() {
    let run = calibration("confidence,correct\n-0.1,0\n-0.1,0\n0.4,1\n", &[]);
    assert!(run.stderr.contains("rows.csv:2") && run.stderr.contains("expected 0 to 1"), "{}", run.stderr);
    assert!(run.stdout.contains("confidence_out_of_range 2"), "{}", run.stdout);
}

/// log-05: constants that JSON does not know are read, and written as null with a reason.
#[test]
fn not_a_number_is_read_and_written_as_null_with_a_reason() {
    for (name, table) in [
        (
            "rows.jsonl",
            "{\"confidence\":NaN,\"correct\":1}\n{\"confidence\":-Infinity,\"correct\":0}\n\
             {\"confidence\":0.9,\"correct\":1}\n",
        ),
        ("rows.csv", "confidence,correct\nNaN,1\n-inf,0\n0.9,1\n"),
    ] {
        let (_folder, path) = file(name, table);
        let report =
            json(&["stats", "calibration", &path, "--confidence", "confidence", "--correct", "correct"]);
        assert_eq!((&report[0]["n"], &report[0]["left_out"]["confidence_absent"]), (&1.into(), &2.into()));
        assert_eq!(report[0]["auroc"]["value"], serde_json::Value::Null);
        assert_eq!(report[0]["auroc"]["undefined"]["reason"], "one_class", "{name}");
    }
}

/// cnf-05: a constant confidence ranks nothing.
#[test]
fn a_constant_confidence_has_an_auroc_of_one_half_with_a_note() {
    let report = calibration_json("confidence,correct\n0.9,1\n0.9,0\n0.9,1\n");
    assert_eq!(report[0]["auroc"]["value"], 0.5);
    assert!(report[0]["auroc"]["note"].as_str().unwrap().contains("constant confidence"));
}

/// sta-06: two systems with the same ids are compared in pairs, with the effect's size.
#[test]
fn two_runs_with_the_same_ids_are_compared_in_pairs() {
    let table = |hit: &dyn Fn(u32) -> bool| {
        (0..100).fold(String::from("id,correct\n"), |mut text, id| {
            writeln!(text, "{id},{}", u8::from(hit(id))).unwrap();
            text
        })
    };
    let (_a, first) = file("a.csv", table(&|id| id < 39));
    let (_b, second) = file("b.csv", table(&|id| id < 58));
    let report = json(&["stats", "compare", &first, &second, "--id", "id", "--score", "correct"]);
    assert_eq!((&report["design"], &report["shared"]), (&"paired".into(), &100.into()));
    assert!((report["difference"]["value"].as_f64().unwrap() - 0.19).abs() < 1e-12);
    assert!(report["test"]["test"].as_str().unwrap().starts_with("mc_nemar"), "{}", report["test"]["test"]);
}

/// log-03: 21,000 cases are scored and written as they come.
#[test]
fn many_records_of_one_file_are_scored() {
    let mut log = String::new();
    for id in 0..21_000 {
        writeln!(log, r#"{{"humbly":1,"id":"t{id}","question":"q","turns":[{{"text":"four"}}]}}"#).unwrap();
    }
    let (_folder, path) = file("many.jsonl", log);
    let run = run(&["score", &path, "--resamples", "100"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("21000 trajectories"), "{}", run.stdout);
}

/// agr-01: raters who always give one label have no kappa; raw agreement and AC1 stand beside it.
#[test]
fn one_label_throughout_has_no_kappa_and_full_agreement() {
    let (_folder, path) = file("labels.csv", "item,rater,label\n1,a,0\n1,b,0\n2,a,0\n2,b,0\n");
    let report =
        json(&["stats", "agreement", &path, "--item", "item", "--rater", "rater", "--label", "label"]);
    assert!(report["cohen_kappa"]["value"].is_null());
    assert_eq!(report["cohen_kappa"]["undefined"]["reason"], "chance_agreement_is_one");
    assert_eq!(report["raw"]["value"], 1.0);
}

/// DESIGN §3.5, the worked example, through the command.
#[test]
fn the_worked_example_of_attribution() {
    let mut table = String::from("form,answerable,correct\n");
    let mut add = |form: &str, answerable: u8, count: usize| {
        for _ in 0..count {
            writeln!(table, "{form},{answerable},0").unwrap();
        }
    };
    add("data_uncertain", 0, 3);
    add("model_uncertain", 0, 1);
    add("data_uncertain", 1, 2);
    add("model_uncertain", 1, 3);
    add("answer", 1, 1);
    let (_folder, path) = file("forms.csv", table);
    let columns = ["--form", "form", "--answerable", "answerable", "--correct", "correct"];
    for (rule, expected) in [("released", [0.750, 0.500, 0.625]), ("balanced", [0.720, 0.571, 0.646])] {
        let report = json(&[&["stats", "attribution", &path, "--f1", rule], &columns[..]].concat());
        let scores = &report[0]["scores"];
        for (name, expected) in ["data", "model", "average"].iter().zip(expected) {
            let found = scores[*name]["value"].as_f64().unwrap();
            assert!((found - expected).abs() < 5e-4, "{rule} {name}: {found}");
        }
    }
}

/// ins-01: one binary, which needs nothing else at run time.
#[test]
fn the_command_runs_without_an_environment() {
    let folder = tempfile::tempdir().unwrap();
    let log = r#"{"humbly":1,"id":"a","question":"q","turns":[{"text":"four"}]}"#;
    let mut command = support::humbly(&["score", "-"]);
    command.env_clear().current_dir(folder.path()).write_stdin(log);
    let run = support::collect(&mut command);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("1 trajectories"), "{}", run.stdout);
}

/// log-01: 200,000 samples of one file go through an address space that could not hold them scored.
#[cfg(target_os = "linux")]
#[test]
fn two_hundred_thousand_samples_are_streamed() {
    use std::io::Write as _;
    let mut log = tempfile::NamedTempFile::new().unwrap();
    for id in 0..200_000 {
        writeln!(log, r#"{{"humbly":1,"id":"t{id}","question":"q","turns":[{{"text":"four"}}]}}"#).unwrap();
    }
    let script = "ulimit -v 500000 && exec \"$0\" score \"$1\" --resamples 100";
    let output = std::process::Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_humbly"), log.path().to_str().unwrap()])
        .env("RAYON_NUM_THREADS", "2")
        .output()
        .unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{stdout}{}", String::from_utf8_lossy(&output.stderr));
    assert!(stdout.contains("200000 trajectories"), "{stdout}");
}
