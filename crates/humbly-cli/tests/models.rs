//! Three papers in one table on six scripted models whose every answer is known: each number was worked out by hand.
//!
//! From model a to model f accuracy grows. The others follow it, run against it, or neither.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

mod support;

use serde_json::Value;
use support::{Run, collect, file, humbly, run};
use tempfile::TempDir;

/// A model by its counts; items are numbered from 0, so that "the first 3" are 0, 1 and 2.
struct Model {
    name: &'static str,
    /// Conflicts that it answers wrong, of 10 with as many controls, which are right.
    wrong: u32,
    /// Wrong answers that say what is open.
    escalated: u32,
    /// Conflicts that it recognises.
    recognised: u32,
    /// Of these, conflicts that it looks into.
    looked: u32,
    /// Questions of the calibration suite, of 10, that it answers rightly at 90 %.
    known: u32,
    /// Its confidence in the others, in percent.
    doubt: u32,
    /// Questions of UA-Bench, of 10 with an answer, that it answers rightly.
    answered: u32,
    /// Of the others, questions that it labels as its own lack; the rest it blames on the question.
    own_lack: u32,
    /// Of the 4 without an answer, questions that it labels as such; the rest it blames on itself.
    no_answer: u32,
}

#[rustfmt::skip]
const MODELS: [Model; 6] = [
    Model { name: "a", wrong: 6, escalated: 3, recognised: 2, looked: 1, known: 3, doubt: 95, answered: 2, own_lack: 1, no_answer: 1 },
    Model { name: "b", wrong: 5, escalated: 2, recognised: 3, looked: 1, known: 4, doubt: 80, answered: 3, own_lack: 2, no_answer: 2 },
    Model { name: "c", wrong: 4, escalated: 2, recognised: 4, looked: 2, known: 5, doubt: 70, answered: 4, own_lack: 3, no_answer: 2 },
    Model { name: "d", wrong: 3, escalated: 1, recognised: 6, looked: 3, known: 6, doubt: 60, answered: 5, own_lack: 3, no_answer: 3 },
    Model { name: "e", wrong: 2, escalated: 1, recognised: 8, looked: 4, known: 7, doubt: 40, answered: 6, own_lack: 3, no_answer: 3 },
    Model { name: "f", wrong: 1, escalated: 0, recognised: 9, looked: 4, known: 8, doubt: 30, answered: 7, own_lack: 3, no_answer: 4 },
];

/// The digits below a count, as a class of a regex; none where it is 0.
fn first(count: u32) -> String {
    if count == 0 { "[x]".to_owned() } else { format!("[0-{}]", count - 1) }
}

impl Model {
    fn script(&self) -> String {
        let wrong = first(self.wrong);
        let (blamed, missed) = (10 - self.own_lack, self.answered + self.own_lack);
        assert!(missed <= 10 && self.escalated <= self.wrong && self.looked <= self.recognised);
        [
            // Beliefs, for the suite of conflicts.
            rule(r"user = { regex = '(?s)code of item (\d)\?.*\n([A-D])\. amber' }", "${2}"),
            rule(r"user = { regex = '(?s)from memory.*code of item (\d)\?' }", "amber ${1}"),
            // The agent among passages that contradict each other.
            rule(
                &on_conflict(0, &first(self.recognised)),
                "The first passage says amber ${1}, but the second passage says cobalt ${1}. The two passages contradict \
                 each other, so one of them must be wrong.",
            ),
            rule(&on_conflict(1, &first(self.looked)), "search: code of item ${1}"),
            rule(
                &on_conflict(2, &first(self.escalated)),
                "cobalt ${1}. The two passages disagree, though: one says amber ${1} and the other says cobalt ${1}, and I \
                 could not settle which of them is right.",
            ),
            rule(&on_conflict(2, &wrong), "cobalt ${1}."),
            rule("turn = 2\nwhen.any = { regex = 'code of item (\\d)\\?' }", "amber ${1}."),
            rule("turn = 1\nwhen.any = 'code of item'", "search: none"),
            rule("turn = 0\nwhen.any = 'code of item'", "The passages are about the item."),
            // Confidence.
            rule(&format!("any = {{ regex = 'token {}\\?' }}", first(self.known)), "red\\nConfidence: 90"),
            rule("any = 'token'", &format!("green\\nConfidence: {}", self.doubt)),
            // Attribution.
            rule(&format!("any = {{ regex = 'box {}\\?' }}", first(self.answered)), r"\\boxed{blue}"),
            rule(&format!("any = {{ regex = 'box [{blamed}-9]\\?' }}"), r"\\boxed{<MODEL_UNCERTAIN>}"),
            rule("any = 'word of box'", r"\\boxed{<DATA_UNCERTAIN>}"),
            rule(
                &format!("any = {{ regex = 'year 300{}\\?' }}", first(self.no_answer)),
                r"\\boxed{<DATA_UNCERTAIN>}",
            ),
            rule("any = 'in the year'", r"\\boxed{<MODEL_UNCERTAIN>}"),
        ]
        .concat()
    }
}

