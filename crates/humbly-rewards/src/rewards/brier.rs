//! Weighted Brier: correctness minus λ times the squared error of the confidence.

use crate::components::Scored;
use crate::error::{Result, not_negative};
use crate::sample::{Reward, Sample};
use crate::scoring::{FormatPenalty, TextScoring};

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
        Ok(Self { lambda: not_negative("lambda", lambda)?, format })
    }
}

/// λ = 1/3, under which right and wrong answers stay apart by 2/3; CAR also tries 1, under which their
/// ranges touch.
impl Default for BrierParams {
    fn default() -> Self {
        Self { lambda: 1.0 / 3.0, format: FormatPenalty::default() }
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
#[derive(Clone, Debug)]
pub struct Brier {
    params: BrierParams,
    scoring: TextScoring,
}

impl Brier {
    /// # Errors
    /// [`RewardError::NoConfidenceAsked`](crate::RewardError).
    pub fn new(params: BrierParams, scoring: TextScoring) -> Result<Self> {
        Ok(Self { params, scoring: scoring.with_confidence("brier")? })
    }
}

impl Reward for Brier {
    fn name(&self) -> &'static str {
        "brier"
    }

    fn score(&self, sample: &Sample<'_>) -> Scored {
        let judged = self.scoring.judge(sample);
        let mut components = judged.components;
        let is_correct = match judged.is_correct {
            Ok(is_correct) => is_correct,
            Err(reason) => return Scored::without(components, reason),
        };
        let confidence = judged.reading.confidence.scored_as(is_correct);
        let outcome = f64::from(u8::from(is_correct));
        let calibration = weighted_brier(is_correct, confidence, self.params.lambda) - outcome;
        components.set_parts(outcome, calibration, self.params.format.applied(judged.reading.is_valid()));
        Scored::new(components)
    }

    fn scoring(&self) -> &TextScoring {
        &self.scoring
    }
}
