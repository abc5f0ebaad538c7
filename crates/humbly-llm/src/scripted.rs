//! A client that answers from rules instead of a model.
//!
//! The first rule that matches wins; where none matches the request fails
//! ([`ChatError::NoRule`]), so that a test never goes on with an answer that nobody wrote. The rules stand in
//! a TOML file of `[[rule]]` tables or a JSONL file with one rule a line ([`Rule`]); code can give a function
//! instead ([`ScriptedClient::from_fn`]).

mod anchors;
mod compiled;
mod file;
mod rule;
mod template;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use futures::FutureExt;
use futures::future::BoxFuture;

use crate::{ChatClient, ChatError, ChatReply, ChatRequest, Result};
use anchors::Anchors;
use compiled::CompiledRule;

pub use rule::{ReplyCall, ReplyRule, Rule, RuleError, TextMatch, When};

/// Answers from rules or a function; see the file's form at [`Rule`].
///
/// # Examples
/// ```
/// use humbly_llm::{ChatClient, ChatMessage, ChatRequest, ScriptedClient};
/// let client = ScriptedClient::from_toml(
///     r#"
///     [[rule]]
///     when.user.regex = "capital of (?<country>\\w+)"
///     reply.text = "I do not know the capital of ${country}."
///     "#,
///     "inline.toml",
/// )?;
/// let request =
///     ChatRequest { messages: vec![ChatMessage::user("The capital of Peru?")], ..Default::default() };
/// let reply = futures::executor::block_on(client.chat(&request))?;
/// assert_eq!(reply.text, "I do not know the capital of Peru.");
/// # Ok::<(), humbly_llm::ChatError>(())
/// ```
pub struct ScriptedClient {
    script: Script,
    digest: Option<String>,
    requests: AtomicU64,
}

type Answer = dyn Fn(&ChatRequest) -> Result<ChatReply> + Send + Sync;

enum Script {
    Rules { path: PathBuf, rules: Vec<CompiledRule>, anchors: Anchors },
    Function(Box<Answer>),
}

impl ScriptedClient {
    /// Reads a file of rules: JSONL where its name ends in `.jsonl`, TOML else.
    ///
    /// # Errors
    /// [`ChatError::File`] with the rule and the reason.
    pub fn from_file(path: &Path) -> Result<Self> {
        let (rules, digest) = file::read(path)?;
        Ok(Self { digest: Some(digest), ..Self::from_rules(rules, path)? })
    }

    /// Reads rules from TOML text; `name` stands in error texts.
    ///
    /// # Errors
    /// As [`Self::from_file`].
    pub fn from_toml(text: &str, name: impl AsRef<Path>) -> Result<Self> {
        Self::from_rules(file::parse_toml(text, name.as_ref())?, name.as_ref())
    }

    /// Takes rules that code has built; `name` stands in error texts.
    ///
    /// # Errors
    /// [`ChatError::File`] where a pattern is no regex, a reply uses a name that no pattern captures, or a
    /// rule gives no reply.
    pub fn from_rules(rules: Vec<Rule>, name: impl AsRef<Path>) -> Result<Self> {
        let path = name.as_ref().to_owned();
        let wrong = |detail: String| ChatError::File { path: path.clone(), detail };
        let rules = rules
            .into_iter()
            .enumerate()
            .map(|(index, rule)| {
                CompiledRule::new(rule).map_err(|detail| wrong(format!("rule {}: {detail}", index + 1)))
            })
            .collect::<Result<Vec<_>>>()?;
        if rules.is_empty() {
            return Err(wrong("it has no rules".to_owned()));
        }
        let anchors = Anchors::new(rules.iter().map(CompiledRule::anchor)).map_err(wrong)?;
        Ok(Self::new(Script::Rules { path, rules, anchors }))
    }

    /// Answers with what `answer` returns.
    pub fn from_fn<F>(answer: F) -> Self
    where
        F: Fn(&ChatRequest) -> Result<ChatReply> + Send + Sync + 'static,
    {
        Self::new(Script::Function(Box::new(answer)))
    }

    /// SHA-256 of the file, so that a cache does not answer for an edited script.
    pub fn digest(&self) -> Option<&str> {
        self.digest.as_deref()
    }

    /// Requests that reached this client, failed ones included.
    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    fn new(script: Script) -> Self {
        Self { script, digest: None, requests: AtomicU64::new(0) }
    }
}

impl ChatClient for ScriptedClient {
    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply>> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        let (path, rules, anchors) = match &self.script {
            Script::Function(answer) => return std::future::ready(answer(request)).boxed(),
            Script::Rules { path, rules, anchors } => (path, rules, anchors),
        };
        let seen = compiled::Seen::of(request);
        let matched = anchors
            .candidates(seen.user)
            .filter_map(|index| rules.get(index))
            .find_map(|rule| rule.answer(&seen));
        match matched {
            None => std::future::ready(Err(ChatError::NoRule { path: path.clone() })).boxed(),
            Some((None, answer)) => std::future::ready(answer).boxed(),
            Some((Some(delay), answer)) => async move {
                tokio::time::sleep(delay).await;
                answer
            }
            .boxed(),
        }
    }
}

#[cfg(test)]
mod tests;
