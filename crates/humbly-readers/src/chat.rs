//! Chat messages (`role`, `content`, `tool_calls`) as calls of a builder.
//!
//! One assistant message is one turn, unless the format splits a generation over several messages.

use humbly_text::think;
use humbly_types::{ErrorOrigin, ReasoningOrigin, ToolResult, Usage};
use serde_json::Value;

use crate::builder::Builder;
use crate::call_ids::CallIds;
use crate::content::{raw_text, str_field, text_of};
use crate::tagged::{self, Marked};

/// Adds a list of chat messages; `line_of` gives the line of the message at an index.
pub(crate) fn add_chat_messages(builder: &mut Builder, messages: &[Value], line_of: impl Fn(usize) -> u64) {
    let mut chat = ChatMessages::default();
    for (index, message) in messages.iter().enumerate() {
        chat.add(builder, message, line_of(index));
    }
}

/// How assistant messages make turns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Grouping {
    /// Each message is a turn.
    #[default]
    EachMessage,
    /// Assistant messages in a row are one generation.
    Consecutive,
}

/// Adds chat messages one by one and remembers which calls wait for results.
#[derive(Debug, Default)]
pub(crate) struct ChatMessages {
    grouping: Grouping,
    open_turn: Option<usize>,
    ids: CallIds,
}

impl ChatMessages {
    /// Messages that make turns in this manner.
    pub(crate) fn new(grouping: Grouping) -> Self {
        Self { grouping, ..Self::default() }
    }

    /// Adds one message.
    pub(crate) fn add(&mut self, builder: &mut Builder, message: &Value, line: u64) {
        let role = str_field(message, "role").unwrap_or_default();
        if is_assistant(role) {
            self.add_assistant(builder, message, line);
            return;
        }
        let continues_a_turn = self.open_turn.take().is_some();
        let content = message.get("content").unwrap_or(&Value::Null);
        match role {
            "system" | "developer" => {
                let (text, _) = text_of(content, "\n");
                let index = builder.system(text, line);
                stamp(builder, index, message);
            }
            "user" | "human" => {
                let (text, _) = text_of(content, "\n");
                let responses = tagged::take_responses(&text).filter(|_| continues_a_turn);
                if let Some((results, after)) = responses {
                    self.add_tagged_results(builder, &results, after, line);
                } else {
                    let index = builder.user(text, line);
                    stamp(builder, index, message);
                }
            }
            _ if is_tool(role) => self.add_result(builder, message, line),
            "" => builder.warn("a message without a role", line),
            other => builder.warn(format!("unknown role {}", clipped(other)), line),
        }
    }

    fn add_assistant(&mut self, builder: &mut Builder, message: &Value, line: u64) {
        let index = match (self.grouping, self.open_turn) {
            (Grouping::Consecutive, Some(index)) => index,
            _ => builder.assistant(None, line),
        };
        self.open_turn = Some(index);
        stamp(builder, index, message);
        add_reasoning(builder, index, message);
        let calls = structured_calls(message);
        let text = visible_text(builder, index, message.get("content").unwrap_or(&Value::Null));
        if calls.is_empty() && tagged::may_hold_calls(&text) {
            self.add_tagged_text(builder, index, &text);
        } else {
            builder.text(index, &text, "\n");
        }
        if let Some(refusal) = str_field(message, "refusal") {
            builder.text(index, refusal, "\n");
        }
        for call in &calls {
            self.add_call(builder, index, call.id.as_deref(), &call.name, &call.arguments);
        }
    }

    /// Adds a call whose logged id may repeat one of an earlier turn.
    pub(crate) fn add_call(
        &mut self,
        builder: &mut Builder,
        index: usize,
        logged: Option<&str>,
        name: &str,
        arguments: &str,
    ) {
        self.ids.add_call(builder, index, logged, name, arguments);
    }

    /// Adds a result; `result.call_id` is the logged id.
    pub(crate) fn join_result(&mut self, builder: &mut Builder, mut result: ToolResult, line: u64) {
        self.open_turn = None;
        result.call_id = self.ids.answer(result.call_id.as_deref(), result.name.as_deref());
        builder.result(result, line);
    }

    fn add_tagged_text(&mut self, builder: &mut Builder, index: usize, text: &str) {
        let split = think::split(text);
        for reasoning in &split.reasoning {
            builder.reasoning(index, reasoning, ReasoningOrigin::Inline);
        }
        if let Some(parts) = tagged::marked_parts(&split.visible) {
            self.add_marked(builder, index, &parts);
            return;
        }
        let (visible, calls) = tagged::take_calls(&split.visible);
        builder.text(index, &visible, "\n");
        for call in calls {
            self.add_call(builder, index, None, &call.name, &call.arguments);
        }
    }

