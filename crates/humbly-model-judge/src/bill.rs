//! What judging cost and what failed.

use humbly_types::Usage;
use serde::{Deserialize, Serialize};

use crate::{RawReply, Rubric};

/// Sums over the replies of a judge.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Bill {
    /// Requests sent or answered by a cache.
    pub asks: u64,
    /// Replies that could not be read.
    pub unusable: u64,
    /// Requests that failed.
    pub failed: u64,
    /// Tokens, over the replies that state them.
    pub usage: Usage,
    /// Cost in US dollars over the replies that have one; `None` where none has.
    pub cost_usd: Option<f64>,
    /// Replies without a known cost.
    pub without_cost: u64,
}

impl Bill {
    /// The sums over `replies`.
    pub fn of<'a>(replies: impl IntoIterator<Item = &'a RawReply>) -> Self {
        let mut bill = Self::default();
        for reply in replies {
            bill.asks += 1;
            bill.unusable += u64::from(reply.unusable.is_some());
            if reply.failed.is_some() {
                bill.failed += 1;
                continue;
            }
            add(&mut bill.usage, &reply.usage);
            match reply.cost_usd {
                Some(cost) => *bill.cost_usd.get_or_insert(0.0) += cost,
                None => bill.without_cost += 1,
            }
        }
        bill
    }

    /// Adds another bill.
    pub fn add(&mut self, other: &Self) {
        self.asks += other.asks;
        self.unusable += other.unusable;
        self.failed += other.failed;
        add(&mut self.usage, &other.usage);
        if let Some(cost) = other.cost_usd {
            *self.cost_usd.get_or_insert(0.0) += cost;
        }
        self.without_cost += other.without_cost;
    }
}

fn add(sum: &mut Usage, other: &Usage) {
    for (sum, other) in [
        (&mut sum.input, other.input),
        (&mut sum.cached, other.cached),
        (&mut sum.output, other.output),
        (&mut sum.reasoning, other.reasoning),
    ] {
        if let Some(other) = other {
            *sum.get_or_insert(0) += other;
        }
    }
}

/// A request that failed: its verdict is undefined, never no.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What was asked.
    pub rubric: Rubric,
    /// Code of the client's error.
    pub code: String,
    /// Its text.
    pub detail: String,
}

impl Failure {
    /// Whether every further call would fail in the same way.
    pub fn is_fatal(&self) -> bool {
        humbly_llm::ChatError::code_meets_every_call(&self.code)
    }
}
