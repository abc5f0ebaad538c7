//! Imports of the real released files.

#![expect(clippy::unwrap_used, reason = "the helpers of tests fail as tests do")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use humbly_bench::{IMPORTS, import};
use humbly_types::{Split, Task};
use serde_json::Value;

fn data_folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(std::env::var("HUMBLY_REQUIRE").as_deref() != Ok("all"), "{} is missing", folder.display());
    None
}

fn rows(path: &Path) -> Vec<Value> {
    std::fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn count(summary: &humbly_bench::ImportSummary, group: &[&str]) -> usize {
    summary.counts.iter().filter(|count| count.group == group).map(|count| count.rows).sum()
}

#[derive(Default)]
struct Collected(Vec<humbly_types::Trajectory>, Vec<humbly_types::Problem>);
impl humbly_readers::Sink for Collected {
    fn trajectory(&mut self, trajectory: humbly_types::Trajectory) {
        self.0.push(trajectory);
    }
    fn problem(&mut self, problem: humbly_types::Problem) {
        self.1.push(problem);
    }
}

#[test]
fn wikicontradict_becomes_tasks_and_trajectories() {
    let Some(data) = data_folder() else { return };
    let to = tempfile::tempdir().unwrap();
    let file = data.join("wikicontradict/WikiContradict_HumanEval_adjudication.json");
    let summary = import("wikicontradict-humaneval", &file, to.path()).unwrap();
    assert!(summary.problems.is_empty(), "{:?}", summary.problems);
    for model in ["llama-3-70b-instruct", "mistral-7b-instruct-v0-2"] {
        assert_eq!(count(&summary, &[model, "control", "default"]), 96);
        assert_eq!(count(&summary, &[model, "conflict", "default"]), 48);
        assert_eq!(count(&summary, &[model, "conflict", "prompted"]), 48);
        assert_eq!(count(&summary, &[model, "none", "closed_book"]), 48);
    }
    let tasks: Vec<Task> = rows(&to.path().join("tasks.jsonl"))
        .into_iter()
        .map(|row| serde_json::from_value(row).unwrap())
        .collect();
    assert_eq!(tasks.len(), 480);
    // Rows of a summary are told apart by scenario: a test between the splits needs both in one.
    assert!(
        tasks
            .iter()
            .filter(|task| task.split.is_some())
            .all(|task| task.scenario.as_deref() == Some("natural"))
    );
    let conflict = tasks.iter().find(|task| task.split == Some(Split::Conflict)).unwrap();
    assert_eq!(conflict.candidates, ["Yes", "No"]);
    // The closed-book reply names one of the two.
    assert_eq!(conflict.parametric_answer.as_deref(), Some("No"));
    let pairs: BTreeMap<_, usize> = tasks.iter().fold(BTreeMap::new(), |mut pairs, task| {
        *pairs.entry(task.pair.clone()).or_default() += 1;
        pairs
    });
    assert_eq!(pairs.len(), 48);
    assert!(pairs.values().all(|tasks| *tasks == 10));
    let labels = rows(&to.path().join("labels.jsonl"));
    let positives = labels.iter().filter(|row| row["escalate"] == true).count();
    // 5 + 21 of one model, 1 + 9 of the other, counted in the release.
    assert_eq!((labels.len(), positives), (192, 36));
    assert_eq!(rows(&to.path().join("closed-book.jsonl")).len(), 96);
}

#[test]
fn imported_trajectories_are_read_by_our_reader_and_join_their_tasks() {
    let Some(data) = data_folder() else { return };
    let to = tempfile::tempdir().unwrap();
    let file = data.join("wikicontradict/WikiContradict_HumanEval_adjudication.json");
    import("wikicontradict-humaneval", &file, to.path()).unwrap();
    let mut read = Collected::default();
    let path = to.path().join("trajectories/llama-3-70b-instruct.jsonl");
    humbly_readers::read_input(&humbly_readers::Input::file(&path, Vec::new()), None, &mut read);
    assert_eq!((read.0.len(), read.1.len()), (192, 0));
    let ids: Vec<Value> = rows(&to.path().join("tasks.jsonl"));
    assert!(read.0.iter().all(|trajectory| ids.iter().any(|task| task["id"] == trajectory.id.as_str())));
    let prompt = read.0[1].question.as_ref().unwrap();
    assert!(prompt.starts_with("Provide a short answer") && !prompt.contains("<|"), "{prompt}");
    // The release holds the reply in place of the first context's prompt.
    assert!(read.0[0].question.as_ref().unwrap().contains("\nContext: Bishop Heber"));
}

#[test]
fn both_releases_of_wikicontradict_hold_the_same_replies() {
    let Some(data) = data_folder() else { return };
    let to = tempfile::tempdir().unwrap();
    let adjudicated = data.join("wikicontradict/WikiContradict_HumanEval_adjudication.json");
    let simple = data.join("wikicontradict/wiki_contradict_simple_humaneval.jsonl");
    let first = import("wikicontradict-humaneval", &adjudicated, &to.path().join("a")).unwrap();
    let second = import("wikicontradict-humaneval", &simple, &to.path().join("b")).unwrap();
    assert!(second.problems.is_empty(), "{:?}", second.problems);
    let rows_of = |counts: &[humbly_bench::Count]| counts.iter().map(|count| count.rows).sum::<usize>();
    assert_eq!(rows_of(&first.counts), rows_of(&second.counts));
}

#[test]
fn rlcr_rows_match_the_published_table() {
    let Some(data) = data_folder() else { return };
    let to = tempfile::tempdir().unwrap();
    let file = data.join("rlcr-outputs/Hotpot-models/math-500/data-00000-of-00001.arrow");
    let summary = import("rlcr-outputs", &file, to.path()).unwrap();
    let metrics: Value = serde_json::from_slice(
        &std::fs::read(data.join("rlcr-outputs/metrics/Hotpot-models/math-500/metrics.json")).unwrap(),
    )
    .unwrap();
    let rows = rows(&to.path().join("rows.jsonl"));
    assert_eq!(rows.len(), 2500);
    for count in &summary.counts {
        let method = count.group[0].as_str();
        let of_method: Vec<&Value> = rows.iter().filter(|row| row["method"] == method).collect();
        assert_eq!(of_method.len(), 500, "{method}");
        let mean = |name: &str| of_method.iter().map(|row| row[name].as_f64().unwrap()).sum::<f64>() / 500.0;
        let published = |name: &str| metrics[method][name].as_f64().unwrap();
        assert!((mean("correct") - published("accuracy")).abs() < 1e-9, "{method}");
        assert!((mean("confidence") - published("confidence level")).abs() < 1e-9, "{method}");
    }
    assert_eq!(rows[0]["dataset"], "math-500");
    let sources: Vec<&str> = rows.iter().map(|row| row["confidence_source"].as_str().unwrap()).collect();
    assert!(
        sources.contains(&"tag") && sources.contains(&"log_probability") && sources.contains(&"classifier")
    );
}

#[test]
fn three_kinds_of_confidence_stay_apart() {
    let Some(data) = data_folder() else { return };
    let to = tempfile::tempdir().unwrap();
    let name = "llm-calibration-mmlu-pro/FULL_mmlu_pro_Llama-4-Scout-17B-16E-Instruct_eval_all_None.csv";
    let summary = import("llm-calibration-mmlu-pro", &data.join(name), to.path()).unwrap();
    let rows = rows(&to.path().join("rows.jsonl"));
    assert_eq!(rows.len(), 12032);
    assert_eq!(rows[0]["confidence_number"], 0.9);
    assert_eq!(rows[0]["confidence_words"], 0.8);
    assert_eq!((rows[0]["correct"].as_u64(), rows[1]["correct"].as_u64()), (Some(0), Some(1)));
    let missing = |name: &str| rows.iter().filter(|row| row[name].is_null()).count();
    assert_eq!(
        (missing("confidence_number"), missing("confidence_words"), missing("correct")),
        (29, 363, 20)
    );
    assert!(
        summary.problems.iter().any(|problem| problem.message.starts_with("20 rows")),
        "{:?}",
        summary.problems
    );
    assert_eq!(summary.counts[0].group, ["Llama-4-Scout-17B-16E-Instruct"]);
}

#[test]
fn a_folder_of_models_is_one_file_of_rows() {
    let Some(data) = data_folder() else { return };
    let to = tempfile::tempdir().unwrap();
    let summary = import("mip-overthinking", &data.join("mip-overthinking/response"), to.path()).unwrap();
    assert!(summary.problems.is_empty(), "{:?}", summary.problems);
    let rows = rows(&to.path().join("responses.jsonl"));
    assert_eq!(rows.len(), 644);
    let whole: Vec<_> = rows.iter().filter(|row| row["answerable"] == true).collect();
    assert_eq!(whole.len(), 60);
    let gemma: Vec<_> =
        rows.iter().filter(|row| row["model"] == "Gemma227" && row["dataset"] == "gsm8k").collect();
    let abstained = gemma.iter().filter(|row| row["refusal"] == true).count();
    assert_eq!((gemma.len(), abstained), (60, 36));
    assert!(gemma.iter().all(|row| row["correct"] == 0), "a question without an answer has no right one");
    assert_eq!(gemma.iter().filter(|row| row["form"] == "data_uncertain").count(), 36);
    // No released label is no label.
    assert!(whole.iter().all(|row| row["refusal"].is_null()));
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let Some(data) = data_folder() else { return };
    let (a, b) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = data.join("wikicontradict/WikiContradict_HumanEval_adjudication.json");
    let files = import("wikicontradict-humaneval", &file, a.path()).unwrap().files;
    import("wikicontradict-humaneval", &file, b.path()).unwrap();
    assert_eq!(files.len(), 5);
    for file in files {
        let relative = file.path.strip_prefix(a.path()).unwrap();
        assert_eq!(std::fs::read(&file.path).unwrap(), std::fs::read(b.path().join(relative)).unwrap());
    }
}

#[test]
fn a_file_of_another_kind_is_refused_by_every_import() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("other.json");
    std::fs::write(&file, "{\"shopping\": 1}\n").unwrap();
    for known in IMPORTS {
        let problem = import(known.name, &file, &folder.path().join("to")).unwrap_err();
        assert!(problem.hint.is_some(), "{}: {problem:?}", known.name);
    }
    // What failed leaves nothing behind.
    assert!(std::fs::read_dir(folder.path().join("to")).map_or(true, |mut files| files.next().is_none()));
    let problem = import("nothing", &file, folder.path()).unwrap_err();
    assert!(problem.message.contains("`mip-overthinking`"));
}

#[test]
fn a_bad_record_costs_only_itself() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("humaneval.jsonl");
    let good = r#"{"question":"q","context1_self_contained":"c1","context2_self_contained":"c2","gt_answer_1":"a","gt_answer_2":"b","answer0":"a","answer3":"a and b","label3":"Correct","model":"m"}"#;
    std::fs::write(&file, format!("{good}\nnonsense\n")).unwrap();
    let summary = import("wikicontradict-humaneval", &file, &folder.path().join("to")).unwrap();
    assert_eq!(summary.problems[0].line, Some(2));
    assert_eq!(count(&summary, &["m", "conflict", "default"]), 1);
}
