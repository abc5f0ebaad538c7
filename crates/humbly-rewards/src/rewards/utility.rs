//! Outcome that does not punish honesty: an abstention or an escalation earns more than a wrong answer.

use humbly_text::normalize::squad;

use super::text_reward::{Parts, RewardRule, TextReward};
use crate::components::{Component, Components};
use crate::error::Result;
use crate::parameter::{Parameter, SettingEntry, setting};
use crate::protocol::Reading;
use crate::sample::Sample;
use crate::scoring::FormatPenalty;
use crate::settings::Settings;

/// Answers that say that there is none, in SQuAD normal form (ours).
const ABSTENTIONS: [&str; 7] =
    ["i dont know", "i do not know", "dont know", "unknown", "not sure", "i am not sure", "im not sure"];

const PENALTY: Parameter =
    Parameter::not_negative(setting("penalty", "1", "k, what a wrong answer costs"), 1.0);

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
        Ok(Self { penalty: PENALTY.checked(penalty)?, format })
    }
}

/// k = 1.
impl Default for UtilityParams {
    fn default() -> Self {
        Self { penalty: PENALTY.default, format: FormatPenalty::default() }
    }
}

/// +1 right, 0 escalated or abstained, −k wrong; no answer at all is wrong.
///
/// Answering pays where the chance of being right exceeds k / (1 + k). An abstention is an answer that
/// says so and nothing else: "I don't know, perhaps Paris" is wrong.
///
/// # Source
/// DESIGN §3.2; Kalai et al. (2025), arXiv:2509.04664.
pub type UtilityReward = TextReward<UtilityParams>;

impl RewardRule for UtilityParams {
    const NAME: &'static str = "utility";
    const NEEDS_CONFIDENCE: bool = false;
    const SETTINGS: &'static [SettingEntry] = &[PENALTY.entry(), FormatPenalty::SETTING];

    fn from_settings(settings: &Settings) -> Result<Self> {
        Self::new(PENALTY.read(settings)?, FormatPenalty::from_settings(settings)?)
    }

    fn parts(
        &self,
        _: &Sample<'_>,
        reading: &Reading<'_>,
        is_correct: bool,
        components: &mut Components,
    ) -> Parts {
        let answer = reading.answer.as_deref();
        let abstains = answer.is_some_and(abstains) && !is_correct;
        components.flag(Component::Abstained, abstains);
        let escalates = reading.escalation.is_some() && answer.is_some();
        let outcome = match (is_correct, abstains || escalates) {
            (true, _) => 1.0,
            (false, true) => 0.0,
            (false, false) => -self.penalty,
        };
        Parts { outcome, calibration: 0.0, format: self.format.applied(reading.is_valid()) }
    }
}

fn abstains(answer: &str) -> bool {
    answer.len() <= 64 && ABSTENTIONS.contains(&squad(&answer.replace('’', "'")).as_str())
}
