//! Event streams of managed agents that call MCP servers.
//!
//! A line is an event, or `[method, event]` as a client records it. A turn is what stands between the start
//! and the end of one model request. An absent error flag of an MCP result means no error (MCP 2025-06-18,
//! `CallToolResult`), which servers do not always honour.

use std::sync::Arc;

use humbly_types::{ErrorOrigin, Problem, ReasoningOrigin, StopKind, ToolResult, Usage};
use serde_json::Value;

use crate::builder::{Builder, CallDraft};
use crate::content::{raw_text, str_field, text_of};
use crate::detect::{Head, Shape};
use crate::formats::langchain::add_usage;
use crate::input::Input;
use crate::registry::{FormatInfo, Reader, Sink};

const NAME: &str = "mcp";

/// Reader of managed-agent event streams.
pub(crate) struct Mcp;

impl Reader for Mcp {
    fn info(&self) -> FormatInfo {
        FormatInfo {
            name: NAME,
            title: "Managed agent events with MCP calls",
            recognised_by: "JSONL events `agent.message`, `agent.mcp_tool_use`, bare or after a method name",
        }
    }

    fn sniff(&self, head: &Head<'_>) -> bool {
        if head.shape != Shape::Lines {
            return false;
        }
        head.record().and_then(event_of).and_then(|(_, event)| str_field(event, "type")).is_some_and(|kind| {
            kind.starts_with("agent.") || kind.starts_with("session.status_") || kind == "user.message"
        })
    }

    fn read(&self, input: &Input, sink: &mut dyn Sink) -> Result<(), Problem> {
        let mut session = Session::new(&input.path, input.stem());
        let mut count = 1;
        input.lines()?.for_each_record(sink, |line, record: Value, sink| {
            let Some((method, event)) = event_of(&record) else {
                session.builder.warn("a record that is no event", line);
                return;
            };
            if method.ends_with("sessions.create") {
                if !session.builder.is_empty() {
                    count += 1;
                    let id = format!("{}:{count}", input.stem());
                    sink.trajectory(std::mem::replace(&mut session, Session::new(&input.path, &id)).finish());
                }
                session.describe(event);
            } else if method.ends_with("events.send") {
                session.send(event, line);
            } else {
                session.event(event, line);
            }
        })?;
        if !session.builder.is_empty() {
            sink.trajectory(session.finish());
        }
        Ok(())
    }
}

/// Method and event of a record: `[method, event]` or the event alone.
fn event_of(record: &Value) -> Option<(&str, &Value)> {
    match record {
        Value::Array(pair) => Some((pair.first()?.as_str()?, pair.get(1)?)),
        Value::Object(_) => Some(("", record)),
        _ => None,
    }
}

struct Session {
    builder: Builder,
    /// The model request that runs; events of one request are one turn.
    request: Option<String>,
    turn: Option<usize>,
    /// Prompts that were sent and will come back in the stream.
    sent: Vec<String>,
    stop: Option<(StopKind, String)>,
    usage: Usage,
}

impl Session {
    fn new(path: &Arc<str>, id: &str) -> Self {
        Self {
            builder: Builder::new(NAME, path, id),
            request: None,
            turn: None,
            sent: Vec::new(),
            stop: None,
            usage: Usage::default(),
        }
    }

    fn describe(&mut self, session: &Value) {
        let meta = self.builder.meta();
        meta.run_id = str_field(session, "id").map(str::to_owned);
        if let Some(agent) = session.get("agent") {
            meta.agent = str_field(agent, "name").map(str::to_owned);
            meta.model = agent
                .get("model")
                .and_then(|model| str_field(model, "id").or_else(|| model.as_str()).map(str::to_owned));
            if let Some(system) = str_field(agent, "system") {
                self.builder.system(system, 1);
            }
        }
    }

    /// What the client sent: `[session id, {events}]`.
    fn send(&mut self, request: &Value, line: u64) {
        let body = request.as_array().and_then(|parts| parts.get(1)).unwrap_or(request);
        for event in body.get("events").and_then(Value::as_array).into_iter().flatten() {
            if str_field(event, "type") == Some("user.message") {
                let text = text_of(event.get("content").unwrap_or(&Value::Null), "\n").0;
                self.prompt(&text, line);
                self.sent.push(text);
            } else {
                self.event(event, line);
            }
        }
    }

    fn prompt(&mut self, text: &str, line: u64) {
        self.close();
        self.stop = None;
        self.builder.user(text, line);
    }

    fn close(&mut self) {
        self.request = None;
        self.turn = None;
    }

    fn event(&mut self, event: &Value, line: u64) {
        let kind = str_field(event, "type").unwrap_or("none");
        match kind {
            "user.message" => {
                let text = text_of(event.get("content").unwrap_or(&Value::Null), "\n").0;
                match self.sent.iter().position(|known| *known == text) {
                    Some(known) => {
                        self.sent.remove(known);
                    }
                    None => self.prompt(&text, line),
                }
            }
            "span.model_request_start" => {
                self.close();
                self.request = str_field(event, "id").map(str::to_owned);
            }
            "span.model_request_end" => self.end_request(event),
            "agent.message"
            | "agent.thinking"
            | "agent.tool_use"
            | "agent.mcp_tool_use"
            | "agent.custom_tool_use" => {
                self.output(kind, event, line);
            }
            "agent.tool_result" | "agent.mcp_tool_result" | "user.custom_tool_result" => {
                self.builder.result(result_of(event), line);
            }
            "user.interrupt" => self.stop = Some((StopKind::Interrupted, kind.to_owned())),
            "session.status_idle" | "session.status_terminated" | "session.error" => self.status(kind, event),
            "user.tool_confirmation" | "user.define_outcome" => {}
            _ if kind.starts_with("session.") || kind.starts_with("span.") => {}
            _ => self.builder.warn(format!("unknown event type {kind}"), line),
        }
    }

