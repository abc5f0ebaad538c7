//! Answers of real models to WikiContradict questions, judged by people.
//!
//! Prompt 0 is closed book (what the model believes), 1 and 2 give one context each (control), 3 gives both
//! (conflict), 4 gives both and asks to reflect disagreement (the humility condition). Tasks are one for each
//! question, model and prompt, because the belief is the model's; `pair` is the question.

use std::collections::BTreeMap;
use std::path::Path;

use humbly_types::{Problem, ReferenceMode, Split, Task};
use serde::Serialize;
use serde_json::Value;

use crate::summary::ImportSummary;
use crate::write::JsonLines;

pub(super) const NAME: &str = "wikicontradict-humaneval";
const DATASET: &str = "wikicontradict";

/// One question, asked of one model.
struct Record {
    question_id: String,
    model: String,
    question: String,
    contexts: [String; 2],
    answers: [String; 2],
    replies: Vec<Reply>,
}

/// The reply to one of the five prompts.
struct Reply {
    prompt: usize,
    asked: Option<String>,
    text: String,
    label: Option<String>,
}

/// A trajectory in Humbly's own JSONL.
#[derive(Serialize)]
struct TrajectoryRow<'a> {
    humbly: u8,
    id: &'a str,
    task_id: &'a str,
    model: &'a str,
    dataset: &'static str,
    condition: &'static str,
    question: &'a str,
    turns: [Turn<'a>; 1],
    stop: &'static str,
}

#[derive(Serialize)]
struct Turn<'a> {
    text: &'a str,
}

/// What a person said of a reply to both contexts.
#[derive(Serialize)]
struct LabelRow<'a> {
    id: &'a str,
    text: &'a str,
    /// Whether the person found that the reply reflects both sides.
    escalate: bool,
    human: &'a str,
    question_id: &'a str,
    model: &'a str,
    condition: &'static str,
}

pub(super) fn run(file: &Path, to: &Path) -> Result<ImportSummary, Problem> {
    let mut summary = ImportSummary::new(NAME, "humbly score {to}/trajectories --tasks {to}/tasks.jsonl");
    let records = read_records(file, &mut summary)?;
    let mut tasks = JsonLines::create(to, "tasks.jsonl")?;
    let mut closed_book = JsonLines::create(to, "closed-book.jsonl")?;
    let mut labels = JsonLines::create(to, "labels.jsonl")?;
    let mut by_model: BTreeMap<String, JsonLines> = BTreeMap::new();
    for record in &records {
        for reply in &record.replies {
            let id = format!("{DATASET}-{}-{}-p{}", record.question_id, record.model, reply.prompt);
            let task = task(record, reply, &id);
            tasks.row(&task)?;
            let row = TrajectoryRow {
                humbly: 1,
                id: &id,
                task_id: &id,
                model: &record.model,
                dataset: DATASET,
                condition: condition(reply.prompt),
                question: &asked(record, reply),
                turns: [Turn { text: reply.text.trim() }],
                stop: "completed",
            };
            if reply.prompt == 0 {
                closed_book.row(&row)?;
            } else {
                let name = format!("trajectories/{}.jsonl", file_name(&record.model));
                if !by_model.contains_key(&record.model) {
                    by_model.insert(record.model.clone(), JsonLines::create(to, &name)?);
                }
                if let Some(out) = by_model.get_mut(&record.model) {
                    out.row(&row)?;
                }
            }
            if let (3 | 4, Some(human)) = (reply.prompt, &reply.label) {
                labels.row(&LabelRow {
                    id: &id,
                    text: reply.text.trim(),
                    escalate: human == "Correct",
                    human,
                    question_id: &record.question_id,
                    model: &record.model,
                    condition: condition(reply.prompt),
                })?;
            }
            summary.count(&[&record.model, split_name(reply.prompt), condition(reply.prompt)]);
        }
    }
    tasks.finish(&mut summary)?;
    for out in by_model.into_values() {
        out.finish(&mut summary)?;
    }
    closed_book.finish(&mut summary)?;
    labels.finish(&mut summary)?;
    Ok(summary)
}

fn condition(prompt: usize) -> &'static str {
    match prompt {
        0 => "closed_book",
        4 => "prompted",
        _ => "default",
    }
}

