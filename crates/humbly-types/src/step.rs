//! One step of a trajectory: an assistant turn, a user or system message, or tool results.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{ToolCall, ToolResult};

/// One step: a message of somebody, or the results of a turn's calls.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Who speaks.
    pub role: Role,
    /// Assistant turn, from 0 over the whole log; `None` for every other role.
    pub turn: Option<u32>,
    /// Id of the generation (one API response) where the log has one.
    pub generation_id: Option<String>,
    /// Text that a reader of the conversation sees.
    pub visible: String,
    /// Reasoning, apart from the visible text.
    pub reasoning: Vec<Reasoning>,
    /// Tool calls of this turn, in order.
    pub calls: Vec<ToolCall>,
    /// Results, on steps of role [`Role::Tool`].
    pub results: Vec<ToolResult>,
    /// Time as the log writes it.
    pub timestamp: Option<String>,
    /// Token counts of this generation.
    pub usage: Option<Usage>,
    /// Model of this generation, where it differs per step.
    pub model: Option<String>,
    /// What kind of record it was.
    pub flags: StepFlags,
    /// Where it stands.
    pub at: Location,
}

impl Step {
    /// Reasoning that can be read, joined by blank lines, then the visible text: what an Identify judge reads.
    pub fn reasoning_and_visible(&self) -> String {
        let mut text = String::new();
        for part in self.readable_reasoning().chain(std::iter::once(self.visible.as_str())) {
            if !part.is_empty() {
                if !text.is_empty() {
                    text.push_str("\n\n");
                }
                text.push_str(part);
            }
        }
        text
    }

    /// The reasoning texts that are neither encrypted nor redacted.
    pub fn readable_reasoning(&self) -> impl Iterator<Item = &str> {
        self.reasoning
            .iter()
            .filter(|reasoning| reasoning.origin.is_readable() && !reasoning.text.is_empty())
            .map(|reasoning| reasoning.text.as_str())
    }

    /// Whether the turn reasoned and none of that reasoning can be read.
    pub fn reasoning_is_unreadable(&self) -> bool {
        !self.reasoning.is_empty() && self.readable_reasoning().next().is_none()
    }

    /// Whether this is a prompt of a person (and not housekeeping, a copy, or a summary).
    pub fn is_prompt(&self) -> bool {
        self.role == Role::User
            && !self.flags.meta
            && !self.flags.copied
            && !self.flags.synthetic
            && !self.flags.compaction_summary
    }
}

/// Who speaks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The harness's instructions.
    System,
    /// A person, or who stands for one.
    #[default]
    User,
    /// The agent.
    Assistant,
    /// Results of tools.
    Tool,
}

/// A piece of reasoning and where it came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reasoning {
    /// The text; empty where it cannot be read.
    pub text: String,
    /// Where it came from.
    pub origin: ReasoningOrigin,
}

/// Where reasoning came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningOrigin {
    /// A field of its own.
    Field,
    /// A think block inside the text.
    Inline,
    /// The argument of a tool that only thinks.
    ThinkTool,
    /// A provider's summary of the reasoning.
    Summary,
    /// Encrypted: it exists and cannot be read.
    Encrypted,
    /// Redacted by the provider.
    Redacted,
}

impl ReasoningOrigin {
    /// Whether the text can be read.
    pub fn is_readable(self) -> bool {
        !matches!(self, Self::Encrypted | Self::Redacted)
    }
}

/// What kind of record a step was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "independent marks of a log record")]
pub struct StepFlags {
    /// A copy of earlier context (resume, fork, continuation): counts once, elsewhere.
    pub copied: bool,
    /// Housekeeping of the harness under role user.
    pub meta: bool,
    /// Written by the harness in the agent's or user's place (error notice, interruption).
    pub synthetic: bool,
    /// The generation was broken off.
    pub aborted: bool,
    /// Summary of compacted context.
    pub compaction_summary: bool,
}

/// Token counts of one generation or a whole trajectory; `None` where the log does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Prompt tokens, cached ones included.
    pub input: Option<u64>,
    /// Prompt tokens read from a cache.
    pub cached: Option<u64>,
    /// Completion tokens, reasoning included.
    pub output: Option<u64>,
    /// Reasoning tokens.
    pub reasoning: Option<u64>,
}

/// Where a step stands: the citation that verdicts, report and JSON share.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Location {
    /// File as the user named it, with `!entry` for a member of an archive.
    pub file: Arc<str>,
    /// Line from 1 in JSONL; the 1-based index of the message, event or span elsewhere.
    pub line: u64,
}
