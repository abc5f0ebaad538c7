//! MSCR: a bonus for confidence in right answers, a cost for confidence in wrong ones, a margin of 1.

use super::text_reward::{Parts, RewardRule, TextReward};
use crate::components::Components;
use crate::error::Result;
use crate::parameter::{Parameter, SettingEntry, setting};
use crate::protocol::Reading;
use crate::sample::Sample;
use crate::scoring::FormatPenalty;
use crate::settings::Settings;

// Ours, the paper gives no values. Equal, because the rule is proper only then.
const BETA1: Parameter =
    Parameter::not_negative(setting("beta1", "0.5", "bonus for confidence in a right answer (ours)"), 0.5);
const BETA2: Parameter =
    Parameter::not_negative(setting("beta2", "0.5", "cost of confidence in a wrong answer (ours)"), 0.5);

/// β1, β2 and what a bad format costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MscrParams {
    beta1: f64,
    beta2: f64,
    format: FormatPenalty,
}

impl MscrParams {
    /// # Errors
    /// [`RewardError::Parameter`](crate::RewardError) unless both are finite and at least 0.
    pub fn new(beta1: f64, beta2: f64, format: FormatPenalty) -> Result<Self> {
        Ok(Self { beta1: BETA1.checked(beta1)?, beta2: BETA2.checked(beta2)?, format })
    }
}

/// 0.5 and 0.5.
impl Default for MscrParams {
    fn default() -> Self {
        Self { beta1: BETA1.default, beta2: BETA2.default, format: FormatPenalty::default() }
    }
}

/// MSCR reward of one answer, `c [1 + β1 (1 − (1 − q)²)] − (1 − c) β2 q²`.
///
/// With β1 = β2 = b it is (1 + b) times [`weighted_brier`](crate::weighted_brier) with λ = b / (1 + b).
///
/// # Shapes and units
/// - `confidence`: q, a probability; `beta1`, `beta2`: at least 0.
/// - returns: in `[1, 1 + β1]` where right, `[−β2, 0]` where wrong.
///
/// # Source
/// CAR §4.1.2.
///
/// # Examples
/// ```
/// # use humbly_rewards::mscr;
/// assert_eq!(mscr(true, 0.5, 1.0, 1.0), 1.75);
/// assert_eq!(mscr(false, 0.5, 1.0, 1.0), -0.25);
/// ```
pub fn mscr(is_correct: bool, confidence: f64, beta1: f64, beta2: f64) -> f64 {
    if is_correct { 1.0 + beta1 * (1.0 - (1.0 - confidence).powi(2)) } else { -(beta2 * confidence.powi(2)) }
}

/// The confidence that earns most for an answer that is right with probability `accuracy`.
///
/// `p β1 / (p β1 + (1 − p) β2)`: it is `accuracy` itself only if β1 = β2.
///
/// # Undefined
/// `None` where nothing depends on the confidence (both weights 0, or the one that matters).
///
/// # Examples
/// ```
/// # use humbly_rewards::mscr_best_confidence;
/// assert!((mscr_best_confidence(0.5, 1.0, 2.0).unwrap() - 1.0 / 3.0).abs() < 1e-12);
/// assert_eq!(mscr_best_confidence(0.5, 0.0, 0.0), None);
/// ```
pub fn mscr_best_confidence(accuracy: f64, beta1: f64, beta2: f64) -> Option<f64> {
    let (right, wrong) = (accuracy * beta1, (1.0 - accuracy) * beta2);
    let best = right / (right + wrong);
    best.is_finite().then_some(best)
}

/// The reward on text.
pub type Mscr = TextReward<MscrParams>;

impl RewardRule for MscrParams {
    const NAME: &'static str = "mscr";
    const NEEDS_CONFIDENCE: bool = true;
    const SETTINGS: &'static [SettingEntry] = &[BETA1.entry(), BETA2.entry(), FormatPenalty::SETTING];

    fn from_settings(settings: &Settings) -> Result<Self> {
        Self::new(BETA1.read(settings)?, BETA2.read(settings)?, FormatPenalty::from_settings(settings)?)
    }

    fn parts(&self, _: &Sample<'_>, reading: &Reading<'_>, is_correct: bool, _: &mut Components) -> Parts {
        let outcome = f64::from(u8::from(is_correct));
        let reward = mscr(is_correct, reading.confidence.scored_as(is_correct), self.beta1, self.beta2);
        Parts { outcome, calibration: reward - outcome, format: self.format.applied(reading.is_valid()) }
    }
}