fn split(prompt: usize) -> Option<Split> {
    match prompt {
        1 | 2 => Some(Split::Control),
        3 | 4 => Some(Split::Conflict),
        _ => None,
    }
}

fn split_name(prompt: usize) -> &'static str {
    match split(prompt) {
        Some(Split::Conflict) => "conflict",
        Some(Split::Control) => "control",
        None => "none",
    }
}

fn task(record: &Record, reply: &Reply, id: &str) -> Task {
    let [first, second] = &record.answers;
    let (references, reference_mode) = match reply.prompt {
        1 => (vec![first.clone()], ReferenceMode::Any),
        2 => (vec![second.clone()], ReferenceMode::Any),
        // Both contexts are true of the source: the right answer names both.
        3 | 4 => (vec![first.clone(), second.clone()], ReferenceMode::All),
        _ => (vec![first.clone(), second.clone()], ReferenceMode::Any),
    };
    Task {
        id: id.to_owned(),
        dataset: Some(DATASET.to_owned()),
        split: split(reply.prompt),
        pair: Some(format!("{DATASET}-{}", record.question_id)),
        condition: Some(condition(reply.prompt).to_owned()),
        // Wikipedia's own contradictions, not written for a model; both splits, so that one row compares them.
        scenario: split(reply.prompt).map(|_| "natural".to_owned()),
        control_kind: (split(reply.prompt) == Some(Split::Control)).then(|| "one_context".to_owned()),
        question: Some(record.question.clone()),
        references,
        reference_mode,
        candidates: vec![first.clone(), second.clone()],
        parametric_answer: belief(record),
        ..Task::default()
    }
}

/// What the model believes: the candidate that its closed-book reply names, where it names exactly one; else
/// the reply itself.
fn belief(record: &Record) -> Option<String> {
    let reply = record.replies.iter().find(|reply| reply.prompt == 0)?;
    let text = reply.text.trim();
    let named: Vec<&String> = record.answers.iter().filter(|answer| names(text, answer)).collect();
    match named.as_slice() {
        [answer] => Some((*answer).clone()),
        _ => (!text.is_empty()).then(|| text.to_owned()),
    }
}

/// Whether the words of `answer` stand in `text` in a row, without regard to case and punctuation.
fn names(text: &str, answer: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.to_lowercase()
            .split(|character: char| !character.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let (text, answer) = (words(text), words(answer));
    !answer.is_empty() && text.windows(answer.len()).any(|window| window == answer.as_slice())
}

/// The prompt as it was sent, without the marks of its chat template; where the release does not hold it, the
/// question with its contexts.
fn asked(record: &Record, reply: &Reply) -> String {
    if let Some(sent) = reply.asked.as_deref().filter(|sent| sent.contains(record.question.trim())) {
        return without_marks(sent);
    }
    let [first, second] = &record.contexts;
    let contexts: Vec<&str> = match reply.prompt {
        0 => Vec::new(),
        1 => vec![first],
        2 => vec![second],
        _ => vec![first, second],
    };
    contexts
        .iter()
        .fold(format!("Question: {}", record.question), |text, context| text + "\nContext: " + context)
}

/// Drops `<|…|>` marks and the role names between two of them.
fn without_marks(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("<|") {
        kept.push_str(rest.get(..start).unwrap_or_default());
        let after = rest.get(start..).unwrap_or_default();
        let Some(end) = after.find("|>") else {
            rest = after;
            break;
        };
        let mark = after.get(2..end).unwrap_or_default();
        rest = after.get(end + 2..).unwrap_or_default();
        if mark == "start_header_id" {
            rest = rest.find("<|").and_then(|next| rest.get(next..)).unwrap_or(rest);
        }
    }
    kept.push_str(rest);
    kept.trim().to_owned()
}

fn file_name(model: &str) -> String {
    model
        .chars()
        .map(
            |character| {
                if character.is_ascii_alphanumeric() || "-._".contains(character) { character } else { '_' }
            },
        )
        .collect()
}

fn read_records(file: &Path, summary: &mut ImportSummary) -> Result<Vec<Record>, Problem> {
    let shown = file.to_string_lossy().into_owned();
    let text = std::fs::read_to_string(file)
        .map_err(|error| Problem::new(shown.as_str(), format!("cannot be read: {error}")))?;
    let mut records = Vec::new();
    let document = serde_json::from_str::<Value>(&text).ok();
    let models =
        document.as_ref().and_then(Value::as_object).filter(|models| models.values().all(Value::is_array));
    if let Some(models) = models {
        for (model, rows) in models {
            for (index, row) in rows.as_array().into_iter().flatten().enumerate() {
                match adjudicated(model, row) {
                    Some(record) => records.push(record),
                    None => summary.problems.push(
                        Problem::new(shown.as_str(), "a record without question, answers or replies")
                            .record(format!("{model}, item {}", index + 1)),
                    ),
                }
            }
        }
        return checked(records, &shown);
    }
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let row = serde_json::from_str::<Value>(line).ok();
        match row.as_ref().and_then(|row| simple(row, &mut numbers)) {
            Some(record) => records.push(record),
            None => summary.problems.push(
                Problem::new(
                    shown.as_str(),
                    "not a record with `question`, `gt_answer_1` and `answer0` to `answer4`",
                )
                .line(index as u64 + 1),
            ),
        }
    }
    checked(records, &shown)
}

