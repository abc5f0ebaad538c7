//! The registry: one file a format, one line here.
//!
//! Order is the order of recognition: a format with unmistakable marks stands before one that is a subset
//! of others (chat lists come late).

mod claude;
mod claude_code;
mod gaia;
mod humbly_jsonl;
mod langchain;
mod langsmith;
mod mcp;
mod message;
mod openai_chat;
mod openinference;
mod otel_genai;
mod qwen_agent;
mod spans;

use crate::registry::Reader;
use crate::units::Grouper;

/// All readers, in the order in which they are tried.
pub(crate) const ALL: &[&dyn Reader] = &[
    &humbly_jsonl::HumblyJsonl,
    &claude_code::ClaudeCode,
    &mcp::Mcp,
    &langsmith::LangSmith,
    &openinference::OpenInference,
    &otel_genai::OtelGenAi,
    &langchain::LangChain,
    &gaia::Gaia,
    &qwen_agent::QwenAgent,
    // Last: a bare chat list is a subset of many others.
    &openai_chat::OpenAiChat,
];

/// Groupers of files that belong together, tried in this order.
pub(crate) const GROUPERS: &[Grouper] = &[claude::group_sessions];
