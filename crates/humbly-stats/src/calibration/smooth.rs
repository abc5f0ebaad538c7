//! Smooth calibration error.

use std::f64::consts::PI;

use crate::{Measured, Reason, Result, Undefined, input};

/// Points at which the smoothed residual is evaluated, at least.
const MESH: f64 = 200.0;
/// Added to the density, so that an empty region weighs nothing instead of dividing by zero.
const DENSITY_FLOOR: f64 = 1e-4;
/// The bandwidth is not made narrower than this.
const NARROWEST: f64 = 1e-3;
/// Halvings of the bandwidth's bracket.
const HALVINGS: usize = 10;
/// Beyond this many bandwidths the kernel is below 1e-31 of its peak.
const REACH: f64 = 12.0;

/// Smooth ECE: the mean absolute residual after smoothing by a reflected Gaussian kernel of a bandwidth that
/// the data choose, so that no bins and no edges matter.
///
/// The bandwidth is the largest σ below the smoothed error at σ, found by ten halvings. The discretisation (linear
/// binning on `max(2000, 20/σ)/2 + 1` points, evaluation on `max(200, 10/σ)`) is that of the authors' package, so that
/// numbers agree with published ones.
///
/// # Shapes and units
/// - `confidences`: `[n]`, probabilities in `[0, 1]`, not percent; `outcomes`: `[n]`.
/// - returns: a probability gap in `[0, 1]`.
///
/// # Errors
/// [`StatsError::UnpairedLengths`](crate::StatsError), [`StatsError::NotAProbability`](crate::StatsError).
/// Undefined (`no_samples`) when `n` is 0.
///
/// # Source
/// Błasiok and Nakkiran (2023), arXiv:2309.12236; equals `relplot.smECE`.
///
/// # Examples
/// ```
/// use humbly_stats::calibration::smooth_calibration_error;
/// let confidences = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];
/// let correct = [false, false, true, false, true, false, true, true, false, true, true];
/// let error = smooth_calibration_error(&confidences, &correct)?;
/// assert!((error.value().unwrap() - 0.117_093_405).abs() < 1e-9);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn smooth_calibration_error(confidences: &[f64], outcomes: &[bool]) -> Result<Measured> {
    input::forecasts(confidences, outcomes)?;
    if confidences.is_empty() {
        return Ok(Measured::undefined(Undefined::new(Reason::NoSamples)));
    }
    let wide_enough =
        |bandwidth: f64| bandwidth < NARROWEST || bandwidth < at_bandwidth(confidences, outcomes, bandwidth);
    let mut bandwidth = 1.0;
    if !wide_enough(bandwidth) {
        let mut floor = 0.0;
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(bandwidth, floor);
            if wide_enough(middle) {
                floor = middle;
            } else {
                bandwidth = middle;
            }
        }
    }
    let error = at_bandwidth(confidences, outcomes, bandwidth);
    Ok(Measured::new(error, confidences.len()).with_note(format!("bandwidth {bandwidth:.4}")))
}

/// The smoothed error at one bandwidth.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positions on a grid")]
fn at_bandwidth(confidences: &[f64], outcomes: &[bool], bandwidth: f64) -> f64 {
    let points = (20.0 / bandwidth).round_ties_even().max(2000.0) as usize / 2 + 1;
    let cells = (points - 1) as f64;
    let mut residuals = vec![0.0; points];
    let mut density = vec![0.0; points];
    for (&confidence, &outcome) in confidences.iter().zip(outcomes) {
        let below = ((confidence * cells) as usize).min(points - 2);
        let share = confidence * cells - below as f64;
        let residual = confidence - f64::from(u8::from(outcome));
        residuals[below] += (1.0 - share) * residual;
        residuals[below + 1] += share * residual;
        density[below] += 1.0 - share;
        density[below + 1] += share;
    }
    let smoothing = Smoothing::new(points, bandwidth);
    let mesh = (10.0 / bandwidth).round_ties_even().max(MESH) as usize;
    let (mut error, mut mass) = (0.0, 0.0);
    for index in 0..mesh {
        let position = if index + 1 == mesh { 1.0 } else { index as f64 * (1.0 / (mesh - 1) as f64) };
        let below = ((position * cells) as usize).min(points - 2);
        let share = (position - below as f64 / cells) * cells;
        let at = |values: &[f64]| {
            smoothing.apply(values, below) * (1.0 - share) + smoothing.apply(values, below + 1) * share
        };
        error += at(&residuals).abs();
        mass += at(&density) + DENSITY_FLOOR;
    }
    error / mass
}

/// A Gaussian kernel on a grid over `[0, 1]`, reflected once at both ends.
struct Smoothing {
    kernel: Vec<f64>,
    first: usize,
}

impl Smoothing {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of grid points")]
    fn new(points: usize, bandwidth: f64) -> Self {
        let cells = (points - 1) as f64;
        let reach = (REACH * bandwidth * cells).ceil() as usize;
        let first = (points / 2).saturating_sub(reach);
        let last = (points / 2 + reach).min(points - 1);
        let value = |index: usize| {
            let distance = index as f64 / cells - 0.5;
            (-distance * distance / (2.0 * bandwidth * bandwidth)).exp() / ((2.0 * PI).sqrt() * bandwidth)
        };
        Self { kernel: (first..=last).map(value).collect(), first }
    }

    /// The smoothed value at grid point `at`.
    fn apply(&self, values: &[f64], at: usize) -> f64 {
        let last = values.len() - 1;
        // Tap `index` reads grid point `at + index - offset`, mirrored at the ends without repeating them.
        let offset = last - values.len() / 2;
        let tap = |(index, weight): (usize, &f64)| {
            let shifted = at + self.first + index;
            let point = shifted.abs_diff(offset);
            weight * values[if point > last { 2 * last - point } else { point }]
        };
        self.kernel.iter().enumerate().map(tap).sum()
    }
}
