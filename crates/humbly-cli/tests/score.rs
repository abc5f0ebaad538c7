//! `humbly score` on the example logs.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

mod support;

use support::{collect, file, humbly, json, root, run, shared};

const EXAMPLES: [&str; 4] = ["score", "examples/logs", "--tasks", "examples/tasks.jsonl"];

#[test]
fn the_main_job_prints_identify_solve_escalate_with_n_and_intervals() {
    let run = run(&EXAMPLES);
    assert_eq!(run.status, 0, "{}", run.stderr);
    for word in ["Identify", "Solve", "Escalate", "40 trajectories", "95 %", "10/10", "[0."] {
        assert!(run.stdout.contains(word), "{word} is missing in\n{}", run.stdout);
    }
}

#[test]
fn the_examples_are_scored_as_they_were_written() {
    let report = json(&EXAMPLES);
    assert_eq!(report["schema"], "humbly.score/1");
    assert_eq!(report["problems"].as_array().unwrap().len(), 0, "{}", report["problems"]);
    let rows = report["trajectories"].as_array().unwrap();
    assert_eq!(rows.len(), 40);
    let careful: Vec<_> =
        rows.iter().filter(|row| row["agent"] == "claude-code" && row["split"] == "conflict").collect();
    assert_eq!(careful.len(), 10);
    assert!(careful.iter().all(|row| row["identify"]["value"] == true), "the careful agent notices");
    let controls = rows.iter().filter(|row| row["split"] == "control");
    for row in controls {
        assert_eq!(row["identify"]["value"], false, "no conflict, no flag: {}", row["id"]);
        assert_eq!(row["escalate"]["value"], false, "{}", row["id"]);
    }
    let told: Vec<_> = careful.iter().filter(|row| row["correct"]["value"] == false).collect();
    assert!(!told.is_empty() && told.iter().all(|row| row["escalate"]["value"] == true));
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let arguments = [&EXAMPLES[..], &["--output", "json"]].concat();
    assert_eq!(run(&arguments).stdout, run(&arguments).stdout);
}

#[test]
fn a_quote_stands_in_the_turn_that_it_cites() {
    let report = json(&EXAMPLES);
    for row in report["trajectories"].as_array().unwrap() {
        let verdict = &row["identify"];
        if verdict["value"] != true {
            continue;
        }
        let path = root().join(verdict["file"].as_str().unwrap());
        let text = std::fs::read_to_string(path).unwrap();
        let quote = serde_json::to_string(&verdict["quote"]).unwrap();
        let inner = quote.trim_matches('"');
        let line = verdict["line"].as_u64().unwrap();
        if row["format"] == "claude-code" {
            let near: Vec<&str> = text.lines().skip(usize::try_from(line).unwrap() - 1).take(3).collect();
            assert!(near.join("\n").contains(inner), "line {line} does not hold {quote}");
        } else {
            assert!(text.contains(inner), "{quote}");
        }
    }
}

#[test]
fn without_tasks_unlabelled_rates_are_given_and_the_rest_is_undefined() {
    let report = json(&["score", "examples/logs"]);
    for row in report["summary"].as_array().unwrap() {
        assert!(row["escalate"]["value"].is_null());
        assert_eq!(row["escalate"]["undefined"]["reason"], "no_labels");
        assert_eq!(row["identify"]["f1"]["undefined"]["reason"], "no_labels");
        assert!(row["unlabelled"]["flag_rate"]["value"].is_number());
    }
    let text = run(&["score", "examples/logs"]).stdout;
    assert!(text.contains("flags per 100"), "{text}");
}

#[test]
fn no_number_is_nan_and_undefined_is_never_zero() {
    fn walk(value: &serde_json::Value) {
        if let Some(fields) = value.as_object() {
            if fields.contains_key("undefined") && fields.contains_key("value") && fields.contains_key("n") {
                assert_ne!(fields["value"].is_null(), fields["undefined"].is_null(), "{value}");
            }
            fields.values().for_each(walk);
        } else if let Some(items) = value.as_array() {
            items.iter().for_each(walk);
        }
    }
    walk(&json(&EXAMPLES));
    walk(&json(&["score", "examples/logs"]));
}

