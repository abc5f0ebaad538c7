//! Expected and maximum calibration error.

use super::binning::{BinSums, Binning, from_percents, sums};
use crate::{Measured, Reason, Result, Undefined, input};

/// Mean gap between confidence and accuracy over confidence bins (ECE).
///
/// Biased upwards on small samples: report it beside the Brier score, which needs no bins. An empty bin adds
/// nothing; the mean confidence of a bin counts, not its midpoint.
///
/// # Shapes and units
/// - `confidences`: `[n]`, probabilities in `[0, 1]`, not percent; `outcomes`: `[n]`, `true` where right.
/// - returns: a probability gap in `[0, 1]`, 0 is perfectly calibrated. The note names bins and edge rule.
///
/// # Errors
/// [`StatsError::UnpairedLengths`](crate::StatsError), [`StatsError::NotAProbability`](crate::StatsError).
/// Undefined (`no_samples`) when `n` is 0. Nothing is clamped or skipped, but for [`EdgeRule::Guo2017`](super::EdgeRule).
///
/// # Source
/// Guo et al. (2017), arXiv:1706.04599, Eq. 3 (they use 15 bins); CAR §4.1.3 (10 bins).
///
/// # Examples
/// ```
/// # use humbly_stats::calibration::{Binning, expected_calibration_error};
/// let error =
///     expected_calibration_error(&[0.95, 0.95, 0.25], &[true, false, false], &Binning::default())?;
/// assert!((error.value().unwrap() - (0.45 * 2.0 + 0.25) / 3.0).abs() < 1e-12);
/// assert_eq!(error.note.as_deref(), Some("10 bins, right-closed"));
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn expected_calibration_error(
    confidences: &[f64],
    outcomes: &[bool],
    binning: &Binning,
) -> Result<Measured> {
    input::forecasts(confidences, outcomes)?;
    let sums = sums(binning.bins(), &binning.assign(confidences), confidences, outcomes);
    Ok(over_bins(&sums, confidences.len(), binning, mean_gap))
}

/// [`expected_calibration_error`] of integer percents, which are compared with the edges as integers.
///
/// # Shapes and units
/// - `percents`: `[n]`, integers in `0..=100`; `outcomes`: `[n]`.
/// - returns: as [`expected_calibration_error`], a probability gap.
///
/// # Errors
/// As [`expected_calibration_error`].
///
/// # Source
/// As [`expected_calibration_error`].
///
/// # Examples
/// ```
/// use humbly_stats::calibration::{Binning, expected_calibration_error_percent};
/// let error = expected_calibration_error_percent(&[70, 70], &[true, false], &Binning::default())?;
/// assert!((error.value().unwrap() - 0.2).abs() < 1e-12);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn expected_calibration_error_percent(
    percents: &[u8],
    outcomes: &[bool],
    binning: &Binning,
) -> Result<Measured> {
    let confidences = from_percents(percents)?;
    input::paired(percents.len(), outcomes.len())?;
    let sums = sums(binning.bins(), &binning.assign_percent(percents), &confidences, outcomes);
    Ok(over_bins(&sums, percents.len(), binning, mean_gap))
}

/// Largest gap between confidence and accuracy over the bins that hold something (MCE).
///
/// # Shapes and units
/// As [`expected_calibration_error`].
///
/// # Errors
/// As [`expected_calibration_error`].
///
/// # Source
/// Guo et al. (2017), arXiv:1706.04599, §2.
///
/// # Examples
/// ```
/// use humbly_stats::calibration::{Binning, maximum_calibration_error};
/// let error = maximum_calibration_error(&[0.95, 0.25], &[true, false], &Binning::default())?;
/// assert!((error.value().unwrap() - 0.25).abs() < 1e-12);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn maximum_calibration_error(
    confidences: &[f64],
    outcomes: &[bool],
    binning: &Binning,
) -> Result<Measured> {
    input::forecasts(confidences, outcomes)?;
    let sums = sums(binning.bins(), &binning.assign(confidences), confidences, outcomes);
    let largest = |sums: &[BinSums], _| {
        sums.iter().filter(|bin| bin.n > 0).map(|bin| bin.gap().abs() / bin.n as f64).fold(0.0, f64::max)
    };
    Ok(over_bins(&sums, confidences.len(), binning, largest))
}

pub(super) fn mean_gap(sums: &[BinSums], n: usize) -> f64 {
    sums.iter().map(|bin| bin.gap().abs()).sum::<f64>() / n as f64
}

/// A number over the bins, with the binning in its note.
pub(super) fn over_bins(
    sums: &[BinSums],
    n: usize,
    binning: &Binning,
    statistic: impl Fn(&[BinSums], usize) -> f64,
) -> Measured {
    if n == 0 {
        return Measured::undefined(Undefined::new(Reason::NoSamples));
    }
    Measured::new(statistic(sums, n), n).with_note(binning.to_string())
}
