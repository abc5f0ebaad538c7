//! The form of a rule as it stands in a file.

use std::collections::BTreeMap;
use std::time::Duration;

use humbly_types::Usage;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ChatError, Finish, TokenLogprob};

/// One rule: when it applies and what it answers.
///
/// In TOML:
/// ```toml
/// [[rule]]
/// when.user = "capital of Australia"            # substring of the last user message
/// when.tools_called = false                     # nothing was called yet
/// reply.calls = [{ name = "search", arguments = { query = "capital of Australia" } }]
///
/// [[rule]]
/// when.user.regex = "(?i)capital of (\\w+)"
/// when.turn = 1                                 # one assistant message stands before
/// reply.reasoning = "The passages disagree."
/// reply.text = "The passages on ${1} disagree: one says Sydney, one Canberra."
/// reply.usage = { input = 120, output = 30 }
///
/// [[rule]]
/// times = 2                                     # the first two requests only
/// error = { kind = "rate_limited", retry_after_seconds = 1.5 }
/// delay_seconds = 0.2
/// ```
/// A reply's text, reasoning and arguments may use `${1}` or `${name}` for what the regexes of `when`
/// captured, `${user}` for the last user message, `${sample}` and `${turn}`; `$${` writes `${`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// When it applies; without conditions always.
    #[serde(default)]
    pub when: When,
    /// The reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<ReplyRule>,
    /// The error that stands in place of a reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<RuleError>,
    /// Time until reply or error, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_seconds: Option<f64>,
    /// How many requests it answers at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u64>,
}

/// Conditions of a rule; all that are given must hold.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct When {
    /// In the last message of the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<TextMatch>,
    /// In any message but the system's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub any: Option<TextMatch>,
    /// In the messages of the system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<TextMatch>,
    /// In the last result of a tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_result: Option<TextMatch>,
    /// The model asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<TextMatch>,
    /// Whether a tool was called before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools_called: Option<bool>,
    /// A tool of this name is offered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offers: Option<String>,
    /// Assistant messages that stand before, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<usize>,
    /// Index of the draw, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<u32>,
}

/// What a text must hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum TextMatch {
    /// This substring; letter case counts.
    Contains(String),
    /// A match of a regex (crate `regex`; `(?i)` folds case).
    Regex {
        /// The pattern.
        regex: String,
    },
}

/// The reply of a rule.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplyRule {
    /// Visible text.
    #[serde(default)]
    pub text: String,
    /// Reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ReplyCall>,
    /// Why it ended; without it `calls` where there are calls, else `stop`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish: Option<Finish>,
    /// Tokens; without it unknown.
    #[serde(default)]
    pub usage: Usage,
    /// Log-probabilities of the tokens; given only where the request asks for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logprobs: Option<Vec<TokenLogprob>>,
    /// Natural log-probability of texts, by text; given for a request's continuations where all stand here.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub likelihoods: BTreeMap<String, f64>,
}

/// A call in a rule's reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplyCall {
    /// Id; without it `call_TURN_INDEX`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Name of the tool.
    pub name: String,
    /// A table of arguments, or a string that is sent as it is (also one that is not JSON).
    #[serde(default)]
    pub arguments: Value,
}

/// An error that a rule raises.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum RuleError {
    /// [`ChatError::RateLimited`].
    RateLimited {
        /// Seconds that the provider asks to wait.
        #[serde(default)]
        retry_after_seconds: Option<f64>,
    },
    /// [`ChatError::TimedOut`].
    TimedOut,
    /// [`ChatError::Connection`].
    Connection,
    /// [`ChatError::EmptyReply`].
    EmptyReply,
    /// [`ChatError::BrokenOff`].
    BrokenOff,
    /// [`ChatError::NotAReply`].
    NotAReply,
    /// [`ChatError::Server`].
    Server {
        /// HTTP status.
        #[serde(default = "internal_server_error")]
        status: u16,
    },
    /// [`ChatError::Authentication`].
    Authentication,
    /// [`ChatError::UnknownModel`].
    UnknownModel,
    /// [`ChatError::ContextTooLong`].
    ContextTooLong,
    /// [`ChatError::Refused`].
    Refused {
        /// What the provider says.
        #[serde(default)]
        detail: String,
    },
}

impl RuleError {
    pub(super) fn raise(&self, model: &str) -> ChatError {
        let provider = || "scripted".to_owned();
        match self {
            Self::RateLimited { retry_after_seconds } => ChatError::RateLimited {
                retry_after: retry_after_seconds
                    .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
            },
            Self::TimedOut => ChatError::TimedOut { after: Duration::ZERO },
            Self::Connection => {
                ChatError::Connection { endpoint: provider(), detail: "as the script says".to_owned() }
            }
            Self::EmptyReply => ChatError::EmptyReply,
            Self::BrokenOff => ChatError::BrokenOff { received: 0 },
            Self::NotAReply => ChatError::NotAReply { found: "what the script says".to_owned() },
            Self::Server { status } => ChatError::Server { status: *status, retry_after: None },
            Self::Authentication => ChatError::Authentication { provider: provider(), status: 401 },
            Self::UnknownModel => ChatError::UnknownModel { provider: provider(), model: model.to_owned() },
            Self::ContextTooLong => {
                ChatError::ContextTooLong { model: model.to_owned(), detail: "as the script says".to_owned() }
            }
            Self::Refused { detail } => ChatError::Refused { status: 400, detail: detail.clone() },
        }
    }
}

fn internal_server_error() -> u16 {
    500
}
