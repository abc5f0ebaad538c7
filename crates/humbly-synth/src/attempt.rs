//! One attempt: the rewriter writes, rules and the validator examine.

use std::collections::HashMap;

use humbly_llm::{ChatError, ChatReply};
use humbly_text::normalize::fold_whitespace;

use crate::item::{Attempt, Call, Item};
use crate::{Kind, Original, Outcome, Result, Synth, reply};

/// Words that would give a label away.
const LABELS: &[&str] = &["DATA_UNCERTAIN", "MODEL_UNCERTAIN"];

impl Synth<'_> {
    /// Attempts until one is verified. The inner error is that of a call which another time may succeed.
    pub(crate) async fn item(
        &self,
        original: &Original,
        position: usize,
        kind: Kind,
        texts: &HashMap<String, usize>,
    ) -> Result<Result<Item, ChatError>> {
        let mut item = Item { original: original.id.clone(), kind, attempts: Vec::new() };
        for number in 0..self.plan.tries {
            let attempt = match self.attempt(original, position, kind, number, texts).await? {
                Ok(attempt) => attempt,
                Err(error) => return Ok(Err(error)),
            };
            let is_verified = attempt.outcome == Outcome::Verified;
            item.attempts.push(attempt);
            if is_verified {
                break;
            }
        }
        Ok(Ok(item))
    }

    async fn attempt(
        &self,
        original: &Original,
        position: usize,
        kind: Kind,
        number: u32,
        texts: &HashMap<String, usize>,
    ) -> Result<Result<Attempt, ChatError>> {
        let seed = self.plan.seed.wrapping_add(u64::from(number));
        let asked = self.prompts.rewrite(kind, &original.problem)?;
        let rewritten = self.rewriter.client.chat(&self.rewriter.request(asked, number, Some(seed))).await;
        let mut attempt = Attempt {
            outcome: Outcome::NoReply,
            problem: None,
            rewrite: Call::of(&rewritten),
            validation: None,
            comparison: None,
        };
        let rewritten = match settled(rewritten) {
            Ok(Some(reply)) => reply,
            Ok(None) => return Ok(Ok(attempt)),
            Err(error) => return Ok(Err(error)),
        };
        let Some(problem) = reply::problem(&rewritten) else {
            attempt.outcome = Outcome::RewriterUnreadable;
            return Ok(Ok(attempt));
        };
        attempt.problem = Some(problem.clone());
        if let Some(outcome) = by_rule(&problem, position, texts) {
            attempt.outcome = outcome;
            return Ok(Ok(attempt));
        }
        // The same text is the same request: what is known of it does not depend on the attempt.
        let asked = self.prompts.validate(&problem)?;
        let examined = self.validator.client.chat(&self.validator.request(asked, 0, None)).await;
        attempt.validation = Some(Call::of(&examined));
        attempt.outcome = match settled(examined) {
            Ok(Some(reply)) => validated(&reply, kind),
            Ok(None) => Outcome::NoReply,
            Err(error) => return Ok(Err(error)),
        };
        if attempt.outcome == Outcome::Verified && self.plan.compares {
            let asked = self.prompts.compare(&original.problem, &problem)?;
            let compared = self.validator.client.chat(&self.validator.request(asked, 0, None)).await;
            attempt.comparison = Some(Call::of(&compared));
            attempt.outcome = match settled(compared) {
                Ok(Some(reply)) => compared_as(&reply, kind),
                Ok(None) => Outcome::NoReply,
                Err(error) => return Ok(Err(error)),
            };
        }
        Ok(Ok(attempt))
    }
}

/// `None` where this request, and not the provider, is why there is no reply: another attempt may do better.
fn settled(outcome: Result<ChatReply, ChatError>) -> Result<Option<ChatReply>, ChatError> {
    match outcome {
        Ok(reply) => Ok(Some(reply)),
        Err(ChatError::EmptyReply | ChatError::ContextTooLong { .. } | ChatError::Refused { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// What needs no validator.
fn by_rule(problem: &str, position: usize, texts: &HashMap<String, usize>) -> Option<Outcome> {
    if LABELS.iter().any(|label| problem.contains(label)) {
        return Some(Outcome::NamesLabel);
    }
    match texts.get(&fold_whitespace(problem)) {
        Some(own) if *own == position => Some(Outcome::Unchanged),
        Some(_) => Some(Outcome::OtherOriginal),
        None => None,
    }
}

fn validated(reply: &ChatReply, kind: Kind) -> Outcome {
    match (reply::flags(reply, ["consistent", "self_contained", "unique_answer"]), kind) {
        (None, _) => Outcome::ValidatorUnreadable,
        (Some([false, ..]), _) => Outcome::Contradictory,
        (Some([_, _, true]), Kind::Insufficient) => Outcome::StillDetermined,
        (Some([_, false, _]), Kind::Hard) => Outcome::NotSelfContained,
        (Some([_, _, false]), Kind::Hard) => Outcome::NotDetermined,
        _ => Outcome::Verified,
    }
}

/// A hard variant may be longer and denser than its original; an insufficient one must not be told by its style.
fn compared_as(reply: &ChatReply, kind: Kind) -> Outcome {
    match (reply::flags(reply, ["same_domain", "similar_style"]), kind) {
        (None, _) => Outcome::ComparisonUnreadable,
        (Some([false, _]), _) => Outcome::OtherDomain,
        (Some([_, false]), Kind::Insufficient) => Outcome::OtherStyle,
        _ => Outcome::Verified,
    }
}
