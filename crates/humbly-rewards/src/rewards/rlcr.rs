//! RLCR's mix of format, accuracy and Brier, as its released code has it.

use super::text_reward::{Parts, RewardRule, TextReward};
use crate::components::Components;
use crate::error::Result;
use crate::parameter::{Parameter, SettingEntry, setting};
use crate::protocol::Reading;
use crate::sample::Sample;
use crate::settings::Settings;

// As released.
const FORMAT: Parameter = Parameter::not_negative(setting("format", "0.5", "weight of the format"), 0.5);
const ACCURACY: Parameter = Parameter::not_negative(setting("accuracy", "0.5", "weight of correctness"), 0.5);
const BRIER: Parameter = Parameter::not_negative(setting("brier", "0.5", "weight of 1 - (c - q)^2"), 0.5);

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
            format: FORMAT.checked(format)?,
            accuracy: ACCURACY.checked(accuracy)?,
            brier: BRIER.checked(brier)?,
        })
    }
}

/// 0.5 each.
impl Default for RlcrParams {
    fn default() -> Self {
        Self { format: FORMAT.default, accuracy: ACCURACY.default, brier: BRIER.default }
    }
}

/// `w_f + w_a c + w_b (1 − (c − q)²)` for a valid format, 0 for any other.
///
/// One departure: `nan`, which passes the range check of the released code, is refused.
///
/// # Source
/// damanimehul/RLCR (commit 8904bedf).
pub type Rlcr = TextReward<RlcrParams>;

impl RewardRule for RlcrParams {
    const NAME: &'static str = "rlcr";
    const NEEDS_CONFIDENCE: bool = true;
    const SETTINGS: &'static [SettingEntry] = &[FORMAT.entry(), ACCURACY.entry(), BRIER.entry()];

    fn from_settings(settings: &Settings) -> Result<Self> {
        Self::new(FORMAT.read(settings)?, ACCURACY.read(settings)?, BRIER.read(settings)?)
    }

    fn parts(&self, _: &Sample<'_>, reading: &Reading<'_>, is_correct: bool, _: &mut Components) -> Parts {
        let correct = f64::from(u8::from(is_correct));
        let confidence = reading.confidence.probability().filter(|_| reading.is_valid());
        confidence.map_or_else(Parts::default, |confidence| Parts {
            outcome: self.accuracy * correct,
            calibration: self.brier * (1.0 - (correct - confidence).powi(2)),
            format: self.format,
        })
    }
}
