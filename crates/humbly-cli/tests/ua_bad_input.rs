//! UA-Bench on rows and outputs that are not as they should be: each is read in one way, and what it leaves open is said.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

mod support;

use serde_json::Value;
use support::exact::counts;
use support::{Run, collect, humbly};
use tempfile::TempDir;

/// Answerable questions, each with its output.
const OUTPUTS: [(&str, &str); 9] = [
    ("token", r"It is 7, or not. \boxed{7 <DATA_UNCERTAIN>}"),
    ("tokens", r"\boxed{7, <DATA_UNCERTAIN> or <MODEL_UNCERTAIN>}"),
    ("two boxes", r"\boxed{8}, no: \boxed{7}"),
    ("nested", r"\boxed{\text{\boxed{7}}}"),
    ("frame", r"\fbox{7}"),
    ("list", r"\boxed{3, -3}"),
    ("range", r"\boxed{7.4}"),
    ("outside", r"\boxed{7.6}"),
    ("no box", "It is 7."),
];

struct Fixture(TempDir);

impl Fixture {
    /// Rows in the form of `OlympiadBench` and the model that answers them.
    fn new(rows: &[Value]) -> Self {
        let fixture = Self(tempfile::tempdir().unwrap());
        fixture.write("rows.jsonl", &rows.iter().map(Value::to_string).collect::<Vec<_>>().join("\n"));
        let rules: Vec<String> = OUTPUTS
            .iter()
            .map(|(name, output)| format!("[[rule]]\nwhen.user = 'the {name}?'\nreply.text = '{output}'\n"))
            .collect();
        fixture.write(
            "model.toml",
            &format!("{}[[rule]]\nreply.text = '\\boxed{{<DATA_UNCERTAIN>}}'\n", rules.concat()),
        );
        fixture.write(
            "experiment.toml",
            "suite = \"suite.json\"\nmodels = [\"scripted:model.toml\"]\nprotocols = [\"direct\"]\n\
             [[conditions]]\nname = \"attribution\"\nprompt = \"direct_attribute\"\n",
        );
        fixture
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.path().join(name), text).unwrap();
    }

    fn humbly(&self, arguments: &[&str]) -> Run {
        let mut command = humbly(arguments);
        command.current_dir(self.0.path()).env("HUMBLY_CACHE", self.0.path().join("cache"));
        collect(&mut command)
    }

    fn build(&self, sets: &[&str]) -> Run {
        self.humbly(&[&["suite", "build", "ua-bench", "--to", "suite.json"], sets].concat())
    }

    /// The row of a set once the suite has been run.
    fn row(&self, set: &str) -> Value {
        let run = self.humbly(&["run", "experiment.toml", "--out", "run.sqlite"]);
        assert_eq!(run.status, 0, "{}", run.stderr);
        let report = self.humbly(&["report", "run.sqlite", "--resamples", "100", "--output", "json"]);
        let report: Value = serde_json::from_str(&report.stdout).unwrap();
        report["rows"].as_array().unwrap().iter().find(|row| row["set"] == set).unwrap().clone()
    }
}

fn asked(place: usize, name: &str) -> Value {
    let question = format!("What is the {name}?");
    match name {
        "list" => {
            serde_json::json!({"id": place, "question": question, "final_answer": ["$-3$,$3$"], "is_multiple_answer": true})
        }
        "range" | "outside" => {
            serde_json::json!({"id": place, "question": question, "final_answer": ["7"], "error": "0.5"})
        }
        _ => serde_json::json!({"id": place, "question": question, "final_answer": ["7"]}),
    }
}

#[test]
fn every_form_of_an_output_is_read_in_one_way() {
    let rows: Vec<Value> = OUTPUTS.iter().enumerate().map(|(place, (name, _))| asked(place, name)).collect();
    let fixture = Fixture::new(&rows);
    let built = fixture.build(&["--set", "olympiadbench=rows.jsonl"]);
    assert_eq!(built.status, 0, "{}", built.stderr);
    let row = fixture.row("all");
    // Right: the second box, the inner one, the frame, the list in another order, the number in its range.
    counts(&row["accuracy"], 5, 9);
    // An answer beside a token is the token; of two tokens the model's counts.
    counts(&row["abstention"], 2, 9);
    let missed = |place: usize| row["confusion"][place]["missed"].clone();
    assert_eq!([missed(0), missed(1), missed(2), missed(3)], [1, 1, 1, 1].map(Value::from));
    assert_eq!((&row["unparsable"], &row["undecided"]), (&1.into(), &0.into()), "no box is no answer");
    // N = 0: nothing unanswerable was asked.
    for rule in ["released", "balanced"] {
        for score in ["data", "model", "average"] {
            assert_eq!(row[rule][score]["undefined"]["reason"], "no_unanswerable", "{row}");
            assert!(row[rule][score]["value"].is_null());
        }
    }
    assert_eq!(row["confusion"][0]["unanswerable_share"]["undefined"]["reason"], "no_samples");
}

#[test]
fn without_a_missed_question_f1_is_undefined() {
    let fixture = Fixture::new(&[asked(0, "frame")]);
    let nobody_knows = serde_json::json!({"example": [
        {"question_id": 1, "question": "Who wins in the year 3000?", "answer": null, "answerable": false, "source": "own"}
    ]});
    fixture.write("selfaware.json", &nobody_knows.to_string());
    let built = fixture.build(&["--set", "olympiadbench=rows.jsonl", "--set", "selfaware=selfaware.json"]);
    assert_eq!(built.status, 0, "{}", built.stderr);
    let row = fixture.row("all");
    counts(&row["accuracy"], 1, 1);
    for score in ["data", "model", "average"] {
        assert_eq!(row["balanced"][score]["undefined"]["reason"], "no_wrong_answers", "M = 0: {row}");
    }
    assert_eq!(row["labels"]["asks_user_rightly"], 1);
}

#[test]
fn an_answerable_row_without_a_reference_falls_out_and_is_counted() {
    let fixture = Fixture::new(&[asked(0, "frame")]);
    let musique = |id: u32, answer: Value| {
        serde_json::json!({"id": format!("2hop__{id}"), "paragraphs": [], "question": format!("Who is {id}?"),
            "answer": answer, "answer_aliases": [], "answerable": true})
    };
    fixture.write("musique.jsonl", &format!("{}\n{}\n", musique(1, "Ann".into()), musique(2, Value::Null)));
    let gaia = |id: &str, answer: &str| serde_json::json!({"task_id": id, "Question": format!("Where is {id}?"), "Level": 1, "Final answer": answer});
    fixture.write("gaia.jsonl", &format!("{}\n{}\n", gaia("a", "here"), gaia("b", "?")));
    let built = fixture.build(&["--set", "musique=musique.jsonl", "--set", "gaia=gaia.jsonl"]);
    assert_eq!(built.status, 0, "{}", built.stderr);
    assert!(
        built.stdout.starts_with("built 2 of 3,505: gaia 1 of 165, musique 1 of 1,000"),
        "{}",
        built.stdout
    );
    // One row says what lacks and where; the other's answer is withheld upstream.
    assert!(
        built.stderr.contains("musique.jsonl:2") && built.stderr.contains("`answer`"),
        "{}",
        built.stderr
    );
    let suite: Value =
        serde_json::from_str(&std::fs::read_to_string(fixture.0.path().join("suite.json")).unwrap()).unwrap();
    assert_eq!(suite["dropped"]["gaia: answerable, but no reference"], 1, "{}", suite["dropped"]);
}
