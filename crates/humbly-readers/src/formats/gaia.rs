//! GAIA submissions, and the raw runs of smolagents that they are made from.
//!
//! A submission records an answer and no turns: it can be judged for what it tells the user and for nothing
//! else. A raw run whose steps are messages has turns.

use humbly_types::{AnswerOrigin, FinalAnswer, Problem, References, StopKind, ToolResult, Trajectory};
use serde_json::Value;

use crate::builder::{Builder, CallDraft};
use crate::content::{raw_text, str_field, text_of};
use crate::detect::{Head, Shape};
use crate::input::Input;
use crate::registry::{FormatInfo, Reader, Sink};

const NAME: &str = "gaia";

/// Reader of GAIA submissions.
pub(crate) struct Gaia;

impl Reader for Gaia {
    fn info(&self) -> FormatInfo {
        FormatInfo {
            name: NAME,
            title: "GAIA submission",
            recognised_by: "JSONL with `task_id` and `model_answer`, or `prediction` and `intermediate_steps`",
        }
    }

    fn sniff(&self, head: &Head<'_>) -> bool {
        matches!(head.shape, Shape::Lines | Shape::Document)
            && (head.has_keys(&["task_id", "model_answer"])
                || head.has_keys(&["prediction", "intermediate_steps"]))
    }

    fn read(&self, input: &Input, sink: &mut dyn Sink) -> Result<(), Problem> {
        crate::formats::otel_genai::each_record(input, sink, &mut |line, record, sink| {
            let line = line.unwrap_or(1);
            let is_answer = ["model_answer", "prediction"].iter().any(|key| record.get(*key).is_some());
            if !is_answer {
                sink.problem(
                    Problem::new(&*input.path, "no `model_answer` and no `prediction`, expected one")
                        .line(line)
                        .hint("a submission holds `task_id` and `model_answer` on each line"),
                );
                return;
            }
            sink.trajectory(trajectory(&record, input, line));
        })
    }
}

fn trajectory(record: &Value, input: &Input, line: u64) -> Trajectory {
    let task = record.get("task_id").filter(|id| !id.is_null()).map(raw_text);
    let id = task.clone().unwrap_or_else(|| format!("{}:{line}", input.stem()));
    let mut builder = Builder::new(NAME, &input.path, id);
    let meta = builder.meta();
    meta.sample_id = task;
    meta.model = ["model", "model_id"].iter().find_map(|key| str_field(record, key)).map(str::to_owned);
    meta.agent = str_field(record, "agent_name").map(str::to_owned);
    meta.question = ["question", "Question"].iter().find_map(|key| str_field(record, key)).map(str::to_owned);
    meta.references = References::new(
        ["true_answer", "Final answer"]
            .iter()
            .find_map(|key| record.get(*key))
            .filter(|answer| !answer.is_null())
            .map(raw_text)
            .into_iter()
            .collect(),
    );
    let steps =
        record.get("intermediate_steps").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    for step in steps {
        add_step(&mut builder, step, line);
    }
    builder.meta().has_turns = builder.steps().iter().any(|step| step.role == humbly_types::Role::Assistant);
    stop(&mut builder, record);
    let answer = ["model_answer", "prediction"].iter().find_map(|key| record.get(*key));
    if let Some(text) = answer.filter(|answer| !answer.is_null()).map(raw_text)
        && !text.trim().is_empty()
    {
        let at = builder.at(line);
        builder.final_answer(FinalAnswer { text, origin: AnswerOrigin::Field, turn: None, at });
    }
    builder.finish()
}

fn stop(builder: &mut Builder, record: &Value) {
    let is_set = |key: &str| match record.get(key) {
        Some(Value::Bool(flag)) => *flag,
        Some(Value::String(text)) => !text.is_empty() && text != "false" && text != "False",
        _ => false,
    };
    if is_set("iteration_limit_exceeded") {
        builder.stop(StopKind::Limit, Some("iteration_limit_exceeded"));
    } else if is_set("agent_error") {
        builder.stop(StopKind::Error, str_field(record, "agent_error"));
    } else {
        builder.stop(StopKind::Completed, None);
    }
}

/// A step of a raw run: a message of the agent's memory. Other forms hold no turns that could be told apart.
fn add_step(builder: &mut Builder, step: &Value, line: u64) {
    let Some(role) = str_field(step, "role") else {
        builder.warn("an intermediate step that is no message", line);
        return;
    };
    let text = text_of(step.get("content").unwrap_or(&Value::Null), "\n").0;
    match role {
        "system" => {
            builder.system(text, line);
        }
        "user" => {
            let index = builder.user(text, line);
            // Only the first is the task; later ones are the harness's planning prompts.
            let is_first = builder.steps().iter().filter(|step| step.is_prompt()).count() == 1;
            if let Some(step) = builder.step(index).filter(|_| !is_first) {
                step.flags.meta = true;
            }
        }
        "assistant" => {
            let index = builder.assistant(None, line);
            builder.text(index, &text, "\n");
        }
        "tool-call" => add_calls(builder, &text, line),
        "tool-response" => {
            let is_error = text.starts_with("Error:") || text.contains("\nError:\n");
            builder.result(
                ToolResult {
                    text,
                    is_error: is_error.then_some(true),
                    error_origin: if is_error {
                        humbly_types::ErrorOrigin::TextHeuristic
                    } else {
                        humbly_types::ErrorOrigin::None
                    },
                    ..ToolResult::default()
                },
                line,
            );
        }
        other => builder.warn(format!("unknown role {other}"), line),
    }
}

/// The memory writes calls as the Python text of a list of dictionaries: name, id and arguments are cut out.
fn add_calls(builder: &mut Builder, text: &str, line: u64) {
    let last = builder.steps().iter().rposition(|step| step.role == humbly_types::Role::Assistant);
    let index = last.unwrap_or_else(|| builder.assistant(None, line));
    let Some(start) = text.find("'function'") else {
        builder.warn("a tool call that could not be read", line);
        return;
    };
    let body = text.get(start..).unwrap_or_default();
    let name = between(body, "'name': '", '\'').unwrap_or("unknown");
    let arguments = body.find("'arguments': ").and_then(|at| body.get(at + "'arguments': ".len()..));
    // Behind the arguments the function, the call and the list are closed.
    let mut arguments = arguments.unwrap_or_default().trim_end();
    for close in [']', '}', '}'] {
        arguments = arguments.strip_suffix(close).unwrap_or(arguments).trim_end();
    }
    let id = between(text, "'id': '", '\'');
    builder.call(index, CallDraft { id, name, arguments, server_side: false });
}

fn between<'a>(text: &'a str, start: &str, end: char) -> Option<&'a str> {
    let rest = text.get(text.find(start)? + start.len()..)?;
    rest.get(..rest.find(end)?)
}
