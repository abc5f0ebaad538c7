//! Outcome that does not punish honesty: an abstention or an escalation earns more than a wrong answer.

use humbly_text::normalize::squad;

use crate::components::{Component, Scored};
use crate::error::{Result, not_negative};
use crate::sample::{Reward, Sample};
use crate::scoring::{FormatPenalty, TextScoring};

/// Answers that say that there is none, in SQuAD normal form (ours).
const ABSTENTIONS: [&str; 7] =
    ["i dont know", "i do not know", "dont know", "unknown", "not sure", "i am not sure", "im not sure"];

/// k, what a wrong answer costs, and what a bad format costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UtilityParams {
    penalty: f64,
    format: FormatPenalty,
}

impl UtilityParams {
    /// # Errors
    /// [`RewardError::Parameter`](crate::RewardError) unless `penalty` is finite and at least 0.
    pub fn new(penalty: f64, format: FormatPenalty) -> Result<Self> {
        Ok(Self { penalty: not_negative("penalty", penalty)?, format })
    }
}

/// k = 1.
impl Default for UtilityParams {
    fn default() -> Self {
        Self { penalty: 1.0, format: FormatPenalty::default() }
    }
}

/// +1 right, 0 escalated or abstained, −k wrong; no answer at all is wrong.
///
/// Answering pays where the chance of being right exceeds k / (1 + k). An abstention is an answer that
/// says so and nothing else: "I don't know, perhaps Paris" is wrong.
///
/// # Source
/// DESIGN §3.2; Kalai et al. (2025), arXiv:2509.04664.
#[derive(Clone, Debug)]
pub struct UtilityReward {
    params: UtilityParams,
    scoring: TextScoring,
}

impl UtilityReward {
    /// The reward with its rules of reading.
    pub fn new(params: UtilityParams, scoring: TextScoring) -> Self {
        Self { params, scoring }
    }
}

impl Reward for UtilityReward {
    fn name(&self) -> &'static str {
        "utility"
    }

    fn score(&self, sample: &Sample<'_>) -> Scored {
        let judged = self.scoring.judge(sample);
        let mut components = judged.components;
        let is_correct = match judged.is_correct {
            Ok(is_correct) => is_correct,
            Err(reason) => return Scored::without(components, reason),
        };
        let answer = judged.reading.answer.as_deref();
        let abstains = answer.is_some_and(abstains) && !is_correct;
        components.flag(Component::Abstained, abstains);
        let escalates = judged.reading.escalation.is_some() && answer.is_some();
        let outcome = match (is_correct, abstains || escalates) {
            (true, _) => 1.0,
            (false, true) => 0.0,
            (false, false) => -self.params.penalty,
        };
        components.set_parts(outcome, 0.0, self.params.format.applied(judged.reading.is_valid()));
        Scored::new(components)
    }

    fn scoring(&self) -> &TextScoring {
        &self.scoring
    }
}

fn abstains(answer: &str) -> bool {
    answer.len() <= 64 && ABSTENTIONS.contains(&squad(&answer.replace('’', "'")).as_str())
}
