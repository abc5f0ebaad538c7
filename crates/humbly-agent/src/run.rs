//! What a run leaves behind.

use humbly_llm::{ChatError, ChatMessage, ChatReply, Finish, ReplySource, TokenLogprob};
use humbly_types::{Record, Usage};
use serde::{Deserialize, Serialize};

/// One run of an agent on one task: whole, however it ended.
#[derive(Debug)]
#[non_exhaustive]
pub struct Run {
    /// The trajectory in Humbly's own form. Data set, condition and references are the caller's to add.
    pub record: Record,
    /// How it ended.
    pub outcome: RunOutcome,
    /// The conversation as it was sent, prompts and reminders included.
    pub messages: Vec<ChatMessage>,
    /// How each generation ended.
    pub finishes: Vec<Finish>,
    /// Log-probabilities of the last reply, where asked for and given.
    pub logprobs: Option<Vec<TokenLogprob>>,
    /// Tokens of all replies; a count that one reply does not state is unknown.
    pub usage: Usage,
    /// Cost of all replies; unknown where one is.
    pub cost_usd: Option<f64>,
    /// Where the replies came from.
    pub replies: ReplyCounts,
    /// The call that failed.
    pub error: Option<ChatError>,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunOutcome {
    /// With an answer.
    Answered,
    /// By itself, without text.
    NoAnswer,
    /// The model did nothing that the protocol knows, turn after turn.
    NoAction,
    /// At the limit of turns.
    TurnLimit,
    /// Held back by the provider's filter.
    Refused,
    /// A call of the model failed.
    Failed,
}

impl RunOutcome {
    /// The word in [`Record::stop`]. A model that takes no action is stopped by a limit too, that of reminders.
    pub fn stop(self) -> &'static str {
        match self {
            Self::Answered | Self::NoAnswer => "completed",
            Self::NoAction | Self::TurnLimit => "limit",
            Self::Refused => "refused",
            Self::Failed => "error",
        }
    }
}

/// Where replies came from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplyCounts {
    /// From the provider.
    pub live: u32,
    /// From the reply cache.
    pub cache: u32,
    /// From a recording.
    pub replay: u32,
}

/// Sums over the replies of a run.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    usage: Option<Usage>,
    cost_usd: Option<f64>,
    pub(crate) replies: ReplyCounts,
}

impl Tally {
    pub(crate) fn add(&mut self, reply: &ChatReply) {
        let is_first = self.usage.is_none();
        let sum = |a: Option<u64>, b: Option<u64>| a.zip(b).map(|(a, b)| a.saturating_add(b));
        let usage = match &self.usage {
            None => reply.usage,
            Some(so_far) => Usage {
                input: sum(so_far.input, reply.usage.input),
                cached: sum(so_far.cached, reply.usage.cached),
                output: sum(so_far.output, reply.usage.output),
                reasoning: sum(so_far.reasoning, reply.usage.reasoning),
            },
        };
        self.usage = Some(usage);
        self.cost_usd = if is_first {
            reply.cost_usd
        } else {
            self.cost_usd.zip(reply.cost_usd).map(|(so_far, cost)| so_far + cost)
        };
        match reply.source {
            ReplySource::Live => self.replies.live += 1,
            ReplySource::Cache => self.replies.cache += 1,
            ReplySource::Replay => self.replies.replay += 1,
        }
    }

    pub(crate) fn usage(&self) -> Usage {
        self.usage.unwrap_or_default()
    }

    pub(crate) fn cost_usd(&self) -> Option<f64> {
        self.cost_usd
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_unknown_count_makes_the_sum_unknown() {
        let reply = |input, output, cost_usd| ChatReply {
            usage: Usage { input, output, ..Usage::default() },
            cost_usd,
            ..ChatReply::default()
        };
        let mut tally = Tally::default();
        assert_eq!((tally.usage(), tally.cost_usd()), (Usage::default(), None));
        tally.add(&reply(Some(3), Some(1), Some(0.5)));
        tally.add(&reply(Some(4), None, Some(0.25)));
        tally.add(&reply(Some(1), Some(9), Some(0.25)));
        assert_eq!((tally.usage().input, tally.usage().output), (Some(8), None));
        assert_eq!(tally.cost_usd(), Some(1.0));
        tally.add(&reply(Some(1), Some(1), None));
        assert_eq!(tally.cost_usd(), None);
    }
}
