//! A mean and a proportion, each with the interval that suits it.

use super::{BootstrapParams, Clusters, bootstrap::is_point, bootstrap_mean, wilson, wilson_proportion};
use crate::{Measured, Reason, Result, Undefined, input};

/// Which interval a proportion gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProportionInterval {
    /// Wilson's, or a cluster bootstrap where observations repeat.
    #[default]
    Wilson,
    /// Percentile bootstrap throughout, as the EH paper prints.
    Bootstrap,
}

/// Mean of real-valued scores with its percentile bootstrap interval.
///
/// # Shapes and units
/// - `values`: `[n]`, finite, in any unit.
/// - `clusters`: a partition of the same `n` observations.
/// - returns: mean and interval in the unit of `values`. With one observation there is a mean without an
///   interval, and the note says so; equal values give a point interval, flagged as degenerate, with Wilson's
///   interval in the note when they are outcomes.
///
/// # Errors
/// [`StatsError::UnpairedLengths`](crate::StatsError), [`StatsError::NotFinite`](crate::StatsError).
/// Undefined (`no_samples`) when `n` is 0.
///
/// # Source
/// As [`bootstrap_mean`].
///
/// # Examples
/// ```
/// use humbly_stats::intervals::{BootstrapParams, Clusters, mean};
/// let similarity = mean(&[0.2, 0.9, 0.4], &Clusters::independent(3)?, &BootstrapParams::seeded(1))?;
/// assert!((similarity.value().unwrap() - 0.5).abs() < 1e-12 && similarity.interval.is_some());
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn mean(values: &[f64], clusters: &Clusters, params: &BootstrapParams) -> Result<Measured> {
    let measured = plain_mean(values, clusters, params)?;
    if !measured.interval.as_ref().is_some_and(is_point) {
        return Ok(measured);
    }
    let Ok(outcomes) = input::outcomes_from_numbers(values) else { return Ok(measured) };
    let successes = outcomes.iter().filter(|&&outcome| outcome).count();
    Ok(match wilson(successes, outcomes.len(), params.level())? {
        Ok(interval) => measured
            .with_added_note(&format!("Wilson's interval is [{:.3}, {:.3}]", interval.low, interval.high)),
        Err(_) => measured,
    })
}

/// [`mean`] of values that are no outcomes even when all are 0 or 1, such as differences.
pub(crate) fn plain_mean(values: &[f64], clusters: &Clusters, params: &BootstrapParams) -> Result<Measured> {
    let resampled = bootstrap_mean(values, clusters, params)?;
    if values.is_empty() {
        return Ok(Measured::undefined(Undefined::new(Reason::NoSamples)));
    }
    let average = values.iter().sum::<f64>() / values.len() as f64;
    Ok(resampled.attach(Measured::new(average, values.len())))
}

/// Share of true outcomes with its interval.
///
/// # Shapes and units
/// - `outcomes`: `[n]`.
/// - `clusters`: a partition of the same `n` observations; with repeats whole clusters are resampled.
/// - returns: a rate in `[0, 1]` with its numerator.
///
/// # Errors
/// [`StatsError::UnpairedLengths`](crate::StatsError). Undefined (`no_samples`) when `n` is 0.
///
/// # Source
/// [`wilson`] and [`bootstrap_mean`].
///
/// # Examples
/// ```
/// use humbly_stats::intervals::{BootstrapParams, Clusters, ProportionInterval, proportion};
/// let outcomes = [true, true, false, true];
/// let clusters = Clusters::independent(4)?;
/// let rate = proportion(&outcomes, &clusters, ProportionInterval::Wilson, &BootstrapParams::seeded(1))?;
/// assert_eq!((rate.value(), rate.numerator), (Some(0.75), Some(3)));
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn proportion(
    outcomes: &[bool],
    clusters: &Clusters,
    interval: ProportionInterval,
    params: &BootstrapParams,
) -> Result<Measured> {
    input::paired(outcomes.len(), clusters.observations())?;
    let successes = outcomes.iter().filter(|&&outcome| outcome).count();
    if interval == ProportionInterval::Wilson && !clusters.has_repeats() {
        return wilson_proportion(successes, outcomes.len(), params.level());
    }
    let values: Vec<f64> = outcomes.iter().map(|&outcome| f64::from(u8::from(outcome))).collect();
    let mut measured = mean(&values, clusters, params)?;
    if measured.value().is_some() {
        measured.numerator = Some(successes as u64);
    }
    Ok(measured)
}
