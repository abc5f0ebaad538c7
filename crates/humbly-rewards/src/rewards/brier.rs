//! Weighted Brier: correctness minus λ times the squared error of the confidence.

use super::text_reward::{Parts, RewardRule, TextReward};
use crate::components::Components;
use crate::error::Result;
use crate::parameter::{Parameter, SettingEntry, setting};
use crate::protocol::Reading;
use crate::sample::Sample;
use crate::scoring::FormatPenalty;
use crate::settings::Settings;

/// Under 1/3 right and wrong answers stay apart by 2/3; CAR also tries 1, under which their ranges touch.
const LAMBDA: Parameter =
    Parameter::not_negative(setting("lambda", "1/3", "weight of the squared error"), 1.0 / 3.0);

/// λ of the weighted Brier reward, and what a bad format costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BrierParams {
    lambda: f64,
    format: FormatPenalty,
}

impl BrierParams {
    /// # Errors
    /// [`RewardError::Parameter`](crate::RewardError) unless `lambda` is finite and at least 0.
    pub fn new(lambda: f64, format: FormatPenalty) -> Result<Self> {
        Ok(Self { lambda: LAMBDA.checked(lambda)?, format })
    }
}

/// λ = 1/3.
impl Default for BrierParams {
    fn default() -> Self {
        Self { lambda: LAMBDA.default, format: FormatPenalty::default() }
    }
}

/// Weighted Brier reward of one answer, `c − λ (q − c)²`.
///
/// # Shapes and units
/// - `confidence`: q, a probability; `lambda`: λ, at least 0.
/// - returns: in `[1 − λ, 1]` where right, `[−λ, 0]` where wrong.
///
/// # Source
/// CAR §4.1.2; with λ = 1 it is RLCR (Damani et al., 2025).
///
/// # Examples
/// ```
/// # use humbly_rewards::weighted_brier;
/// assert_eq!(weighted_brier(true, 0.5, 1.0), 0.75);
/// assert_eq!(weighted_brier(false, 0.5, 1.0), -0.25);
/// ```
pub fn weighted_brier(is_correct: bool, confidence: f64, lambda: f64) -> f64 {
    let correct = f64::from(u8::from(is_correct));
    correct - lambda * (confidence - correct).powi(2)
}

/// The reward on text.
pub type Brier = TextReward<BrierParams>;

impl RewardRule for BrierParams {
    const NAME: &'static str = "brier";
    const NEEDS_CONFIDENCE: bool = true;
    const SETTINGS: &'static [SettingEntry] = &[LAMBDA.entry(), FormatPenalty::SETTING];

    fn from_settings(settings: &Settings) -> Result<Self> {
        Self::new(LAMBDA.read(settings)?, FormatPenalty::from_settings(settings)?)
    }

    fn parts(&self, _: &Sample<'_>, reading: &Reading<'_>, is_correct: bool, _: &mut Components) -> Parts {
        let outcome = f64::from(u8::from(is_correct));
        let reward = weighted_brier(is_correct, reading.confidence.scored_as(is_correct), self.lambda);
        Parts { outcome, calibration: reward - outcome, format: self.format.applied(reading.is_valid()) }
    }
}
