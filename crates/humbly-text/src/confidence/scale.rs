//! The scale that bare numbers are read on.

use std::str::FromStr;

use super::{Confidence, ConfidenceFault, ConfidenceSource, undefined};
use crate::error::{Result, TextError};

/// Scale of bare numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Scale {
    /// Probabilities in `[0, 1]`.
    #[default]
    Unit,
    /// Percentages in `[0, 100]`.
    Percent,
    /// Points from `min` to `max`; build it with [`Scale::range`].
    #[non_exhaustive]
    Range {
        /// Least confidence.
        min: f64,
        /// Greatest confidence.
        max: f64,
    },
}

impl Scale {
    /// Points from `min` (probability 0) to `max` (probability 1).
    ///
    /// # Errors
    /// [`TextError::EmptyScale`] unless both are finite and `min < max`.
    ///
    /// # Examples
    /// ```
    /// # use humbly_text::confidence::{ConfidenceSource, Scale};
    /// let scale = Scale::range(1.0, 5.0)?;
    /// assert_eq!(scale.probability(1.0, ConfidenceSource::Number).probability(), Some(0.0));
    /// assert_eq!(scale.probability(6.0, ConfidenceSource::Number).probability(), None);
    /// # Ok::<(), humbly_text::TextError>(())
    /// ```
    pub fn range(min: f64, max: f64) -> Result<Self> {
        if min.is_finite() && max.is_finite() && (max - min).is_finite() && min < max {
            Ok(Self::Range { min, max })
        } else {
            Err(TextError::EmptyScale { min, max })
        }
    }

    /// The probability that `value` states on this scale, or why it states none.
    pub fn probability(self, value: f64, source: ConfidenceSource) -> Confidence {
        self.named_probability(value, source, &value.to_string())
    }

    pub(super) fn named_probability(self, value: f64, source: ConfidenceSource, found: &str) -> Confidence {
        if !value.is_finite() {
            return undefined(ConfidenceFault::ConfidenceNotFinite, found, None);
        }
        let (min, max) = self.ends();
        if value < min || value > max {
            return undefined(ConfidenceFault::ConfidenceOutOfRange, found, Some(self.hint(value)));
        }
        let probability = (value - min) / (max - min);
        Confidence::Stated { probability, source, found: found.to_owned() }
    }

    fn ends(self) -> (f64, f64) {
        match self {
            Self::Unit => (0.0, 1.0),
            Self::Percent => (0.0, 100.0),
            Self::Range { min, max } => (min, max),
        }
    }

    fn hint(self, value: f64) -> &'static str {
        match self {
            Self::Unit if value > 1.0 && value <= 100.0 => "stated in percent? declare the percent scale",
            Self::Unit => "expected a probability from 0 to 1",
            Self::Percent => "expected a percentage from 0 to 100",
            Self::Range { .. } => "expected a value within the declared range",
        }
    }
}

/// `unit`, `percent`, or a range such as `1..5`.
impl FromStr for Scale {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self> {
        let unknown = || TextError::UnknownScale { found: text.to_owned() };
        match text {
            "unit" => Ok(Self::Unit),
            "percent" => Ok(Self::Percent),
            _ => {
                let (min, max) = text.split_once("..").ok_or_else(unknown)?;
                let number = |end: &str| end.trim().parse::<f64>().map_err(|_| unknown());
                Self::range(number(min)?, number(max)?)
            }
        }
    }
}
