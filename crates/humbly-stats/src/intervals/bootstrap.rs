//! Percentile bootstrap of a mean and of any statistic.
//!
//! Resample `r` of a seed always draws from stream `r`, and each resample is summed by one thread: the
//! result is the same on any number of threads.

use rayon::prelude::*;

use super::{BootstrapParams, Clusters, IntervalOutcome};
use crate::{
    Interval, IntervalMethod, Measured, Reason, Result, Undefined, input, quantiles::percentile,
    random::Stream,
};

/// What resampling says about an estimate.
#[derive(Debug, Clone, PartialEq)]
pub struct Resampled {
    /// The percentile interval, or why there is none.
    pub interval: IntervalOutcome,
    /// Standard deviation of the statistic over the resamples.
    pub standard_error: Option<f64>,
    /// Resamples on which the statistic has no value, left out of the interval.
    pub undefined_resamples: u32,
}

impl Resampled {
    /// Whether every resample gave the same value, so that the interval is a point and says nothing.
    pub fn is_degenerate(&self) -> bool {
        self.interval.as_ref().is_ok_and(is_point)
    }

    /// Adds the interval to a number, and a note where it is missing, degenerate or incomplete.
    ///
    /// An undefined number stays as it is.
    #[must_use]
    pub fn attach(self, measured: Measured) -> Measured {
        if measured.value().is_none() {
            return measured;
        }
        let degenerate = self.is_degenerate();
        let mut measured = match self.interval {
            Ok(interval) => measured.with_interval(interval),
            Err(undefined) => measured.with_added_note(&format!("no interval: {undefined}")),
        };
        if degenerate {
            measured = measured.with_added_note("degenerate interval: every resample gave the same value");
        }
        if self.undefined_resamples > 0 {
            let note = format!("{} resamples without a value were left out", self.undefined_resamples);
            measured = measured.with_added_note(&note);
        }
        measured
    }

    fn undefined(reason: Reason, detail: String) -> Self {
        Self {
            interval: Err(Undefined::with_detail(reason, detail)),
            standard_error: None,
            undefined_resamples: 0,
        }
    }

    fn from_statistics(statistics: Vec<f64>, clusters: &Clusters, params: &BootstrapParams) -> Self {
        let undefined_resamples =
            params.resamples() - u32::try_from(statistics.len()).unwrap_or(params.resamples());
        if statistics.len() * 2 <= params.resamples() as usize {
            let detail = format!("{undefined_resamples} of {} resamples have no value", params.resamples());
            return Self { undefined_resamples, ..Self::undefined(Reason::TooFewSamples, detail) };
        }
        let standard_error = standard_deviation(&statistics);
        let tail = (1.0 - params.level()) / 2.0;
        let mut statistics = statistics;
        let ends = (percentile(&mut statistics, tail), percentile(&mut statistics, 1.0 - tail));
        let (Some(low), Some(high)) = ends else {
            return Self::undefined(Reason::NoSamples, "no resamples".to_owned());
        };
        let clustered = clusters.has_repeats();
        Self {
            interval: Ok(Interval {
                low,
                high,
                level: params.level(),
                method: if clustered {
                    IntervalMethod::ClusterBootstrap
                } else {
                    IntervalMethod::PercentileBootstrap
                },
                resamples: Some(params.resamples()),
                seed: Some(params.seed()),
                clusters: clustered.then_some(clusters.len() as u64),
            }),
            standard_error,
            undefined_resamples,
        }
    }
}

#[expect(clippy::float_cmp, reason = "a degenerate interval has identical ends")]
pub(super) fn is_point(interval: &Interval) -> bool {
    interval.low == interval.high
}

/// Why this many clusters cannot be resampled, if so.
fn too_few(clusters: &Clusters) -> Option<Resampled> {
    match clusters.len() {
        0 => Some(Resampled::undefined(Reason::NoSamples, "nothing to resample".to_owned())),
        1 => {
            let what = if clusters.has_repeats() { "cluster" } else { "observation" };
            Some(Resampled::undefined(Reason::TooFewSamples, format!("one {what} cannot be resampled")))
        }
        _ => None,
    }
}