    fn output(&mut self, kind: &str, event: &Value, line: u64) {
        let turn = match self.turn {
            Some(turn) => turn,
            None => self.builder.assistant(self.request.as_deref(), line),
        };
        self.turn = self.request.is_some().then_some(turn);
        if let Some(step) = self.builder.step(turn)
            && step.timestamp.is_none()
        {
            step.timestamp = str_field(event, "processed_at").map(str::to_owned);
        }
        match kind {
            "agent.message" => {
                let text = text_of(event.get("content").unwrap_or(&Value::Null), "").0;
                self.builder.text(turn, &text, "\n");
            }
            "agent.thinking" => {
                let text =
                    ["thinking", "text"].iter().find_map(|key| str_field(event, key)).map(str::to_owned);
                let text = text.or_else(|| event.get("content").map(|content| text_of(content, "\n").0));
                match text.filter(|text| !text.trim().is_empty()) {
                    Some(text) => self.builder.reasoning(turn, &text, ReasoningOrigin::Field),
                    // The stream says that the model thought, and keeps what it thought.
                    None => self.builder.reasoning(turn, "", ReasoningOrigin::Redacted),
                }
            }
            _ => {
                let name = str_field(event, "name").unwrap_or("unknown");
                let name = str_field(event, "mcp_server_name")
                    .map_or_else(|| name.to_owned(), |server| format!("mcp__{server}__{name}"));
                let arguments = event.get("input").map_or_else(|| "{}".to_owned(), raw_text);
                let draft = CallDraft {
                    id: str_field(event, "id"),
                    name: &name,
                    arguments: &arguments,
                    server_side: false,
                };
                self.builder.call(turn, draft);
            }
        }
    }

    fn end_request(&mut self, event: &Value) {
        if let Some(counts) = event.get("model_usage") {
            let count = |key: &str| counts.get(key).and_then(Value::as_u64);
            let cached = count("cache_read_input_tokens");
            // Cached and newly cached tokens are not part of `input_tokens` here.
            let input = [count("input_tokens"), cached, count("cache_creation_input_tokens")];
            let usage = Usage {
                input: input.iter().flatten().copied().reduce(u64::saturating_add),
                cached,
                output: count("output_tokens"),
                reasoning: None,
            };
            add_usage(&mut self.usage, Some(usage));
            if let Some(step) = self.turn.and_then(|turn| self.builder.step(turn)) {
                step.usage = Some(usage);
            }
        }
        self.close();
    }

    fn status(&mut self, kind: &str, event: &Value) {
        let reason = event.get("stop_reason").and_then(|reason| str_field(reason, "type"));
        self.stop = match (kind, reason) {
            ("session.status_idle", Some("end_turn")) => Some((StopKind::Completed, "end_turn".to_owned())),
            ("session.status_idle", Some(reason @ ("retries_exhausted" | "error"))) => {
                Some((StopKind::Error, reason.to_owned()))
            }
            ("session.status_idle", Some(reason)) if reason.contains("max") || reason.contains("limit") => {
                Some((StopKind::Limit, reason.to_owned()))
            }
            ("session.status_idle", Some(reason)) => Some((StopKind::Interrupted, reason.to_owned())),
            ("session.status_idle", None) => self.stop.take(),
            ("session.error", _) => Some((StopKind::Error, kind.to_owned())),
            (_, reason) => Some((StopKind::Interrupted, reason.unwrap_or(kind).to_owned())),
        };
    }

    fn finish(mut self) -> humbly_types::Trajectory {
        if let Some((kind, raw)) = &self.stop {
            self.builder.stop(*kind, Some(raw));
        }
        self.builder.meta().usage = self.usage;
        self.builder.finish()
    }
}

fn result_of(event: &Value) -> ToolResult {
    let ids = ["mcp_tool_use_id", "tool_use_id", "custom_tool_use_id"];
    let (mut text, images) = text_of(event.get("content").unwrap_or(&Value::Null), "\n");
    // `structuredContent` repeats `content`; it is read only where there is no text.
    if text.is_empty() {
        let structured = ["structuredContent", "structured_content"].iter().find_map(|key| event.get(*key));
        if let Some(structured) = structured.filter(|value| !value.is_null()) {
            text = structured.to_string();
        }
    }
    let flag = ["is_error", "isError"].iter().find_map(|key| event.get(*key)?.as_bool());
    ToolResult {
        call_id: ids.iter().find_map(|key| str_field(event, key)).map(str::to_owned),
        name: None,
        text,
        images,
        is_error: Some(flag.unwrap_or(false)),
        error_origin: ErrorOrigin::Flag,
        truncated: false,
    }
}
