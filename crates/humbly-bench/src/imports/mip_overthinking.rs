//! Answers of many models to questions with a missing premise (MiP), and to the whole questions.
//!
//! A record holds the answer under `model_answer` or under `MODEL (insufficient_question)` and
//! `MODEL (question)`: the name in brackets says which question was asked. `eval_result` is the released
//! label: 0 says that the premise is missing, 1 gives the reference, 2 another answer, 3 breaks the format.

use std::path::Path;

use humbly_types::Problem;
use serde::Serialize;
use serde_json::Value;

use crate::summary::ImportSummary;
use crate::write::{JsonLines, files};

pub(super) const NAME: &str = "mip-overthinking";

#[derive(Serialize)]
struct Row<'a> {
    id: String,
    dataset: &'a str,
    model: &'a str,
    question: &'a str,
    /// Whether the question that was asked can be answered.
    answerable: bool,
    reference: Option<String>,
    text: &'a str,
    eval_result: Option<i64>,
    /// Whether the released label says that the answer points out the missing premise.
    refusal: Option<bool>,
    /// The label as an answer form, as `humbly stats attribution` reads it.
    form: Option<&'static str>,
    /// Whether the answer is right; on a question that cannot be answered no answer is.
    correct: Option<u8>,
}

pub(super) fn run(path: &Path, to: &Path) -> Result<ImportSummary, Problem> {
    let mut summary =
        ImportSummary::new(NAME, "humbly validate --labels {to}/responses.jsonl --verdict refusal");
    let mut out = JsonLines::create(to, "responses.jsonl")?;
    for file in files(path, |file| file.file_name().is_some_and(|name| name == "response.json"))? {
        let shown = file.to_string_lossy();
        let bytes = std::fs::read(&file)
            .map_err(|error| Problem::new(&*shown, format!("cannot be read: {error}")))?;
        let records: Vec<Value> = serde_json::from_slice(&bytes).map_err(|error| {
            Problem::new(&*shown, format!("not a JSON array of answers: {error}"))
                .line(error.line() as u64)
                .hint("this import reads response/*/*/*/response.json of the MiP-Overthinking repository")
        })?;
        let place = Place::of(&file);
        for (index, record) in records.iter().enumerate() {
            if !add(record, index, &place, &mut out, &mut summary)? {
                summary.problems.push(
                    Problem::new(
                        &*shown,
                        "no answer, expected `model_answer` or `MODEL (insufficient_question)`",
                    )
                    .record(format!("item {}", index + 1)),
                );
            }
        }
    }
    out.finish(&mut summary)?;
    Ok(summary)
}

/// What the folders above a file say: `DATASET/SETTING/MODEL/response.json`.
struct Place {
    dataset: String,
    is_whole: bool,
    model: String,
}

impl Place {
    fn of(file: &Path) -> Self {
        let folder = |above: usize| {
            file.ancestors()
                .nth(above)
                .and_then(Path::file_name)
                .map(|name| name.to_string_lossy().into_owned())
        };
        Self {
            model: folder(1).unwrap_or_default(),
            is_whole: folder(2).as_deref() == Some("normal"),
            dataset: folder(3).unwrap_or_default(),
        }
    }
}

/// Writes the answers of a record and says whether there was one.
fn add(
    record: &Value,
    index: usize,
    place: &Place,
    out: &mut JsonLines,
    summary: &mut ImportSummary,
) -> Result<bool, Problem> {
    let Some(fields) = record.as_object() else { return Ok(false) };
    let mut found = false;
    for (key, value) in fields {
        let (model, is_whole) = if key == "model_answer" {
            (place.model.as_str(), place.is_whole)
        } else if let Some(model) = key.strip_suffix(" (insufficient_question)") {
            (model, false)
        } else if let Some(model) = key.strip_suffix(" (question)") {
            (model, true)
        } else {
            continue;
        };
        let asked = if is_whole { "question" } else { "insufficient_question" };
        let (Some(text), Some(question)) = (value.as_str(), fields.get(asked).and_then(Value::as_str)) else {
            continue;
        };
        found = true;
        let eval_result = fields.get("eval_result").and_then(Value::as_i64);
        let kind = if is_whole { "whole" } else { "missing_premise" };
        out.row(&Row {
            id: format!("{}-{kind}-{}-{index}", place.dataset, place.model),
            dataset: &place.dataset,
            model,
            question,
            answerable: is_whole,
            reference: fields.get("answer").filter(|answer| !answer.is_null()).map(|answer| match answer {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            }),
            text,
            eval_result,
            refusal: eval_result.and_then(|label| match label {
                0 => Some(true),
                1 | 2 => Some(false),
                _ => None,
            }),
            form: eval_result.and_then(|label| match label {
                0 => Some("data_uncertain"),
                1 | 2 => Some("answer"),
                3 => Some("unparsable"),
                _ => None,
            }),
            correct: eval_result.map(|label| u8::from(label == 1 && is_whole)),
        })?;
        summary.count(&[&place.dataset, kind, model]);
    }
    Ok(found)
}
