//! Selective prediction: what is gained by answering only when sure.
//!
//! Answers with equal confidence cannot be told apart by a threshold: they are one point of every curve.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Measured, Reason, Result, StatsError, Undefined, input,
    intervals::{BootstrapParams, Clusters, ProportionInterval, proportion, wilson_proportion},
    ranking::Ranking,
};

/// One threshold of the risk–coverage curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RiskCoveragePoint {
    /// Answers with at least this confidence are accepted.
    pub threshold: f64,
    /// Share of answers accepted.
    pub coverage: f64,
    /// Share of wrong answers among the accepted, with Wilson's 95 % interval.
    pub risk: Measured,
}

/// Risk among accepted answers against the share accepted, one point for each distinct confidence.
///
/// # Shapes and units
/// - `confidences`: `[n]`, probabilities in `[0, 1]`, not percent; `outcomes`: `[n]`.
/// - returns: points by falling threshold; the last has coverage 1 and the overall error rate.
///
/// # Errors
/// [`StatsError::UnpairedLengths`], [`StatsError::NotAProbability`]. No points when `n` is 0.
///
/// # Source
/// El-Yaniv and Wiener (2010); Geifman and El-Yaniv (2017), arXiv:1705.08500.
///
/// # Examples
/// ```
/// use humbly_stats::selective::risk_coverage_curve;
/// let curve = risk_coverage_curve(&[0.9, 0.9, 0.4], &[true, false, false])?;
/// assert_eq!(curve.len(), 2);
/// assert_eq!((curve[0].threshold, curve[0].risk.value()), (0.9, Some(0.5)));
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn risk_coverage_curve(confidences: &[f64], outcomes: &[bool]) -> Result<Vec<RiskCoveragePoint>> {
    input::forecasts(confidences, outcomes)?;
    let n = confidences.len();
    let mut thresholds = confidences.to_vec();
    thresholds.sort_by(f64::total_cmp);
    // −0.0 and 0.0 are one confidence.
    #[expect(clippy::float_cmp, reason = "ties are exact")]
    thresholds.dedup_by(|one, two| *one == *two);
    let counts = Ranking::of(confidences).count_all(outcomes);
    let (mut accepted, mut errors) = (0, 0);
    let point = |(&threshold, &[wrong, right]): (&f64, &[u32; 2])| {
        accepted += (wrong + right) as usize;
        errors += wrong as usize;
        Ok(RiskCoveragePoint {
            threshold: threshold + 0.0,
            coverage: accepted as f64 / n as f64,
            risk: wilson_proportion(errors, accepted, 0.95)?,
        })
    };
    thresholds.iter().zip(counts.groups()).rev().map(point).collect()
}

/// Area under the risk–coverage curve (AURC): the mean, over answers, of the error rate among the answers
/// with at least their confidence.
///
/// 0 when all answers are right, 1 when all are wrong, whatever the confidences; the error rate when the
/// confidence is constant.
///
/// # Shapes and units
/// - inputs: as [`risk_coverage_curve`].
/// - returns: a mean error rate in `[0, 1]`, lower is better.
///
/// # Errors
/// [`StatsError::UnpairedLengths`], [`StatsError::NotAProbability`]. Undefined (`no_samples`) when `n` is 0.
///
/// # Source
/// Geifman, Uziel and El-Yaniv (2019), arXiv:1805.08206. Difference: tied answers are one point, so that the
/// order of the input does not matter.
///
/// # Examples
/// ```
/// use humbly_stats::selective::area_under_risk_coverage;
/// let area = area_under_risk_coverage(&[0.9, 0.6, 0.3], &[true, true, false])?;
/// assert!((area.value().unwrap() - 1.0 / 9.0).abs() < 1e-12);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn area_under_risk_coverage(confidences: &[f64], outcomes: &[bool]) -> Result<Measured> {
    input::forecasts(confidences, outcomes)?;
    let area = Ranking::of(confidences).count_all(outcomes).area_under_risk_coverage();
    Ok(match area {
        Some(area) => Measured::new(area, confidences.len()),
        None => Measured::undefined(Undefined::new(Reason::NoSamples)),
    })
}

