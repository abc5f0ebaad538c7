//! Calibration errors freed from the part that sampling noise alone adds.

use std::f64::consts::PI;

use super::binning::{BinSums, Binning, sums};
use super::error::{mean_gap, over_bins};
use crate::{Measured, Result, input, quantiles::normal_two_sided};

/// ECE less a good part of the bias that the noise of each bin's accuracy adds.
///
/// Each bin's gap is taken as normal with the binomial standard error of its accuracy; the expected absolute
/// value of such a gap exceeds the gap itself, and that excess is taken off. Where the true gap is 0 about half of the
/// bias stays: [`debiased_squared_calibration_error`] has none. A negative result is not clamped, since clamping
/// brings the bias back.
///
/// # Shapes and units
/// As [`expected_calibration_error`](super::expected_calibration_error).
///
/// # Errors
/// As [`expected_calibration_error`](super::expected_calibration_error).
///
/// # Source
/// Kumar, Liang and Ma (2019), arXiv:1909.10155: their package simulates the normal gap, we use the mean of the
/// folded normal distribution, to which a simulation converges.
///
/// # Examples
/// ```
/// use humbly_stats::calibration::{Binning, debiased_calibration_error, expected_calibration_error};
/// let (confidences, outcomes) = ([0.8; 10], [true, true, true, true, true, true, true, true, true, false]);
/// let raw = expected_calibration_error(&confidences, &outcomes, &Binning::default())?;
/// let debiased = debiased_calibration_error(&confidences, &outcomes, &Binning::default())?;
/// assert!(debiased.value() < raw.value());
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn debiased_calibration_error(
    confidences: &[f64],
    outcomes: &[bool],
    binning: &Binning,
) -> Result<Measured> {
    input::forecasts(confidences, outcomes)?;
    let sums = sums(binning.bins(), &binning.assign(confidences), confidences, outcomes);
    let debiased = |sums: &[BinSums], n: usize| {
        let expected: f64 = sums.iter().filter(|bin| bin.n > 0).map(expected_gap).sum();
        2.0 * mean_gap(sums, n) - expected / n as f64
    };
    Ok(over_bins(&sums, confidences.len(), binning, debiased))
}

/// Count times the mean of `|N(gap, binomial variance)|`.
fn expected_gap(bin: &BinSums) -> f64 {
    let n = bin.n as f64;
    let gap = bin.gap().abs() / n;
    let deviation = (bin.accuracy() * (1.0 - bin.accuracy()) / n).sqrt();
    if deviation == 0.0 {
        return n * gap;
    }
    let standard = gap / deviation;
    n * (deviation * (2.0 / PI).sqrt() * (-standard * standard / 2.0).exp()
        + gap * (1.0 - normal_two_sided(standard)))
}

/// Mean squared gap between confidence and accuracy over bins, without the bias of sampling noise.
///
/// # Shapes and units
/// - inputs: as [`expected_calibration_error`](super::expected_calibration_error).
/// - returns: a squared probability gap; negative where the sample is closer than noise allows. Its square root is
///   comparable with [`rms_calibration_error`](super::rms_calibration_error).
///
/// # Errors
/// As [`expected_calibration_error`](super::expected_calibration_error). A bin with one confidence has no estimate
/// of its noise and is left as it is.
///
/// # Source
/// Kumar, Liang and Ma (2019), arXiv:1909.10155, the debiased estimator; Bröcker (2012).
///
/// # Examples
/// ```
/// use humbly_stats::calibration::{Binning, debiased_squared_calibration_error};
/// let error =
///     debiased_squared_calibration_error(&[0.75; 4], &[true, true, true, false], &Binning::default())?;
/// assert!((error.value().unwrap() + 0.75 * 0.25 / 3.0).abs() < 1e-12);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn debiased_squared_calibration_error(
    confidences: &[f64],
    outcomes: &[bool],
    binning: &Binning,
) -> Result<Measured> {
    input::forecasts(confidences, outcomes)?;
    let sums = sums(binning.bins(), &binning.assign(confidences), confidences, outcomes);
    let debiased = |sums: &[BinSums], n: usize| {
        let total: f64 = sums
            .iter()
            .filter(|bin| bin.n > 0)
            .map(|bin| {
                let count = bin.n as f64;
                let noise = bin.accuracy() * (1.0 - bin.accuracy()) / (count - 1.0).max(1.0);
                count * ((bin.gap() / count).powi(2) - noise)
            })
            .sum();
        total / n as f64
    };
    Ok(over_bins(&sums, confidences.len(), binning, debiased))
}
