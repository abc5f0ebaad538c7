//! One message in the encodings that tracers and LangChain write: role with content, parts or tool calls.
//!
//! A message is read without knowing its tracer: LangChain's three encodings, OpenTelemetry parts, OpenInference
//! wrappers, chat-completion messages, Anthropic blocks and Responses items all become a [`Message`].

mod items;
mod parts;

use humbly_types::{ReasoningOrigin, Role, ToolResult, Usage};
use serde_json::Value;

use crate::builder::{Builder, CallDraft};
use crate::content::str_field;

pub(crate) use items::messages_of;
pub(crate) use parts::result_of;

/// A message of any encoding.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Message {
    pub(crate) role: Role,
    pub(crate) id: Option<String>,
    pub(crate) parts: Vec<Part>,
    pub(crate) model: Option<String>,
    pub(crate) finish: Option<String>,
    pub(crate) usage: Option<Usage>,
    /// A streamed piece of a message (LangChain's `AIMessageChunk`).
    pub(crate) is_chunk: bool,
    /// An item of the Responses API, which is less than a message.
    pub(crate) is_item: bool,
}

/// A piece of a message.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    Text(String),
    Reasoning(String, ReasoningOrigin),
    Call(Call),
    Result(ToolResult),
}

/// A call inside a message.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    pub(crate) arguments: String,
    pub(crate) server_side: bool,
}

impl Message {
    pub(crate) fn new(role: Role) -> Self {
        Self {
            role,
            id: None,
            parts: Vec::new(),
            model: None,
            finish: None,
            usage: None,
            is_chunk: false,
            is_item: false,
        }
    }

    /// Its texts, joined by line ends.
    pub(crate) fn text(&self) -> String {
        let texts: Vec<&str> = self
            .parts
            .iter()
            .filter_map(|part| match part {
                Part::Text(text) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        texts.join("\n")
    }

    /// Its calls.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &Call> {
        self.parts.iter().filter_map(|part| match part {
            Part::Call(call) => Some(call),
            _ => None,
        })
    }

    /// Its results.
    pub(crate) fn results(&self) -> impl Iterator<Item = &ToolResult> {
        self.parts.iter().filter_map(|part| match part {
            Part::Result(result) => Some(result),
            _ => None,
        })
    }

    /// Adds a call unless it is there already: by id, or by name and arguments where an id is missing.
    pub(crate) fn add_call(&mut self, call: Call) {
        let same = |known: &Call| match (&known.id, &call.id) {
            (Some(a), Some(b)) => a == b,
            _ => known.name == call.name && known.arguments == call.arguments,
        };
        if !self.calls().any(same) {
            self.parts.push(Part::Call(call));
        }
    }

    /// Takes over the parts of a later piece of the same message.
    pub(crate) fn absorb(&mut self, piece: Self) {
        for part in piece.parts {
            match (self.parts.last_mut(), part) {
                (Some(Part::Text(text)), Part::Text(more)) if self.is_chunk => text.push_str(&more),
                (Some(Part::Reasoning(text, _)), Part::Reasoning(more, _)) if self.is_chunk => {
                    text.push_str(&more);
                }
                (Some(Part::Call(call)), Part::Call(more)) if self.is_chunk && continues(call, &more) => {
                    call.arguments.push_str(&more.arguments);
                    call.name.push_str(&more.name);
                }
                (_, Part::Call(call)) if !self.is_chunk => self.add_call(call),
                (_, part) => self.parts.push(part),
            }
        }
        self.model = self.model.take().or(piece.model);
        self.usage = piece.usage.or(self.usage);
        self.finish = piece.finish.or(self.finish.take());
    }

    /// Adds the message to a trajectory and returns its step, where it made one of its own.
    pub(crate) fn add_to(&self, builder: &mut Builder, line: u64) -> Option<usize> {
        match self.role {
            Role::Assistant => {
                let index = builder.assistant(self.id.as_deref(), line);
                self.fill(builder, index, line);
                Some(index)
            }
            Role::User | Role::System => {
                let text = self.text();
                let has_results = self.results().next().is_some();
                for result in self.results() {
                    builder.result(result.clone(), line);
                }
                if has_results && text.trim().is_empty() {
                    return None;
                }
                Some(match self.role {
                    Role::System => builder.system(text, line),
                    _ => builder.user(text, line),
                })
            }
            Role::Tool => {
                for result in self.results() {
                    builder.result(result.clone(), line);
                }
                None
            }
        }
    }

    fn fill(&self, builder: &mut Builder, index: usize, line: u64) {
        for part in &self.parts {
            match part {
                Part::Text(text) => builder.text(index, text, "\n"),
                Part::Reasoning(text, origin) => builder.reasoning(index, text, *origin),
                Part::Call(call) => builder.call(
                    index,
                    CallDraft {
                        id: call.id.as_deref(),
                        name: &call.name,
                        arguments: &call.arguments,
                        server_side: call.server_side,
                    },
                ),
                Part::Result(result) => builder.result(result.clone(), line),
            }
        }
        if let Some(step) = builder.step(index) {
            step.usage = self.usage.or(step.usage);
            step.model = self.model.clone().or_else(|| step.model.take());
        }
    }
}

/// Whether a streamed call piece belongs to the call before it: only the first piece has id and name.
fn continues(call: &Call, piece: &Call) -> bool {
    piece.name.is_empty() && (piece.id.is_none() || piece.id == call.id)
}

/// The role that a word names.
pub(crate) fn role_of(word: &str) -> Option<Role> {
    Some(match word {
        "system" | "developer" => Role::System,
        "user" | "human" => Role::User,
        "assistant" | "ai" | "model" | "AIMessageChunk" => Role::Assistant,
        "tool" | "function" => Role::Tool,
        _ => return None,
    })
}

/// A message without its envelope: LangChain's `kwargs` or `data`, OpenInference's `message`.
pub(crate) fn unwrapped(value: &Value) -> &Value {
    if value.get("lc").is_some()
        && let Some(kwargs) = value.get("kwargs")
    {
        return kwargs;
    }
    if let Some(data) = value.get("data").filter(|data| data.is_object())
        && str_field(value, "type").is_some_and(|kind| role_of(kind).is_some())
    {
        return data;
    }
    match value.get("message") {
        Some(message) if message.is_object() && value.get("role").is_none() => message,
        _ => value,
    }
}
