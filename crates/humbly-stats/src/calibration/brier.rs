//! Brier score and its parts.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::binning::Binning;
use crate::{Measured, Reason, Result, Undefined, input};

/// Mean squared difference between confidence and outcome.
///
/// # Shapes and units
/// - `confidences`: `[n]`, probabilities in `[0, 1]`, not percent; `outcomes`: `[n]`.
/// - returns: a mean square in `[0, 1]`; 0 is certain and right, 0.25 is always saying one half.
///
/// # Errors
/// [`StatsError::UnpairedLengths`](crate::StatsError), [`StatsError::NotAProbability`](crate::StatsError).
/// Undefined (`no_samples`) when `n` is 0.
///
/// # Source
/// Brier (1950); CAR §4.1.3.
///
/// # Examples
/// ```
/// use humbly_stats::calibration::brier_score;
/// let score = brier_score(&[0.95, 1.0], &[true, false])?;
/// assert!((score.value().unwrap() - 0.501_25).abs() < 1e-12);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn brier_score(confidences: &[f64], outcomes: &[bool]) -> Result<Measured> {
    input::forecasts(confidences, outcomes)?;
    if confidences.is_empty() {
        return Ok(Measured::undefined(Undefined::new(Reason::NoSamples)));
    }
    let total: f64 = squares(confidences, outcomes).sum();
    Ok(Measured::new(total / confidences.len() as f64, confidences.len()))
}

/// The squared difference of each row.
pub(super) fn squares<'a>(confidences: &'a [f64], outcomes: &'a [bool]) -> impl Iterator<Item = f64> + 'a {
    confidences
        .iter()
        .zip(outcomes)
        .map(|(confidence, &outcome)| (confidence - f64::from(u8::from(outcome))).powi(2))
}

/// The parts of a Brier score: `brier = reliability − resolution + uncertainty + within_groups`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BrierDecomposition {
    /// The score.
    pub brier: Measured,
    /// Mean squared gap between a group's confidence and its accuracy: lower is better.
    pub reliability: Measured,
    /// Mean squared gap between a group's accuracy and the overall accuracy: higher is better.
    pub resolution: Measured,
    /// Variance of the outcomes: a property of the questions.
    pub uncertainty: Measured,
    /// What differing confidences within a group add; 0 when groups are distinct confidences.
    pub within_groups: Measured,
}

/// Murphy's decomposition of the Brier score into reliability, resolution and uncertainty.
///
/// # Shapes and units
/// - `confidences`: `[n]`, probabilities in `[0, 1]`; `outcomes`: `[n]`.
/// - `binning`: `None` groups equal confidences, which makes the three parts exact; with bins the part that
///   they do not explain is `within_groups`.
/// - returns: mean squares.
///
/// # Errors
/// As [`brier_score`], each part.
///
/// # Source
/// Murphy (1973); the part within bins: Stephenson et al. (2008).
///
/// # Examples
/// ```
/// use humbly_stats::calibration::brier_decomposition;
/// let parts = brier_decomposition(&[0.9, 0.9, 0.2, 0.2], &[true, false, false, false], None)?;
/// let value = |part: &humbly_stats::Measured| part.value().unwrap();
/// let sum = value(&parts.reliability) - value(&parts.resolution) + value(&parts.uncertainty);
/// assert!((value(&parts.brier) - sum).abs() < 1e-12);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn brier_decomposition(
    confidences: &[f64],
    outcomes: &[bool],
    binning: Option<&Binning>,
) -> Result<BrierDecomposition> {
    let brier = brier_score(confidences, outcomes)?;
    let Some(score) = brier.value() else {
        let nothing = || brier.clone();
        return Ok(BrierDecomposition {
            reliability: nothing(),
            resolution: nothing(),
            uncertainty: nothing(),
            within_groups: nothing(),
            brier,
        });
    };
    // Adding 0.0 turns −0.0 into 0.0: equal confidences have equal bits.
    let groups: Vec<u64> = match binning {
        None => confidences.iter().map(|confidence| (confidence + 0.0).to_bits()).collect(),
        // A dropped zero forms a group of its own.
        Some(binning) => {
            binning.assign(confidences).iter().map(|bin| bin.map_or(u64::MAX, |bin| bin as u64)).collect()
        }
    };
    let mut sums: BTreeMap<u64, (f64, f64, f64)> = BTreeMap::new();
    for ((group, confidence), &outcome) in groups.iter().zip(confidences).zip(outcomes) {
        let entry = sums.entry(*group).or_default();
        entry.0 += 1.0;
        entry.1 += confidence;
        entry.2 += f64::from(u8::from(outcome));
    }
    let n = confidences.len() as f64;
    let accuracy = sums.values().map(|group| group.2).sum::<f64>() / n;
    let (mut reliability, mut resolution) = (0.0, 0.0);
    for (count, confidence, correct) in sums.into_values() {
        reliability += (confidence - correct).powi(2) / count / n;
        resolution += count / n * (correct / count - accuracy).powi(2);
    }
    let uncertainty = accuracy * (1.0 - accuracy);
    let part = |value| Measured::new(value, confidences.len());
    Ok(BrierDecomposition {
        reliability: part(reliability),
        resolution: part(resolution),
        uncertainty: part(uncertainty),
        within_groups: part(score - (reliability - resolution + uncertainty)),
        brier,
    })
}
