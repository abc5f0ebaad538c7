//! Which text is the final answer.

use std::collections::HashSet;

use humbly_types::{AnswerOrigin, FinalAnswer, Step, ToolCall};
use serde_json::Value;

/// Tools whose call ends the run, with the origin of the answer in it.
const FINISH_TOOLS: &[(&str, AnswerOrigin)] = &[
    ("finish", AnswerOrigin::FinishTool),
    ("final_answer", AnswerOrigin::FinishTool),
    ("attempt_completion", AnswerOrigin::FinishTool),
    ("complete_task", AnswerOrigin::FinishTool),
    ("task_complete", AnswerOrigin::FinishTool),
    ("mark_task_complete", AnswerOrigin::FinishTool),
    ("submit", AnswerOrigin::SubmitTool),
    ("submit_answer", AnswerOrigin::SubmitTool),
];

/// Argument names that hold the answer, best first.
const ANSWER_ARGUMENTS: &[&str] = &[
    "answer",
    "final_answer",
    "message",
    "final_thought",
    "result",
    "response",
    "output",
    "summary",
    "text",
];

/// The origin that a call of this tool gives an answer, `None` where it does not end a run.
pub(crate) fn finish_origin(tool: &str) -> Option<AnswerOrigin> {
    let name = tool.rsplit("__").next().unwrap_or(tool);
    FINISH_TOOLS.iter().find(|(finish, _)| name.eq_ignore_ascii_case(finish)).map(|(_, origin)| *origin)
}

/// The answer text in the arguments of a finish call.
pub(crate) fn finish_text(call: &ToolCall) -> Option<String> {
    let value: Value = serde_json::from_str(&call.arguments).ok()?;
    match &value {
        Value::String(text) => Some(text.clone()),
        Value::Object(fields) => ANSWER_ARGUMENTS
            .iter()
            .find_map(|key| match fields.get(*key) {
                Some(Value::String(text)) if !text.trim().is_empty() => Some(text.clone()),
                Some(value @ (Value::Number(_) | Value::Array(_))) => Some(value.to_string()),
                _ => None,
            })
            .or_else(|| match fields.values().next() {
                Some(Value::String(text)) if fields.len() == 1 => Some(text.clone()),
                _ => None,
            }),
        _ => None,
    }
}

/// The final answer of a run of steps: a finish call of the last turn, else the text of the last turn
/// where all its calls are answered.
pub fn of_steps(steps: &[Step]) -> Option<FinalAnswer> {
    let (index, last) = steps.iter().enumerate().rev().find(|(_, step)| step.turn.is_some())?;
    if last.flags.aborted {
        return None;
    }
    for call in last.calls.iter().rev() {
        if let Some(origin) = finish_origin(&call.name) {
            let text = finish_text(call).unwrap_or_else(|| last.visible.trim().to_owned());
            if !text.is_empty() {
                return Some(FinalAnswer { text, origin, turn: last.turn, at: last.at.clone() });
            }
        }
    }
    let after = steps.get(index..).unwrap_or_default();
    let answered: HashSet<&str> =
        after.iter().flat_map(|step| &step.results).filter_map(|result| result.call_id.as_deref()).collect();
    let all_answered = last.calls.iter().all(|call| call.server_side || answered.contains(call.id.as_str()));
    let text = last.visible.trim();
    (all_answered && !text.is_empty()).then(|| FinalAnswer {
        text: text.to_owned(),
        origin: AnswerOrigin::LastText,
        turn: last.turn,
        at: last.at.clone(),
    })
}
