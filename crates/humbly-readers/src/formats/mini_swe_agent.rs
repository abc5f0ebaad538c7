//! Trajectories of mini-SWE-agent: a bare chat list in old files, `messages` with `info` in later ones.
//!
//! The action is the one fenced command block of a turn and the observation the user message after it;
//! later versions use tool calls. A turn with no block or several runs nothing.

use humbly_types::{AnswerOrigin, ErrorOrigin, FinalAnswer, Problem, Role, StopKind, ToolResult, Trajectory};
use serde_json::{Value, json};

use crate::builder::Builder;
use crate::chat::{ChatMessages, is_assistant, result_of};
use crate::content::{str_field, text_of};
use crate::detect::{Head, Shape};
use crate::input::Input;
use crate::registry::{FormatInfo, Reader, Sink};
use crate::tagged::between;

const NAME: &str = "mini-swe-agent";
/// The command by which the agent ends the run.
const SUBMIT: &str = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT";
/// An older form of it.
const OLD_SUBMIT: &str = "MINI_SWE_AGENT_FINAL_OUTPUT";

/// Reader of mini-SWE-agent trajectories.
pub(crate) struct MiniSweAgent;

impl Reader for MiniSweAgent {
    fn info(&self) -> FormatInfo {
        FormatInfo {
            name: NAME,
            title: "mini-SWE-agent trajectory",
            recognised_by: "`trajectory_format: mini-swe-agent-…`, or a chat list that ends its run with a \
                            command in a fenced block",
        }
    }

    fn sniff(&self, head: &Head<'_>) -> bool {
        matches!(head.shape, Shape::Document | Shape::Lines) && head.record().is_some_and(is_record)
    }

    fn read(&self, input: &Input, sink: &mut dyn Sink) -> Result<(), Problem> {
        let document = input.document(sink)?;
        sink.trajectory(trajectory(input, &document));
        Ok(())
    }
}

fn is_record(record: &Value) -> bool {
    str_field(record, "trajectory_format").is_some_and(|format| format.starts_with("mini-swe-agent"))
        || record.pointer("/info/mini_version").is_some()
        || record.as_array().is_some_and(|items| {
            let says =
                |item: &Value, text: &str| str_field(item, "content").is_some_and(|said| said.contains(text));
            items.first().is_some_and(|first| str_field(first, "role") == Some("system"))
                && items.iter().take(2).any(|item| says(item, SUBMIT) || says(item, OLD_SUBMIT))
        })
}

fn trajectory(input: &Input, document: &Value) -> Trajectory {
    let stem = input.stem();
    let id = stem.strip_suffix(".traj").unwrap_or(stem);
    let mut builder = Builder::new(NAME, &input.path, id);
    let info = document.get("info").unwrap_or(&Value::Null);
    let meta = builder.meta();
    meta.sample_id = Some(str_field(document, "instance_id").unwrap_or(id).to_owned());
    meta.agent = Some("mini-swe-agent".to_owned());
    meta.agent_version = str_field(info, "mini_version").map(str::to_owned);
    meta.format_version = str_field(document, "trajectory_format").map(str::to_owned);
    meta.model = info.pointer("/config/model/model_name").and_then(Value::as_str).map(str::to_owned);
    meta.cost_usd = info.pointer("/model_stats/instance_cost").and_then(Value::as_f64);
    let messages = document.get("messages").unwrap_or(document).as_array().map_or(&[][..], Vec::as_slice);
    let mut chat = ChatMessages::default();
    let mut open = false;
    for (line, message) in (1..).zip(messages) {
        open = add_message(&mut builder, &mut chat, message, line, open);
    }
    set_ending(&mut builder, info, messages);
    builder.finish()
}

