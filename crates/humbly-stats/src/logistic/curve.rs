//! The fitted curve with a band from resampled cells.

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fit::{Cell, LogisticFit, LogisticOutcome, fit_checked, fit_logistic};
use crate::{Result, StatsError, input, quantiles::percentile, random::Stream};

/// Where the curve is drawn and how its band is made.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LogisticCurveParams {
    low_percentile: f64,
    high_percentile: f64,
    resamples: u32,
    seed: u64,
}

impl LogisticCurveParams {
    /// The band of EH Fig. 3: 16th to 84th percentile over 500 resamples.
    pub fn seeded(seed: u64) -> Self {
        Self { low_percentile: 0.16, high_percentile: 0.84, resamples: 500, seed }
    }

    /// Another band.
    ///
    /// # Errors
    /// [`StatsError::Parameter`] when a percentile is not inside `(0, 1)`, they are not ascending, or
    /// `resamples` is 0.
    pub fn new(percentiles: (f64, f64), resamples: u32, seed: u64) -> Result<Self> {
        let low_percentile = input::open_unit("low_percentile", percentiles.0)?;
        let high_percentile = input::open_unit("high_percentile", percentiles.1)?;
        if low_percentile >= high_percentile {
            return Err(StatsError::Parameter {
                name: "high_percentile",
                value: high_percentile,
                expected: "more than the low percentile",
            });
        }
        if resamples == 0 {
            return Err(StatsError::Parameter { name: "resamples", value: 0.0, expected: "at least 1" });
        }
        Ok(Self { low_percentile, high_percentile, resamples, seed })
    }
}

/// A fitted curve and its band at given places.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LogisticCurve {
    /// The fit to all cells, or why there is none (then the curve has no points).
    pub fit: LogisticOutcome,
    /// One point for each place.
    pub points: Vec<CurvePoint>,
    /// Resamples that were drawn.
    pub resamples: u32,
    /// Resamples of cells without a fit, left out of the band.
    pub resamples_without_fit: u32,
    /// The seed.
    pub seed: u64,
}

/// The curve at one place.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CurvePoint {
    /// Place.
    pub x: f64,
    /// Fitted rate.
    pub rate: f64,
    /// Lower end of the band; `null` when no resample has a fit.
    pub low: Option<f64>,
    /// Upper end of the band.
    pub high: Option<f64>,
}

/// The logistic curve through weighted cells, with percentiles of the curves through resampled cells.
///
/// # Shapes and units
/// - `cells`: `[m]`, as in [`fit_logistic`]; `places`: `[k]`, where the curve is evaluated.
/// - returns: `[k]` points; rates in `[0, 1]`.
///
/// # Errors
/// As [`fit_logistic`], and [`StatsError::NotFinite`] for a place. The fit is undefined as in [`fit_logistic`].
///
/// # Source
/// EH Fig. 3: cells resampled with replacement, 500 times, 16th to 84th percentile of the fitted curve.
///
/// # Examples
/// ```
/// use humbly_stats::logistic::{Cell, LogisticCurveParams, logistic_curve};
/// let cells: Vec<Cell> = [(0.1, 0.5), (0.3, 0.4), (0.6, 0.3), (0.8, 0.2)]
///     .map(|(x, rate)| Cell { x, rate, weight: 50.0 })
///     .to_vec();
/// let curve = logistic_curve(&cells, &[0.5], &LogisticCurveParams::seeded(1))?;
/// let point = curve.points[0];
/// assert!(point.low.unwrap() <= point.rate && point.rate <= point.high.unwrap());
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn logistic_curve(cells: &[Cell], places: &[f64], params: &LogisticCurveParams) -> Result<LogisticCurve> {
    input::finite(places)?;
    let fit = fit_logistic(cells)?;
    let mut curve = LogisticCurve {
        fit,
        points: Vec::new(),
        resamples: params.resamples,
        resamples_without_fit: 0,
        seed: params.seed,
    };
    let Ok(whole) = &curve.fit else { return Ok(curve) };
    let fits: Vec<Option<LogisticFit>> = (0..params.resamples)
        .into_par_iter()
        .map(|resample| {
            let mut drawn = Vec::with_capacity(cells.len());
            let mut stream = Stream::new(params.seed, u64::from(resample));
            stream.resample(cells.len(), |index| drawn.push(cells[index]));
            fit_checked(&drawn).ok()
        })
        .collect();
    let defined: Vec<LogisticFit> = fits.into_iter().flatten().collect();
    let missing = params.resamples - u32::try_from(defined.len()).unwrap_or(params.resamples);
    let point = |&x: &f64| {
        let mut rates: Vec<f64> = defined.iter().map(|fit| fit.rate(x)).collect();
        CurvePoint {
            x,
            rate: whole.rate(x),
            low: percentile(&mut rates, params.low_percentile),
            high: percentile(&mut rates, params.high_percentile),
        }
    };
    curve.points = places.iter().map(point).collect();
    curve.resamples_without_fit = missing;
    Ok(curve)
}
