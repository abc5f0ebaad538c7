//! The registry: one file a format, one line here.
//!
//! Order is the order of recognition: a format with unmistakable marks stands before one that is a subset
//! of others (chat lists come late).

mod claude;
mod claude_code;
mod humbly_jsonl;
mod openai_chat;
mod qwen_agent;

use crate::registry::Reader;
use crate::units::Grouper;

/// All readers, in the order in which they are tried.
pub(crate) const ALL: &[&dyn Reader] = &[
    &humbly_jsonl::HumblyJsonl,
    &claude_code::ClaudeCode,
    &qwen_agent::QwenAgent,
    // Last: a bare chat list is a subset of many others.
    &openai_chat::OpenAiChat,
];

/// Groupers of files that belong together, tried in this order.
pub(crate) const GROUPERS: &[Grouper] = &[claude::group_sessions];
