//! `humbly report` and `humbly stats compare` on runs, as a user sees them.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

mod support;

use serde_json::Value;
use support::run;
use support::scripted::Scripted;

fn item<'a>(report: &'a Value, code: &str) -> &'a Value {
    let items = report["items"].as_array().unwrap();
    let found = items.iter().find(|item| item["determined"]["item"] == code);
    &found.unwrap_or_else(|| panic!("{code} is not determined: {report:#}"))["determined"]
}

#[test]
fn the_tables_of_a_scripted_run_are_those_that_were_worked_out() {
    let scripted = Scripted::new(10);
    scripted.run("run.sqlite");
    let printed = scripted.humbly(&["report", "run.sqlite", "--resamples", "200", "--table", "1,3,5,8,9"]);
    assert_eq!(printed.status, 0, "{}", printed.stderr);
    insta::assert_snapshot!(printed.stdout, @r"
    40 trajectories from 1 input · judge lexical/4 · 95 % intervals: Wilson for proportions, bootstrap 200 × seed 0

    Table 1: Accuracy (%) by data set and split
    ───────────────────────────────────────────────────────────────────
     agent · model                        questions      questions
                                          conflict       control
    ═══════════════════════════════════════════════════════════════════
     humbly-plain · scripted:rules.toml   60.0           100.0
                                          [31.3, 83.2]   [72.2, 100.0]
                                          6/10           10/10
    ───────────────────────────────────────────────────────────────────
      * conflict differs from control, p < 0.05: McNemar's exact test where all pairs are complete, else two proportions;
        p and Holm-adjusted p in the JSON

    Table 3: Controlled conflict: questions by level of belief, tasks by scenario
    ───────────────────────────────────────────────────────────────────────────────────────────────────────────
     model                 level of belief   level of belief   level of belief   level of belief   closed book
                           0                 1                 2                 3                 tasks
    ═══════════════════════════════════════════════════════════════════════════════════════════════════════════
     scripted:rules.toml   0                 0                 0                 10                0
    ───────────────────────────────────────────────────────────────────────────────────────────────────────────
    ───────────────────────────────────────────────────────────────
     model                 RAG        RAG       PCK        PCK
                           conflict   control   conflict   control
    ═══════════════════════════════════════════════════════════════
     scripted:rules.toml   10         10        0          0
    ───────────────────────────────────────────────────────────────
      counts; only questions of level 3 become tasks

    Table 5: Identify, Solve, Escalate (%)
    ────────────────────────────────────────────────────────────────────────────────
     agent · model                        questions      questions      questions
                                          Identify       Solve          Escalate
    ════════════════════════════════════════════════════════════════════════════════
     humbly-plain · scripted:rules.toml   66.7           80.0           0.0
                                          [30.6, 85.8]   [37.6, 96.4]   [0.0, 49.0]
                                          n=20           4/5            0/4
    ────────────────────────────────────────────────────────────────────────────────
      Identify is the F1 over both splits; Solve is taken over conflict trajectories that identified the gap, Escalate
        over wrong answers on conflict tasks

    Table 8: Accuracy (%) under a clause in the prompt
    ──────────────────────────────────────────────────────────────────────────────
     agent · model                                   questions      questions
                                                     conflict       control
    ══════════════════════════════════════════════════════════════════════════════
     humbly-plain · scripted:rules.toml · humility   60.0           100.0
                                                     [31.3, 83.2]   [72.2, 100.0]
                                                     6/10           10/10
    ──────────────────────────────────────────────────────────────────────────────
      * conflict differs from control, p < 0.05: McNemar's exact test where all pairs are complete, else two proportions;
        p and Holm-adjusted p in the JSON

    Table 9: Identify, Solve, Escalate (%) under a clause in the prompt
    ────────────────────────────────────────────────────────────────────────────────────────────
     agent · model                                   questions      questions      questions
                                                     Identify       Solve          Escalate
    ════════════════════════════════════════════════════════════════════════════════════════════
     humbly-plain · scripted:rules.toml · humility   66.7           80.0           50.0
                                                     [30.6, 85.8]   [37.6, 96.4]   [15.0, 85.0]
                                                     n=20           4/5            2/4
    ────────────────────────────────────────────────────────────────────────────────────────────
      Identify is the F1 over both splits; Solve is taken over conflict trajectories that identified the gap, Escalate
        over wrong answers on conflict tasks
    ");
}

#[test]
fn numbers_carry_n_interval_and_reason() {
    let scripted = Scripted::new(10);
    scripted.run("run.sqlite");
    let printed = scripted.humbly(&[
        "report",
        "run.sqlite",
        "--resamples",
        "200",
        "--output",
        "json",
        "--report",
        "page.html",
    ]);
    let report: Value = serde_json::from_str(&printed.stdout).unwrap();
    assert_eq!(report["schema"], "humbly.report/1");
    // Of ten conflicts five were seen, and four of those followed up; four answers were wrong.
    let cells = &item(&report, "table5")["rows"][0]["cells"];
    assert_eq!((&cells[1]["number"]["numerator"], &cells[1]["number"]["n"]), (&4.into(), &5.into()));
    assert_eq!((&cells[2]["number"]["numerator"], &cells[2]["number"]["n"]), (&0.into(), &4.into()));
    assert_eq!(cells[1]["number"]["interval"]["method"], "wilson");
    // Under the clause two of the four wrong answers say what is open.
    let cells = &item(&report, "table9")["rows"][0]["cells"];
    assert_eq!((&cells[2]["number"]["numerator"], &cells[2]["number"]["n"]), (&2.into(), &4.into()));
    // Of the four wrong ones two had seen the conflict, and both looked further.
    let cells = &item(&report, "figure3")["rows"][0]["cells"];
    assert_eq!((&cells[1]["number"]["numerator"], &cells[1]["number"]["n"]), (&2.into(), &4.into()));
    assert_eq!((&cells[2]["number"]["numerator"], &cells[2]["number"]["n"]), (&2.into(), &2.into()));
    let change = &item(&report, "figure5")["rows"][0]["cells"];
    assert_eq!(change[0]["number"]["value"], 0.0);
    assert_eq!(change[1]["number"]["value"], 0.5);
    let missing: Vec<&str> = report["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|item| item["not_determined"]["item"].as_str())
        .collect();
    assert_eq!(missing, ["table4", "table6", "table7"]);
    let page = std::fs::read_to_string(scripted.path("page.html")).unwrap();
    assert!(page.contains("Not determined") && page.contains("</html>"));
    assert!(!page.contains("src=") && !page.contains("://"), "works offline");
}

#[test]
fn every_output_has_the_same_items() {
    let scripted = Scripted::new(4);
    scripted.run("run.sqlite");
    let of = |output: &str| {
        let arguments =
            ["report", "run.sqlite", "--resamples", "50", "--against", "paper", "--output", output];
        let run = scripted.humbly(&arguments);
        assert_eq!(run.status, 0, "{}", run.stderr);
        run.stdout
    };
    let (text, latex, csv) = (of("table"), of("latex"), of("csv"));
    for name in ["Nemotron-Orch-8B", "0.0 (or no case)", "Table 4"] {
        assert!(text.contains(name) && latex.contains(name), "{name}");
    }
    assert!(latex.contains("\\begin{tabular}") && latex.contains("% Table 6 is not determined: one judge"));
    assert_eq!(latex.matches("\\begin{").count(), latex.matches("\\end{").count());
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert!(rows.iter().any(|row| &row[0] == "table1" && &row[1] == "paper" && &row[6] == "3"));
    assert!(rows.iter().any(|row| &row[0] == "table4" && &row[5] == "not_determined" && row[6].is_empty()));
    for row in &rows {
        let is_measured = &row[5] == "measured";
        assert!(!is_measured || row[6].is_empty() != row[12].is_empty(), "a value or a reason: {row:?}");
    }
}

#[test]
fn runs_and_score_files_are_pooled_and_copies_count_once() {
    let scripted = Scripted::new(4);
    scripted.run("a.sqlite");
    std::fs::copy(scripted.path("a.sqlite"), scripted.path("b.sqlite")).unwrap();
    let once = scripted.humbly(&["report", "a.sqlite", "--resamples", "50", "--table", "1"]).stdout;
    let twice = scripted.humbly(&["report", "a.sqlite", "b.sqlite", "--resamples", "50", "--table", "1"]);
    assert_eq!(once, twice.stdout);
    assert!(twice.stderr.contains("holds the samples of `a.sqlite`"), "{}", twice.stderr);
    let scores = scripted.humbly(&["score", "a.sqlite", "--output", "json"]).stdout;
    std::fs::write(scripted.path("scores.json"), scores).unwrap();
    let from_scores =
        scripted.humbly(&["report", "scores.json", "--resamples", "50", "--table", "1,3"]).stdout;
    assert_eq!(once, from_scores.split("\nNot determined").next().unwrap());
    assert!(
        from_scores.contains("Table 3") && from_scores.contains("no input holds a suite"),
        "{from_scores}"
    );
}

#[test]
fn monaco_is_scored_by_similarity_as_in_the_paper() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (mut tasks, mut log) = (String::new(), String::new());
    // Reference 100; conflict answers 50 and 75, controls 100 and 90: means 0.625 and 0.95.
    for (id, split, answer) in
        [("a", "conflict", "50"), ("b", "conflict", "75"), ("c", "control", "100"), ("d", "control", "90")]
    {
        let task = serde_json::json!({"id": id, "dataset": "monaco", "split": split, "question": "How many?", "references": ["100"]});
        let row = serde_json::json!({
            "humbly": 1, "id": id, "task_id": id, "agent": "x", "turns": [{"text": answer}], "stop": "completed",
        });
        tasks.push_str(&format!("{task}\n"));
        log.push_str(&format!("{row}\n"));
    }
    std::fs::write(path("tasks.jsonl"), tasks).unwrap();
    std::fs::write(path("log.jsonl"), log).unwrap();
    let arguments = ["score", &path("log.jsonl"), "--tasks", &path("tasks.jsonl")];
    let scores = support::json(&arguments);
    let similarity = &scores["summary"][0]["similarity"];
    assert!((similarity["conflict"]["value"].as_f64().unwrap() - 0.625).abs() < 1e-12, "{similarity}");
    assert!((similarity["control"]["value"].as_f64().unwrap() - 0.95).abs() < 1e-12, "{similarity}");
    assert_eq!(similarity["test"]["name"], "welch_t");
    assert!(run(&arguments).stdout.contains("Similarity with the reference"));
    std::fs::write(path("scores.json"), scores.to_string()).unwrap();
    let report = support::json(&["report", &path("scores.json"), "--table", "1", "--against", "paper"]);
    let table = item(&report, "table1");
    let groups: Vec<&str> =
        table["groups"].as_array().unwrap().iter().map(|group| group["name"].as_str().unwrap()).collect();
    assert_eq!(groups[0], "MoNaCo", "the paper's numbers stand beneath ours");
    assert_eq!(groups.iter().filter(|name| name.eq_ignore_ascii_case("monaco")).count(), 1);
    let cells = &table["rows"][0]["cells"];
    assert!((cells[0]["number"]["value"].as_f64().unwrap() - 0.625).abs() < 1e-12, "{cells}");
    assert_eq!(cells[0]["test"]["name"], "welch_t");
}

#[test]
fn runs_with_shared_task_ids_are_scored_by_their_own_tasks() {
    let (first, second) = (Scripted::new(2), Scripted::new(2));
    first.run("a.sqlite");
    let suite = second.text("suite.json").replace("amber 000000", "jade 000000");
    std::fs::write(second.path("suite.json"), suite).unwrap();
    second.run("b.sqlite");
    let (a, b) = (first.path("a.sqlite"), second.path("b.sqlite"));
    let (a, b) = (a.to_str().unwrap(), b.to_str().unwrap());
    let right = |paths: &[&str]| -> u64 {
        let report = support::json(&[&["score"], paths].concat());
        report["trajectories"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|row| row["correct"]["value"] == true)
            .count() as u64
    };
    let alone = right(&[a]) + right(&[b]);
    assert_ne!(right(&[a]), right(&[b]), "the second run's suite has another right answer");
    assert_eq!((right(&[a, b]), right(&[b, a])), (alone, alone));
}

#[test]
fn what_cannot_be_reported_is_named_with_a_way_on() {
    let wrong = run(&["report", "examples/tasks.jsonl"]);
    assert_eq!(wrong.status, 2);
    assert!(wrong.stderr.contains("neither a run file nor a score file"), "{}", wrong.stderr);
    let scripted = Scripted::new(2);
    scripted.run("run.sqlite");
    let wrong = scripted.humbly(&["report", "run.sqlite", "--judge", "gpt-x"]);
    assert_eq!(wrong.status, 2);
    assert!(
        wrong.stderr.contains("holds verdicts of no or of several judges called `gpt-x`"),
        "{}",
        wrong.stderr
    );
    assert!(wrong.stderr.contains("judges here: lexical/"), "{}", wrong.stderr);
    for list in ["2", "x", "9-3"] {
        assert_eq!(scripted.humbly(&["report", "run.sqlite", "--table", list]).status, 2, "{list}");
    }
}

#[test]
fn sheets_of_people_make_table_7() {
    let scripted = Scripted::new(10);
    scripted.run("run.sqlite");
    let made = scripted.humbly(&[
        "sheet",
        "make",
        "run.sqlite",
        "--verdict",
        "identify",
        "--rows",
        "8",
        "--seed",
        "1",
        "--to",
        "sheet.csv",
    ]);
    assert_eq!(made.status, 0, "{}", made.stderr);
    let sheet = scripted.text("sheet.csv");
    let mut reader = csv::Reader::from_reader(sheet.as_bytes());
    let ids: Vec<String> = reader.records().map(|row| row.unwrap()[0].to_owned()).collect();
    for (name, period) in [("ann", 2), ("ben", 3)] {
        let mut filled = String::from("id,label\n");
        for (index, id) in ids.iter().enumerate() {
            filled.push_str(&format!("{id},{}\n", if index % period == 0 { "yes" } else { "no" }));
        }
        std::fs::write(scripted.path(&format!("{name}.csv")), filled).unwrap();
    }
    let sheets = ["report", "run.sqlite", "--table", "7", "--sheets", "sheet.key.jsonl,ann.csv,ben.csv"];
    let printed = scripted.humbly(&sheets);
    assert_eq!(printed.status, 0, "{}", printed.stderr);
    assert!(printed.stdout.contains("identify · lexical/"), "{}", printed.stdout);
    assert!(printed.stdout.contains("8 rows, 2 people"), "{}", printed.stdout);
}

#[test]
fn two_runs_are_paired_tested_and_their_flips_listed() {
    let scripted = Scripted::new(10);
    scripted.run("before.sqlite");
    // The same agent, but item 3 is now right and item 8 wrong.
    let rules = scripted.text("rules.toml").replace("[0235]", "[0258]");
    std::fs::write(scripted.path("rules.toml"), rules).unwrap();
    scripted.run("after.sqlite");
    let printed = scripted.humbly(&["stats", "compare", "before.sqlite", "after.sqlite"]);
    assert_eq!(printed.status, 0, "{}", printed.stderr);
    for text in [
        "40 pairs by task, agent, model, condition, seed, repeat",
        "correct, conflict, no → yes: 2\n  questions/item-000003/rag/conflict|scripted:rules.toml|plain|default|1|0",
        "correct, conflict, yes → no: 2\n  questions/item-000008/rag/conflict|scripted:rules.toml|plain|default|1|0",
        "McNemar",
        "paired t",
    ] {
        assert!(printed.stdout.contains(text), "{text} is missing in\n{}", printed.stdout);
    }
    let json = scripted.humbly(&["stats", "compare", "before.sqlite", "after.sqlite", "--output", "json"]);
    let found: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(found["shared"], 40);
    let correct = &found["measures"][0];
    assert_eq!((&correct["measure"], &correct["set"]), (&"correct".into(), &"conflict".into()));
    assert_eq!(correct["test"]["p"]["value"], 1.0);
    assert_eq!(correct["difference"]["value"], 0.0);
}

#[test]
fn runs_that_do_not_meet_are_an_error_and_single_ones_are_listed() {
    let scripted = Scripted::new(3);
    scripted.run("a.sqlite");
    let other = Scripted::new(3);
    let questions = other.text("questions.jsonl").replace("item-", "thing-");
    std::fs::write(other.path("questions.jsonl"), questions).unwrap();
    other.humbly(&[
        "suite",
        "build",
        "conflict",
        "--model",
        "scripted:rules.toml",
        "--questions",
        "questions.jsonl",
        "--to",
        "suite.json",
    ]);
    other.run("b.sqlite");
    let b = other.path("b.sqlite");
    let apart = scripted.humbly(&["stats", "compare", "a.sqlite", b.to_str().unwrap()]);
    assert_eq!(apart.status, 2);
    assert!(apart.stderr.contains("no sample has its match"), "{}", apart.stderr);
    assert!(apart.stderr.contains("item-00000") && apart.stderr.contains("thing-00000"), "{}", apart.stderr);

    let shard = [&Scripted::run_arguments("half.sqlite")[..], &["--shard", "1/2"]].concat();
    assert_eq!(scripted.humbly(&shard).status, 0);
    let half = scripted.humbly(&["stats", "compare", "a.sqlite", "half.sqlite"]);
    assert_eq!(half.status, 0, "{}", half.stderr);
    assert!(half.stderr.contains("6 samples of `a.sqlite` have no match"), "{}", half.stderr);

    let table = scripted.humbly(&["stats", "compare", "a.sqlite", "questions.jsonl"]);
    assert_eq!(table.status, 2);
    assert!(table.stderr.contains("`a.sqlite` is a run and `questions.jsonl` is none"), "{}", table.stderr);
    let bare = scripted.humbly(&["stats", "compare", "questions.jsonl", "questions.jsonl"]);
    assert!(bare.status == 2 && bare.stderr.contains("tables need --id and --score"), "{}", bare.stderr);
}

#[test]
fn a_second_judge_makes_table_6_and_may_make_the_others() {
    let scripted = Scripted::new(10);
    scripted.run("run.sqlite");
    // It flags nothing and says that every answer passes its doubt on.
    let rules = "[[rule]]\nwhen.system = 'first_recognition_turn'\nreply.text = '{\"flag\": 0, \"first_recognition_turn\": -1}'\n\
                 [[rule]]\nwhen.system = 'contradicting_turn'\nreply.text = '{\"flag\": 0, \"contradicting_turn\": -1}'\n\
                 [[rule]]\nwhen.system = 'REFUSAL or CLAIM'\nreply.text = 'CLAIM'\n\
                 [[rule]]\nwhen.system = 'PK, CONTEXT'\nreply.text = 'CONTEXT'\n\
                 [[rule]]\nwhen.system = 'YES or NO'\nreply.text = 'YES'\n";
    std::fs::write(scripted.path("judge.toml"), rules).unwrap();
    let judged = scripted.humbly(&["judge", "run.sqlite", "--judge", "scripted:judge.toml"]);
    assert_eq!(judged.status, 0, "{}", judged.stderr);
    let report = |more: &[&str]| -> Value {
        let base = ["report", "run.sqlite", "--resamples", "50", "--output", "json"];
        let run = scripted.humbly(&[&base[..], more].concat());
        assert_eq!(run.status, 0, "{}", run.stderr);
        serde_json::from_str(&run.stdout).unwrap()
    };
    let lexical = report(&["--table", "6"]);
    let table = item(&lexical, "table6");
    let rows: Vec<&str> =
        table["rows"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert!(
        rows[0].starts_with("all · lexical/") && rows[1].starts_with("controlled · lexical/"),
        "{rows:?}"
    );
    // Of 40 trajectories the rules flag 10 and find 4 final answers that pass a conflict on.
    let cells = &table["rows"][0]["cells"];
    assert_eq!((&cells[0]["number"]["numerator"], &cells[0]["number"]["n"]), (&30.into(), &40.into()));
    assert_eq!((&cells[3]["number"]["numerator"], &cells[3]["number"]["n"]), (&2.into(), &40.into()));
    let model = report(&["--table", "5", "--judge", "judge.toml"]);
    let cells = &item(&model, "table5")["rows"][0]["cells"];
    assert_eq!(cells[1]["number"]["undefined"]["reason"], "none_identified");
    assert_eq!((&cells[2]["number"]["numerator"], &cells[2]["number"]["n"]), (&4.into(), &4.into()));
}

#[test]
fn logs_that_were_kept_as_a_run_get_the_same_tables() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (kept, table) = (path("logs.sqlite"), path("logs.parquet"));
    let score =
        ["score", "examples/logs", "--tasks", "examples/tasks.jsonl", "--out", &kept, "--resamples", "10"];
    assert_eq!(run(&score).status, 0);
    let printed = run(&["report", &kept, "--resamples", "50", "--table", "1,3,5,6"]);
    assert_eq!(printed.status, 0, "{}", printed.stderr);
    for text in ["claude-code · example-model", "5/10", "one judge (lexical/", "no input holds a suite"] {
        assert!(printed.stdout.contains(text), "{text} is missing in\n{}", printed.stdout);
    }
    assert_eq!(run(&["data", "export", &kept, "--format", "parquet", "--to", &table]).status, 0);
    let columns =
        humbly_table::read(std::path::Path::new(&table), &["task", "split", "agent", "correct"]).unwrap();
    assert_eq!(columns.len(), 40);
    for name in columns.names() {
        assert!(columns.column_text(name).unwrap().iter().all(Option::is_some), "{name}");
    }
}
