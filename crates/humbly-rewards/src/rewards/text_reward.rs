//! What the rewards on text share: read, compare, and let a rule say what that earns.

use crate::components::{Components, Scored};
use crate::error::Result;
use crate::parameter::SettingEntry;
use crate::protocol::Reading;
use crate::sample::{Reward, Sample};
use crate::scoring::TextScoring;
use crate::settings::Settings;

/// What an answer earns by a rule; the parts sum to the reward.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parts {
    /// For correctness.
    pub outcome: f64,
    /// For the confidence.
    pub calibration: f64,
    /// For the format.
    pub format: f64,
}

/// The parameters of a reward on text, which say what an answer that is right or wrong earns.
pub trait RewardRule: Send + Sync {
    /// Name in settings and reports.
    const NAME: &'static str;
    /// Whether the protocol has to ask for a confidence.
    const NEEDS_CONFIDENCE: bool;
    /// Its settings with their defaults.
    const SETTINGS: &'static [SettingEntry];

    /// The parameters by their settings; those that are not set have their defaults.
    ///
    /// # Errors
    /// [`RewardError::Setting`](crate::RewardError), [`RewardError::Parameter`](crate::RewardError).
    fn from_settings(settings: &Settings) -> Result<Self>
    where
        Self: Sized;

    /// What a response earns; components of its own may be set on the way.
    fn parts(
        &self,
        sample: &Sample<'_>,
        reading: &Reading<'_>,
        is_correct: bool,
        components: &mut Components,
    ) -> Parts;
}

/// A reward on text: a rule, and how responses are read and compared.
#[derive(Clone, Debug)]
pub struct TextReward<R> {
    rule: R,
    scoring: TextScoring,
}

impl<R: RewardRule> TextReward<R> {
    /// The reward of a rule.
    ///
    /// # Errors
    /// [`RewardError::NoConfidenceAsked`](crate::RewardError) where the rule needs a confidence and the protocol asks
    /// for none.
    pub fn new(rule: R, scoring: TextScoring) -> Result<Self> {
        let scoring = if R::NEEDS_CONFIDENCE { scoring.with_confidence(R::NAME)? } else { scoring };
        Ok(Self { rule, scoring })
    }
}

impl<R: RewardRule> Reward for TextReward<R> {
    fn name(&self) -> &'static str {
        R::NAME
    }

    fn score(&self, sample: &Sample<'_>) -> Scored {
        let judged = self.scoring.judge(sample);
        let mut components = judged.components;
        match judged.is_correct {
            Ok(is_correct) => {
                let parts = self.rule.parts(sample, &judged.reading, is_correct, &mut components);
                components.set_parts(parts.outcome, parts.calibration, parts.format);
                Scored::new(components)
            }
            Err(reason) => Scored::without(components, reason),
        }
    }

    fn scoring(&self) -> &TextScoring {
        &self.scoring
    }
}
