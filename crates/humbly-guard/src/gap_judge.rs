//! Who says what a turn recognised and what an answer passes on.

use humbly_judge::{Knowledge, LexicalJudge};
use humbly_types::Verdict;

use crate::{GuardError, Result};

/// The judge of the guard: the lexical rules, or a model that the caller supplies.
///
/// Only recognition and passing on are asked of it. Whether a later turn settled a gap is a matter of rules
/// with every judge.
pub trait GapJudge {
    /// Identify: whether each of these turns, reasoning included, recognises a specific gap, in their order.
    ///
    /// A judge that names only the first such turn leaves those after it undefined; they flag nothing.
    ///
    /// # Errors
    /// [`GuardError::Judge`] where it could not answer.
    fn identify(&self, turns: &[&str]) -> Result<Vec<Verdict>>;

    /// Escalate: whether an answer passes a specific uncertainty on. Undefined: `language_not_covered`.
    ///
    /// # Errors
    /// [`GuardError::Judge`] where it could not answer.
    fn escalate(&self, answer: &str) -> Result<Verdict>;

    /// Whether an answer declines to answer.
    fn refuses(&self, answer: &str) -> bool {
        LexicalJudge::new().refusal(answer).is_yes()
    }

    /// Whether its no to [`GapJudge::escalate`] stands. The lexical rules miss unfamiliar ways of telling, so
    /// that an answer is read more generously after their no.
    fn is_final(&self) -> bool;
}

impl GapJudge for LexicalJudge {
    fn identify(&self, turns: &[&str]) -> Result<Vec<Verdict>> {
        Ok(turns.iter().map(|turn| self.identify_turn(turn, &Knowledge::default())).collect())
    }

    fn escalate(&self, answer: &str) -> Result<Verdict> {
        Ok(Self::escalate(self, answer, &Knowledge::default()))
    }

    fn refuses(&self, answer: &str) -> bool {
        self.refusal(answer).is_yes()
    }

    fn is_final(&self) -> bool {
        false
    }
}

impl GuardError {
    /// A judge that could not answer.
    pub fn judge(message: impl Into<String>) -> Self {
        Self::Judge { message: message.into() }
    }
}
