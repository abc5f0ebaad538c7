//! `.traj` files of SWE-agent.
//!
//! `trajectory` holds the steps with all observations, `history` the prompts, tool calls and ids; a
//! demonstration file has only `history`. The answer is the text of the turn that submits (the submission
//! itself is a patch). Every exit status but a plain submission and a forfeit means cut.

use std::collections::VecDeque;

use humbly_types::{
    AnswerOrigin, FinalAnswer, Problem, ReasoningOrigin, StopKind, ToolResult, Trajectory, Truncation,
};
use serde_json::{Value, json};

use crate::builder::Builder;
use crate::chat::{ChatMessages, is_assistant};
use crate::content::{str_field, text_of};
use crate::detect::{Head, Shape};
use crate::input::Input;
use crate::registry::{FormatInfo, Reader, Sink};

const NAME: &str = "swe-agent";

/// Reader of SWE-agent trajectories.
pub(crate) struct SweAgent;

impl Reader for SweAgent {
    fn info(&self) -> FormatInfo {
        FormatInfo {
            name: NAME,
            title: "SWE-agent .traj",
            recognised_by: "`trajectory`, `history` and `info`, or `history` whose messages have `agent` or \
                            `message_type`",
        }
    }

    fn sniff(&self, head: &Head<'_>) -> bool {
        let is_json = matches!(head.shape, Shape::Document | Shape::Lines);
        is_json
            && head.record().is_some_and(|record| {
                let is_list = |key: &str| record.get(key).is_some_and(Value::is_array);
                (is_list("trajectory") && is_list("history") && record.get("info").is_some())
                    || record.get("history").and_then(Value::as_array).is_some_and(|items| {
                        items.iter().take(5).any(|item| {
                            item.get("role").is_some()
                                && (item.get("agent").is_some() || item.get("message_type").is_some())
                        })
                    })
            })
    }

    fn read(&self, input: &Input, sink: &mut dyn Sink) -> Result<(), Problem> {
        let document = input.document(sink)?;
        sink.trajectory(trajectory(input, &document));
        Ok(())
    }
}

fn trajectory(input: &Input, document: &Value) -> Trajectory {
    let mut builder = Builder::new(NAME, &input.path, input.stem());
    builder.meta().sample_id = Some(input.stem().to_owned());
    builder.meta().agent = Some("swe-agent".to_owned());
    let list = |key: &str| document.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let history: Vec<(u64, &Value)> = (1..)
        .zip(list("history"))
        .filter(|(_, message)| message.get("is_demo") != Some(&Value::Bool(true)))
        .collect();
    let info = document.get("info").unwrap_or(&Value::Null);
    let status = str_field(info, "exit_status");
    if list("trajectory").is_empty() {
        add_history(&mut builder, &history);
    } else {
        add_prompts(&mut builder, &history);
        add_steps(&mut builder, list("trajectory"), &history, status);
    }
    set_ending(&mut builder, info, status);
    builder.finish()
}

/// System message and prompt: what stands before the first turn.
fn add_prompts(builder: &mut Builder, history: &[(u64, &Value)]) {
    let mut chat = ChatMessages::default();
    for (line, message) in history {
        if str_field(message, "role").is_some_and(is_assistant) {
            return;
        }
        chat.add(builder, message, *line);
    }
}

/// The steps of `trajectory`, with names, arguments and ids of the calls from the history.
fn add_steps(builder: &mut Builder, steps: &[Value], history: &[(u64, &Value)], status: Option<&str>) {
    let mut logged: VecDeque<&Value> = history
        .iter()
        .map(|(_, message)| *message)
        .filter(|message| str_field(message, "role").is_some_and(is_assistant))
        .collect();
    let mut chat = ChatMessages::default();
    for (position, step) in steps.iter().enumerate() {
        let line = position as u64 + 1;
        let action = str_field(step, "action").unwrap_or_default().trim();
        let message = take_matching(&mut logged, step);
        let index = builder.assistant(None, line);
        add_thought(builder, index, step, message);
        if position + 1 == steps.len()
            && action.is_empty()
            && status.is_some_and(|status| status != "submitted")
        {
            // The harness closes a run that it ended with a step of its own.
            if let Some(step) = builder.step(index) {
                step.flags.synthetic = true;
            }
            continue;
        }
        let calls = message.and_then(|message| message.get("tool_calls")).and_then(Value::as_array);
        let mut id = None;
        match calls.filter(|calls| !calls.is_empty()) {
            Some(calls) => {
                for call in calls {
                    let function = call.get("function").unwrap_or(call);
                    let arguments =
                        function.get("arguments").map_or_else(|| "{}".to_owned(), crate::content::raw_text);
                    let name = str_field(function, "name").unwrap_or_default();
                    chat.add_call(builder, index, str_field(call, "id"), name, &arguments);
                    id = id.or_else(|| str_field(call, "id").map(str::to_owned));
                }
            }
            None if !action.is_empty() => add_action(builder, &mut chat, index, action),
            None => {}
        }
        if let Some(text) = str_field(step, "observation")
            && builder.steps().get(index).is_some_and(|step| !step.calls.is_empty())
        {
            let result = ToolResult { call_id: id, text: text.to_owned(), ..ToolResult::default() };
            chat.join_result(builder, result, line);
        }
    }
}

