//! What is asked of a model and what comes back.
//!
//! A request is plain data with one canonical JSON: the reply cache hashes it whole, a run file keeps it.
//! What a provider did not say (usage, reason of the end) stays `None` or `Unknown`.

use std::collections::BTreeMap;

use humbly_types::Usage;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ChatRequest {
    /// Model as the provider names it, without the provider's prefix.
    pub model: String,
    /// The conversation so far.
    pub messages: Vec<ChatMessage>,
    /// Tools that the model may call; empty for none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolSpec>,
    /// How the reply is drawn.
    #[serde(default)]
    pub sampling: Sampling,
    /// Which of several draws of the same request this is, from 0: part of the cache key.
    #[serde(default)]
    pub sample_index: u32,
    /// Texts of which it is asked how likely the model would say each as its reply, in place of a reply:
    /// [`ChatReply::likelihoods`]. A provider that cannot tell refuses with [`ChatError::Unsupported`].
    ///
    /// [`ChatError::Unsupported`]: crate::ChatError::Unsupported
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub continuations: Vec<String>,
}

/// How a reply is drawn; `None` leaves the provider's default.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Sampling {
    /// Temperature; 0 is greedy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Nucleus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// Longest reply in tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// Seed, where the provider takes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Texts that end the reply; they are not part of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// Whether log-probabilities of the tokens are wanted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub logprobs: bool,
    /// Effort of a reasoning model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<ReasoningEffort>,
    /// Options of one provider, handed on as they are.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub provider: BTreeMap<String, Value>,
}

/// Effort of a reasoning model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningEffort {
    /// None, where the model can do without.
    Minimal,
    /// Little.
    Low,
    /// The usual.
    Medium,
    /// Much.
    High,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatMessage {
    /// Who speaks.
    pub role: ChatRole,
    /// Visible text.
    #[serde(default)]
    pub content: String,
    /// Reasoning of an assistant message, for providers that want it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Calls of an assistant message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<RequestedCall>,
    /// The call that a tool message answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
}

impl ChatMessage {
    /// A message of the system.
    pub fn system(content: impl Into<String>) -> Self {
        Self::new(ChatRole::System, content)
    }

    /// A message of the user.
    pub fn user(content: impl Into<String>) -> Self {
        Self::new(ChatRole::User, content)
    }

    /// A message of the assistant.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self::new(ChatRole::Assistant, content)
    }

    /// The result of a call.
    pub fn tool(call_id: impl Into<String>, content: impl Into<String>) -> Self {
        Self { call_id: Some(call_id.into()), ..Self::new(ChatRole::Tool, content) }
    }

    fn new(role: ChatRole, content: impl Into<String>) -> Self {
        Self { role, content: content.into(), reasoning: None, calls: Vec::new(), call_id: None }
    }
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChatRole {
    /// Instructions.
    System,
    /// The person or harness.
    User,
    /// The model.
    Assistant,
    /// A tool's result.
    Tool,
}

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Name.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON schema of the arguments.
    pub parameters: Value,
}

/// A call that the model asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestedCall {
    /// Id by which the result names it.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// The arguments as the model wrote them: often JSON, not always.
    pub arguments: String,
}

/// One reply.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ChatReply {
    /// Visible text.
    #[serde(default)]
    pub text: String,
    /// Reasoning, where the provider gives it apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Calls that the model asks for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<RequestedCall>,
    /// Why it ended.
    #[serde(default)]
    pub finish: Finish,
    /// Tokens, as far as the provider said.
    #[serde(default)]
    pub usage: Usage,
    /// Prompt tokens that the provider wrote into its cache, part of the input; some charge more for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_written: Option<u64>,
    /// Log-probabilities of the reply's tokens, where asked for and given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logprobs: Option<Vec<TokenLogprob>>,
    /// Natural log-probability of each of the request's continuations, the sum over its tokens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub likelihoods: Vec<f64>,
    /// The model that answered, as the provider names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Where the reply came from.
    #[serde(default)]
    pub source: ReplySource,
    /// Cost in US dollars; `None` where no price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// Why a reply ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// By itself or at a stop text.
    Stop,
    /// At the limit of tokens.
    Length,
    /// With calls.
    Calls,
    /// Held back by a filter.
    Filtered,
    /// In the provider's own word.
    Other(String),
    /// The provider did not say.
    #[default]
    Unknown,
}

/// Log-probability of one token.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TokenLogprob {
    /// The token's text.
    pub token: String,
    /// Its natural log-probability.
    pub logprob: f64,
    /// The likeliest tokens at this place with theirs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub top: Vec<(String, f64)>,
}

/// Where a reply came from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplySource {
    /// The provider was called.
    #[default]
    Live,
    /// The reply cache: it cost nothing.
    Cache,
    /// A recording.
    Replay,
}
