//! MSCR: a bonus for confidence in right answers, a cost for confidence in wrong ones, a margin of 1.

use crate::components::Scored;
use crate::error::{Result, not_negative};
use crate::sample::{Reward, Sample};
use crate::scoring::{FormatPenalty, TextScoring};

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
        Ok(Self { beta1: not_negative("beta1", beta1)?, beta2: not_negative("beta2", beta2)?, format })
    }
}

/// 0.5 and 0.5: ours, the paper gives no values. Equal, because the rule is proper only then.
impl Default for MscrParams {
    fn default() -> Self {
        Self { beta1: 0.5, beta2: 0.5, format: FormatPenalty::default() }
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
#[derive(Clone, Debug)]
pub struct Mscr {
    params: MscrParams,
    scoring: TextScoring,
}

impl Mscr {
    /// # Errors
    /// [`RewardError::NoConfidenceAsked`](crate::RewardError).
    pub fn new(params: MscrParams, scoring: TextScoring) -> Result<Self> {
        Ok(Self { params, scoring: scoring.with_confidence("mscr")? })
    }
}

impl Reward for Mscr {
    fn name(&self) -> &'static str {
        "mscr"
    }

    fn score(&self, sample: &Sample<'_>) -> Scored {
        let judged = self.scoring.judge(sample);
        let mut components = judged.components;
        let is_correct = match judged.is_correct {
            Ok(is_correct) => is_correct,
            Err(reason) => return Scored::without(components, reason),
        };
        let MscrParams { beta1, beta2, format } = self.params;
        let confidence = judged.reading.confidence.scored_as(is_correct);
        let outcome = f64::from(u8::from(is_correct));
        let calibration = mscr(is_correct, confidence, beta1, beta2) - outcome;
        components.set_parts(outcome, calibration, format.applied(judged.reading.is_valid()));
        Scored::new(components)
    }

    fn scoring(&self) -> &TextScoring {
        &self.scoring
    }
}