fn rule(when: &str, reply: &str) -> String {
    format!("[[rule]]\nwhen.{when}\nreply.text = \"{reply}\"\n")
}

fn on_conflict(turn: u32, digits: &str) -> String {
    format!("turn = {turn}\nwhen.any = {{ regex = '(?s)code of item ({digits})\\?.*cobalt \\d' }}")
}

struct Papers(TempDir);

impl Papers {
    fn new() -> Self {
        let papers = Self(tempfile::tempdir().unwrap());
        for model in &MODELS {
            papers.write(&format!("{}.toml", model.name), &model.script());
        }
        let lines = |line: &dyn Fn(u32) -> Value, count| {
            (0..count).map(|number| format!("{}\n", line(number))).collect::<Vec<_>>().concat()
        };
        let conflicts = lines(
            &|number| {
                serde_json::json!({
                    "id": format!("item-{number}"),
                    "question": format!("What is the code of item {number}?"),
                    "answer": format!("amber {number}"),
                    "false_answer": format!("cobalt {number}"),
                    "passages_true": [format!("The register lists amber {number}."), format!("A note gives amber {number}.")],
                    "passages_false": [format!("The clerk wrote down cobalt {number}.")],
                })
            },
            10,
        );
        let tokens = lines(
            &|number| serde_json::json!({"question": format!("What is the colour of token {number}?"), "answer": ["red"]}),
            10,
        );
        let boxes = lines(
            &|number| {
                serde_json::json!({
                    "id": format!("2hop__{number}"), "paragraphs": [], "answer": "blue", "answer_aliases": [],
                    "question": format!("What is the code word of box {number}?"), "answerable": true,
                })
            },
            10,
        );
        let years: Vec<Value> = (0..4)
            .map(|number| {
                serde_json::json!({
                    "question_id": number, "answer": null, "answerable": false, "source": "own",
                    "question": format!("Which box will people like best in the year 300{number}?"),
                })
            })
            .collect();
        papers.write("questions.jsonl", &conflicts);
        papers.write("nq.jsonl", &tokens);
        papers.write("musique.jsonl", &boxes);
        papers.write("selfaware.json", &serde_json::json!({"example": years}).to_string());
        papers
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.path().join(name), text).unwrap();
    }

    fn humbly(&self, arguments: &[&str]) -> Run {
        let mut command = humbly(arguments);
        command.current_dir(self.0.path()).env("HUMBLY_CACHE", self.0.path().join("cache"));
        collect(&mut command)
    }

    #[track_caller]
    fn done(&self, arguments: &[&str]) -> Run {
        let run = self.humbly(arguments);
        assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
        run
    }

    /// Builds a suite and runs the first models on it, from one experiment file.
    fn run(&self, suite: &[&str], name: &str, models: usize, experiment: &str) {
        let to = format!("{name}.json");
        self.done(&[&["suite", "build"], suite, &["--to", &to]].concat());
        let models: Vec<String> =
            MODELS.iter().take(models).map(|model| format!("\"scripted:{}.toml\"", model.name)).collect();
        let file = format!("suite = \"{to}\"\nmodels = [{}]\n{experiment}", models.join(", "));
        self.write(&format!("{name}.toml"), &file);
        self.done(&["run", &format!("{name}.toml"), "--out", &format!("{name}.sqlite")]);
    }

    fn conflict(&self, models: usize) {
        let suite = ["conflict", "--model", "scripted:a.toml", "--questions", "questions.jsonl"];
        self.run(&suite, "conflict", models, "protocols = [\"plain\"]\ntools = [\"search\"]\n");
    }

    fn calibration(&self, models: usize) {
        let suite = ["calibration", "--set", "nq-open=nq.jsonl"];
        self.run(&suite, "calibration", models, "protocols = [\"plain\"]\nconfidence = \"percent\"\n");
    }

    fn ua(&self, models: usize) {
        let suite = ["ua-bench", "--set", "musique=musique.jsonl", "--set", "selfaware=selfaware.json"];
        let experiment = "protocols = [\"direct\"]\n[[conditions]]\nname = \"attribution\"\nprompt = \"direct_attribute\"\n";
        self.run(&suite, "ua", models, experiment);
    }

    fn table(&self, runs: &[&str], more: &[&str]) -> Run {
        self.done(&[&["report", "--models", "--resamples", "500"], runs, more].concat())
    }

    fn json(&self, runs: &[&str]) -> Value {
        serde_json::from_str(&self.table(runs, &["--output", "json"]).stdout).unwrap()
    }
}

