//! Wilson's score interval.

use crate::{
    Interval, IntervalMethod, Measured, Reason, Result, StatsError, Undefined, input,
    quantiles::normal_critical,
};

/// An interval, or why there is none.
pub type IntervalOutcome = std::result::Result<Interval, Undefined>;

/// Wilson score interval of a proportion: the rates that a score test would not reject.
///
/// Unlike a percentile bootstrap it keeps its coverage at small `n`, and it does not collapse to a point
/// when no trial, or every trial, succeeded.
///
/// # Shapes and units
/// - `successes`, `trials`: counts.
/// - `level`: inside `(0, 1)`, 0.95 for a 95 % interval.
/// - returns: ends in `[0, 1]`; exactly 0 or 1 when no or every trial succeeded.
///
/// # Errors
/// [`StatsError::MoreSuccessesThanTrials`], [`StatsError::Parameter`] (`level`).
/// Undefined (`no_samples`) when `trials` is 0.
///
/// # Source
/// Wilson (1927), without continuity correction; equals `statsmodels` `proportion_confint(method="wilson")`.
///
/// # Examples
/// ```
/// use humbly_stats::intervals::wilson;
/// let interval = wilson(20, 20, 0.95)?.unwrap();
/// assert!((interval.low - 0.838_875).abs() < 1e-6 && interval.high == 1.0);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn wilson(successes: usize, trials: usize, level: f64) -> Result<IntervalOutcome> {
    input::open_unit("level", level)?;
    if successes > trials {
        return Err(StatsError::MoreSuccessesThanTrials { successes, trials });
    }
    if trials == 0 {
        return Ok(Err(Undefined::new(Reason::NoSamples)));
    }
    let n = trials as f64;
    let rate = successes as f64 / n;
    let z = normal_critical(level);
    let shrink = 1.0 + z * z / n;
    let centre = (rate + z * z / (2.0 * n)) / shrink;
    let half = z * (rate * (1.0 - rate) / n + z * z / (4.0 * n * n)).sqrt() / shrink;
    let low = if successes == 0 { 0.0 } else { (centre - half).max(0.0) };
    let high = if successes == trials { 1.0 } else { (centre + half).min(1.0) };
    Ok(Ok(Interval {
        low,
        high,
        level,
        method: IntervalMethod::Wilson,
        resamples: None,
        seed: None,
        clusters: None,
    }))
}

/// A proportion with its Wilson interval.
///
/// # Shapes and units
/// As [`wilson`].
///
/// # Errors
/// As [`wilson`].
///
/// # Source
/// As [`wilson`].
///
/// # Examples
/// ```
/// use humbly_stats::intervals::wilson_proportion;
/// let rate = wilson_proportion(3, 40, 0.95)?;
/// assert_eq!((rate.value(), rate.numerator, rate.n), (Some(0.075), Some(3), 40));
/// assert!(rate.interval.unwrap().low > 0.0258);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn wilson_proportion(successes: usize, trials: usize, level: f64) -> Result<Measured> {
    let interval = wilson(successes, trials, level)?;
    let measured = Measured::proportion(successes, trials);
    Ok(match interval {
        Ok(interval) => measured.with_interval(interval),
        Err(_) => measured,
    })
}
