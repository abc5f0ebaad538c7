//! Rows of data sets in their upstream forms become suites: conflict rows of `../shared`, and natural ones that
//! stand here, with a scripted backbone whose counts are worked out by hand.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::allow_attributes,
    reason = "a test fails by panicking, and says what it skips"
)]

use std::path::{Path, PathBuf};

use futures::executor::block_on;
use humbly_bench::conflict::{
    ConflictQuestion, FromRows, Funnel, NaturalParams, Prompts, Suite, build_natural_suite,
    conflict_questions, natural_tasks,
};
use humbly_data::{data_set, encrypt, load_all};
use humbly_llm::{ChatError, ChatReply, Sampling, ScriptedClient};
use humbly_score::Matching;
use humbly_types::Split;
use serde_json::json;

fn shared(path: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(path);
    if path.exists() {
        return Some(path);
    }
    assert!(std::env::var("HUMBLY_REQUIRE").as_deref() != Ok("all"), "{} is missing", path.display());
    eprintln!("skipped: {} is not here", path.display());
    None
}

fn rows(set: &str, path: &Path) -> (usize, FromRows<ConflictQuestion>) {
    let loaded = load_all(data_set(set).unwrap(), path).unwrap();
    (loaded.questions.len(), conflict_questions(&loaded.questions))
}

#[test]
fn rows_of_conflictqa_have_two_agreeing_texts_for_the_gold_side() {
    let Some(path) = shared("conflictqa/conflictQA-strategyQA-chatgpt.json") else { return };
    let (count, rows) = rows("conflictqa", &path);
    let dropped: u64 = rows.dropped.values().sum();
    assert_eq!(rows.usable.len() as u64 + dropped, count as u64);
    assert!(rows.usable.len() > 1_000, "{} usable, {:?}", rows.usable.len(), rows.dropped);
    eprintln!("conflictqa: {} of {count} rows, {:?}", rows.usable.len(), rows.dropped);
    for question in &rows.usable {
        assert!(question.gold.passages.len() == 2 && question.gold.passages[0] != question.gold.passages[1]);
        assert!(!question.rival.passages.is_empty());
        // The first row's reference is True, and the gold side affirms it.
        assert_ne!(question.gold.aliases, question.rival.aliases);
    }
    let genghis = &rows.usable[0];
    assert!(genghis.question.contains("Genghis Khan"), "{}", genghis.question);
    assert!(genghis.gold.aliases.contains(&"Yes".to_owned()));
    assert!(genghis.gold.answer.starts_with("More people today are related"), "{}", genghis.gold.answer);
}

#[test]
fn each_side_of_wikicontradict_is_gold_in_turn() {
    let Some(path) = shared("wikicontradict/wiki_contradict_refined.jsonl") else { return };
    let (count, rows) = rows("wikicontradict", &path);
    let same = rows.dropped.get("same_answer").copied().unwrap_or_default();
    let dropped: u64 = rows.dropped.values().sum();
    // A row has two turns, one with equal answers is dropped once.
    assert_eq!(rows.usable.len() as u64 + dropped, 2 * count as u64 - same);
    assert!(rows.usable.len() > 150, "{} usable, {:?}", rows.usable.len(), rows.dropped);
    assert!(rows.dropped["context_cannot_be_split"] > 0);
    eprintln!("wikicontradict: {} of {} turns, {:?}", rows.usable.len(), 2 * count, rows.dropped);
    for question in &rows.usable {
        let whole = &question.gold.whole.as_ref().unwrap().text;
        let [first, second] = question.gold.passages.as_slice() else { panic!("{question:?}") };
        assert!(whole.starts_with(&first.text) && whole.ends_with(&second.text), "{question:?}");
    }
}

