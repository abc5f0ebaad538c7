//! Every calibration number of one group of answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::binning::BinSums;
use super::brier::squares;
use super::{
    Bin, Binning, BrierDecomposition, Collapse, brier_decomposition, confidence_collapse,
    debiased_calibration_error, expected_calibration_error, log_loss, mean_confidence_of_incorrect,
    reliability_bins, rms_calibration_error, smooth_calibration_error,
};
use crate::{
    Measured, Result,
    discrimination::auroc,
    input,
    intervals::{
        BootstrapParams, Clusters, ProportionInterval, bootstrap_mean, bootstrap_statistic, mean, proportion,
    },
    ranking::Ranking,
    selective::area_under_risk_coverage,
};

/// Which bins, and whether and how intervals are made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SummaryParams {
    /// Bins of ECE and of the table.
    pub binning: Binning,
    /// Confidences a bin of the RMS error, 100 in the published scripts.
    pub rms_bin_size: usize,
    /// `None` leaves out the bootstrap intervals (Wilson's need none).
    pub bootstrap: Option<BootstrapParams>,
    /// Interval of the accuracy.
    pub accuracy_interval: ProportionInterval,
}

impl Default for SummaryParams {
    fn default() -> Self {
        Self {
            binning: Binning::default(),
            rms_bin_size: 100,
            bootstrap: None,
            accuracy_interval: ProportionInterval::Wilson,
        }
    }
}

/// The calibration numbers of one group of answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CalibrationSummary {
    /// Answers.
    pub n: u64,
    /// Share of right answers.
    pub accuracy: Measured,
    /// Mean stated confidence.
    pub mean_confidence: Measured,
    /// Expected calibration error.
    pub ece: Measured,
    /// ECE less the bias of sampling noise.
    pub ece_debiased: Measured,
    /// Smooth calibration error.
    pub smooth_ece: Measured,
    /// RMS calibration error, all bins.
    pub rms_calibration_error: Measured,
    /// Brier score.
    pub brier: Measured,
    /// Its parts over distinct confidences.
    pub brier_parts: BrierDecomposition,
    /// Log loss in nats.
    pub log_loss: Measured,
    /// Area under the ROC curve.
    pub auroc: Measured,
    /// Mean confidence of incorrect predictions.
    pub mcip: Measured,
    /// Area under the risk–coverage curve.
    pub aurc: Measured,
    /// Commonest confidence and entropy.
    pub collapse: Collapse,
    /// Reliability table.
    pub bins: Vec<Bin>,
}

/// All calibration numbers of one group of answers, with their intervals.
///
/// # Shapes and units
/// - `confidences`: `[n]`, probabilities in `[0, 1]`, not percent; `outcomes`: `[n]`.
/// - `clusters`: the questions of the same `n` answers.
/// - returns: each number as its own function gives it. With `params.bootstrap` set, accuracy, mean
///   confidence, ECE, Brier, AUROC, MCIP and AURC carry an interval; the bins of ECE stay those of the sample, and those of
///   the diagram resample questions where these repeat.
///
/// # Errors
/// [`StatsError::UnpairedLengths`](crate::StatsError), [`StatsError::NotAProbability`](crate::StatsError),
/// [`StatsError::NoBins`](crate::StatsError). Each number is undefined where its own function says so.
///
/// # Source
/// CAR §4.1.3 and the functions of this module.
///
/// # Examples
/// ```
/// use humbly_stats::calibration::{SummaryParams, summarize_calibration};
/// use humbly_stats::intervals::Clusters;
/// let clusters = Clusters::independent(3)?;
/// let params = SummaryParams::default();
/// let summary = summarize_calibration(&[0.9, 0.8, 0.3], &[true, true, false], &clusters, &params)?;
/// assert_eq!((summary.auroc.value(), summary.mcip.value()), (Some(1.0), Some(0.3)));
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn summarize_calibration(
    confidences: &[f64],
    outcomes: &[bool],
    clusters: &Clusters,
    params: &SummaryParams,
) -> Result<CalibrationSummary> {
    input::forecasts(confidences, outcomes)?;
    input::paired(confidences.len(), clusters.observations())?;
    let binning = &params.binning;
    let mut summary = CalibrationSummary {
        n: confidences.len() as u64,
        accuracy: Measured::proportion(outcomes.iter().filter(|&&outcome| outcome).count(), outcomes.len()),
        mean_confidence: mean_of(confidences),
        ece: expected_calibration_error(confidences, outcomes, binning)?,
        ece_debiased: debiased_calibration_error(confidences, outcomes, binning)?,
        smooth_ece: smooth_calibration_error(confidences, outcomes)?,
        rms_calibration_error: rms_calibration_error(confidences, outcomes, params.rms_bin_size)?,
        brier: super::brier_score(confidences, outcomes)?,
        brier_parts: brier_decomposition(confidences, outcomes, None)?,
        log_loss: log_loss(confidences, outcomes)?,
        auroc: auroc(confidences, outcomes)?,
        mcip: mean_confidence_of_incorrect(confidences, outcomes)?,
        aurc: area_under_risk_coverage(confidences, outcomes)?,
        collapse: confidence_collapse(confidences)?,
        bins: reliability_bins(confidences, outcomes, binning)?,
    };
    match &params.bootstrap {
        Some(bootstrap) => add_intervals(&mut summary, confidences, outcomes, clusters, params, bootstrap)?,
        None if !clusters.has_repeats() && params.accuracy_interval == ProportionInterval::Wilson => {
            // Wilson's interval draws nothing: the seed is not used.
            let seedless = BootstrapParams::seeded(0);
            summary.accuracy = proportion(outcomes, clusters, ProportionInterval::Wilson, &seedless)?;
        }
        None => {}
    }
    Ok(summary)
}

