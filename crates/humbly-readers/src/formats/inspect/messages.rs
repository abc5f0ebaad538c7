//! Messages of a conversation into steps.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use humbly_types::{ErrorOrigin, ReasoningOrigin, ToolResult};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::attachments::Attachments;
use super::text::{Block, Content};
use crate::builder::{Builder, CallDraft};
use crate::content::{raw_text, text_of};
use crate::fields::Text;

/// One chat message.
#[derive(Debug, Deserialize)]
pub(super) struct Message<'a> {
    #[serde(borrow, default)]
    pub(super) id: Text<'a>,
    #[serde(borrow, default)]
    pub(super) role: Text<'a>,
    #[serde(borrow, default)]
    pub(super) content: Content<'a>,
    #[serde(borrow, default)]
    source: Text<'a>,
    #[serde(borrow, default)]
    pub(super) tool_calls: Option<Vec<Call<'a>>>,
    #[serde(borrow, default)]
    tool_call_id: Text<'a>,
    #[serde(borrow, default)]
    function: Text<'a>,
    #[serde(borrow, default)]
    error: Option<ToolError<'a>>,
    #[serde(borrow, default)]
    reasoning: Text<'a>,
}

/// A call of an assistant message.
#[derive(Debug, Deserialize)]
pub(super) struct Call<'a> {
    #[serde(borrow, default)]
    pub(super) id: Text<'a>,
    #[serde(borrow, default)]
    pub(super) function: Text<'a>,
    #[serde(borrow, default)]
    pub(super) arguments: Option<&'a RawValue>,
}

/// Why a call failed.
#[derive(Debug, Deserialize)]
pub(super) struct ToolError<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow, default)]
    message: Text<'a>,
}

/// Adds messages to a builder, in order.
pub(super) struct Conversation<'a, 'b> {
    pub(super) builder: &'b mut Builder,
    pub(super) attachments: &'b Attachments<'a>,
    seen: HashSet<String>,
    renamed: HashMap<String, String>,
    calls_seen: HashMap<String, usize>,
    pub(super) last_assistant: Option<usize>,
}

impl<'a, 'b> Conversation<'a, 'b> {
    pub(super) fn new(builder: &'b mut Builder, attachments: &'b Attachments<'a>) -> Self {
        Self {
            builder,
            attachments,
            seen: HashSet::new(),
            renamed: HashMap::new(),
            calls_seen: HashMap::new(),
            last_assistant: None,
        }
    }

