//! RMS calibration error over bins of a fixed size.

use crate::{Measured, Reason, Result, StatsError, Undefined, input};

/// Root mean squared gap between confidence and accuracy over bins of `bin_size` sorted confidences.
///
/// All bins count. Fewer confidences than `bin_size` make one bin; the last bin also takes the rest. Equal
/// confidences on a border are shared out in input order, so the value may depend on that order.
///
/// # Shapes and units
/// - `confidences`: `[n]`, probabilities in `[0, 1]`, not percent; `outcomes`: `[n]`.
/// - `bin_size`: confidences a bin, 100 in the published scripts.
/// - returns: a probability gap in `[0, 1]`.
///
/// # Errors
/// [`StatsError::UnpairedLengths`], [`StatsError::NotAProbability`], [`StatsError::NoBins`] when `bin_size` is 0.
/// Undefined (`no_samples`) when `n` is 0.
///
/// # Source
/// Hendrycks et al. (2019), as used by BrowseComp and HLE, with their last bin put back; see
/// [`rms_calibration_error_last_bin_dropped`] for what the leaderboards print.
///
/// # Examples
/// ```
/// use humbly_stats::calibration::rms_calibration_error;
/// let confidences = [vec![0.20; 100], vec![0.95; 150]].concat();
/// let error = rms_calibration_error(&confidences, &vec![false; 250], 100)?;
/// assert!((error.value().unwrap() - 0.746_66).abs() < 1e-5);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn rms_calibration_error(confidences: &[f64], outcomes: &[bool], bin_size: usize) -> Result<Measured> {
    let Some(bins) = squared_gaps(confidences, outcomes, bin_size)? else {
        return Ok(Measured::undefined(Undefined::new(Reason::NoSamples)));
    };
    let note = format!("equal-mass bins of {bin_size}");
    Ok(Measured::new(bins.iter().sum::<f64>().sqrt(), confidences.len()).with_note(note))
}

/// What leaderboards built on the HLE script print: [`rms_calibration_error`] without its most confident bin.
///
/// For comparison with published numbers only: the dropped bin is where overconfidence shows.
///
/// # Shapes and units
/// As [`rms_calibration_error`].
///
/// # Errors
/// As [`rms_calibration_error`]; also undefined (`too_few_samples`) when there is one bin, which would be dropped.
///
/// # Source
/// The released script of Humanity's Last Exam, whose loop stops before the last bin.
///
/// # Examples
/// ```
/// use humbly_stats::calibration::rms_calibration_error_last_bin_dropped;
/// let confidences = [vec![0.20; 100], vec![0.95; 150]].concat();
/// let error = rms_calibration_error_last_bin_dropped(&confidences, &vec![false; 250], 100)?;
/// assert!((error.value().unwrap() - 0.126_49).abs() < 1e-5);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn rms_calibration_error_last_bin_dropped(
    confidences: &[f64],
    outcomes: &[bool],
    bin_size: usize,
) -> Result<Measured> {
    let Some(bins) = squared_gaps(confidences, outcomes, bin_size)? else {
        return Ok(Measured::undefined(Undefined::new(Reason::NoSamples)));
    };
    let n = confidences.len();
    let kept = &bins[..bins.len().saturating_sub(1)];
    if kept.is_empty() {
        let undefined = Undefined::with_detail(Reason::TooFewSamples, "the only bin is dropped");
        return Ok(Measured::undefined(undefined).with_n(n));
    }
    let note = format!("equal-mass bins of {bin_size}, last bin dropped");
    Ok(Measured::new(kept.iter().sum::<f64>().sqrt(), n).with_note(note))
}

/// The share of each bin times its squared gap; `None` without confidences.
fn squared_gaps(confidences: &[f64], outcomes: &[bool], bin_size: usize) -> Result<Option<Vec<f64>>> {
    input::forecasts(confidences, outcomes)?;
    if bin_size == 0 {
        return Err(StatsError::NoBins);
    }
    let n = confidences.len();
    if n == 0 {
        return Ok(None);
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&one, &two| confidences[one].total_cmp(&confidences[two]));
    let bins = (n / bin_size).max(1);
    let gap = |bin: usize| {
        let end = if bin + 1 == bins { n } else { (bin + 1) * bin_size };
        let rows = &order[bin * bin_size..end];
        let difference: f64 =
            rows.iter().map(|&row| confidences[row] - f64::from(u8::from(outcomes[row]))).sum();
        let size = rows.len() as f64;
        size / n as f64 * (difference / size).powi(2)
    };
    Ok(Some((0..bins).map(gap).collect()))
}