fn mean_of(values: &[f64]) -> Measured {
    if values.is_empty() {
        return Measured::proportion(0, 0);
    }
    Measured::new(values.iter().sum::<f64>() / values.len() as f64, values.len())
}

fn add_intervals(
    summary: &mut CalibrationSummary,
    confidences: &[f64],
    outcomes: &[bool],
    clusters: &Clusters,
    params: &SummaryParams,
    bootstrap: &BootstrapParams,
) -> Result<()> {
    summary.accuracy = proportion(outcomes, clusters, params.accuracy_interval, bootstrap)?;
    summary.mean_confidence = mean(confidences, clusters, bootstrap)?;
    let scores: Vec<f64> = squares(confidences, outcomes).collect();
    attach(&mut summary.brier, || bootstrap_mean(&scores, clusters, bootstrap))?;

    let bins = params.binning.bins();
    let assignment = params.binning.assign(confidences);
    if clusters.has_repeats() {
        cluster_bins(&mut summary.bins, &assignment, outcomes, clusters, params, bootstrap)?;
    }
    attach(&mut summary.ece, || {
        Ok(bootstrap_statistic(
            clusters,
            bootstrap,
            || vec![BinSums::default(); bins],
            |sums, rows| {
                sums.fill(BinSums::default());
                for &row in rows {
                    let row = row as usize;
                    let Some(bin) = assignment[row] else { continue };
                    sums[bin].confidence += confidences[row];
                    sums[bin].correct += usize::from(outcomes[row]);
                }
                Some(super::error::mean_gap(sums, rows.len()))
            },
        ))
    })?;
    attach(&mut summary.mcip, || {
        Ok(bootstrap_statistic(
            clusters,
            bootstrap,
            || (),
            |(), rows| {
                let wrong = rows.iter().map(|&row| row as usize).filter(|&row| !outcomes[row]);
                let (sum, n) = wrong.fold((0.0, 0_u32), |(sum, n), row| (sum + confidences[row], n + 1));
                (n > 0).then(|| sum / f64::from(n))
            },
        ))
    })?;
    let ranking = Ranking::of(confidences);
    let counts = || ranking.counts();
    attach(&mut summary.auroc, || {
        Ok(bootstrap_statistic(clusters, bootstrap, counts, |counts, rows| {
            ranking.count(counts, rows, outcomes).auroc()
        }))
    })?;
    attach(&mut summary.aurc, || {
        Ok(bootstrap_statistic(clusters, bootstrap, counts, |counts, rows| {
            ranking.count(counts, rows, outcomes).area_under_risk_coverage()
        }))
    })
}

/// Intervals of the bins that resample whole questions: Wilson's would take repeats for independent answers.
fn cluster_bins(
    bins: &mut [Bin],
    assignment: &[Option<usize>],
    outcomes: &[bool],
    clusters: &Clusters,
    params: &SummaryParams,
    bootstrap: &BootstrapParams,
) -> Result<()> {
    let mut members: Vec<(Vec<usize>, Vec<bool>)> = vec![Default::default(); bins.len()];
    for (cluster, rows) in clusters.iter().enumerate() {
        for row in rows.iter().map(|&row| row as usize) {
            let Some((ids, of_bin)) = assignment[row].and_then(|bin| members.get_mut(bin)) else { continue };
            ids.push(cluster);
            of_bin.push(outcomes[row]);
        }
    }
    for (bin, (ids, outcomes)) in bins.iter_mut().zip(members) {
        if !outcomes.is_empty() {
            let clusters = Clusters::by_id(&ids)?;
            bin.accuracy = proportion(&outcomes, &clusters, params.accuracy_interval, bootstrap)?;
        }
    }
    Ok(())
}

/// Adds an interval where there is a number.
fn attach(
    measured: &mut Measured,
    resample: impl FnOnce() -> Result<crate::intervals::Resampled>,
) -> Result<()> {
    if measured.value().is_some() {
        *measured = resample()?.attach(measured.clone());
    }
    Ok(())
}