/// Forty rows in the form of each set; question and answer `k` belong together.
fn natural_file(set: &str, folder: &Path) -> PathBuf {
    let question = |k: usize| format!("How many lamps hang in hall {k} of the museum?");
    let path = folder.join(if set == "browsecomp" { "rows.csv" } else { "rows.jsonl" });
    let mut text =
        if set == "browsecomp" { "problem,answer,problem_topic,canary\n".to_owned() } else { String::new() };
    for k in 0..40 {
        let answer = (100 + k).to_string();
        match set {
            "gaia" => text.push_str(&format!(
                "{}\n",
                json!({"task_id": format!("g{k}"), "Question": question(k), "Level": 1 + k % 3, "Final answer": answer,
                       "file_name": "", "Annotator Metadata": {"Number of steps": "3", "Tools": "a browser"}})
            )),
            "monaco" => text.push_str(&format!(
                "{}\n",
                json!({"ex_num": k, "question": question(k), "validated_answer": [answer], "decomposition": ["Count."]})
            )),
            _ => {
                let canary = format!("key {k}");
                let (question, answer) = (encrypt(&question(k), &canary), encrypt(&answer, &canary));
                text.push_str(&format!("{question},{answer},Places,{canary}\n"));
            }
        }
    }
    if set == "gaia" {
        let hidden = json!({"task_id": "h", "Question": "Hidden?", "Level": 1, "Final answer": "?"});
        text.push_str(&format!("{hidden}\n"));
    }
    std::fs::write(&path, text).unwrap();
    path
}

/// Right and sure in halls 0 to 9, wrong and sure in 10 to 24, wrong and unsure in 25 to 31, silent in 32 to 36,
/// right and unsure in 37 and 38, and in hall 39 the call fails.
fn backbone() -> ScriptedClient {
    ScriptedClient::from_fn(|request| {
        let prompt = &request.messages[0].content;
        let hall: usize = prompt.split("hall ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
        let text = if prompt.contains("stand by") {
            if hall < 25 { "Yes." } else { "No, I was guessing." }.to_owned()
        } else {
            match hall {
                0..=9 | 37..=38 => format!("Answer: {}\nReason: I counted them.", 100 + hall),
                10..=31 => format!("Answer: {}\nReason: I counted them.", 700 + hall),
                32..=36 => "Answer: I do not know.".to_owned(),
                _ => return Err(ChatError::EmptyReply),
            }
        };
        Ok(ChatReply { text, ..ChatReply::default() })
    })
}

fn natural(set: &str, matching: Matching) -> (Suite, FromRows<humbly_types::Task>) {
    let folder = tempfile::tempdir().unwrap();
    let loaded = load_all(data_set(set).unwrap(), &natural_file(set, folder.path())).unwrap();
    let tasks = natural_tasks(&loaded.questions);
    let params = NaturalParams {
        name: "natural".into(),
        model: "scripted".into(),
        provider_model: "scripted".into(),
        sampling: Sampling::default(),
        seed: 1,
        matching,
        concurrency: 4,
    };
    let prompts = Prompts::built_in().unwrap();
    let suite = block_on(build_natural_suite(&backbone(), &tasks.usable, &prompts, &params, None)).unwrap();
    (suite, tasks)
}

#[test]
fn forty_rows_of_each_natural_set_are_sorted_as_counted_by_hand() {
    // Has PK: 10 + 15 + 7 + 2. Self agrees: 10 + 15. Disagrees: 15 + 7. No belief: 7 + 5 + 2.
    let expected = Funnel {
        total: 39,
        has_pk: 34,
        self_agrees: 25,
        disagrees_gt: 22,
        selected: 15,
        agrees_gt: 10,
        no_strong_belief: 14,
    };
    for (set, matching) in
        [("gaia", Matching::Gaia), ("monaco", Matching::Monaco), ("browsecomp", Matching::Auto)]
    {
        let (suite, tasks) = natural(set, matching);
        assert_eq!(tasks.usable.len(), 40, "{set}");
        assert_eq!(tasks.dropped.get("no_reference").copied(), (set == "gaia").then_some(1), "{set}");
        assert_eq!(Funnel::of(&suite.natural), expected, "{set}");
        assert_eq!(suite.failed.len(), 1, "{set}");
        let split = |split| suite.tasks.iter().filter(|task| task.task.split == Some(split)).count();
        assert_eq!((split(Split::Conflict), split(Split::Control)), (15, 24), "{set}");
        let conflict = suite.tasks.iter().find(|task| task.task.split == Some(Split::Conflict)).unwrap();
        assert_eq!(conflict.task.parametric_answer.as_deref(), Some("710"), "{set}");
        assert_eq!(conflict.task.references, ["110"], "{set}");
    }
}
