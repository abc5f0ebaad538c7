//! A chain of Anthropic messages that becomes one trajectory.

use std::borrow::Cow;
use std::sync::Arc;

use humbly_types::{ErrorOrigin, ReasoningOrigin, Role, StepFlags, StopKind, ToolResult, Trajectory, Usage};

use super::{Block, Content, Message, UserText, strip_reminders};
use crate::builder::{Builder, CallDraft};

/// What is known of a line beside its message.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LineMarks<'a> {
    /// The line.
    pub(crate) line: u64,
    /// Its generation where the message has no id.
    pub(crate) fallback_generation: Option<&'a str>,
    /// Time as the log writes it.
    pub(crate) timestamp: Option<&'a str>,
    /// Marks for the step.
    pub(crate) flags: StepFlags,
}

/// How the chain stands since its last prompt.
#[derive(Default)]
struct Since {
    last_turn: Option<usize>,
    interrupted: bool,
    failed: Option<String>,
    limit: Option<String>,
    stop_reason: Option<String>,
}

/// A trajectory in the making, with the rules that Anthropic messages need.
pub(crate) struct Chain {
    /// The builder, for what the format says beside messages.
    pub(crate) builder: Builder,
    since: Since,
    copied_prompt: Option<String>,
    command: Option<String>,
    has_prompt: bool,
    has_turn: bool,
}

/// What a user line did to the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UserEffect {
    /// It belongs to this chain.
    Added,
    /// It says that the chain ends here.
    Clear,
}

impl Chain {
    /// An empty chain.
    pub(crate) fn new(format: &'static str, path: &Arc<str>, id: String) -> Self {
        Self {
            builder: Builder::new(format, path, id),
            since: Since::default(),
            copied_prompt: None,
            command: None,
            has_prompt: false,
            has_turn: false,
        }
    }

    /// Whether it holds a turn that is no copy.
    pub(crate) fn has_turn(&self) -> bool {
        self.has_turn
    }

    /// Adds a message of the model.
    pub(crate) fn assistant(&mut self, message: &Message<'_>, marks: &LineMarks<'_>) {
        let mut flags = marks.flags;
        let is_notice = flags.synthetic || message.model.get() == Some("<synthetic>");
        if is_notice || flags.compaction_summary {
            flags.synthetic = true;
        }
        let before = self.builder.steps().len();
        let generation = message.id.get().or(marks.fallback_generation);
        let index = self.builder.assistant(generation, marks.line);
        let is_new = self.builder.steps().len() > before;
        match &message.content {
            Content::Absent => self.builder.warn("a message without content", marks.line),
            Content::Text(text) => self.builder.text(index, text, "\n"),
            Content::Blocks(blocks) => self.blocks(index, blocks, marks),
        }
        let usage = message.usage();
        if let Some(step) = self.builder.step(index) {
            if is_new {
                step.flags = flags;
                step.timestamp = marks.timestamp.map(str::to_owned);
                step.model = message.model.owned();
            } else {
                step.flags.copied &= flags.copied;
                step.flags.aborted |= flags.aborted;
            }
            step.usage = usage.or(step.usage);
        }
        if flags.synthetic {
            if flags.compaction_summary {
                return;
            }
            let text = self.builder.steps().get(index).map(|step| step.visible.clone()).unwrap_or_default();
            if marks.flags.synthetic || text.starts_with("API Error") {
                self.since.failed = Some(text.chars().take(200).collect());
            }
            return;
        }
        self.since.last_turn = Some(index);
        self.since.interrupted = false;
        self.since.failed = None;
        if message.stop_reason.get().is_some() || is_new {
            self.since.stop_reason = message.stop_reason.owned();
        }
        self.has_turn |= !flags.copied;
    }

