//! Weighted logistic regression of a rate on one number.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statrs::function::gamma::ln_gamma;

use crate::{Reason, Result, StatsError, Undefined};

const STEPS: usize = 100;
/// Relative change of the deviance at which Newton's method has converged.
const TOLERANCE: f64 = 1e-13;

/// One point: a rate observed at `x` over `weight` instances.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// The predictor, e.g. the accuracy of an agent on a data set.
    pub x: f64,
    /// The rate, in `[0, 1]`.
    pub rate: f64,
    /// How many instances the rate rests on; 0 takes the cell out.
    pub weight: f64,
}

/// A fitted curve `rate = 1 / (1 + exp(−(intercept + slope · x)))`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LogisticFit {
    /// Log-odds at `x = 0`.
    pub intercept: f64,
    /// Change of the log-odds for one unit of `x`.
    pub slope: f64,
    /// Standard error of the intercept.
    pub intercept_error: f64,
    /// Standard error of the slope.
    pub slope_error: f64,
    /// Log-likelihood of the rates as fractions of single trials, `statsmodels`' convention.
    pub log_likelihood: f64,
    /// Twice the log-likelihood lost against a curve through every cell.
    pub deviance: f64,
    /// Newton steps taken.
    pub steps: u32,
}

impl LogisticFit {
    /// The fitted rate at `x`.
    pub fn rate(&self, x: f64) -> f64 {
        sigmoid(self.intercept + self.slope * x)
    }
}

/// A fit, or why there is none.
pub type LogisticOutcome = std::result::Result<LogisticFit, Undefined>;

pub(crate) fn sigmoid(log_odds: f64) -> f64 {
    if log_odds >= 0.0 {
        1.0 / (1.0 + (-log_odds).exp())
    } else {
        let odds = log_odds.exp();
        odds / (1.0 + odds)
    }
}

/// Maximum-likelihood logistic curve through weighted rates.
///
/// # Shapes and units
/// - `cells`: `[m]`; weights are instance counts (frequency weights), so standard errors scale with them.
/// - returns: log-odds and log-odds per unit of `x`.
///
/// # Errors
/// [`StatsError::NotFinite`] (`x`), [`StatsError::NotAProbability`] (`rate`), [`StatsError::Parameter`] (`weight`
/// negative or not finite). Undefined: `no_samples` without weight, `zero_variance` when all cells have one `x`,
/// `one_class` when all rates are 0 or all are 1, `no_fit` when a threshold on `x` separates the successes from the
/// failures: the likelihood then grows for ever with the slope.
///
/// # Source
/// `McCullagh` and Nelder (1989), Newton's method; equals `statsmodels` `GLM(family=Binomial(), freq_weights=…)`; EH
/// Fig. 3. Standard errors are those at the maximum; `statsmodels` takes them one step before (relative 1e-6).
///
/// # Examples
/// ```
/// use humbly_stats::logistic::{Cell, fit_logistic};
/// let cells = [Cell { x: 0.2, rate: 0.6, weight: 50.0 }, Cell { x: 0.7, rate: 0.3, weight: 20.0 }];
/// let fit = fit_logistic(&cells)?.unwrap();
/// assert!((fit.slope + 2.505_525_936_99).abs() < 1e-9);
/// assert!((fit.rate(0.2) - 0.6).abs() < 1e-9);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn fit_logistic(cells: &[Cell]) -> Result<LogisticOutcome> {
    for (index, cell) in cells.iter().enumerate() {
        if !cell.x.is_finite() {
            return Err(StatsError::NotFinite { index });
        }
        if !(0.0..=1.0).contains(&cell.rate) {
            return Err(StatsError::NotAProbability { index, value: cell.rate });
        }
        if !(cell.weight.is_finite() && cell.weight >= 0.0) {
            return Err(StatsError::Parameter {
                name: "weight",
                value: cell.weight,
                expected: "a finite number, at least 0",
            });
        }
    }
    Ok(fit_checked(cells))
}

/// [`fit_logistic`] of cells that were checked.
pub(super) fn fit_checked(cells: &[Cell]) -> LogisticOutcome {
    existence(cells)?;
    // Centred and scaled, the two parameters hardly depend on one another.
    let total: f64 = cells.iter().map(|cell| cell.weight).sum();
    let centre = cells.iter().map(|cell| cell.weight * cell.x).sum::<f64>() / total;
    let spread = cells.iter().map(|cell| cell.weight * (cell.x - centre).powi(2)).sum::<f64>() / total;
    let scale = spread.sqrt();
    let standard = |x: f64| (x - centre) / scale;

    let rate = cells.iter().map(|cell| cell.weight * cell.rate).sum::<f64>() / total;
    let (mut level, mut slope) = ((rate / (1.0 - rate)).ln(), 0.0);
    let mut deviance = f64::INFINITY;
    let mut halvings = 0;
    let mut step = (0.0, 0.0);
    for steps in 1..=STEPS {
        let current = deviance_at(cells, |x| sigmoid(level + slope * standard(x)));
        if current > deviance * (1.0 + 1e-12) && halvings < 30 {
            // The step went too far: take half of it back.
            step = (step.0 / 2.0, step.1 / 2.0);
            (level, slope) = (level - step.0, slope - step.1);
            halvings += 1;
            continue;
        }
        let converged = (deviance - current).abs() <= TOLERANCE * (current.abs() + 1e-3);
        deviance = current;
        halvings = 0;
        let information = Information::at(cells, standard, level, slope);
        let Some(next) = information.newton_step() else { break };
        if converged {
            let (level_error, slope_error) = information.errors(centre / scale);
            return Ok(LogisticFit {
                intercept: level - slope * centre / scale,
                slope: slope / scale,
                intercept_error: level_error,
                slope_error: slope_error / scale,
                log_likelihood: log_likelihood(cells, |x| sigmoid(level + slope * standard(x))),
                deviance,
                steps: u32::try_from(steps).unwrap_or(u32::MAX),
            });
        }
        step = next;
        (level, slope) = (level + step.0, slope + step.1);
    }
    Err(Undefined::with_detail(Reason::NoFit, "Newton's method did not converge"))
}