    /// Adds one message; one that was added before (by id) and one that cannot be read are counted only.
    pub(super) fn add(&mut self, raw: &'a RawValue, line: u64) {
        match serde_json::from_str::<Message<'a>>(raw.get()) {
            Ok(message) => self.message(&message, line),
            Err(error) => self.builder.warn(format!("a message that cannot be read: {error}"), line),
        }
    }

    fn message(&mut self, message: &Message<'a>, line: u64) {
        let is_repeated = message.id.get().is_some_and(|id| !self.seen.insert(id.to_owned()));
        if is_repeated {
            self.builder.warn("a message that the log repeats", line);
            return;
        }
        match message.role.get().unwrap_or("(none)") {
            "system" => {
                let (text, _) = self.plain(&message.content);
                self.builder.system(text, line);
            }
            "user" => {
                let (text, _) = self.plain(&message.content);
                // One sample is one task: later words under role user come from its solver.
                let is_later = self.last_assistant.is_some() && message.source.get() != Some("input");
                let index = self.builder.user(text, line);
                if let Some(step) = self.builder.step(index) {
                    step.flags.synthetic = is_later;
                }
            }
            "assistant" => self.assistant(message, line),
            "tool" => self.tool(message, line),
            other => self.builder.warn(format!("unknown message role {other}"), line),
        }
    }

    fn assistant(&mut self, message: &Message<'a>, line: u64) {
        let index = self.builder.assistant(message.id.get(), line);
        // Few-shot turns of the data set are no turns of this agent.
        let is_input = message.source.get() == Some("input");
        if let Some(step) = self.builder.step(index) {
            step.flags.copied = is_input;
        }
        if !is_input {
            self.last_assistant = Some(index);
        }
        if let Some(reasoning) = message.reasoning.get() {
            let text = self.attachments.resolve(reasoning);
            self.builder.reasoning(index, text, ReasoningOrigin::Field);
        }
        let mut results = Vec::new();
        match &message.content {
            Content::Empty => {}
            Content::Text(text) => self.builder.text(index, self.attachments.resolve(text), "\n"),
            Content::Blocks(blocks) => {
                for block in blocks {
                    self.block(index, block, &mut results);
                }
            }
        }
        for call in message.tool_calls.iter().flatten() {
            let id = call.id.get().map(|id| self.unique(id, index));
            let name = call.function.get().unwrap_or("unknown");
            let arguments = self.arguments(call.arguments);
            let draft = CallDraft { id: id.as_deref(), name, arguments: &arguments, ..CallDraft::default() };
            self.builder.call(index, draft);
        }
        for result in results {
            self.builder.result(result, line);
        }
    }

    fn block(&mut self, index: usize, block: &Block<'a>, results: &mut Vec<ToolResult>) {
        match block.kind.get() {
            Some("reasoning") => {
                let text = block.reasoning.get().unwrap_or_default();
                let text = self.attachments.resolve(text);
                let summary = block.summary.get().unwrap_or_default();
                self.builder.reasoning(index, summary, ReasoningOrigin::Summary);
                if block.redacted.is_set() {
                    self.builder.reasoning(index, "", ReasoningOrigin::Redacted);
                } else if text.trim().is_empty() && block.signature.is_some() {
                    self.builder.reasoning(index, "", ReasoningOrigin::Encrypted);
                } else {
                    self.builder.reasoning(index, text, ReasoningOrigin::Field);
                }
            }
            Some("tool_use") => {
                let id = block
                    .id
                    .get()
                    .map_or_else(|| format!("server-{index}-{}", results.len()), |id| self.unique(id, index));
                let name = block.name.get().unwrap_or("unknown");
                let arguments = self.arguments(block.arguments);
                let draft = CallDraft { id: Some(&id), name, arguments: &arguments, server_side: true };
                self.builder.call(index, draft);
                let (text, images) = self.value(block.result);
                let error = block.error.filter(|error| error.get() != "null");
                results.push(ToolResult {
                    call_id: Some(id),
                    name: Some(name.to_owned()),
                    text: error.filter(|_| text.is_empty()).map_or(text, |error| self.value(Some(error)).0),
                    images,
                    is_error: Some(error.is_some()),
                    error_origin: ErrorOrigin::Flag,
                    truncated: false,
                });
            }
            _ => {
                if let Some(text) = block.text.get() {
                    self.builder.text(index, self.attachments.resolve(text), "\n");
                }
            }
        }
    }

    fn tool(&mut self, message: &Message<'a>, line: u64) {
        let (text, images) = self.plain(&message.content);
        let result = self.result(message.tool_call_id.get(), message.function.get(), text);
        self.builder.result(with_error(ToolResult { images, ..result }, message.error.as_ref()), line);
        let last = self.builder.steps().len().checked_sub(1);
        if message.source.get() == Some("input")
            && let Some(step) = last.and_then(|last| self.builder.step(last))
        {
            step.flags.copied = true;
        }
    }

    /// Adds a result that only an event holds.
    pub(super) fn event_result(
        &mut self,
        call: &str,
        function: Option<&str>,
        result: Option<&RawValue>,
        error: Option<&ToolError<'_>>,
        line: u64,
    ) {
        let (text, images) = self.value(result);
        let result = self.result(Some(call), function, text);
        self.builder.result(with_error(ToolResult { images, ..result }, error), line);
    }

    /// Ids of calls of the last turn that no result answers, as the log writes them.
    pub(super) fn unanswered(&self) -> Vec<String> {
        let Some(step) = self.last_assistant.and_then(|index| self.builder.steps().get(index)) else {
            return Vec::new();
        };
        let after =
            self.last_assistant.and_then(|index| self.builder.steps().get(index..)).unwrap_or_default();
        let answered: HashSet<&str> = after
            .iter()
            .flat_map(|step| &step.results)
            .filter_map(|result| result.call_id.as_deref())
            .collect();
        step.calls
            .iter()
            .filter(|call| !answered.contains(call.id.as_str()))
            .map(|call| call.id.split_once(RENAMED).map_or(call.id.as_str(), |(id, _)| id).to_owned())
            .collect()
    }

    fn result(&self, call: Option<&str>, function: Option<&str>, text: String) -> ToolResult {
        let call_id = call.map(|id| self.renamed.get(id).map_or(id, String::as_str).to_owned());
        ToolResult { call_id, name: function.map(str::to_owned), text, ..ToolResult::default() }
    }

    /// Some models number their calls anew in each turn: the later one gets a name of its own.
    fn unique(&mut self, id: &str, index: usize) -> String {
        match self.calls_seen.insert(id.to_owned(), index) {
            None => return id.to_owned(),
            Some(turn) if turn == index => {
                return self.renamed.get(id).cloned().unwrap_or_else(|| id.to_owned());
            }
            Some(_) => {}
        }
        let renamed = format!("{id}{RENAMED}{index}");
        self.renamed.insert(id.to_owned(), renamed.clone());
        renamed
    }

    fn arguments<'t>(&self, raw: Option<&'t RawValue>) -> Cow<'t, str> {
        let Some(raw) = raw else { return Cow::Borrowed("{}") };
        if raw.get().starts_with('"') {
            return match serde_json::from_str::<String>(raw.get()) {
                Ok(text) => Cow::Owned(self.attachments.resolve(&text).to_owned()),
                Err(_) => Cow::Borrowed(raw.get()),
            };
        }
        self.attachments.resolve_json(raw.get())
    }

    fn value(&self, raw: Option<&RawValue>) -> (String, u32) {
        let Some(raw) = raw else { return (String::new(), 0) };
        match serde_json::from_str::<Value>(&self.attachments.resolve_json(raw.get())) {
            Ok(value @ (Value::String(_) | Value::Array(_) | Value::Null)) => text_of(&value, "\n"),
            Ok(value) => (raw_text(&value), 0),
            Err(_) => (raw.get().to_owned(), 0),
        }
    }

    /// Text of a message that is no assistant's, and how many other parts it holds.
    pub(super) fn plain(&self, content: &Content<'_>) -> (String, u32) {
        plain(content, self.attachments)
    }
}

