//! Whether an agent says the same confidence whatever the question.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Measured, Reason, Result, Undefined, input};

/// How concentrated stated confidences are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Collapse {
    /// The commonest confidence; the highest of several, `null` without confidences.
    pub commonest: Option<f64>,
    /// The share of answers that state it.
    pub share: Measured,
    /// Entropy of the stated values in bits; 0 when one value is stated throughout.
    pub entropy: Measured,
    /// How many different values were stated.
    pub distinct: u64,
}

/// Share of the commonest confidence and entropy of the stated confidences.
///
/// A collapsed confidence may have a low ECE (state the accuracy always) and tells nothing about any one answer.
///
/// # Shapes and units
/// - `confidences`: `[n]`, probabilities in `[0, 1]`, as stated (not rounded).
/// - returns: a share in `(0, 1]` and an entropy in bits, at most log₂ n.
///
/// # Errors
/// [`StatsError::NotAProbability`](crate::StatsError). Undefined (`no_samples`) when `n` is 0.
///
/// # Source
/// A diagnostic of this crate; entropy: Shannon (1948).
///
/// # Examples
/// ```
/// use humbly_stats::calibration::confidence_collapse;
/// let collapse = confidence_collapse(&[0.9, 0.9, 0.9, 0.5])?;
/// assert_eq!((collapse.commonest, collapse.share.value()), (Some(0.9), Some(0.75)));
/// assert!((collapse.entropy.value().unwrap() - 0.811_278).abs() < 1e-6);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn confidence_collapse(confidences: &[f64]) -> Result<Collapse> {
    input::probabilities(confidences)?;
    let n = confidences.len();
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    for confidence in confidences {
        // Bits of non-negative numbers are in the order of the numbers; adding 0.0 removes −0.0.
        *counts.entry((confidence + 0.0).to_bits()).or_default() += 1;
    }
    let Some((&bits, &count)) = counts.iter().max_by_key(|&(_, &count)| count) else {
        let nothing = Measured::undefined(Undefined::new(Reason::NoSamples));
        return Ok(Collapse { commonest: None, share: nothing.clone(), entropy: nothing, distinct: 0 });
    };
    let entropy: f64 =
        counts.values().map(|&count| count as f64 / n as f64).map(|share| -share * share.log2()).sum();
    Ok(Collapse {
        commonest: Some(f64::from_bits(bits)),
        share: Measured::proportion(count, n),
        entropy: Measured::new(entropy + 0.0, n),
        distinct: counts.len() as u64,
    })
}
