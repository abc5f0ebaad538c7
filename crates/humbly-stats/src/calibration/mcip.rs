//! Mean confidence of incorrect predictions.

use crate::{Measured, Reason, Result, Undefined, input};

/// Mean confidence of the answers that were wrong (MCIP): how sure an agent is when it should not be.
///
/// # Shapes and units
/// - `confidences`: `[n]`, probabilities in `[0, 1]`, not percent; `outcomes`: `[n]`, `true` where right.
/// - returns: a probability; its `n` is the number of wrong answers.
///
/// # Errors
/// [`StatsError::UnpairedLengths`](crate::StatsError), [`StatsError::NotAProbability`](crate::StatsError).
/// Undefined: `no_samples` when `n` is 0, `no_wrong_answers` when all are right.
///
/// # Source
/// CAR §3.2; over the questions that several settings got wrong: [`mcip_common`](super::mcip_common).
///
/// # Examples
/// ```
/// use humbly_stats::calibration::mean_confidence_of_incorrect;
/// let mcip = mean_confidence_of_incorrect(&[0.9, 0.8, 0.6], &[true, false, false])?;
/// assert!((mcip.value().unwrap() - 0.7).abs() < 1e-12 && mcip.n == 2);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn mean_confidence_of_incorrect(confidences: &[f64], outcomes: &[bool]) -> Result<Measured> {
    input::forecasts(confidences, outcomes)?;
    let wrong: Vec<f64> =
        confidences.iter().zip(outcomes).filter(|&(_, &outcome)| !outcome).map(|(&c, _)| c).collect();
    Ok(match (confidences.len(), wrong.len()) {
        (0, _) => Measured::undefined(Undefined::new(Reason::NoSamples)),
        (_, 0) => Measured::undefined(Undefined::new(Reason::NoWrongAnswers)),
        (_, count) => Measured::new(wrong.iter().sum::<f64>() / count as f64, count),
    })
}