/// Adds a message; true where the command of a turn waits for its observation.
fn add_message(
    builder: &mut Builder,
    chat: &mut ChatMessages,
    message: &Value,
    line: u64,
    open: bool,
) -> bool {
    let role = str_field(message, "role").unwrap_or_default();
    let content = message.get("content").unwrap_or(&Value::Null);
    match role {
        "exit" => false,
        "tool" => {
            let result = result_of(message);
            let code = message.pointer("/extra/returncode").and_then(Value::as_i64);
            let status = observation(&result.text);
            let is_error = code.map(|code| code != 0).or(status.is_error);
            let error_origin = is_error.map_or(ErrorOrigin::None, |_| ErrorOrigin::Status);
            chat.join_result(
                builder,
                ToolResult { is_error, error_origin, truncated: status.truncated, ..result },
                line,
            );
            false
        }
        "user" if builder.steps().iter().any(|step| step.role == Role::Assistant) => {
            let text = text_of(content, "\n").0;
            if open {
                chat.join_result(builder, observation(&text), line);
            } else {
                // The harness's complaint about the form of the turn.
                let index = builder.user(text, line);
                if let Some(step) = builder.step(index) {
                    step.flags.meta = true;
                }
            }
            false
        }
        role if is_assistant(role) && !has_calls(message) => {
            let text = text_of(content, "\n").0;
            let Some((command, rest)) = take_command(&text) else {
                chat.add(builder, message, line);
                return false;
            };
            let mut said = message.clone();
            if let Some(fields) = said.as_object_mut() {
                fields.insert("content".into(), Value::String(rest));
            }
            chat.add(builder, &said, line);
            let index = builder.steps().len() - 1;
            chat.add_call(builder, index, None, "bash", &json!({ "command": command }).to_string());
            true
        }
        _ => {
            chat.add(builder, message, line);
            open
        }
    }
}

fn has_calls(message: &Value) -> bool {
    message.get("tool_calls").and_then(Value::as_array).is_some_and(|calls| !calls.is_empty())
}

/// The command of the only fenced block, and the text around it.
fn take_command(text: &str) -> Option<(String, String)> {
    const FENCES: &[&str] = &["```mswea_bash_command\n", "```bash\n"];
    let (at, fence) = FENCES.iter().find_map(|fence| Some((text.find(fence)?, *fence)))?;
    let body = &text[at + fence.len()..];
    let end = body.find("\n```").or_else(|| body.starts_with("```").then_some(0))?;
    let after = body[end..].trim_start_matches('\n').strip_prefix("```").unwrap_or_default();
    if after.contains(fence) {
        return None;
    }
    let around = format!("{}\n{}", text[..at].trim_end(), after.trim_start());
    Some((body[..end].trim().to_owned(), around.trim().to_owned()))
}

/// An observation: its exit code tells whether the command failed.
fn observation(text: &str) -> ToolResult {
    let code =
        between(text, "<returncode>", "</returncode>").and_then(|code| code.trim().parse::<i64>().ok());
    ToolResult {
        text: text.to_owned(),
        is_error: code.map(|code| code != 0),
        error_origin: code.map_or(ErrorOrigin::None, |_| ErrorOrigin::Status),
        truncated: text.contains("<output_head>"),
        ..ToolResult::default()
    }
}

fn set_ending(builder: &mut Builder, info: &Value, messages: &[Value]) {
    let exit = messages.iter().rfind(|message| str_field(message, "role") == Some("exit"));
    let status = str_field(info, "exit_status")
        .or_else(|| exit?.pointer("/extra/exit_status")?.as_str())
        .filter(|status| !status.is_empty());
    let last = builder.steps().iter().rfind(|step| step.role == Role::Assistant);
    let submits = last.is_some_and(|step| {
        step.calls.iter().any(|call| call.arguments.contains(SUBMIT) || call.arguments.contains(OLD_SUBMIT))
    });
    let answer = last.map(|step| (step.visible.trim().to_owned(), step.at.clone()));
    let is_submitted = status == Some("Submitted") || (status.is_none() && submits);
    if is_submitted {
        builder.stop(StopKind::Completed, status);
        let submission = str_field(info, "submission").filter(|text| !text.trim().is_empty());
        if let Some((said, at)) = answer {
            let text = if said.is_empty() { submission.unwrap_or_default().to_owned() } else { said };
            if !text.is_empty() {
                builder.final_answer(FinalAnswer { text, origin: AnswerOrigin::SubmitTool, turn: None, at });
            }
        }
        return;
    }
    match status {
        Some("LimitsExceeded") => builder.stop(StopKind::Limit, status),
        Some("UserInterruption" | "KeyboardInterrupt") => builder.stop(StopKind::Interrupted, status),
        Some(_) => builder.stop(StopKind::Error, status),
        None => {}
    }
}
