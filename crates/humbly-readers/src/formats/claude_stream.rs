//! `claude -p --output-format stream-json` (JSONL or a saved array), and the one object of `json`.
//!
//! 1. The prompt is not in the stream unless it was replayed: the question comes from the task.
//! 2. The final answer is the text of the last result event. Without one the log was cut while running.
//! 3. `stream_event` partials repeat the messages and are used only for a message that never came whole.
//! 4. `num_turns` counts round trips and is not used.

use std::collections::BTreeMap;
use std::sync::Arc;

use humbly_types::{AnswerOrigin, FinalAnswer, Problem, StepFlags, StopKind};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::claude::{Chain, LineMarks, Message, UsageFields};
use crate::content::str_field;
use crate::detect::{Head, Shape};
use crate::fields::{Flag, Number, Object, Text};
use crate::input::{Input, unreadable_record};
use crate::lenient::parse_borrowed;
use crate::registry::{FormatInfo, Reader, Sink};

const NAME: &str = "claude-stream-json";

/// Reader of Claude Code's streamed output.
pub(crate) struct ClaudeStream;

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Text<'a>,
    #[serde(borrow, default)]
    subtype: Text<'a>,
    #[serde(borrow, default)]
    uuid: Text<'a>,
    #[serde(borrow, default)]
    session_id: Text<'a>,
    #[serde(borrow, default)]
    parent_tool_use_id: Text<'a>,
    #[serde(borrow, default)]
    message: Object<Message<'a>>,
    #[serde(rename = "isSynthetic", default)]
    is_synthetic: Flag,
    #[serde(borrow, default)]
    timestamp: Text<'a>,
    #[serde(borrow, default)]
    model: Text<'a>,
    #[serde(borrow, default)]
    claude_code_version: Text<'a>,
    #[serde(borrow, default)]
    result: Text<'a>,
    #[serde(borrow, default)]
    terminal_reason: Text<'a>,
    #[serde(default)]
    is_error: Flag,
    #[serde(default)]
    total_cost_usd: Number,
    #[serde(default)]
    usage: Object<UsageFields>,
    #[serde(borrow, rename = "event", default)]
    partial: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Text<'a>,
}

impl Reader for ClaudeStream {
    fn info(&self) -> FormatInfo {
        FormatInfo {
            name: NAME,
            title: "Claude Code stream-json",
            recognised_by: "records of `type` system (with `subtype`), assistant, user, result and a \
                            `session_id`, one a line or in an array; or one object of `type` result",
        }
    }

    fn sniff(&self, head: &Head<'_>) -> bool {
        match head.shape {
            Shape::Lines => head.record().is_some_and(is_event),
            Shape::Document => head.items().first().or(head.record()).is_some_and(is_event),
            Shape::Zip | Shape::Text => false,
        }
    }

    fn read(&self, input: &Input, sink: &mut dyn Sink) -> Result<(), Problem> {
        let mut stream = Stream::new(input);
        let start = input.first_bytes(64 << 10)?;
        let body = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&start).trim_ascii();
        let first_line = body.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii();
        if body.starts_with(b"[") {
            let events: Vec<Value> = input.document_as(sink)?;
            for (index, event) in events.iter().enumerate() {
                stream.bytes(event.to_string().as_bytes(), index as u64 + 1, sink);
            }
        } else if first_line == b"{" {
            let object = input.document(sink)?;
            stream.bytes(object.to_string().as_bytes(), 1, sink);
        } else {
            let path = Arc::clone(&input.path);
            input.lines()?.for_each_line(sink, |line, sink| {
                let mut store = Vec::new();
                // Terminals and runners mix their own lines into a captured stream.
                if !line.bytes.starts_with(b"{") {
                    stream.main.builder.warn("a line that is no record", line.number);
                    return;
                }
                match parse_borrowed::<Event<'_>>(line.bytes, &mut store) {
                    Ok((event, _)) => stream.event(&event, line.number),
                    Err(error) => sink.problem(unreadable_record(&path, line, &error)),
                }
            })?;
        }
        stream.emit(sink);
        Ok(())
    }
}

fn is_event(record: &Value) -> bool {
    if record.get("parentUuid").is_some() || record.get("isSidechain").is_some() {
        return false;
    }
    match str_field(record, "type") {
        Some("system") => record.get("subtype").is_some() && record.get("session_id").is_some(),
        Some("assistant" | "user") => {
            record.get("message").is_some_and(Value::is_object)
                && (record.get("session_id").is_some() || record.get("parent_tool_use_id").is_some())
        }
        Some("stream_event") => record.get("event").is_some(),
        Some("result") => ["duration_ms", "num_turns", "total_cost_usd", "session_id"]
            .iter()
            .any(|key| record.get(*key).is_some()),
        _ => false,
    }
}

