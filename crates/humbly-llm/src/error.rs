//! What can go wrong between a request and its reply.

use std::path::PathBuf;
use std::time::Duration;

/// Result of this crate.
pub type Result<T, E = ChatError> = std::result::Result<T, E>;

/// Why a request has no reply. None of the texts holds a key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChatError {
    /// No key where the provider needs one.
    #[error("no key for `{provider}`: expected it in the environment variable {variable}")]
    MissingKey {
        /// Provider.
        provider: String,
        /// Where the key is looked for.
        variable: String,
    },
    /// The provider refused the key.
    #[error("`{provider}` refused the key (status {status})")]
    Authentication {
        /// Provider.
        provider: String,
        /// HTTP status.
        status: u16,
    },
    /// The provider does not have this model.
    #[error("`{provider}` knows no model `{model}`")]
    UnknownModel {
        /// Provider.
        provider: String,
        /// Model asked for.
        model: String,
    },
    /// Too many requests.
    #[error("rate limit reached")]
    RateLimited {
        /// How long the provider asks to wait.
        retry_after: Option<Duration>,
    },
    /// No reply in time.
    #[error("no reply within {}", seconds(.after))]
    TimedOut {
        /// The deadline.
        after: Duration,
    },
    /// The whole run's deadline has passed.
    #[error("the deadline of the run has passed")]
    DeadlinePassed,
    /// No connection.
    #[error("no connection to {endpoint}: {detail}")]
    Connection {
        /// Host or URL without its query.
        endpoint: String,
        /// What the network said.
        detail: String,
    },
    /// The endpoint answered something that is no chat reply (HTML, another API).
    #[error("expected a chat reply as JSON, found {found}")]
    NotAReply {
        /// Kind and beginning of what came.
        found: String,
    },
    /// An empty body or a reply without text and calls.
    #[error("the reply is empty")]
    EmptyReply,
    /// The stream or body ended early.
    #[error("the reply broke off after {received} bytes")]
    BrokenOff {
        /// Bytes that came.
        received: usize,
    },
    /// The request does not fit the model's context.
    #[error("the request does not fit the context of `{model}`: {detail}")]
    ContextTooLong {
        /// Model.
        model: String,
        /// What the provider said.
        detail: String,
    },
    /// The provider refused the request for another reason.
    #[error("the request was refused (status {status}): {detail}")]
    Refused {
        /// HTTP status.
        status: u16,
        /// What the provider said, cut.
        detail: String,
    },
    /// The provider failed.
    #[error("the provider failed (status {status})")]
    Server {
        /// HTTP status.
        status: u16,
        /// How long the provider asks to wait.
        retry_after: Option<Duration>,
    },
    /// The next call could exceed the cost that was allowed.
    #[error("cost limit of {limit_usd} USD reached ({spent_usd:.4} USD spent)")]
    CostLimit {
        /// The limit.
        limit_usd: f64,
        /// Spent so far.
        spent_usd: f64,
    },
    /// A limit on cost needs a price, and the price file has none for this model.
    #[error("no price for `{model}` in the price file, so its cost cannot be limited")]
    NoPrice {
        /// Model.
        model: String,
    },
    /// A replay without this request.
    #[error("no recorded reply for this request ({key})")]
    NotRecorded {
        /// Key of the request.
        key: String,
    },
    /// No rule of a script matches.
    #[error("no rule of the script `{}` matches the request", path.display())]
    NoRule {
        /// The script.
        path: PathBuf,
    },
    /// A local file (cache, recording, script, prices) cannot be used.
    #[error("cannot use `{}`: {detail}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        detail: String,
    },
    /// The name of a model that no provider is known for.
    #[error("`{name}` names no provider: expected one of {expected}")]
    UnknownProvider {
        /// As given.
        name: String,
        /// What is known.
        expected: String,
    },
    /// The provider cannot do what the request asks for.
    #[error("`{provider}` cannot do this: {what}")]
    Unsupported {
        /// Provider.
        provider: String,
        /// What was asked for.
        what: String,
    },
    /// The embedded model failed.
    #[error("the embedded model failed: {detail}")]
    Embedded {
        /// What it said.
        detail: String,
    },
}

