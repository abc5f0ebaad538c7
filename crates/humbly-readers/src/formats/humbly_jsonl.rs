//! Humbly's own JSONL: one trajectory a line, for harnesses that have no log format of their own.
//!
//! `{"humbly": 1, "id", "task_id"?, "model"?, "agent"?, "dataset"?, "condition"?, "question"?,
//!   "turns": [{"reasoning"?, "text"?, "calls"?: [{"id"?, "name", "arguments", "result"?, "is_error"?}]}],
//!   "final_answer"?, "stop"?: "completed|limit|error|interrupted|refused"}`

use humbly_types::{
    AnswerOrigin, FinalAnswer, Problem, ReasoningOrigin, Record, References, StopKind, ToolResult,
    Trajectory, Truncation, TurnRecord,
};
use serde_json::Value;

use crate::builder::{Builder, CallDraft};
use crate::content::raw_text;
use crate::detect::{Head, Shape};
use crate::input::Input;
use crate::registry::{FormatInfo, Reader, Sink, formats};

const NAME: &str = "humbly";

/// Reader of Humbly's own JSONL.
pub(crate) struct HumblyJsonl;

impl Reader for HumblyJsonl {
    fn info(&self) -> FormatInfo {
        FormatInfo {
            name: NAME,
            title: "Humbly JSONL",
            recognised_by: "JSONL records with `humbly` (version) and `turns`",
        }
    }

    fn sniff(&self, head: &Head<'_>) -> bool {
        head.shape != Shape::Zip && head.has_keys(&["humbly", "id", "turns"])
    }

    fn read(&self, input: &Input, sink: &mut dyn Sink) -> Result<(), Problem> {
        input.lines()?.for_each_record(sink, |line, value: Value, sink| {
            match serde_json::from_value::<Record>(value) {
                Ok(record) => sink.trajectory(trajectory(record, input, line)),
                Err(error) => sink.problem(
                    Problem::new(&*input.path, format!("not a trajectory record: {error}"))
                        .line(line)
                        .hint("expected `id` and `turns`; see docs/formats.md"),
                ),
            }
        })
    }
}

fn trajectory(mut record: Record, input: &Input, line: u64) -> Trajectory {
    if let Some(log) = record.log.take() {
        let name = formats().iter().map(|reader| reader.info().name).find(|name| *name == log.format);
        return log.into_trajectory(record, name.unwrap_or(NAME), &input.path);
    }
    let stop = record.stop_kind();
    let mut builder = Builder::new(NAME, &input.path, record.id);
    let meta = builder.meta();
    meta.sample_id = record.task_id;
    meta.model = record.model;
    meta.agent = record.agent;
    meta.dataset = record.dataset;
    meta.condition = record.condition;
    meta.references = References::new(record.references);
    meta.cost_usd = record.cost_usd;
    meta.answer_log_probability = record.answer_log_probability;
    meta.usage = record.usage.unwrap_or_default();
    if let Some(question) = record.question {
        builder.user(question, line);
    }
    for turn in &record.turns {
        if let Some(prompt) = &turn.user {
            builder.user(prompt.as_str(), line);
        }
        add_turn(&mut builder, turn, line);
    }
    if let Some(kind) = stop {
        builder.stop(kind, record.stop.as_deref());
    }
    let states_answer = record.final_answer.is_some();
    if let Some(text) = record.final_answer {
        let at = builder.at(line);
        builder.final_answer(FinalAnswer { text, origin: AnswerOrigin::Field, turn: None, at });
    }
    let mut trajectory = builder.finish();
    // What broke off did not end by answering: its last text was said on the way.
    if !states_answer && matches!(stop, Some(StopKind::Error | StopKind::Interrupted)) {
        trajectory.final_answer = None;
        trajectory.truncated = Truncation::Unknown;
    }
    trajectory
}

fn add_turn(builder: &mut Builder, turn: &TurnRecord, line: u64) {
    let index = builder.assistant(None, line);
    if let Some(reasoning) = &turn.reasoning {
        builder.reasoning(index, reasoning, ReasoningOrigin::Field);
    }
    builder.text(index, &turn.text, "\n");
    let mut results = Vec::new();
    for (position, call) in turn.calls.iter().enumerate() {
        let id = call.id.clone().unwrap_or_else(|| format!("{index}-{position}"));
        let arguments = raw_text(&call.arguments);
        let draft = CallDraft { id: Some(&id), name: &call.name, arguments: &arguments, server_side: false };
        builder.call(index, draft);
        if let Some(text) = &call.result {
            results.push(ToolResult {
                call_id: Some(id),
                name: Some(call.name.clone()),
                text: text.clone(),
                is_error: call.is_error,
                error_origin: call
                    .is_error
                    .map_or_else(Default::default, |_| humbly_types::ErrorOrigin::Flag),
                ..ToolResult::default()
            });
        }
    }
    for result in results {
        builder.result(result, line);
    }
}

#[cfg(test)]
mod tests {
    use humbly_types::Outcome;

    use super::*;

    fn read(line: &str) -> Trajectory {
        let input = Input::bytes("a.jsonl", line.as_bytes().to_vec());
        trajectory(serde_json::from_str(line).unwrap(), &input, 1)
    }

    #[test]
    fn a_run_that_broke_off_has_the_answer_that_it_states_and_no_other() {
        let broken = read(r#"{"humbly":1,"id":"a","turns":[{"text":"I look."}],"stop":"error"}"#);
        assert!(broken.final_answer.is_none());
        assert_eq!(broken.outcome(), Outcome::NoFinalAnswer);
        let stated =
            read(r#"{"humbly":1,"id":"a","turns":[{"text":"I look."}],"final_answer":"7","stop":"error"}"#);
        assert_eq!(stated.final_answer.unwrap().text, "7");
        let whole = read(r#"{"humbly":1,"id":"a","turns":[{"text":"Seven."}],"stop":"completed"}"#);
        assert_eq!(whole.final_answer.unwrap().text, "Seven.");
    }
}