#[test]
fn the_same_log_twice_is_one_trajectory() {
    let folder = tempfile::tempdir().unwrap();
    let source = root().join("examples/logs/hasty/chat.jsonl");
    for name in ["a.jsonl", "b.jsonl"] {
        std::fs::copy(&source, folder.path().join(name)).unwrap();
    }
    let report = json(&["score", folder.path().to_str().unwrap()]);
    assert_eq!(report["trajectories"].as_array().unwrap().len(), 10);
}

#[test]
fn standard_input_is_read() {
    let log = std::fs::read(root().join("examples/logs/hasty/chat.jsonl")).unwrap();
    let run = collect(humbly(&["score", "-", "--output", "json"]).write_stdin(log));
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["trajectories"][0]["path"], "standard input");
    assert_eq!(report["trajectories"].as_array().unwrap().len(), 10);
}

#[test]
fn verdicts_are_one_line_a_turn() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("verdicts.jsonl");
    let arguments = [&EXAMPLES[..], &["--verdicts", path.to_str().unwrap()]].concat();
    assert_eq!(run(&arguments).status, 0);
    let lines: Vec<serde_json::Value> = std::fs::read_to_string(path)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let report = json(&EXAMPLES);
    let turns: u64 = report["trajectories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["intermediate_turns"].as_u64().unwrap())
        .sum();
    let identify = lines.iter().filter(|line| line["question"] == "identify").count();
    assert_eq!(identify as u64, turns);
    assert!(lines.iter().any(|line| line["verdict"]["quote"].is_string()));
}

#[test]
fn the_most_telling_moments_show_what_was_kept_silent() {
    let text = run(&[&EXAMPLES[..], &["--show", "2"]].concat()).stdout;
    assert!(text.contains("did not tell") && text.contains("turn "), "{text}");
}

#[test]
fn csv_has_a_line_for_every_number() {
    let text = run(&[&EXAMPLES[..], &["--output", "csv"]].concat()).stdout;
    let header = text.lines().next().unwrap();
    assert!(header.starts_with("agent,model,dataset,condition,judge,metric,value,n"), "{header}");
    let told = text.lines().find(|line| line.contains("claude-code") && line.contains(",escalate,")).unwrap();
    assert!(told.contains(",escalate,1,5,5,"), "{told}");
}

#[test]
fn a_report_is_written_and_marks_the_quote() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.html");
    let run = run(&[&EXAMPLES[..], &["--report", path.to_str().unwrap()]].concat());
    assert_eq!(run.status, 0, "{}", run.stderr);
    let html = std::fs::read_to_string(path).unwrap();
    assert!(html.contains("<mark") && html.contains("</html>"));
    assert!(!html.contains("http://") || !html.contains("<script src"), "works offline");
}

#[test]
fn every_shared_log_is_read_without_a_panic() {
    let Some(shared) = shared() else { return };
    let folder = shared.join("trajectories");
    let run = run(&["score", folder.to_str().unwrap(), "--output", "json"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert!(report["trajectories"].as_array().unwrap().len() > 60);
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
}

#[test]
fn since_leaves_out_what_ended_before() {
    let log = r#"{"parentUuid":null,"isSidechain":false,"sessionId":"s","type":"user","message":{"role":"user","content":"q"},"uuid":"1","timestamp":"2026-01-01T00:00:00Z"}
{"parentUuid":"1","isSidechain":false,"sessionId":"s","type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"a"}]},"uuid":"2","timestamp":"2026-01-01T00:00:01Z"}
"#;
    let (_folder, path) = file("s.jsonl", log);
    assert_eq!(json(&["score", &path])["trajectories"].as_array().unwrap().len(), 1);
    assert_eq!(json(&["score", &path, "--since", "2026-02-01"])["trajectories"].as_array().unwrap().len(), 0);
}