impl ChatError {
    /// Whether asking again later may help.
    pub fn is_transient(&self) -> bool {
        matches!(
            self,
            Self::RateLimited { .. }
                | Self::TimedOut { .. }
                | Self::Connection { .. }
                | Self::EmptyReply
                | Self::BrokenOff { .. }
                | Self::Server { .. }
        )
    }

    /// What may help, for the caller to print.
    pub fn hint(&self) -> Option<&'static str> {
        hint_for(self.code())
    }

    /// Whether every further call would fail in the same way: who asks many things stops here.
    pub fn meets_every_call(&self) -> bool {
        Self::code_meets_every_call(self.code())
    }

    /// [`Self::meets_every_call`] for the code of a failure that was written down.
    ///
    /// # Examples
    /// ```
    /// use humbly_llm::ChatError;
    /// assert!(ChatError::code_meets_every_call("authentication"));
    /// assert!(!ChatError::code_meets_every_call("rate_limited"));
    /// ```
    pub fn code_meets_every_call(code: &str) -> bool {
        [
            "missing_key",
            "authentication",
            "unknown_model",
            "unknown_provider",
            "cost_limit",
            "no_price",
            "deadline_passed",
            "file",
        ]
        .contains(&code)
    }

    /// A short stable name, by which failed samples are counted.
    pub fn code(&self) -> &'static str {
        match self {
            Self::MissingKey { .. } => "missing_key",
            Self::Authentication { .. } => "authentication",
            Self::UnknownModel { .. } => "unknown_model",
            Self::RateLimited { .. } => "rate_limited",
            Self::TimedOut { .. } => "timed_out",
            Self::DeadlinePassed => "deadline_passed",
            Self::Connection { .. } => "connection",
            Self::NotAReply { .. } => "not_a_reply",
            Self::EmptyReply => "empty_reply",
            Self::BrokenOff { .. } => "broken_off",
            Self::ContextTooLong { .. } => "context_too_long",
            Self::Refused { .. } => "refused",
            Self::Server { .. } => "server",
            Self::CostLimit { .. } => "cost_limit",
            Self::NoPrice { .. } => "no_price",
            Self::NotRecorded { .. } => "not_recorded",
            Self::NoRule { .. } => "no_rule",
            Self::File { .. } => "file",
            Self::UnknownProvider { .. } => "unknown_provider",
            Self::Unsupported { .. } => "unsupported",
            Self::Embedded { .. } => "embedded",
        }
    }
}

/// What may help after a failure of this code ([`ChatError::code`]); `None` where there is nothing to say.
///
/// # Examples
/// ```
/// assert!(humbly_llm::hint_for("rate_limited").unwrap().contains("later"));
/// assert_eq!(humbly_llm::hint_for("no_rule"), None);
/// ```
pub fn hint_for(code: &str) -> Option<&'static str> {
    Some(match code {
        "missing_key" => "set the variable, or use a model of this machine, e.g. embedded:smollm2-135m",
        "authentication" => "check the key in the provider's environment variable",
        "unknown_model" => {
            "check the model's name with the provider; `humbly model list` shows how providers are named"
        }
        "unknown_provider" => {
            "name a model as PROVIDER:MODEL, or a server by --base-url; see `humbly model list`"
        }
        "rate_limited" => {
            "try again later: what succeeded is kept, and a cache (--cache) answers it for free"
        }
        "timed_out" => "allow more time by --request-timeout, or ask less at a time",
        "deadline_passed" => "allow more time by --deadline",
        "connection" => "check the address, the network and the proxy settings",
        "not_a_reply" => "check --base-url: it names the API itself, as https://host/v1",
        "empty_reply" => {
            "the server gave nothing: check the model and whether --base-url names the API itself"
        }
        "broken_off" | "server" => "the server is at fault: try again, or ask less at a time",
        "context_too_long" => "take a model with a longer context, or shorter passages",
        "cost_limit" => "raise --max-cost",
        "no_price" => "give the model's price by --prices, or leave --max-cost out",
        _ => return None,
    })
}

fn seconds(duration: &Duration) -> String {
    format!("{} s", duration.as_secs_f64())
}
