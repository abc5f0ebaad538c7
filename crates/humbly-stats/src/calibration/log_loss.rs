//! Log loss.

use crate::{Measured, Reason, Result, Undefined, input};

/// Mean negative log-likelihood of the outcomes under the confidences, in nats.
///
/// Certainty that was wrong has an infinite loss: confidences are clipped by 2⁻⁵², as scikit-learn does, and
/// the note counts the certain answers that were wrong. Each of them adds 36.04 / n, a convention and no measurement.
///
/// # Shapes and units
/// - `confidences`: `[n]`, probabilities in `[0, 1]`, not percent; `outcomes`: `[n]`.
/// - returns: nats, at least 0; ln 2 is always saying one half.
///
/// # Errors
/// [`StatsError::UnpairedLengths`](crate::StatsError), [`StatsError::NotAProbability`](crate::StatsError).
/// Undefined (`no_samples`) when `n` is 0.
///
/// # Source
/// Good (1952); equals `sklearn.metrics.log_loss`.
///
/// # Examples
/// ```
/// use humbly_stats::calibration::log_loss;
/// let loss = log_loss(&[0.5, 0.5], &[true, false])?;
/// assert!((loss.value().unwrap() - std::f64::consts::LN_2).abs() < 1e-12);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn log_loss(confidences: &[f64], outcomes: &[bool]) -> Result<Measured> {
    input::forecasts(confidences, outcomes)?;
    let n = confidences.len();
    if n == 0 {
        return Ok(Measured::undefined(Undefined::new(Reason::NoSamples)));
    }
    let likelihoods = confidences
        .iter()
        .zip(outcomes)
        .map(|(&confidence, &outcome)| if outcome { confidence } else { 1.0 - confidence });
    let impossible = likelihoods.clone().filter(|&likelihood| likelihood == 0.0).count();
    let total: f64 =
        likelihoods.map(|likelihood| -likelihood.clamp(f64::EPSILON, 1.0 - f64::EPSILON).ln()).sum();
    let measured = Measured::new(total / n as f64, n);
    Ok(if impossible == 0 {
        measured
    } else {
        measured.with_note(format!("{impossible} certain answers were wrong, their loss is cut at 36.04"))
    })
}