/// Accuracy among the most confident answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SelectiveAccuracy {
    /// The coverage that was asked for.
    pub requested_coverage: f64,
    /// The share accepted: ties come in together, so it may be more.
    pub coverage: Measured,
    /// The confidence at which answers are accepted, `null` without answers.
    pub threshold: Option<f64>,
    /// Share of right answers among the accepted, with Wilson's 95 % interval.
    pub accuracy: Measured,
}

/// [`selective_accuracy`] where several answers may belong to one question: then whole questions are resampled.
///
/// # Errors
/// As [`selective_accuracy`].
///
/// # Examples
/// ```
/// use humbly_stats::intervals::{BootstrapParams, Clusters, ProportionInterval};
/// use humbly_stats::selective::selective_accuracy_by_question;
/// let (confidences, outcomes) = ([0.9, 0.9, 0.4, 0.4], [true, true, false, false]);
/// let questions = Clusters::by_id(&["a", "a", "b", "b"])?;
/// let params = BootstrapParams::seeded(1);
/// let interval = ProportionInterval::Wilson;
/// let half = selective_accuracy_by_question(&confidences, &outcomes, 0.5, &questions, interval, &params)?;
/// assert_eq!((half.accuracy.value(), half.accuracy.interval), (Some(1.0), None)); // one question has no interval
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn selective_accuracy_by_question(
    confidences: &[f64],
    outcomes: &[bool],
    coverage: f64,
    questions: &Clusters,
    interval: ProportionInterval,
    params: &BootstrapParams,
) -> Result<SelectiveAccuracy> {
    input::paired(confidences.len(), questions.observations())?;
    let mut found = selective_accuracy(confidences, outcomes, coverage)?;
    if let Some(threshold) = found.threshold.filter(|_| questions.has_repeats()) {
        let (mut ids, mut accepted) = (Vec::new(), Vec::new());
        for (question, rows) in questions.iter().enumerate() {
            for row in rows.iter().map(|&row| row as usize).filter(|&row| confidences[row] >= threshold) {
                ids.push(question);
                accepted.push(outcomes[row]);
            }
        }
        found.accuracy = proportion(&accepted, &Clusters::by_id(&ids)?, interval, params)?;
    }
    Ok(found)
}

/// Accuracy when at least the given share of answers, the most confident ones, is accepted.
///
/// # Shapes and units
/// - inputs: as [`risk_coverage_curve`]; `coverage` in `(0, 1]`.
/// - returns: the accuracy at the highest threshold that accepts enough.
///
/// # Errors
/// [`StatsError::UnpairedLengths`], [`StatsError::NotAProbability`], [`StatsError::Parameter`] (`coverage`).
/// Undefined (`no_samples`) when `n` is 0.
///
/// # Source
/// Geifman and El-Yaniv (2017), arXiv:1705.08500.
///
/// # Examples
/// ```
/// use humbly_stats::selective::selective_accuracy;
/// let at_half = selective_accuracy(&[0.9, 0.8, 0.8, 0.1], &[true, true, false, false], 0.5)?;
/// assert_eq!((at_half.coverage.value(), at_half.threshold), (Some(0.75), Some(0.8)));
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn selective_accuracy(
    confidences: &[f64],
    outcomes: &[bool],
    coverage: f64,
) -> Result<SelectiveAccuracy> {
    if !(coverage > 0.0 && coverage <= 1.0) {
        return Err(StatsError::Parameter {
            name: "coverage",
            value: coverage,
            expected: "a number above 0, at most 1",
        });
    }
    let curve = risk_coverage_curve(confidences, outcomes)?;
    // The coverage of the last point is n/n, exactly 1.
    let Some(point) = curve.iter().find(|point| point.coverage >= coverage) else {
        let nothing = Measured::undefined(Undefined::new(Reason::NoSamples));
        return Ok(SelectiveAccuracy {
            requested_coverage: coverage,
            coverage: nothing.clone(),
            threshold: None,
            accuracy: nothing,
        });
    };
    let accepted = usize::try_from(point.risk.n).unwrap_or(usize::MAX);
    let errors = usize::try_from(point.risk.numerator.unwrap_or(0)).unwrap_or(usize::MAX);
    Ok(SelectiveAccuracy {
        requested_coverage: coverage,
        coverage: Measured::proportion(accepted, confidences.len()),
        threshold: Some(point.threshold),
        accuracy: wilson_proportion(accepted.saturating_sub(errors), accepted, 0.95)?,
    })
}