    /// Text in which results stand between the marks: what follows a result is a turn of its own.
    fn add_marked(&mut self, builder: &mut Builder, first: usize, parts: &[Marked<'_>]) {
        let line = builder.steps().get(first).map_or(0, |step| step.at.line);
        let mut turn = Some(first);
        for part in parts {
            if let Marked::Result(text) = part {
                let result = ToolResult { text: (*text).to_owned(), ..ToolResult::default() };
                self.join_result(builder, result, line);
                turn = None;
                continue;
            }
            let index = *turn.get_or_insert_with(|| builder.assistant(None, line));
            match part {
                Marked::Text(text) => builder.text(index, text, "\n"),
                Marked::Call(name, arguments) => self.add_call(builder, index, None, name, arguments),
                Marked::Result(_) => {}
            }
        }
        self.open_turn = turn;
    }

    fn add_tagged_results(&mut self, builder: &mut Builder, results: &[&str], after: &str, line: u64) {
        for text in results {
            let result = ToolResult { text: (*text).to_owned(), ..ToolResult::default() };
            self.join_result(builder, result, line);
        }
        if !after.is_empty() {
            let index = builder.user(after, line);
            if let Some(step) = builder.step(index) {
                step.flags.meta = true;
            }
        }
    }

    fn add_result(&mut self, builder: &mut Builder, message: &Value, line: u64) {
        self.join_result(builder, result_of(message), line);
    }
}

/// The result in a message of role tool or function; `call_id` as logged.
pub(crate) fn result_of(message: &Value) -> ToolResult {
    let (text, images) = text_of(message.get("content").unwrap_or(&Value::Null), "\n");
    let call_id = str_field(message, "tool_call_id")
        .or_else(|| message.get("tool_call_ids")?.get(0)?.as_str())
        .or_else(|| message.get("extra")?.get("function_id")?.as_str())
        .filter(|id| !id.is_empty())
        .map(str::to_owned);
    let (is_error, error_origin) = match (message.get("is_error"), str_field(message, "status")) {
        (Some(Value::Bool(flag)), _) => (Some(*flag), ErrorOrigin::Flag),
        (_, Some("error")) => (Some(true), ErrorOrigin::Status),
        (_, Some("success")) => (Some(false), ErrorOrigin::Status),
        _ => (None, ErrorOrigin::None),
    };
    let name = str_field(message, "name").map(str::to_owned);
    ToolResult { call_id, name, text, images, is_error, error_origin, truncated: false }
}

/// Whether a role is the agent's.
pub(crate) fn is_assistant(role: &str) -> bool {
    matches!(role, "assistant" | "ai" | "gpt" | "model")
}

fn is_tool(role: &str) -> bool {
    matches!(role, "tool" | "function" | "ipython" | "observation" | "tool_response" | "environment")
}

/// Whether a value is a chat message: a role that we know, and something said or called.
pub(crate) fn is_chat_message(value: &Value) -> bool {
    let known = str_field(value, "role").is_some_and(|role| {
        is_assistant(role) || is_tool(role) || matches!(role, "system" | "developer" | "user" | "human")
    });
    known
        && ["content", "tool_calls", "function_call", "reasoning_content", "refusal"]
            .iter()
            .any(|key| value.get(key).is_some())
        && is_untyped_message(value)
}

/// Whether a value has a role and none of the types of other message forms.
pub(crate) fn is_untyped_message(value: &Value) -> bool {
    str_field(value, "role").is_some()
        && value.get("type").is_none_or(|kind| kind != "message")
        && !holds_typed_blocks(value)
}

/// Blocks of the Anthropic and Responses forms, which have readers of their own.
fn holds_typed_blocks(message: &Value) -> bool {
    const FOREIGN: &[&str] = &[
        "tool_use",
        "tool_result",
        "redacted_thinking",
        "server_tool_use",
        "output_text",
        "input_text",
        "toolCall",
        "tool-call",
        "tool-result",
    ];
    message.get("content").and_then(Value::as_array).is_some_and(|parts| {
        parts.iter().any(|part| str_field(part, "type").is_some_and(|kind| FOREIGN.contains(&kind)))
    })
}

struct StructuredCall {
    id: Option<String>,
    name: String,
    arguments: String,
}

/// `tool_calls` (objects, or JSON texts of objects) and the older `function_call`.
fn structured_calls(message: &Value) -> Vec<StructuredCall> {
    let mut calls = Vec::new();
    match message.get("tool_calls") {
        Some(Value::Array(items)) => calls.extend(items.iter().filter_map(call_of)),
        Some(text @ Value::String(_)) => match parsed(text) {
            Some(Value::Array(items)) => calls.extend(items.iter().filter_map(call_of)),
            Some(single) => calls.extend(call_of(&single)),
            None => {}
        },
        Some(single @ Value::Object(_)) => calls.extend(call_of(single)),
        _ => {}
    }
    if calls.is_empty()
        && let Some(call) = message.get("function_call").and_then(call_of)
    {
        let id = message.get("extra").and_then(|extra| str_field(extra, "function_id"));
        calls.push(StructuredCall { id: id.map(str::to_owned), ..call });
    }
    calls
}

fn call_of(value: &Value) -> Option<StructuredCall> {
    if let Some(inner) = parsed(value) {
        return inner.is_object().then(|| call_of(&inner)).flatten();
    }
    let function = value.get("function").filter(|function| function.is_object()).unwrap_or(value);
    let name = ["name", "tool_name"].iter().find_map(|key| str_field(function, key))?;
    let arguments = ["arguments", "args", "input", "parameters", "tool_arguments"]
        .iter()
        .find_map(|key| function.get(*key))
        .map_or_else(|| "{}".to_owned(), raw_text);
    let id = str_field(value, "id").filter(|id| !id.is_empty()).map(str::to_owned);
    Some(StructuredCall { id, name: name.to_owned(), arguments })
}

fn parsed(value: &Value) -> Option<Value> {
    serde_json::from_str(value.as_str()?).ok()
}

/// Reasoning that stands in a field of its own, under the names that servers use.
fn add_reasoning(builder: &mut Builder, index: usize, message: &Value) {
    for key in ["reasoning_content", "reasoning", "thinking"] {
        match message.get(key) {
            Some(Value::String(text)) => builder.reasoning(index, text, ReasoningOrigin::Field),
            Some(parts @ Value::Array(_)) => {
                builder.reasoning(index, &text_of(parts, "\n").0, ReasoningOrigin::Field);
            }
            _ => {}
        }
    }
    for key in ["reasoning_details", "thinking_blocks"] {
        for part in message.get(key).and_then(Value::as_array).into_iter().flatten() {
            add_reasoning_part(builder, index, part);
        }
    }
}

/// A typed piece of reasoning; false where it is none.
fn add_reasoning_part(builder: &mut Builder, index: usize, part: &Value) -> bool {
    let kind = str_field(part, "type").unwrap_or_default();
    let (text, origin) = match kind {
        "thinking" | "reasoning" | "reasoning.text" => {
            let text = ["thinking", "reasoning", "text", "content"].iter().find_map(|key| part.get(*key));
            (text.map(|text| text_of(text, "\n").0).unwrap_or_default(), ReasoningOrigin::Field)
        }
        "reasoning.summary" | "summary_text" => {
            let text = ["summary", "text"].iter().find_map(|key| str_field(part, key));
            (text.unwrap_or_default().to_owned(), ReasoningOrigin::Summary)
        }
        "reasoning.encrypted" => (String::new(), ReasoningOrigin::Encrypted),
        "redacted_thinking" => (String::new(), ReasoningOrigin::Redacted),
        _ => return false,
    };
    builder.reasoning(index, &text, origin);
    true
}

/// Text of an assistant message; parts that are reasoning go to the step.
fn visible_text(builder: &mut Builder, index: usize, content: &Value) -> String {
    let Value::Array(parts) = content else {
        return text_of(content, "\n").0;
    };
    let mut text = String::new();
    for part in parts {
        if add_reasoning_part(builder, index, part) {
            continue;
        }
        let piece = match str_field(part, "refusal") {
            Some(refusal) => refusal.to_owned(),
            None if part.is_object() => text_of(&Value::Array(vec![part.clone()]), "\n").0,
            None => text_of(part, "\n").0,
        };
        if !text.is_empty() && !piece.is_empty() {
            text.push('\n');
        }
        text.push_str(&piece);
    }
    text
}

/// Time, model and usage, where a message carries them.
fn stamp(builder: &mut Builder, index: usize, message: &Value) {
    let Some(step) = builder.step(index) else { return };
    for key in ["timestamp", "created_at"] {
        if let Some(time) = str_field(message, key) {
            step.timestamp = Some(time.to_owned());
        }
    }
    if let Some(model) = str_field(message, "model") {
        step.model = Some(model.to_owned());
    }
    if let Some(usage) = message.get("usage").and_then(usage_of) {
        step.usage = Some(usage);
    }
}

/// Token counts as the chat API writes them.
pub(crate) fn usage_of(usage: &Value) -> Option<Usage> {
    let count = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64);
    let found = Usage {
        input: count("/prompt_tokens"),
        cached: count("/prompt_tokens_details/cached_tokens"),
        output: count("/completion_tokens"),
        reasoning: count("/completion_tokens_details/reasoning_tokens"),
    };
    (found != Usage::default()).then_some(found)
}

/// The start of a text from a log, for a message.
fn clipped(text: &str) -> String {
    text.chars().take(40).collect()
}