fn standard_deviation(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

/// Percentile bootstrap interval of a mean; whole clusters are drawn where observations repeat.
///
/// # Shapes and units
/// - `values`: `[n]`, finite, in any unit.
/// - `clusters`: a partition of the same `n` observations.
/// - returns: ends in the unit of `values`, percentiles interpolated linearly.
///
/// # Errors
/// [`StatsError::UnpairedLengths`](crate::StatsError), [`StatsError::NotFinite`](crate::StatsError).
/// The interval is undefined (`no_samples`, `too_few_samples`) with fewer than two clusters.
///
/// # Source
/// Efron and Tibshirani (1993), ch. 13; the EH paper's Table 1 (`scipy.stats.bootstrap`, percentile method).
/// The mean of a clustered resample is its sum over its number of observations.
///
/// # Examples
/// ```
/// use humbly_stats::intervals::{BootstrapParams, Clusters, bootstrap_mean};
/// let scores = [0.0, 0.25, 0.5, 0.5, 0.75, 1.0];
/// let clusters = Clusters::independent(scores.len())?;
/// let resampled = bootstrap_mean(&scores, &clusters, &BootstrapParams::seeded(1))?;
/// let interval = resampled.interval.unwrap();
/// assert!(interval.low < 0.5 && 0.5 < interval.high && interval.seed == Some(1));
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn bootstrap_mean(values: &[f64], clusters: &Clusters, params: &BootstrapParams) -> Result<Resampled> {
    input::paired(values.len(), clusters.observations())?;
    input::finite(values)?;
    if let Some(undefined) = too_few(clusters) {
        return Ok(undefined);
    }
    let resamples = (0..params.resamples()).into_par_iter();
    let means: Vec<f64> = if clusters.has_repeats() {
        let totals: Vec<(f64, f64)> = clusters
            .iter()
            .map(|rows| (rows.iter().map(|&row| values[row as usize]).sum(), rows.len() as f64))
            .collect();
        resamples.map(|resample| clustered_mean(&totals, params.seed(), resample)).collect()
    } else {
        resamples.map(|resample| independent_mean(values, params.seed(), resample)).collect()
    };
    Ok(Resampled::from_statistics(means, clusters, params))
}

fn independent_mean(values: &[f64], seed: u64, resample: u32) -> f64 {
    Stream::new(seed, u64::from(resample)).sum_of_resample(values) / values.len() as f64
}

fn clustered_mean(totals: &[(f64, f64)], seed: u64, resample: u32) -> f64 {
    let (mut sum, mut observations) = (0.0, 0.0);
    Stream::new(seed, u64::from(resample)).resample(totals.len(), |index| {
        sum += totals[index].0;
        observations += totals[index].1;
    });
    sum / observations
}

/// Percentile bootstrap interval of any statistic of the rows of a table.
///
/// # Shapes and units
/// - `clusters`: the partition of the table's rows; its clusters are drawn with replacement.
/// - `scratch`: makes the working memory of one thread.
/// - `statistic`: gets that memory and the drawn rows (indices with repeats), returns the statistic or
///   `None` where those rows do not determine it.
/// - returns: ends in the statistic's unit. Resamples without a value are counted and left out.
///
/// # Undefined
/// The interval is undefined with fewer than two clusters (`no_samples`, `too_few_samples`) and when half of the
/// resamples or more have no value (`too_few_samples`).
///
/// # Source
/// As [`bootstrap_mean`].
///
/// # Examples
/// ```
/// use humbly_stats::intervals::{BootstrapParams, Clusters, bootstrap_statistic};
/// let values: [f64; 5] = [0.2, 0.9, 0.4, 0.7, 0.1];
/// let largest = |_: &mut (), rows: &[u32]| rows.iter().map(|&row| values[row as usize]).reduce(f64::max);
/// let clusters = Clusters::independent(values.len())?;
/// let resampled = bootstrap_statistic(&clusters, &BootstrapParams::seeded(1), || (), largest);
/// assert_eq!(resampled.interval.unwrap().high, 0.9);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn bootstrap_statistic<Scratch, MakeScratch, Statistic>(
    clusters: &Clusters,
    params: &BootstrapParams,
    scratch: MakeScratch,
    statistic: Statistic,
) -> Resampled
where
    MakeScratch: Fn() -> Scratch + Sync + Send,
    Statistic: Fn(&mut Scratch, &[u32]) -> Option<f64> + Sync + Send,
{
    if let Some(undefined) = too_few(clusters) {
        return undefined;
    }
    let memory = || (scratch(), Vec::with_capacity(clusters.observations()));
    let statistics: Vec<Option<f64>> = (0..params.resamples())
        .into_par_iter()
        .map_init(memory, |(scratch, rows), resample| {
            rows.clear();
            let mut stream = Stream::new(params.seed(), u64::from(resample));
            stream.resample(clusters.len(), |cluster| rows.extend_from_slice(clusters.members(cluster)));
            statistic(scratch, rows).filter(|value| value.is_finite())
        })
        .collect();
    Resampled::from_statistics(statistics.into_iter().flatten().collect(), clusters, params)
}