fn checked(records: Vec<Record>, shown: &str) -> Result<Vec<Record>, Problem> {
    if records.is_empty() {
        return Err(Problem::new(shown, "no record of the WikiContradict human evaluation")
            .hint("this import reads WikiContradict_HumanEval*.json or wiki_contradict_*humaneval.jsonl"));
    }
    Ok(records)
}

fn text(row: &Value, key: &str) -> Option<String> {
    row.get(key)?.as_str().map(str::to_owned)
}

/// A record of the adjudicated release: models, each with its records.
fn adjudicated(model: &str, row: &Value) -> Option<Record> {
    let replies: Vec<Reply> = (0..5)
        .filter_map(|prompt| {
            Some(Reply {
                prompt,
                asked: text(row, &format!("ModelInput_prompt_{prompt}")),
                text: text(row, &format!("ModelAnswer_prompt_{prompt}"))?,
                label: text(row, &format!("ModelAnswer_prompt_{prompt}_humanEval")),
            })
        })
        .collect();
    let id = row.get("question_ID")?;
    Some(Record {
        question_id: id.as_str().map_or_else(|| id.to_string(), str::to_owned),
        model: model.to_owned(),
        question: text(row, "question1")?,
        contexts: [text(row, "question1_context1")?, text(row, "question1_context2")?],
        answers: [text(row, "question1_answer1")?, text(row, "question1_answer2")?],
        replies,
    })
    .filter(|record| !record.replies.is_empty())
}

/// A record of the simple release; questions are numbered in order of first appearance.
fn simple(row: &Value, numbers: &mut BTreeMap<String, usize>) -> Option<Record> {
    let question = text(row, "question")?;
    let next = numbers.len() + 1;
    let number = *numbers.entry(question.clone()).or_insert(next);
    let replies: Vec<Reply> = (0..5)
        .filter_map(|prompt| {
            Some(Reply {
                prompt,
                asked: None,
                text: text(row, &format!("answer{prompt}"))?,
                label: text(row, &format!("label{prompt}")),
            })
        })
        .collect();
    Some(Record {
        question_id: format!("q{number}"),
        model: text(row, "model")?,
        question,
        contexts: [text(row, "context1_self_contained")?, text(row, "context2_self_contained")?],
        answers: [text(row, "gt_answer_1")?, text(row, "gt_answer_2")?],
        replies,
    })
    .filter(|record| !record.replies.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_the_chat_template_are_dropped() {
        let sent = "<|begin_of_text|><|start_header_id|>user<|end_header_id|>  Ask\nthis <|eot_id|><|start_header_id|>assistant<|end_header_id|>";
        assert_eq!(without_marks(sent), "Ask\nthis");
        assert_eq!(without_marks("a <| b"), "a <| b");
    }

    #[test]
    fn an_answer_is_named_in_whole_words() {
        assert!(names("No, he did not.", "No"));
        assert!(!names("I know nothing", "No"));
        assert!(names("It opened on 21 August 1968", "21 August 1968"));
        assert!(!names("anything", ""));
    }
}
