//! `codex exec --json`: what the command prints, another grammar than its rollout file.
//!
//! 1. The prompt is not in the stream: the question comes from the task.
//! 2. Turns are derived: reasoning or a message after an action begins a new one.
//! 3. Items may be repeated as started, updated and completed: the last state of an id counts.

use std::collections::HashMap;
use std::sync::Arc;

use humbly_types::{ErrorOrigin, Problem, ReasoningOrigin, StopKind, ToolResult};
use serde_json::Value;

use super::openai_items::{set_exit_code, usage};
use crate::builder::{Builder, CallDraft};
use crate::content::{raw_text, str_field, text_of};
use crate::detect::{Head, Shape};
use crate::input::Input;
use crate::registry::{FormatInfo, Reader, Sink};

const NAME: &str = "codex-exec";

/// Reader of `codex exec --json`.
pub(crate) struct CodexExec;

impl Reader for CodexExec {
    fn info(&self) -> FormatInfo {
        FormatInfo {
            name: NAME,
            title: "codex exec --json",
            recognised_by: "JSONL records of `type` thread.started, turn.started, item.completed",
        }
    }

    fn sniff(&self, head: &Head<'_>) -> bool {
        let kind = head.record().and_then(|record| str_field(record, "type"));
        matches!(head.shape, Shape::Lines)
            && match kind {
                Some("thread.started") => head.has_keys(&["thread_id"]),
                Some("item.completed" | "item.started") => {
                    head.record().is_some_and(|record| record.get("item").is_some_and(Value::is_object))
                }
                _ => false,
            }
    }

    fn read(&self, input: &Input, sink: &mut dyn Sink) -> Result<(), Problem> {
        let mut run = Run {
            builder: Builder::new(NAME, &input.path, input.stem()),
            turn: None,
            has_action: false,
            items: HashMap::new(),
            is_done: false,
        };
        run.builder.meta().agent = Some("codex".to_owned());
        let path = Arc::clone(&input.path);
        input.lines()?.for_each_record(sink, |line, record: Value, _| run.record(&record, &path, line))?;
        if !run.is_done {
            run.builder.stop(StopKind::Unknown, Some("no turn.completed event"));
            let last = run.turn.and_then(|turn| run.builder.step(turn));
            if let Some(step) = last.filter(|step| !step.calls.is_empty()) {
                step.flags.aborted = true;
            }
        }
        sink.trajectory(run.builder.finish());
        Ok(())
    }
}

struct Run {
    builder: Builder,
    turn: Option<usize>,
    has_action: bool,
    /// Calls that were seen, by item id, and whether they are answered.
    items: HashMap<String, bool>,
    is_done: bool,
}

impl Run {
    fn record(&mut self, record: &Value, path: &str, line: u64) {
        let kind = str_field(record, "type").unwrap_or_default();
        match kind {
            "thread.started" => {
                self.builder.meta().run_id = str_field(record, "thread_id").map(str::to_owned);
            }
            "turn.started" => {
                self.turn = None;
                self.is_done = false;
            }
            "turn.completed" => {
                self.is_done = true;
                self.builder.stop(StopKind::Completed, Some(kind));
                if let Some(counts) = record.get("usage").and_then(usage) {
                    let meta = self.builder.meta();
                    meta.usage = super::claude::add_usage(meta.usage, counts);
                }
            }
            "turn.failed" | "error" => {
                self.is_done = true;
                let message = str_field(record, "message")
                    .or_else(|| record.pointer("/error/message").and_then(Value::as_str));
                self.builder.stop(StopKind::Error, message);
            }
            "item.started" | "item.updated" | "item.completed" => {
                let Some(item) = record.get("item").filter(|item| item.is_object()) else {
                    self.builder.warn(format!("a record without item in {path}"), line);
                    return;
                };
                self.item(item, kind == "item.completed", line);
            }
            _ => self.builder.warn(format!("unknown record type `{kind}`"), line),
        }
    }

    fn item(&mut self, item: &Value, is_completed: bool, line: u64) {
        let kind = str_field(item, "type").or_else(|| str_field(item, "item_type")).unwrap_or_default();
        match kind {
            "reasoning" | "agent_message" | "assistant_message" if is_completed => {
                let turn = self.begin(line, true);
                let text = str_field(item, "text").unwrap_or_default();
                if kind == "reasoning" {
                    self.builder.reasoning(turn, text, ReasoningOrigin::Summary);
                } else {
                    self.builder.text(turn, text, "\n");
                }
            }
            "command_execution" | "file_change" | "mcp_tool_call" | "web_search" | "collab_tool_call" => {
                self.action(item, kind, is_completed, line);
            }
            // Lists of things to do and notices change nothing.
            "reasoning" | "agent_message" | "assistant_message" | "todo_list" | "error" | "user_message" => {}
            other => self.builder.warn(format!("unknown item type `{other}`"), line),
        }
    }

    fn action(&mut self, item: &Value, kind: &str, is_completed: bool, line: u64) {
        let id = str_field(item, "id").map_or_else(|| format!("line-{line}"), str::to_owned);
        if !self.items.contains_key(&id) {
            let turn = self.begin(line, false);
            self.has_action = true;
            let name = match (str_field(item, "server"), str_field(item, "tool")) {
                (Some(server), Some(tool)) => format!("{server}.{tool}"),
                _ => kind.to_owned(),
            };
            let arguments = match kind {
                "command_execution" => serde_json::json!({"command": item.get("command")}).to_string(),
                "file_change" => serde_json::json!({"changes": item.get("changes")}).to_string(),
                "web_search" => serde_json::json!({"query": item.get("query")}).to_string(),
                _ => item.get("arguments").map(raw_text).unwrap_or_default(),
            };
            let draft = CallDraft {
                id: Some(&id),
                name: &name,
                arguments: &arguments,
                server_side: kind == "web_search",
            };
            self.builder.call(turn, draft);
            self.items.insert(id.clone(), false);
        }
        if !is_completed || self.items.insert(id.clone(), true) == Some(true) || kind == "web_search" {
            return;
        }
        let error = item.pointer("/error/message").and_then(Value::as_str);
        let text = match item.get("aggregated_output").or_else(|| item.pointer("/result/content")) {
            Some(output) => text_of(output, "\n").0,
            None => error.unwrap_or_default().to_owned(),
        };
        let mut result = ToolResult { call_id: Some(id), text, ..ToolResult::default() };
        match str_field(item, "status") {
            Some("failed" | "declined") => {
                result.is_error = Some(true);
                result.error_origin = ErrorOrigin::Status;
            }
            Some("completed") => {
                result.is_error = Some(false);
                result.error_origin = ErrorOrigin::Status;
            }
            _ => {}
        }
        set_exit_code(&mut result, item.get("exit_code").and_then(Value::as_i64));
        self.builder.result(result, line);
    }

    /// The open turn; a new one where none is open, or where speech follows an action.
    fn begin(&mut self, line: u64, is_speech: bool) -> usize {
        match self.turn {
            Some(turn) if !(is_speech && self.has_action) => turn,
            _ => {
                let turn = self.builder.assistant(None, line);
                self.turn = Some(turn);
                self.has_action = false;
                turn
            }
        }
    }
}