/// A maximum exists exactly when both classes occur and their ranges of `x` overlap in more than a point.
fn existence(cells: &[Cell]) -> std::result::Result<(), Undefined> {
    let range = |weight: fn(&Cell) -> f64| {
        cells.iter().filter(|cell| weight(cell) > 0.0).fold(None, |range: Option<(f64, f64)>, cell| {
            let (low, high) = range.unwrap_or((cell.x, cell.x));
            Some((low.min(cell.x), high.max(cell.x)))
        })
    };
    let Some(all) = range(|cell| cell.weight) else {
        return Err(Undefined::new(Reason::NoSamples));
    };
    if all.0 >= all.1 {
        return Err(Undefined::with_detail(Reason::ZeroVariance, "all cells have one x"));
    }
    let successes = range(|cell| cell.weight * cell.rate);
    let failures = range(|cell| cell.weight * (1.0 - cell.rate));
    let (Some(successes), Some(failures)) = (successes, failures) else {
        return Err(Undefined::with_detail(Reason::OneClass, "all rates are 0 or all are 1"));
    };
    if successes.0 >= failures.1 || failures.0 >= successes.1 {
        return Err(Undefined::with_detail(Reason::NoFit, "a threshold separates successes from failures"));
    }
    Ok(())
}

/// Score and information of the two parameters.
struct Information {
    score: (f64, f64),
    level: f64,
    cross: f64,
    slope: f64,
}

impl Information {
    fn at(cells: &[Cell], standard: impl Fn(f64) -> f64, level: f64, slope: f64) -> Self {
        let mut information = Self { score: (0.0, 0.0), level: 0.0, cross: 0.0, slope: 0.0 };
        for cell in cells {
            let z = standard(cell.x);
            let fitted = sigmoid(level + slope * z);
            let residual = cell.weight * (cell.rate - fitted);
            let variance = cell.weight * fitted * (1.0 - fitted);
            information.score.0 += residual;
            information.score.1 += residual * z;
            information.level += variance;
            information.cross += variance * z;
            information.slope += variance * z * z;
        }
        information
    }

    fn determinant(&self) -> f64 {
        self.level * self.slope - self.cross * self.cross
    }

    fn newton_step(&self) -> Option<(f64, f64)> {
        let determinant = self.determinant();
        (determinant > 0.0).then(|| {
            (
                (self.slope * self.score.0 - self.cross * self.score.1) / determinant,
                (self.level * self.score.1 - self.cross * self.score.0) / determinant,
            )
        })
    }

    /// Standard errors of `level − slope · shift` and of `slope`.
    fn errors(&self, shift: f64) -> (f64, f64) {
        let determinant = self.determinant();
        let variance = (self.slope + 2.0 * shift * self.cross + shift * shift * self.level) / determinant;
        (variance.sqrt(), (self.level / determinant).sqrt())
    }
}

/// `weight · ln(share)`, 0 without weight.
fn weighted_log(weight: f64, share: f64) -> f64 {
    if weight == 0.0 { 0.0 } else { weight * share.ln() }
}

fn log_likelihood(cells: &[Cell], fitted: impl Fn(f64) -> f64) -> f64 {
    let term = |cell: &Cell| {
        let rate = fitted(cell.x);
        let coefficient = -ln_gamma(cell.rate + 1.0) - ln_gamma(2.0 - cell.rate);
        cell.weight * coefficient
            + weighted_log(cell.weight * cell.rate, rate)
            + weighted_log(cell.weight * (1.0 - cell.rate), 1.0 - rate)
    };
    cells.iter().map(term).sum()
}

fn deviance_at(cells: &[Cell], fitted: impl Fn(f64) -> f64) -> f64 {
    let term = |cell: &Cell| {
        let rate = fitted(cell.x);
        weighted_log(cell.weight * cell.rate, cell.rate / rate)
            + weighted_log(cell.weight * (1.0 - cell.rate), (1.0 - cell.rate) / (1.0 - rate))
    };
    2.0 * cells.iter().map(term).sum::<f64>()
}
