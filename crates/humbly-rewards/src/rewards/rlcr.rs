//! RLCR's mix of format, accuracy and Brier, as its released code has it.

use crate::components::Scored;
use crate::error::{Result, not_negative};
use crate::sample::{Reward, Sample};
use crate::scoring::TextScoring;

/// Weights of the three parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RlcrParams {
    format: f64,
    accuracy: f64,
    brier: f64,
}

impl RlcrParams {
    /// # Errors
    /// [`RewardError::Parameter`](crate::RewardError) unless each is finite and at least 0.
    pub fn new(format: f64, accuracy: f64, brier: f64) -> Result<Self> {
        Ok(Self {
            format: not_negative("format", format)?,
            accuracy: not_negative("accuracy", accuracy)?,
            brier: not_negative("brier", brier)?,
        })
    }
}

/// 0.5 each, as released.
impl Default for RlcrParams {
    fn default() -> Self {
        Self { format: 0.5, accuracy: 0.5, brier: 0.5 }
    }
}

/// `w_f + w_a c + w_b (1 − (c − q)²)` for a valid format, 0 for any other.
///
/// One departure: `nan`, which passes the range check of the released code, is refused.
///
/// # Source
/// damanimehul/RLCR (commit 8904bedf).
#[derive(Clone, Debug)]
pub struct Rlcr {
    params: RlcrParams,
    scoring: TextScoring,
}

impl Rlcr {
    /// # Errors
    /// [`RewardError::NoConfidenceAsked`](crate::RewardError).
    pub fn new(params: RlcrParams, scoring: TextScoring) -> Result<Self> {
        Ok(Self { params, scoring: scoring.with_confidence("rlcr")? })
    }
}

impl Reward for Rlcr {
    fn name(&self) -> &'static str {
        "rlcr"
    }

    fn score(&self, sample: &Sample<'_>) -> Scored {
        let judged = self.scoring.judge(sample);
        let mut components = judged.components;
        let is_correct = match judged.is_correct {
            Ok(is_correct) => is_correct,
            Err(reason) => return Scored::without(components, reason),
        };
        let correct = f64::from(u8::from(is_correct));
        let confidence = judged.reading.confidence.probability();
        match confidence.filter(|_| judged.reading.is_valid()) {
            Some(confidence) => components.set_parts(
                self.params.accuracy * correct,
                self.params.brier * (1.0 - (correct - confidence).powi(2)),
                self.params.format,
            ),
            None => components.set_parts(0.0, 0.0, 0.0),
        }
        Scored::new(components)
    }

    fn scoring(&self) -> &TextScoring {
        &self.scoring
    }
}
