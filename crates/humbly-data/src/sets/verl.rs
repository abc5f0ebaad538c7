//! Rows of the verl trainer: a chat prompt and a ground truth inside `reward_model`.

use serde_json::Value;

use crate::row::{Fault, Row, scalar};

/// What a row asks and expects.
pub(super) struct Item {
    pub(super) question: String,
    pub(super) answer: String,
    /// `extra_info.index`.
    pub(super) index: Option<String>,
}

/// What a row asks, with the object of its ground truth.
pub(super) struct Asked<'a> {
    pub(super) question: String,
    pub(super) truth: Row<'a>,
    /// `extra_info.index`.
    pub(super) index: Option<String>,
    /// `extra_info.question_id`, as our own export has it.
    pub(super) id: Option<String>,
}

/// The item of a verl row, `None` where the row has another shape.
pub(super) fn item(row: Row<'_>) -> Result<Option<Item>, Fault> {
    let Some(Asked { question, truth, index, .. }) = asked(row)? else { return Ok(None) };
    Ok(Some(Item { question, answer: only_answer(truth)?.trim().to_owned(), index }))
}

/// A text or number, or the only entry of `target`, as Search-R1's files have it.
fn only_answer(truth: Row<'_>) -> Result<String, Fault> {
    if let Ok(Some(object)) = truth.object("ground_truth") {
        let targets = object.list("target")?;
        return match targets {
            [only] => scalar(only).ok_or_else(|| Fault::new("the `target` is no text or number")),
            _ => Err(Fault::new(format!("{} entries in `target`, expected one answer", targets.len()))),
        };
    }
    truth.required_scalar("ground_truth")
}

/// The question of a verl row, `None` where the row has another shape.
pub(super) fn asked(row: Row<'_>) -> Result<Option<Asked<'_>>, Fault> {
    let Some(truth) = row.object("reward_model").ok().flatten() else { return Ok(None) };
    let extra = row.object("extra_info")?;
    let text = |name: &str| extra.map_or(Ok(None), |extra| extra.scalar(name));
    let raw = match text("raw_problem")? {
        Some(raw) => Some(raw),
        None => text("question")?,
    };
    let question = match raw {
        Some(raw) => raw.trim().to_owned(),
        None => without_instruction(last_user_turn(row)?).to_owned(),
    };
    if question.is_empty() {
        return Err(Fault::new("`prompt` is an instruction alone, expected a problem"));
    }
    let index = extra.and_then(|extra| extra.value("index")).and_then(scalar);
    Ok(Some(Asked { question, truth, index, id: text("question_id")? }))
}

pub(super) fn last_user_turn(row: Row<'_>) -> Result<&str, Fault> {
    let turns = row.list("prompt")?;
    let user = turns.iter().rev().find(|turn| turn.get("role").and_then(Value::as_str) == Some("user"));
    let content = user.and_then(|turn| turn.get("content")).and_then(Value::as_str);
    content.ok_or_else(|| Fault::new("no turn of a user in `prompt`, expected one with text"))
}

/// Sentences that experiments put around a problem.
const BEFORE: &[&str] = &[
    "Solve the following math problem step by step. The last line of your response should be of the form Answer: $Answer (without quotes) where $Answer is the answer to the problem.",
];
const AFTER: &[&str] = &[
    "Please reason step by step, and put your final answer within \\boxed{}.",
    "Let's think step by step and output the final answer within \\boxed{}.",
    "Remember to put your answer on its own line after \"Answer:\".",
];

/// The problem without the instruction of an experiment.
pub(super) fn without_instruction(prompt: &str) -> &str {
    let mut text = prompt.trim();
    for before in BEFORE {
        text = text.strip_prefix(before).map_or(text, str::trim_start);
    }
    for after in AFTER {
        text = text.strip_suffix(after).map_or(text, str::trim_end);
    }
    text
}
