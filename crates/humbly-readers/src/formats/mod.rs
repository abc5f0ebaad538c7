//! The registry: one file a format, one line here.
//!
//! Order is the order of recognition: a format with unmistakable marks stands before one that is a subset
//! of others (chat lists come late).

mod anthropic_messages;
mod claude;
mod claude_code;
mod claude_stream;
mod codex_exec;
mod codex_record;
mod codex_rollout;
mod exchanges;
mod gaia;
mod gemini_cli;
mod gemini_contents;
mod harbor_atif;
mod humbly_jsonl;
mod inspect;
mod langchain;
mod langsmith;
mod mcp;
mod message;
mod mini_swe_agent;
mod openai_chat;
mod openai_items;
mod openai_responses;
mod openhands;
mod openinference;
mod otel_genai;
mod qwen_agent;
mod search_r1;
mod sharegpt;
mod spans;
mod swe_agent;
mod tool_orchestra;
mod webdancer;

use crate::registry::Reader;
use crate::units::Grouper;

/// All readers, in the order in which they are tried.
pub(crate) const ALL: &[&dyn Reader] = &[
    &humbly_jsonl::HumblyJsonl,
    &inspect::InspectJson,
    &inspect::InspectEval,
    &harbor_atif::HarborAtif,
    &openhands::OpenHandsV0,
    &openhands::OpenHandsSdk,
    &openhands::OpenHandsCompletions,
    &claude_code::ClaudeCode,
    &claude_stream::ClaudeStream,
    &codex_rollout::CodexRollout,
    &codex_exec::CodexExec,
    &mcp::Mcp,
    &langsmith::LangSmith,
    &openinference::OpenInference,
    &otel_genai::OtelGenAi,
    &langchain::LangChain,
    &gaia::Gaia,
    &gemini_cli::GeminiCli,
    &swe_agent::SweAgent,
    &mini_swe_agent::MiniSweAgent,
    &tool_orchestra::ToolOrchestra,
    &search_r1::SearchR1,
    &webdancer::WebDancer,
    &gemini_contents::GeminiContents,
    &qwen_agent::QwenAgent,
    &openai_responses::OpenAiResponses,
    &anthropic_messages::AnthropicMessages,
    &sharegpt::ShareGpt,
    // Last: a bare chat list is a subset of many others.
    &openai_chat::OpenAiChat,
];

/// Groupers of files that belong together, tried in this order.
pub(crate) const GROUPERS: &[Grouper] = &[
    claude::group_sessions,
    gemini_cli::group_subagents,
    codex_rollout::group_rollouts,
    openhands::group_conversations,
    openhands::group_completions,
    harbor_atif::group_trajectories,
];
