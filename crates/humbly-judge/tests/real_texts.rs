//! Second opinions on real texts of other data sets, and flags on long real logs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use humbly_judge::{LabelledRow, LexicalJudge, VerdictKind, agreement_report};
use humbly_readers::{Episodes, Input, Sink, read_input, split_episodes};
use humbly_types::{Problem, Trajectory};
use serde_json::Value;

fn shared(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(name);
    if !path.exists() {
        assert_ne!(std::env::var("HUMBLY_REQUIRE").as_deref(), Ok("all"), "{} is missing", path.display());
        return None;
    }
    Some(path)
}

fn json(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or(Value::Null)
}

/// Human labels of answers under two contradicting contexts: `Correct` where the answer reflects both.
#[test]
fn people_who_judged_wikicontradict_mean_something_near() {
    let Some(path) = shared("data/wikicontradict/WikiContradict_HumanEval_adjudication.json") else { return };
    let mut rows = Vec::new();
    let mut single = Vec::new();
    for (model, records) in json(&path).as_object().into_iter().flatten() {
        for record in records.as_array().into_iter().flatten() {
            let question = record["question_ID"].to_string();
            for prompt in 0..5 {
                let Some(text) = record[format!("ModelAnswer_prompt_{prompt}")].as_str() else { continue };
                let row = LabelledRow {
                    id: format!("{model}-{question}-{prompt}"),
                    text: text.trim().to_owned(),
                    label: prompt > 2
                        && record[format!("ModelAnswer_prompt_{prompt}_humanEval")] == "Correct",
                    fold: Some(question.clone()),
                };
                if prompt > 2 { rows.push(row) } else { single.push(row) }
            }
        }
    }
    let judge = LexicalJudge::new();
    let report = agreement_report(&judge, &rows, VerdictKind::Escalate).unwrap();
    assert_eq!((report.n, report.positives), (192, 36));
    assert!(report.kappa.value().unwrap() > 0.45, "{:?}", report.kappa);
    // No context or one: hardly anything to disagree about.
    let flags = agreement_report(&judge, &single, VerdictKind::Escalate).unwrap().disagreements;
    let flagged = flags.len();
    if std::env::var_os("HUMBLY_SHOW").is_some() {
        eprintln!("{flags:#?}");
    }
    assert!(flagged * 100 <= 3 * single.len(), "{flagged} of {} answers without a conflict", single.len());
}

/// `eval_result` 0: the answer says that the problem is insufficient.
#[test]
fn abstentions_on_insufficient_problems_are_found() {
    let Some(folder) = shared("data/mip-overthinking/response") else { return };
    let mut rows = Vec::new();
    for set in ["gsm8k", "math"] {
        let Ok(models) = std::fs::read_dir(folder.join(set).join("MiP")) else { continue };
        let mut models: Vec<PathBuf> = models.filter_map(|entry| Some(entry.ok()?.path())).collect();
        models.sort();
        for model in models {
            for (index, record) in
                json(&model.join("response.json")).as_array().into_iter().flatten().enumerate()
            {
                let answer = record
                    .as_object()
                    .into_iter()
                    .flatten()
                    .find(|(key, _)| *key == "model_answer" || key.ends_with("(insufficient_question)"));
                let (Some(text), Some(result)) =
                    (answer.and_then(|(_, text)| text.as_str()), record["eval_result"].as_i64())
                else {
                    continue;
                };
                rows.push(LabelledRow {
                    id: format!("{}-{index}", model.display()),
                    text: text.to_owned(),
                    label: result == 0,
                    fold: Some(record["insufficient_question"].to_string()),
                });
            }
        }
    }
    let report = agreement_report(&LexicalJudge::new(), &rows, VerdictKind::Refusal).unwrap();
    assert!(report.n > 400, "{}", report.n);
    assert!(report.kappa.value().unwrap() > 0.5, "{:?} {:?}", report.kappa, report.recall);
}

#[derive(Default)]
struct Collected(Vec<Trajectory>);

impl Sink for Collected {
    fn trajectory(&mut self, trajectory: Trajectory) {
        self.0.push(trajectory);
    }
    fn problem(&mut self, _: Problem) {}
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
    found.sort();
}

#[test]
fn long_logs_carry_nearly_no_flags() {
    let (Some(root), Some(labels)) = (shared("trajectories"), shared("truth/labels/long_logs.jsonl")) else {
        return;
    };
    let judge = LexicalJudge::new();
    let mut paths = Vec::new();
    files(&root, &mut paths);
    // Turns, flags, final answers that escalate, by format.
    let mut formats: BTreeMap<&str, (usize, usize, usize)> = BTreeMap::new();
    let mut flagged: BTreeMap<String, Vec<(u32, String)>> = BTreeMap::new();
    let mut escalated: Vec<String> = Vec::new();
    paths.retain(|path| path.extension().is_none_or(|extension| extension != "md"));
    for path in paths {
        let mut collected = Collected::default();
        read_input(&Input::file(&path, Vec::new()), None, &mut collected);
        for trajectory in collected.0.into_iter().flat_map(|whole| split_episodes(whole, Episodes::Whole)) {
            let judgement = judge.judge(&trajectory, None);
            let counts = formats.entry(trajectory.format).or_default();
            counts.0 += judgement.turns.len();
            counts.2 += usize::from(judgement.escalate.is_yes());
            if let Some(quote) = judgement.escalate.quote.clone().filter(|_| judgement.escalate.is_yes()) {
                let name = path.strip_prefix(&root).unwrap_or(&path).display();
                let rule = judgement.escalate.rule.as_deref().unwrap_or_default();
                escalated.push(format!("{name} {rule}: {quote}"));
            }
            for turn in judgement.turns.iter().filter(|turn| turn.identify.is_yes()) {
                counts.1 += 1;
                let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
                let quote = turn.identify.quote.clone().unwrap_or_default();
                flagged.entry(name).or_default().push((turn.turn, quote));
            }
        }
    }
    let mut table = String::new();
    for (format, (turns, flags, escalated)) in &formats {
        let rate = if *turns == 0 {
            "–".to_owned()
        } else {
            format!("{:.1}", 100.0 * *flags as f64 / *turns as f64)
        };
        let row = format!("{format}: {turns} turns, {flags} flags, {rate} per 100, {escalated} escalate\n");
        table.push_str(&row);
    }
    let labelled = std::fs::read_to_string(labels).unwrap();
    let mut false_flags = Vec::new();
    for line in labelled.lines() {
        let label: Value = serde_json::from_str(line).unwrap();
        let known: Vec<u64> =
            label["flagged_turns"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
        let file = label["file"].as_str().unwrap_or_default();
        for (turn, quote) in flagged.get(file).into_iter().flatten() {
            if known.is_empty() {
                false_flags.push(format!("{file} turn {turn}: {quote}"));
            }
        }
    }
    if std::env::var_os("HUMBLY_SHOW").is_some() {
        std::fs::write(
            std::env::temp_dir().join("humbly-long-logs.txt"),
            format!("{table}\n{flagged:#?}\n{escalated:#?}"),
        )
        .unwrap();
    }
    assert!(false_flags.len() <= 2, "{false_flags:#?}\n{table}");
}