/// The history message of a step: the next one with the same action or the same text. Failed generations
/// that were tried again stand in the history alone.
fn take_matching<'a>(logged: &mut VecDeque<&'a Value>, step: &Value) -> Option<&'a Value> {
    let is_same = |message: &Value| {
        ["action", "thought"].iter().any(|key| {
            str_field(step, key).is_some_and(|text| !text.is_empty() && str_field(message, key) == Some(text))
        }) || str_field(step, "response").is_some_and(|text| str_field(message, "content") == Some(text))
    };
    let position = logged.iter().take(20).position(|message| is_same(message))?;
    logged.drain(..=position).next_back()
}

fn add_thought(builder: &mut Builder, index: usize, step: &Value, message: Option<&Value>) {
    if let Some(message) = message {
        for key in ["reasoning_content", "thinking"] {
            builder.reasoning(index, str_field(message, key).unwrap_or_default(), ReasoningOrigin::Field);
        }
        for block in message.get("thinking_blocks").and_then(Value::as_array).into_iter().flatten() {
            let text = str_field(block, "thinking").unwrap_or_default();
            builder.reasoning(index, text, ReasoningOrigin::Field);
        }
    }
    let text = ["thought", "response"]
        .iter()
        .find_map(|key| str_field(step, key).filter(|text| !text.trim().is_empty()));
    builder.text(index, text.unwrap_or_default(), "\n");
}

/// An action without a tool call is a command line; the plain word `submit` ends the run.
fn add_action(builder: &mut Builder, chat: &mut ChatMessages, index: usize, action: &str) {
    if action == "submit" {
        chat.add_call(builder, index, None, "submit", "{}");
    } else {
        chat.add_call(builder, index, None, "bash", &json!({ "command": action }).to_string());
    }
}

/// A file that has only a history.
fn add_history(builder: &mut Builder, history: &[(u64, &Value)]) {
    let mut chat = ChatMessages::default();
    let mut has_turn = false;
    for (line, message) in history {
        let role = str_field(message, "role").unwrap_or_default();
        let is_agent = is_assistant(role);
        let has_calls =
            message.get("tool_calls").and_then(Value::as_array).is_some_and(|calls| !calls.is_empty());
        if is_agent && !has_calls {
            let index = builder.assistant(None, *line);
            let thought = str_field(message, "thought").or_else(|| str_field(message, "content"));
            builder.text(index, thought.unwrap_or_default(), "\n");
            let action = str_field(message, "action").unwrap_or_default().trim();
            if !action.is_empty() {
                add_action(builder, &mut chat, index, action);
            }
        } else if role == "user" && has_turn {
            let text = text_of(message.get("content").unwrap_or(&Value::Null), "\n").0;
            chat.join_result(builder, ToolResult { text, ..ToolResult::default() }, *line);
        } else {
            chat.add(builder, message, *line);
        }
        has_turn |= is_agent;
    }
}

fn set_ending(builder: &mut Builder, info: &Value, status: Option<&str>) {
    if let Some(cost) = info.pointer("/model_stats/instance_cost").and_then(Value::as_f64) {
        builder.meta().cost_usd = Some(cost);
    }
    let count = |key: &str| info.pointer(&format!("/model_stats/{key}")).and_then(Value::as_u64);
    builder.meta().usage.input = count("tokens_sent");
    builder.meta().usage.output = count("tokens_received");
    let Some(status) = status.filter(|status| !status.is_empty()) else { return };
    let (kind, truncated) = match status {
        "submitted" | "exit_forfeit" => (StopKind::Completed, Truncation::No),
        _ => (stop_kind(status), Truncation::Yes),
    };
    builder.stop(kind, Some(status));
    builder.meta().truncated = truncated;
    let submission = str_field(info, "submission").filter(|text| !text.trim().is_empty());
    let is_silent = builder.steps().iter().rfind(|step| step.role == humbly_types::Role::Assistant);
    if let Some(text) = submission
        && status == "submitted"
        && is_silent.is_some_and(|step| step.visible.trim().is_empty())
    {
        let at = builder.at(builder.steps().len() as u64);
        builder.final_answer(FinalAnswer {
            text: text.to_owned(),
            origin: AnswerOrigin::SubmitTool,
            turn: None,
            at,
        });
    }
}

/// What ended a run that is no plain submission; `submitted (exit_cost)` was submitted by the harness.
fn stop_kind(status: &str) -> StopKind {
    let exit = status.strip_prefix("submitted (").map_or(status, |rest| rest.trim_end_matches(')'));
    match exit {
        "exit_cost" | "exit_context" | "exit_total_execution_time" | "exit_command_timeout" => {
            StopKind::Limit
        }
        "exit_error" | "exit_api" | "exit_environment_error" | "exit_format" => StopKind::Error,
        "exit_command" => StopKind::Interrupted,
        _ => StopKind::Unknown,
    }
}