struct Stream {
    path: Arc<str>,
    id: String,
    main: Chain,
    children: Vec<Chain>,
    by_call: BTreeMap<String, usize>,
    /// Messages that only came as partial events so far, by sub-agent call.
    partials: BTreeMap<String, Partial>,
    has_result: bool,
    answer: Option<(String, u64)>,
}

/// A message as partial events build it.
#[derive(Default)]
struct Partial {
    id: String,
    line: u64,
    model: Option<String>,
    blocks: Vec<Value>,
}

impl Stream {
    fn new(input: &Input) -> Self {
        let mut main = Chain::new(NAME, &input.path, input.stem().to_owned());
        main.builder.meta().agent = Some("claude-code".to_owned());
        Self {
            path: Arc::clone(&input.path),
            id: input.stem().to_owned(),
            main,
            children: Vec::new(),
            by_call: BTreeMap::new(),
            partials: BTreeMap::new(),
            has_result: false,
            answer: None,
        }
    }

    fn bytes(&mut self, bytes: &[u8], line: u64, sink: &mut dyn Sink) {
        let mut store = Vec::new();
        match parse_borrowed::<Event<'_>>(bytes, &mut store) {
            Ok((event, _)) => self.event(&event, line),
            Err(error) => sink
                .problem(Problem::new(&*self.path, format!("expected a stream event: {error}")).line(line)),
        }
    }

    fn chain(&mut self, call: Option<&str>) -> &mut Chain {
        let Some(call) = call else { return &mut self.main };
        let index = if let Some(index) = self.by_call.get(call) {
            *index
        } else {
            let mut chain = Chain::new(NAME, &self.path, format!("{}/{call}", self.id));
            chain.builder.meta().agent = Some("claude-code".to_owned());
            self.children.push(chain);
            self.by_call.insert(call.to_owned(), self.children.len() - 1);
            self.children.len() - 1
        };
        &mut self.children[index]
    }

    fn event(&mut self, event: &Event<'_>, line: u64) {
        let call = event.parent_tool_use_id.get();
        let kind = event.kind.get().unwrap_or_default();
        if self.main.builder.meta().run_id.is_none() {
            self.main.builder.meta().run_id = event.session_id.owned();
        }
        match kind {
            "assistant" | "user" => {
                let Some(message) = &event.message.0 else {
                    self.main.builder.warn("a record without message", line);
                    return;
                };
                let marks = LineMarks {
                    line,
                    fallback_generation: event.uuid.get(),
                    timestamp: event.timestamp.get(),
                    flags: StepFlags {
                        meta: event.is_synthetic.is_set(),
                        synthetic: kind == "assistant" && event.error.get().is_some(),
                        ..StepFlags::default()
                    },
                };
                if kind == "assistant" {
                    let key = call.unwrap_or_default();
                    if self
                        .partials
                        .get(key)
                        .is_some_and(|partial| Some(partial.id.as_str()) == message.id.get())
                    {
                        self.partials.remove(key);
                    }
                    self.chain(call).assistant(message, &marks);
                } else {
                    self.chain(call).user(message, &marks);
                }
            }
            "system" => self.system(event),
            "result" => self.result(event, line),
            "stream_event" => self.partial(event, line),
            "" => self.main.builder.warn("a record without type", line),
            // Status of hooks, tasks, limits, titles: nothing that the agent says or does.
            "rate_limit_event"
            | "tool_progress"
            | "auth_status"
            | "tool_use_summary"
            | "prompt_suggestion"
            | "keep_alive"
            | "control_request"
            | "control_response"
            | "control_cancel_request" => {}
            other => self.main.builder.warn(format!("unknown record type `{other}`"), line),
        }
    }

    fn system(&mut self, event: &Event<'_>) {
        if event.subtype.get() == Some("init") {
            let meta = self.main.builder.meta();
            meta.model = event.model.owned().or(meta.model.take());
            meta.agent_version = event.claude_code_version.owned().or(meta.agent_version.take());
        }
    }

    fn result(&mut self, event: &Event<'_>, line: u64) {
        self.has_result = true;
        let meta = self.main.builder.meta();
        meta.cost_usd = event.total_cost_usd.0.or(meta.cost_usd);
        if let Some(usage) = &event.usage.0 {
            self.main.set_usage(usage.usage());
        }
        let subtype = event.subtype.get().unwrap_or("success");
        let reason = event.terminal_reason.get().unwrap_or_default();
        let raw = if reason.is_empty() || reason == "completed" { subtype } else { reason };
        let kind = if matches!(subtype, "error_max_turns" | "error_max_budget_usd")
            || matches!(
                reason,
                "max_turns" | "budget_exhausted" | "prompt_too_long" | "token_budget_exhausted"
            ) {
            StopKind::Limit
        } else if reason.starts_with("aborted") {
            StopKind::Interrupted
        } else if subtype != "success" || event.is_error.is_set() {
            StopKind::Error
        } else {
            StopKind::Completed
        };
        self.main.builder.stop(kind, Some(raw));
        match kind {
            StopKind::Interrupted => self.main.interrupt(),
            StopKind::Error => self.main.stops_while_running(),
            _ => {}
        }
        let text = event.result.get().map(humbly_text::think::visible).unwrap_or_default();
        let is_answer = kind == StopKind::Completed && !text.trim().is_empty();
        self.answer = is_answer.then(|| (text.into_owned(), line));
    }

    fn partial(&mut self, event: &Event<'_>, line: u64) {
        let Some(Ok(inner)) = event.partial.map(|raw| serde_json::from_str::<Value>(raw.get())) else {
            return;
        };
        let key = event.parent_tool_use_id.get().unwrap_or_default();
        match str_field(&inner, "type").unwrap_or_default() {
            "message_start" => {
                self.flush_partial(key);
                let message = inner.get("message").unwrap_or(&Value::Null);
                let id = str_field(message, "id").unwrap_or_default().to_owned();
                let model = str_field(message, "model").map(str::to_owned);
                self.partials.insert(key.to_owned(), Partial { id, line, model, blocks: Vec::new() });
            }
            "content_block_start" => {
                if let (Some(partial), Some(block)) = (self.partials.get_mut(key), inner.get("content_block"))
                {
                    partial.blocks.push(block.clone());
                }
            }
            "content_block_delta" => {
                let delta = inner.get("delta").unwrap_or(&Value::Null);
                let block = self.partials.get_mut(key).and_then(|partial| partial.blocks.last_mut());
                let Some(Value::Object(block)) = block else { return };
                for field in ["text", "thinking"] {
                    if let (Some(piece), Some(Value::String(text))) =
                        (str_field(delta, field), block.get_mut(field))
                    {
                        text.push_str(piece);
                    }
                }
            }
            _ => {}
        }
    }

    /// A message that only came in parts was broken off.
    fn flush_partial(&mut self, key: &str) {
        let Some(mut partial) = self.partials.remove(key) else { return };
        // A call whose arguments never came whole was not made.
        partial.blocks.retain(|block| matches!(str_field(block, "type"), Some("text" | "thinking")));
        let call = (!key.is_empty()).then_some(key);
        let chain = self.chain(call);
        if partial.blocks.is_empty() || chain.builder.generation(&partial.id).is_some() {
            return;
        }
        let message = serde_json::json!({
            "id": partial.id, "role": "assistant", "model": partial.model, "content": partial.blocks,
        })
        .to_string();
        let marks = LineMarks {
            line: partial.line,
            flags: StepFlags { aborted: true, ..StepFlags::default() },
            ..LineMarks::default()
        };
        if let Ok(message) = serde_json::from_str::<Message<'_>>(&message) {
            chain.assistant(&message, &marks);
        }
    }

    fn emit(mut self, sink: &mut dyn Sink) {
        for key in self.partials.keys().cloned().collect::<Vec<_>>() {
            self.flush_partial(&key);
        }
        let has_turn = self.main.has_turn();
        if !self.has_result {
            self.main.stops_while_running();
            self.main.builder.stop(StopKind::Unknown, Some("no result event"));
        } else if !has_turn && self.answer.is_some() {
            self.main.builder.meta().has_turns = false;
        }
        if let Some((text, line)) = self.answer.take() {
            let at = self.main.builder.at(line);
            self.main.builder.final_answer(FinalAnswer {
                text,
                origin: AnswerOrigin::ResultEvent,
                turn: None,
                at,
            });
        }
        let mut trajectory = self.main.finish();
        trajectory.children = self.children.into_iter().filter(Chain::has_turn).map(Chain::finish).collect();
        sink.trajectory(trajectory);
    }
}
