//! Humbly's own JSONL: one trajectory a line, for harnesses that have no log format of their own.
//!
//! `{"humbly": 1, "id", "task_id"?, "model"?, "agent"?, "dataset"?, "condition"?, "question"?,
//!   "turns": [{"reasoning"?, "text"?, "calls"?: [{"id"?, "name", "arguments", "result"?, "is_error"?}]}],
//!   "final_answer"?, "stop"?: "completed|limit|error|interrupted|refused"}`

use humbly_types::{
    AnswerOrigin, FinalAnswer, Problem, ReasoningOrigin, References, StopKind, ToolResult, Trajectory,
};
use serde::Deserialize;
use serde_json::Value;

use crate::builder::{Builder, CallDraft};
use crate::content::raw_text;
use crate::detect::{Head, Shape};
use crate::input::Input;
use crate::registry::{FormatInfo, Reader, Sink};

const NAME: &str = "humbly";

/// Reader of Humbly's own JSONL.
pub(crate) struct HumblyJsonl;

#[derive(Deserialize)]
struct Record {
    id: String,
    task_id: Option<String>,
    model: Option<String>,
    agent: Option<String>,
    dataset: Option<String>,
    condition: Option<String>,
    question: Option<String>,
    #[serde(default)]
    references: Vec<String>,
    turns: Vec<Turn>,
    final_answer: Option<String>,
    stop: Option<String>,
}

#[derive(Deserialize)]
struct Turn {
    user: Option<String>,
    reasoning: Option<String>,
    #[serde(default)]
    text: String,
    #[serde(default)]
    calls: Vec<Call>,
}

#[derive(Deserialize)]
struct Call {
    id: Option<String>,
    name: String,
    #[serde(default)]
    arguments: Value,
    result: Option<String>,
    is_error: Option<bool>,
}

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

fn trajectory(record: Record, input: &Input, line: u64) -> Trajectory {
    let mut builder = Builder::new(NAME, &input.path, record.id);
    let meta = builder.meta();
    meta.sample_id = record.task_id;
    meta.model = record.model;
    meta.agent = record.agent;
    meta.dataset = record.dataset;
    meta.condition = record.condition;
    meta.references = References::new(record.references);
    if let Some(question) = record.question {
        builder.user(question, line);
    }
    for turn in &record.turns {
        if let Some(prompt) = &turn.user {
            builder.user(prompt.as_str(), line);
        }
        add_turn(&mut builder, turn, line);
    }
    if let Some(raw) = record.stop {
        builder.stop(stop_kind(&raw), Some(&raw));
    }
    if let Some(text) = record.final_answer {
        let at = builder.at(line);
        builder.final_answer(FinalAnswer { text, origin: AnswerOrigin::Field, turn: None, at });
    }
    builder.finish()
}

fn add_turn(builder: &mut Builder, turn: &Turn, line: u64) {
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

fn stop_kind(raw: &str) -> StopKind {
    match raw {
        "completed" => StopKind::Completed,
        "limit" => StopKind::Limit,
        "error" => StopKind::Error,
        "interrupted" => StopKind::Interrupted,
        "refused" => StopKind::Refused,
        _ => StopKind::Unknown,
    }
}
