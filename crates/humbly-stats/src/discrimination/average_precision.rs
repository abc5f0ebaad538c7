//! Average precision.

use crate::{Measured, Reason, Result, Undefined, input, ranking::Ranking};

/// Precision averaged over the recall gained at each threshold, equal scores being one threshold.
///
/// Unlike AUROC it depends on how common right answers are: its floor is the accuracy.
///
/// # Shapes and units
/// - `scores`: `[n]`, finite, higher for more confident; `outcomes`: `[n]`, `true` where right.
/// - returns: a rate in `[0, 1]`.
///
/// # Errors
/// [`StatsError::UnpairedLengths`](crate::StatsError), [`StatsError::NotFinite`](crate::StatsError).
/// Undefined: `no_samples` when `n` is 0, `one_class` when no answer is right.
///
/// # Source
/// Equals `sklearn.metrics.average_precision_score`: a step function, not interpolated.
///
/// # Examples
/// ```
/// use humbly_stats::discrimination::average_precision;
/// let precision = average_precision(&[0.9, 0.8, 0.7], &[true, false, true])?;
/// assert!((precision.value().unwrap() - (0.5 + 0.5 * 2.0 / 3.0)).abs() < 1e-12);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn average_precision(scores: &[f64], outcomes: &[bool]) -> Result<Measured> {
    input::paired(scores.len(), outcomes.len())?;
    input::finite(scores)?;
    let n = scores.len();
    if n == 0 {
        return Ok(Measured::undefined(Undefined::new(Reason::NoSamples)));
    }
    let counts = Ranking::of(scores).count_all(outcomes);
    let (mut accepted, mut found, mut total) = (0.0, 0.0, 0.0);
    for &[wrong, right] in counts.groups().iter().rev() {
        accepted += f64::from(wrong) + f64::from(right);
        found += f64::from(right);
        total += f64::from(right) * found / accepted;
    }
    if found == 0.0 {
        let undefined = Undefined::with_detail(Reason::OneClass, "every answer is wrong");
        return Ok(Measured::undefined(undefined).with_n(n));
    }
    Ok(Measured::new(total / found, n))
}
