//! Temperature scaling of a stated probability.

use crate::{Reason, Result, StatsError, Undefined, input, logistic::sigmoid};

/// Divides the log-odds of a confidence by a temperature: above 1 towards one half, below 1 away from it.
///
/// A confidence of exactly 0 or 1 has infinite log-odds, and no temperature moves it: it stays 0 or 1. An agent
/// that says 1.0 often gains nothing from temperature scaling. [`Temperature::apply_clipped`] first moves it inwards,
/// by an amount that is then part of the result.
///
/// # Examples
/// ```
/// use humbly_stats::recalibration::Temperature;
/// let scaled = Temperature::new(1.5)?.apply(&[0.0, 0.9, 1.0])?;
/// assert!((scaled[1] - 0.812_268_223_2).abs() < 1e-9);
/// assert_eq!((scaled[0], scaled[2]), (0.0, 1.0));
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Temperature(f64);

impl Temperature {
    /// A given temperature; CAR uses 1.5.
    ///
    /// # Errors
    /// [`StatsError::Parameter`] when it is not a finite number above 0.
    pub fn new(temperature: f64) -> Result<Self> {
        if temperature.is_finite() && temperature > 0.0 {
            Ok(Self(temperature))
        } else {
            Err(StatsError::Parameter {
                name: "temperature",
                value: temperature,
                expected: "a finite number above 0",
            })
        }
    }

    /// The temperature.
    pub fn value(self) -> f64 {
        self.0
    }

    /// `sigmoid(logit(p) / T)` of each confidence.
    ///
    /// # Shapes and units
    /// - `confidences`: `[n]`, probabilities; returns `[n]`, probabilities; 0, one half and 1 are fixed points.
    ///
    /// # Errors
    /// [`StatsError::NotAProbability`].
    ///
    /// # Source
    /// Guo et al. (2017), arXiv:1706.04599, §4.2, on the log-odds of one stated probability; CAR §4.1.2.
    ///
    /// # Examples
    /// See [`Temperature`].
    pub fn apply(self, confidences: &[f64]) -> Result<Vec<f64>> {
        input::probabilities(confidences)?;
        Ok(confidences.iter().map(|&confidence| sigmoid(logit(confidence) / self.0)).collect())
    }

    /// [`Temperature::apply`] after moving confidences into `[margin, 1 − margin]`.
    ///
    /// # Shapes and units
    /// - `margin`: a probability in `(0, 0.5)`, e.g. 1e-6; the result depends on it strongly.
    ///
    /// # Errors
    /// [`StatsError::NotAProbability`], [`StatsError::Parameter`] (`margin`).
    ///
    /// # Source
    /// A common practice; CAR does not say what it does at 0 and 1.
    ///
    /// # Examples
    /// ```
    /// use humbly_stats::recalibration::Temperature;
    /// let scaled = Temperature::new(1.5)?.apply_clipped(&[1.0], 0.01)?;
    /// assert!((scaled[0] - 0.955_358_094_4).abs() < 1e-9);
    /// # Ok::<(), humbly_stats::StatsError>(())
    /// ```
    pub fn apply_clipped(self, confidences: &[f64], margin: f64) -> Result<Vec<f64>> {
        if !(margin > 0.0 && margin < 0.5) {
            return Err(StatsError::Parameter {
                name: "margin",
                value: margin,
                expected: "a number between 0 and 0.5",
            });
        }
        input::probabilities(confidences)?;
        let inside: Vec<f64> = confidences.iter().map(|c| c.clamp(margin, 1.0 - margin)).collect();
        self.apply(&inside)
    }
}

/// Log-odds; infinite at 0 and 1.
pub(super) fn logit(probability: f64) -> f64 {
    probability.ln() - (-probability).ln_1p()
}

/// The temperature with the lowest log loss on the given answers.
///
/// Confidences of exactly 0, one half or 1 are fixed points of every temperature: they have no say in the fit.
///
/// # Shapes and units
/// - `confidences`: `[n]`, probabilities; `outcomes`: `[n]`.
/// - returns: the temperature, or why there is none.
///
/// # Errors
/// [`StatsError::UnpairedLengths`], [`StatsError::NotAProbability`]. Undefined: `no_samples` when `n` is 0,
/// `too_few_samples` when every confidence is a fixed point, `no_fit` when the loss falls for ever: every answer on
/// the side its confidence says (T → 0), or confidences that say no more than chance (T → ∞).
///
/// # Source
/// Guo et al. (2017), arXiv:1706.04599, §4.2. The loss is convex in 1/T; its derivative is bisected.
///
/// # Examples
/// ```
/// use humbly_stats::recalibration::fit_temperature;
/// let confidences = [0.95, 0.95, 0.95, 0.95];
/// let temperature = fit_temperature(&confidences, &[true, true, true, false])?.unwrap();
/// let scaled = temperature.apply(&confidences)?;
/// assert!((scaled[0] - 0.75).abs() < 1e-9);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn fit_temperature(
    confidences: &[f64],
    outcomes: &[bool],
) -> Result<std::result::Result<Temperature, Undefined>> {
    input::forecasts(confidences, outcomes)?;
    if confidences.is_empty() {
        return Ok(Err(Undefined::new(Reason::NoSamples)));
    }
    let rows: Vec<(f64, f64)> = confidences
        .iter()
        .zip(outcomes)
        .map(|(&confidence, &outcome)| (logit(confidence), f64::from(u8::from(outcome))))
        .filter(|(log_odds, _)| log_odds.is_finite() && *log_odds != 0.0)
        .collect();
    if rows.is_empty() {
        let detail = "every confidence is 0, 0.5 or 1";
        return Ok(Err(Undefined::with_detail(Reason::TooFewSamples, detail)));
    }
    let slope = |inverse: f64| -> f64 {
        rows.iter().map(|&(log_odds, outcome)| (sigmoid(inverse * log_odds) - outcome) * log_odds).sum()
    };
    let no_fit = |detail| Ok(Err(Undefined::with_detail(Reason::NoFit, detail)));
    if slope(0.0) >= 0.0 {
        return no_fit("confidences say no more than chance");
    }
    if rows.iter().all(|&(log_odds, outcome)| (log_odds > 0.0) == (outcome > 0.5)) {
        return no_fit("every answer is on the side its confidence says");
    }
    let (mut low, mut high) = (0.0, 1.0);
    while slope(high) < 0.0 && high < 1e12 {
        high *= 2.0;
    }
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if slope(middle) < 0.0 { low = middle } else { high = middle }
    }
    Ok(Ok(Temperature::new(1.0 / f64::midpoint(low, high))?))
}