/// Marks an id that the reader changed.
const RENAMED: &str = "~turn-";

/// Text of a content, and how many other parts it holds.
pub(super) fn plain(content: &Content<'_>, attachments: &Attachments<'_>) -> (String, u32) {
    match content {
        Content::Empty => (String::new(), 0),
        Content::Text(text) => (attachments.resolve(text).to_owned(), 0),
        Content::Blocks(blocks) => {
            let texts: Vec<&str> = blocks
                .iter()
                .filter_map(|block| block.text.get())
                .map(|text| attachments.resolve(text))
                .collect();
            let others = blocks.iter().filter(|block| block.text.0.is_none()).count();
            (texts.join("\n"), u32::try_from(others).unwrap_or(u32::MAX))
        }
    }
}

fn with_error(mut result: ToolResult, error: Option<&ToolError<'_>>) -> ToolResult {
    result.is_error = Some(error.is_some());
    result.error_origin = ErrorOrigin::Flag;
    if let Some(error) = error {
        result.truncated = error.kind.get() == Some("output_limit");
        let message = error.message.get().unwrap_or_default();
        if !result.text.contains(message) {
            if !result.text.is_empty() {
                result.text.push('\n');
            }
            result.text.push_str(message);
        }
    }
    result
}

/// The id of a message without reading the rest of it.
#[derive(Deserialize)]
pub(super) struct Identity<'a> {
    #[serde(borrow, default)]
    pub(super) id: Text<'a>,
    #[serde(borrow, default)]
    pub(super) role: Text<'a>,
}