const ALL: [&str; 3] = ["conflict.sqlite", "calibration.sqlite", "ua.sqlite"];

/// The values of a column from model a on.
#[track_caller]
fn column(report: &Value, name: &str) -> Vec<f64> {
    let models = report["table"]["models"].as_object().unwrap();
    let value = |model: &Value| {
        model[name]["value"].as_f64().unwrap_or_else(|| panic!("{name} is undefined: {}", model[name]))
    };
    models.values().map(value).collect()
}

#[track_caller]
fn are(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (one, other) in found.iter().zip(expected) {
        assert!((one - other).abs() < 1e-9, "{found:?} are not {expected:?}");
    }
}

/// Spearman's rho and Kendall's tau-b of a measure with the accuracy on the same questions.
#[track_caller]
fn ranked(report: &Value, name: &str) -> (String, f64, f64) {
    let lines = report["ranked"].as_array().unwrap();
    let line = lines.iter().find(|line| line["column"] == name).unwrap_or_else(|| panic!("no {name}"));
    let value = |which: &str| line[which]["value"].as_f64().unwrap_or_else(|| panic!("undefined: {line}"));
    (line["against"].as_str().unwrap().to_owned(), value("spearman"), value("kendall"))
}

#[test]
fn every_number_of_six_models_by_hand() {
    let papers = Papers::new();
    papers.conflict(6);
    papers.calibration(6);
    papers.ua(6);
    let report = papers.json(&ALL);
    assert_eq!(report["schema"], "humbly.models/1");
    assert!(
        report["measured"][0].as_str().unwrap().starts_with("built 14 of 3,505: gaia 0 of 165"),
        "the first line says what of UA-Bench was there: {}",
        report["measured"]
    );

    // Conflict: of 20 tasks w conflicts are wrong. Identify: TP = i, FN = 10 − i, no false alarm: 2 i / (i + 10).
    are(&column(&report, "accuracy"), &[0.70, 0.75, 0.80, 0.85, 0.90, 0.95]);
    are(
        &column(&report, "Identify F1"),
        &[4.0 / 12.0, 6.0 / 13.0, 8.0 / 14.0, 12.0 / 16.0, 16.0 / 18.0, 18.0 / 19.0],
    );
    are(&column(&report, "Solve"), &[0.5, 1.0 / 3.0, 0.5, 0.5, 0.5, 4.0 / 9.0]);
    are(&column(&report, "Escalate"), &[0.5, 0.4, 0.5, 1.0 / 3.0, 0.5, 0.0]);
    // Calibration: r right at 0.9, the others wrong at h: ECE = (0.1 r + h (10 − r)) / 10; only model a is surer when wrong.
    are(&column(&report, "accuracy (calibration)"), &[0.3, 0.4, 0.5, 0.6, 0.7, 0.8]);
    are(&column(&report, "ECE (number)"), &[0.695, 0.52, 0.40, 0.30, 0.19, 0.14]);
    are(&column(&report, "AUROC (number)"), &[0.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
    are(&column(&report, "MCIP (number)"), &[0.95, 0.8, 0.7, 0.6, 0.4, 0.3]);
    // Attribution: with hits h and false alarms f as shares of their sets, balanced F1 = 2 h / (h + 1 + f).
    are(&column(&report, "ACC"), &[0.2, 0.3, 0.4, 0.5, 0.6, 0.7]);
    let f1 = |hits: f64, alarms: f64| 2.0 * hits / (hits + 1.0 + alarms);
    let data = [
        f1(0.25, 7.0 / 8.0),
        f1(0.5, 5.0 / 7.0),
        f1(0.5, 3.0 / 6.0),
        f1(0.75, 2.0 / 5.0),
        f1(0.75, 1.0 / 4.0),
        1.0,
    ];
    let model =
        [f1(1.0 / 8.0, 0.75), f1(2.0 / 7.0, 0.5), f1(0.5, 0.5), f1(3.0 / 5.0, 0.25), f1(0.75, 0.25), 1.0];
    are(&column(&report, "DU-F1"), &data);
    are(&column(&report, "MU-F1"), &model);
    let average: Vec<f64> = data.iter().zip(model).map(|(one, other)| f64::midpoint(*one, other)).collect();
    are(&column(&report, "AVG-F1"), &average);

    // Rank correlations; accuracy has the ranks 1 to 6, whose squared deviations sum to 17.5.
    let is = |name: &str, against: &str, spearman: f64, kendall: f64| {
        let (with, rho, tau) = ranked(&report, name);
        assert_eq!(with, against, "{name}");
        assert!((rho - spearman).abs() < 1e-9, "{name}: {rho} is not {spearman}");
        assert!((tau - kendall).abs() < 1e-9, "{name}: {tau} is not {kendall}");
    };
    is("Identify F1", "accuracy", 1.0, 1.0);
    // Escalate: ranks 5, 3, 5, 2, 5, 1; of the 15 pairs 3 agree, 9 do not, 3 are ties.
    is("Escalate", "accuracy", -8.5 / f64::sqrt(17.5 * 15.5), -6.0 / f64::sqrt(15.0 * 12.0));
    // Solve: ranks 4.5, 1, 4.5, 4.5, 4.5, 2; 4 pairs agree, 5 do not, 6 are ties.
    is("Solve", "accuracy", -1.0 / f64::sqrt(17.5 * 12.5), -1.0 / f64::sqrt(15.0 * 9.0));
    is("ECE (number)", "accuracy (calibration)", -1.0, -1.0);
    is("MCIP (number)", "accuracy (calibration)", -1.0, -1.0);
    // AUROC: ranks 1 and five times 4.
    is("AUROC (number)", "accuracy (calibration)", 7.5 / f64::sqrt(17.5 * 7.5), 5.0 / f64::sqrt(15.0 * 5.0));
    is("AVG-F1", "ACC", 1.0, 1.0);

    the_same_is_printed_drawn_and_set(&papers);
}

/// Terminal, page, LaTeX and CSV.
fn the_same_is_printed_drawn_and_set(papers: &Papers) {
    let printed = papers.table(&ALL, &["--report", "models.html"]);
    assert!(printed.stdout.starts_with("built 14 of 3,505: "), "{}", printed.stdout);
    let document = std::fs::read_to_string(support::root().join("docs/models.md")).unwrap();
    assert!(
        document.contains(printed.stdout.trim_end()),
        "docs/models.md does not show the table as printed:\n{}",
        printed.stdout
    );
    let page = std::fs::read_to_string(papers.0.path().join("models.html")).unwrap();
    for text in [
        "built 14 of 3,505",
        "scripted:f.toml",
        "Identify F1",
        "ECE (number)",
        "AVG-F1",
        "Spearman rho",
        "<svg",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert!(!page.contains("src=") && !page.contains("://"), "works offline");
    let latex = papers.table(&ALL, &["--output", "latex"]).stdout;
    assert!(latex.contains("% built 14 of 3,505") && latex.contains("tab:humbly-models-2"), "{latex}");
    assert_eq!(latex.matches("\\begin{").count(), latex.matches("\\end{").count());
    let csv = papers.table(&ALL, &["--output", "csv"]).stdout;
    assert!(csv.starts_with("# built 14 of 3,505: ") && csv.contains("\nmeasure,against,"), "{csv}");
}

#[test]
fn below_five_models_there_is_no_correlation() {
    let papers = Papers::new();
    papers.conflict(4);
    let report = papers.json(&["conflict.sqlite"]);
    are(&column(&report, "accuracy"), &[0.70, 0.75, 0.80, 0.85]);
    for line in report["ranked"].as_array().unwrap() {
        for which in ["spearman", "kendall"] {
            let undefined = &line[which]["undefined"];
            assert_eq!(undefined["reason"], "too_few_samples", "{line}");
            assert!(line[which]["value"].is_null(), "{line}");
        }
    }
    let detail = &report["ranked"][0]["spearman"]["undefined"]["detail"];
    assert_eq!(detail, "4 rows, 5 needed");
    // Nobody was asked for a confidence: said, and no column of zeros.
    assert_eq!(
        report["table"]["models"]["scripted:a.toml"]["ECE"]["undefined"]["reason"],
        "confidence_absent"
    );
    let printed = papers.table(&["conflict.sqlite"], &[]);
    assert!(printed.stdout.contains("undefined:"), "{}", printed.stdout);
    assert!(!printed.stdout.contains("UA-Bench"), "{}", printed.stdout);
}

#[test]
fn a_model_that_one_study_lacks_is_in_no_correlation_of_it() {
    let papers = Papers::new();
    papers.calibration(6);
    papers.ua(5);
    let report = papers.json(&["calibration.sqlite", "ua.sqlite"]);
    assert!(report["table"]["models"]["scripted:f.toml"]["ACC"].is_null(), "it was not run there");
    let n = |name: &str| {
        let lines = report["ranked"].as_array().unwrap();
        lines.iter().find(|line| line["column"] == name).unwrap()["spearman"]["n"].clone()
    };
    assert_eq!((n("ECE (number)"), n("AVG-F1")), (6.into(), 5.into()));
    let printed = papers.table(&["calibration.sqlite", "ua.sqlite"], &[]);
    assert!(printed.stdout.contains("not run"), "{}", printed.stdout);
    // The same run twice is one run.
    std::fs::copy(papers.0.path().join("ua.sqlite"), papers.0.path().join("copy.sqlite")).unwrap();
    let twice = papers.table(&["ua.sqlite", "copy.sqlite"], &["--output", "csv"]);
    let once = papers.table(&["ua.sqlite"], &["--output", "csv"]);
    assert_eq!(twice.stdout, once.stdout);
    assert!(twice.stderr.contains("holds the outputs of `ua.sqlite`"), "{}", twice.stderr);
}

#[test]
fn sources_of_confidence_are_columns_of_their_own() {
    let papers = Papers::new();
    // Model a marks its confidence by a tag: of its ECE and that of the others no order is made.
    let tagged = MODELS[0].script().replace("Confidence: 90", "<confidence>90</confidence>");
    papers.write("a.toml", &tagged.replace("Confidence: 95", "<confidence>95</confidence>"));
    papers.calibration(6);
    let report = papers.json(&["calibration.sqlite"]);
    let of = |model: &str, name: &str| report["table"]["models"][model][name].clone();
    assert!((of("scripted:a.toml", "ECE (tag)")["value"].as_f64().unwrap() - 0.695).abs() < 1e-9);
    assert_eq!(of("scripted:a.toml", "ECE (number)")["undefined"]["reason"], "confidence_absent");
    assert_eq!(of("scripted:b.toml", "ECE (tag)")["undefined"]["reason"], "confidence_absent");
    let line = |name: &str| {
        let lines = report["ranked"].as_array().unwrap();
        lines.iter().find(|line| line["column"] == name).unwrap()["spearman"].clone()
    };
    assert_eq!(line("ECE (number)")["n"], 5);
    assert_eq!(line("ECE (tag)")["undefined"]["reason"], "too_few_samples");
}

#[test]
fn the_same_from_a_table_of_answers() {
    // Model k of 6: accuracy k / 10 over 10 answers, all at 0.5.
    let mut rows = String::from("model,confidence,correct\n");
    for model in 1..=6 {
        for answer in 0..10 {
            rows.push_str(&format!("m{model},0.5,{}\n", u8::from(answer < model)));
        }
    }
    let (_folder, path) = file("answers.csv", &rows);
    let columns =
        ["--by", "model", "--confidence", "confidence", "--correct", "correct", "--resamples", "200"];
    let found = run(&[&["stats", "models", &path], &columns[..], &["--output", "json"]].concat());
    assert_eq!(found.status, 0, "{}", found.stderr);
    let report: Value = serde_json::from_str(&found.stdout).unwrap();
    // ECE = |0.5 − k / 10|: 0.4, 0.3, 0.2, 0.1, 0, 0.1.
    are(&column(&report, "ECE"), &[0.4, 0.3, 0.2, 0.1, 0.0, 0.1]);
    are(&column(&report, "Brier"), &[0.25; 6]);
    // Ranks 6, 5, 4, 2.5, 1, 2.5: with accuracy's their deviations sum to −15.5; 1 pair agrees, 13 do not, 1 is a tie.
    let (against, rho, tau) = ranked(&report, "ECE");
    assert_eq!(against, "accuracy");
    assert!((rho + 15.5 / f64::sqrt(17.5 * 17.0)).abs() < 1e-9, "{rho}");
    assert!((tau + 12.0 / f64::sqrt(15.0 * 14.0)).abs() < 1e-9, "{tau}");
    // A constant column has no order.
    let brier = report["ranked"].as_array().unwrap().iter().find(|line| line["column"] == "Brier").unwrap();
    assert_eq!(brier["spearman"]["undefined"]["reason"], "zero_variance");
    let few = rows.lines().take(41).collect::<Vec<_>>().join("\n");
    let (_folder, path) = file("few.csv", &few);
    let few = run(&[&["stats", "models", &path], &columns[..]].concat());
    assert_eq!(few.status, 0, "{}", few.stderr);
    assert!(few.stdout.contains("undefined:"), "{}", few.stdout);
    assert!(few.stdout.contains("too few"), "{}", few.stdout);
}