    fn blocks(&mut self, index: usize, blocks: &[Block<'_>], marks: &LineMarks<'_>) {
        // Text split around citations belongs together without a separator.
        let mut run = String::new();
        for block in blocks {
            let kind = block.kind.get().unwrap_or_default();
            if kind == "text" {
                run.push_str(block.text.get().unwrap_or_default());
                continue;
            }
            self.flush(index, &mut run);
            match kind {
                "thinking" => match block.thinking.get() {
                    Some(text) if !text.trim().is_empty() => {
                        self.builder.reasoning(index, text, ReasoningOrigin::Field);
                    }
                    _ => self.builder.reasoning(index, "", ReasoningOrigin::Encrypted),
                },
                "redacted_thinking" => self.builder.reasoning(index, "", ReasoningOrigin::Redacted),
                "tool_use" | "server_tool_use" | "mcp_tool_use" => self.builder.call(
                    index,
                    CallDraft {
                        id: block.id.get(),
                        name: block.name.get().unwrap_or_default(),
                        arguments: block.input.map_or("", serde_json::value::RawValue::get),
                        server_side: kind != "tool_use",
                    },
                ),
                _ if kind.ends_with("tool_result") => self.result(block, marks),
                // The summary of context that the API compacted is neither said nor thought here.
                "compaction" | "image" | "document" | "container_upload" | "fallback" => {}
                other => self.builder.warn(format!("unknown content block `{other}`"), marks.line),
            }
        }
        self.flush(index, &mut run);
    }

    fn flush(&mut self, index: usize, run: &mut String) {
        if !run.is_empty() {
            self.builder.text(index, run, "\n");
            run.clear();
        }
    }

    fn result(&mut self, block: &Block<'_>, marks: &LineMarks<'_>) {
        let text = strip_reminders(block.content.text.as_deref().unwrap_or_default());
        let wrapped = text
            .trim()
            .strip_prefix("<tool_use_error>")
            .map(|inner| inner.strip_suffix("</tool_use_error>").unwrap_or(inner));
        let (is_error, error_origin) = match (block.is_error.0, &block.content.error_code, wrapped) {
            (Some(flag), ..) => (Some(flag), ErrorOrigin::Flag),
            (None, Some(_), _) => (Some(true), ErrorOrigin::Status),
            (None, None, Some(_)) => (Some(true), ErrorOrigin::TextHeuristic),
            (None, None, None) => (None, ErrorOrigin::None),
        };
        let is_cut = text.starts_with("<persisted-output>")
            || memchr::memmem::find(text.as_bytes(), b"[Output truncated").is_some();
        let result = ToolResult {
            call_id: block.tool_use_id.owned(),
            name: None,
            text: wrapped.map_or_else(|| text.clone().into_owned(), str::to_owned),
            images: block.content.images,
            is_error,
            error_origin,
            truncated: is_cut,
        };
        self.builder.result(result, marks.line);
        let last = self.builder.steps().len().saturating_sub(1);
        if let Some(step) = self.builder.step(last).filter(|step| step.role == Role::Tool) {
            step.flags.copied |= marks.flags.copied;
            if step.timestamp.is_none() {
                step.timestamp = marks.timestamp.map(str::to_owned);
            }
        }
    }

    /// Adds a message under role user.
    pub(crate) fn user(&mut self, message: &Message<'_>, marks: &LineMarks<'_>) -> UserEffect {
        match &message.content {
            Content::Absent => {
                self.builder.warn("a message without content", marks.line);
                UserEffect::Added
            }
            Content::Text(text) => self.user_text(text, marks),
            Content::Blocks(blocks) => {
                let mut marks = *marks;
                let mut texts: Vec<&str> = Vec::new();
                for block in blocks {
                    match block.kind.get().unwrap_or_default() {
                        "text" => texts.extend(block.text.get()),
                        kind if kind.ends_with("tool_result") => {
                            self.result(block, &marks);
                            // Text beside a result is a note of the harness, not a new prompt.
                            marks.flags.meta = true;
                        }
                        _ => {}
                    }
                }
                let text = match texts.as_slice() {
                    [] => return UserEffect::Added,
                    [only] => Cow::Borrowed(*only),
                    many => Cow::Owned(many.join("\n")),
                };
                self.user_text(&text, &marks)
            }
        }
    }

    /// Adds a text under role user.
    pub(crate) fn user_text(&mut self, text: &str, marks: &LineMarks<'_>) -> UserEffect {
        let mut flags = marks.flags;
        let text = match UserText::of(text) {
            UserText::Prompt(text) => text,
            UserText::Meta(text) => {
                flags.meta = true;
                text
            }
            UserText::Command(arguments) => {
                if !arguments.is_empty() {
                    self.command = Some(arguments.to_owned());
                }
                flags.meta = true;
                Cow::Borrowed(text)
            }
            UserText::Clear => return UserEffect::Clear,
            UserText::Interrupt => {
                if !flags.copied {
                    self.interrupt();
                }
                flags.synthetic = true;
                Cow::Borrowed(text)
            }
            UserText::Summary => {
                flags.compaction_summary = true;
                Cow::Borrowed(text)
            }
            UserText::Empty => return UserEffect::Added,
        };
        let index = self.builder.user(text, marks.line);
        let mut is_prompt = false;
        let mut copied_prompt = None;
        if let Some(step) = self.builder.step(index) {
            step.flags = flags;
            step.timestamp = marks.timestamp.map(str::to_owned);
            is_prompt = step.is_prompt();
            let as_new = StepFlags { copied: false, ..flags };
            copied_prompt = (flags.copied && as_new == StepFlags::default()).then(|| step.visible.clone());
        }
        self.copied_prompt = copied_prompt.or(self.copied_prompt.take());
        if is_prompt {
            self.has_prompt = true;
            self.since = Since::default();
        }
        UserEffect::Added
    }

    /// The user broke off what runs.
    pub(crate) fn interrupt(&mut self) {
        self.since.interrupted = true;
        if let Some(step) = self.since.last_turn.and_then(|index| self.builder.step(index)) {
            step.flags.aborted = true;
        }
    }

    /// The log ends while the agent runs: a last turn that called tools gave no answer.
    pub(crate) fn stops_while_running(&mut self) {
        let step = self.since.last_turn.and_then(|index| self.builder.step(index));
        if let Some(step) = step.filter(|step| !step.calls.is_empty()) {
            step.flags.aborted = true;
        }
    }

    /// Token counts of the whole, as the log states them.
    pub(crate) fn set_usage(&mut self, usage: Usage) {
        self.builder.meta().usage = usage;
    }

    /// A limit cut what runs.
    pub(crate) fn limit(&mut self, raw: &str) {
        self.since.limit = Some(raw.to_owned());
    }

    /// The generation with this id was taken back: it is kept, and no turn.
    pub(crate) fn supersede(&mut self, generation: &str) {
        let found = self.builder.generation(generation);
        if let Some(step) = found.and_then(|index| self.builder.step(index)) {
            step.flags.synthetic = true;
            step.flags.aborted = true;
        }
    }

    /// Ends the chain; the stop is left alone where the reader set one.
    pub(crate) fn finish(mut self) -> Trajectory {
        if self.builder.meta().stop.kind == StopKind::Unknown {
            self.set_stop();
        }
        if !self.has_prompt {
            // A resumed run, or one started by a slash command, has its question elsewhere.
            let question = self.copied_prompt.take().or(self.command.take());
            let meta = self.builder.meta();
            meta.question = meta.question.take().or(question);
        }
        let total = self
            .builder
            .steps()
            .iter()
            .filter(|step| !step.flags.copied)
            .filter_map(|step| step.usage)
            .fold(Usage::default(), add_usage);
        if self.builder.meta().usage == Usage::default() {
            self.builder.meta().usage = total;
        }
        self.builder.finish()
    }

    fn set_stop(&mut self) {
        let since = std::mem::take(&mut self.since);
        let reason = since.stop_reason.as_deref();
        if let Some(raw) = &since.limit {
            self.builder.stop(StopKind::Limit, Some(raw));
        } else if let Some(raw) = &since.failed {
            self.builder.stop(StopKind::Error, Some(raw));
            // The text of a turn that called tools was no answer: the next generation failed.
            self.since.last_turn = since.last_turn;
            self.stops_while_running();
        } else if since.interrupted {
            self.builder.stop(StopKind::Interrupted, reason);
        } else {
            match reason {
                Some("end_turn" | "stop_sequence") => self.builder.stop(StopKind::Completed, reason),
                Some("max_tokens" | "model_context_window_exceeded") => {
                    self.builder.stop(StopKind::Limit, reason);
                }
                Some("pause_turn") => {
                    self.since.last_turn = since.last_turn;
                    self.stops_while_running();
                    self.builder.stop(StopKind::Unknown, reason);
                }
                Some("refusal") => self.builder.stop(StopKind::Refused, reason),
                Some(_) => self.builder.stop(StopKind::Unknown, reason),
                None => {}
            }
        }
    }
}

/// Sum of two counts; unknown beside known is known.
pub(crate) fn add_usage(total: Usage, more: Usage) -> Usage {
    let add = |a: Option<u64>, b: Option<u64>| match (a, b) {
        (Some(a), Some(b)) => Some(a.saturating_add(b)),
        (a, b) => a.or(b),
    };
    Usage {
        input: add(total.input, more.input),
        cached: add(total.cached, more.cached),
        output: add(total.output, more.output),
        reasoning: add(total.reasoning, more.reasoning),
    }
}
