//! Platt scaling.

use super::temperature::logit;
use crate::{
    Result, Undefined, input,
    logistic::{Cell, LogisticFit, fit_logistic, sigmoid},
};

/// Confidences are moved inwards by this before their log-odds are taken.
const MARGIN: f64 = 1e-6;

/// A logistic map of the log-odds of a confidence: `sigmoid(a + b · logit(p))`.
///
/// Confidences of 0 and 1 are taken as 1e-6 and 1 − 1e-6, both when fitting and when applying.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlattMap {
    fit: LogisticFit,
}

impl PlattMap {
    /// `a`, the log-odds given to a confidence of one half.
    pub fn intercept(&self) -> f64 {
        self.fit.intercept
    }

    /// `b`; 1 with `a` = 0 changes nothing, a negative one means that confidence misleads.
    pub fn slope(&self) -> f64 {
        self.fit.slope
    }

    /// The recalibrated confidences.
    ///
    /// # Shapes and units
    /// - `confidences`: `[n]`, probabilities; returns `[n]`, probabilities.
    ///
    /// # Errors
    /// [`StatsError::NotAProbability`](crate::StatsError).
    ///
    /// # Source
    /// As [`fit_platt`].
    ///
    /// # Examples
    /// See [`fit_platt`].
    pub fn apply(&self, confidences: &[f64]) -> Result<Vec<f64>> {
        input::probabilities(confidences)?;
        let map = |&confidence: &f64| sigmoid(self.fit.intercept + self.fit.slope * log_odds(confidence));
        Ok(confidences.iter().map(map).collect())
    }
}

fn log_odds(confidence: f64) -> f64 {
    logit(confidence.clamp(MARGIN, 1.0 - MARGIN))
}

/// Fits Platt's map to answers, with his softened targets, which keep it finite on separable data.
///
/// # Shapes and units
/// - `confidences`: `[n]`, probabilities; `outcomes`: `[n]`.
/// - returns: the map, or why there is none.
///
/// # Errors
/// [`StatsError::UnpairedLengths`](crate::StatsError), [`StatsError::NotAProbability`](crate::StatsError). Undefined:
/// `no_samples` when `n` is 0, `zero_variance` when the confidence is constant.
///
/// # Source
/// Platt (1999), targets (N₊ + 1)/(N₊ + 2) and 1/(N₋ + 2); on log-odds instead of a raw score.
///
/// # Examples
/// ```
/// use humbly_stats::recalibration::fit_platt;
/// let (confidences, outcomes) = ([0.9, 0.95, 0.9, 0.6, 0.7], [true, true, false, false, true]);
/// let map = fit_platt(&confidences, &outcomes)?.unwrap();
/// assert!(map.apply(&[1.0])?[0] < 1.0);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn fit_platt(confidences: &[f64], outcomes: &[bool]) -> Result<std::result::Result<PlattMap, Undefined>> {
    input::forecasts(confidences, outcomes)?;
    let right = outcomes.iter().filter(|&&outcome| outcome).count() as f64;
    let wrong = outcomes.len() as f64 - right;
    let (high, low) = ((right + 1.0) / (right + 2.0), 1.0 / (wrong + 2.0));
    let cells: Vec<Cell> = confidences
        .iter()
        .zip(outcomes)
        .map(|(&confidence, &outcome)| Cell {
            x: log_odds(confidence),
            rate: if outcome { high } else { low },
            weight: 1.0,
        })
        .collect();
    Ok(fit_logistic(&cells)?.map(|fit| PlattMap { fit }))
}
