//! Steps of an ATIF document as calls of a builder.

use humbly_types::{ErrorOrigin, ReasoningOrigin, ToolResult, Usage};
use serde_json::Value;

use super::terminus::Commands;
use crate::builder::Builder;
use crate::call_ids::CallIds;
use crate::content::{raw_text, str_field, text_of};
use crate::formats::openhands::{add_function_text, task};
use crate::tagged;

/// Adds the steps of one document after the other.
#[derive(Default)]
pub(super) struct Steps {
    ids: CallIds,
    last_turn: Option<usize>,
}

impl Steps {
    /// Adds all steps of a document.
    pub(super) fn add_all(&mut self, builder: &mut Builder, document: &Value) {
        let steps = document.get("steps").and_then(Value::as_array);
        for (number, step) in (1..).zip(steps.into_iter().flatten()) {
            let line = step.get("step_id").and_then(Value::as_u64).unwrap_or(number);
            self.add(builder, step, line);
        }
    }

    /// The last turn was to be followed by others.
    pub(super) fn leave_open(&self, builder: &mut Builder) {
        if let Some(step) = self.last_turn.and_then(|index| builder.step(index)) {
            step.flags.aborted = true;
        }
    }

    fn add(&mut self, builder: &mut Builder, step: &Value, line: u64) {
        let (message, _) = text_of(step.get("message").unwrap_or(&Value::Null), "\n");
        let index = match source(step) {
            Some(Source::System) => builder.system(message, line),
            Some(Source::User) => {
                if let Some(task) = task(&message).filter(|_| builder.meta().question.is_none()) {
                    builder.meta().question = Some(task.to_owned());
                }
                builder.user(message, line)
            }
            Some(Source::Agent) => self.agent(builder, step, &message, line),
            None => {
                builder.warn("a step of an unknown source", line);
                return;
            }
        };
        let is_copied = flag(step, "is_copied_context");
        if let Some(added) = builder.step(index) {
            added.flags.copied = is_copied;
            added.timestamp = str_field(step, "timestamp").map(str::to_owned);
            added.model = str_field(step, "model_name").map(str::to_owned);
            added.usage = step.get("metrics").map(usage);
        }
        for result in step.pointer("/observation/results").and_then(Value::as_array).into_iter().flatten() {
            self.result(builder, result, is_copied, line);
        }
    }

    fn agent(&mut self, builder: &mut Builder, step: &Value, message: &str, line: u64) -> usize {
        let index = builder.assistant(None, line);
        // No model spoke: the harness called a tool by itself.
        let is_dispatch = step.get("llm_call_count").and_then(Value::as_u64) == Some(0);
        if let Some(added) = builder.step(index) {
            added.flags.synthetic = is_dispatch;
        }
        if !is_dispatch && !flag(step, "is_copied_context") {
            self.last_turn = Some(index);
        }
        if let Some(reasoning) = str_field(step, "reasoning_content") {
            builder.reasoning(index, reasoning, ReasoningOrigin::Field);
        }
        let calls = step.get("tool_calls").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        if !calls.is_empty() {
            builder.text(index, message, "\n");
        } else if let Some(commands) = Commands::of(message) {
            builder.text(index, &commands.text, "\n");
            if let Some(arguments) = &commands.arguments {
                self.ids.add_call(builder, index, None, "commands", arguments);
            }
        } else if tagged::may_hold_functions(message) {
            add_function_text(builder, index, message, |builder, call| {
                self.ids.add_call(builder, index, None, &call.name, &call.arguments);
            });
        } else {
            builder.text(index, message, "\n");
        }
        for call in calls {
            let name = str_field(call, "function_name").unwrap_or("unknown");
            let arguments = call.get("arguments").map_or_else(|| "{}".to_owned(), raw_text);
            self.ids.add_call(builder, index, str_field(call, "tool_call_id"), name, &arguments);
        }
        index
    }

    fn result(&mut self, builder: &mut Builder, result: &Value, is_copied: bool, line: u64) {
        let logged = str_field(result, "source_call_id");
        let content = result.get("content").unwrap_or(&Value::Null);
        if logged.is_none() && content.is_null() {
            // It only names the trajectory of a sub-agent.
            return;
        }
        let (text, images) = text_of(content, "\n");
        let flag = ["tool_result_is_error", "is_error"]
            .iter()
            .find_map(|key| result.pointer(&format!("/extra/{key}"))?.as_bool());
        let (is_error, error_origin) = match flag {
            Some(flag) => (Some(flag), ErrorOrigin::Flag),
            None if text.contains("[error] tool reported failure") => {
                (Some(true), ErrorOrigin::TextHeuristic)
            }
            None => (None, ErrorOrigin::None),
        };
        let call_id = self.ids.answer(logged, None);
        builder.result(
            ToolResult { call_id, text, images, is_error, error_origin, ..ToolResult::default() },
            line,
        );
        let last = builder.steps().len().checked_sub(1);
        if let Some(step) = last.and_then(|last| builder.step(last)).filter(|_| is_copied) {
            step.flags.copied = true;
        }
    }
}

enum Source {
    System,
    User,
    Agent,
}

/// Who speaks; where redaction took the word, what the step holds tells the agent.
fn source(step: &Value) -> Option<Source> {
    match str_field(step, "source") {
        Some("system") => Some(Source::System),
        Some("user") => Some(Source::User),
        Some("agent") => Some(Source::Agent),
        _ => ["tool_calls", "metrics", "reasoning_content", "model_name"]
            .iter()
            .any(|key| step.get(*key).is_some_and(|value| !value.is_null()))
            .then_some(Source::Agent),
    }
}

fn flag(step: &Value, key: &str) -> bool {
    step.get(key).and_then(Value::as_bool) == Some(true)
}

fn usage(metrics: &Value) -> Usage {
    let count = |key: &str| metrics.get(key).and_then(Value::as_u64);
    Usage {
        input: count("prompt_tokens"),
        cached: count("cached_tokens"),
        output: count("completion_tokens"),
        reasoning: None,
    }
}
