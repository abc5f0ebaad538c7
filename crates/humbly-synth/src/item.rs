//! One original rewritten into one kind, attempt by attempt, with all that was said.

use humbly_llm::{ChatError, ChatReply, Finish, ReplySource};
use humbly_types::Usage;
use serde::{Deserialize, Serialize};

use crate::{Kind, Outcome};

/// The attempts at one variant of one original.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// Id of the original.
    pub original: String,
    /// What it was to become.
    pub kind: Kind,
    /// Attempts in order; the last one is verified, or all failed.
    pub attempts: Vec<Attempt>,
}

impl Item {
    /// The verified variant, with the attempt (from 1) that gave it.
    pub fn verified(&self) -> Option<(&str, usize)> {
        let last = self.attempts.last().filter(|attempt| attempt.outcome == Outcome::Verified)?;
        Some((last.problem.as_deref()?, self.attempts.len()))
    }

    /// Every call with whether the rewriter was asked.
    pub fn calls(&self) -> impl Iterator<Item = (bool, &Call)> {
        self.attempts.iter().flat_map(|attempt| {
            let examined = [attempt.validation.as_ref(), attempt.comparison.as_ref()].into_iter().flatten();
            std::iter::once((true, &attempt.rewrite)).chain(examined.map(|call| (false, call)))
        })
    }
}

/// One attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// How it ended.
    pub outcome: Outcome,
    /// The variant, where the rewriter gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// What the rewriter said.
    pub rewrite: Call,
    /// What the validator said of the variant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation: Option<Call>,
    /// What the validator said of original and variant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Call>,
}

/// One call as it came back.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// Visible text.
    pub text: String,
    /// Reasoning, where the provider gives it apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Why it ended.
    #[serde(default)]
    pub finish: Finish,
    /// Model that answered, as the provider names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Where it came from.
    #[serde(default)]
    pub source: ReplySource,
    /// Tokens.
    #[serde(default)]
    pub usage: Usage,
    /// Cost in US dollars; `None` where no price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Why there is no reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

impl Call {
    pub(crate) fn of(outcome: &Result<ChatReply, ChatError>) -> Self {
        match outcome {
            Ok(reply) => Self {
                text: reply.text.clone(),
                reasoning: reply.reasoning.clone(),
                finish: reply.finish.clone(),
                model: reply.model.clone(),
                source: reply.source,
                usage: reply.usage,
                cost_usd: reply.cost_usd,
                failed: None,
            },
            Err(error) => Self { failed: Some(format!("{}: {error}", error.code())), ..Self::default() },
        }
    }
}
