//! Calibration over the confidences that the answers state, one row a source.

use std::collections::BTreeMap;

use humbly_stats::calibration::{
    Binning, CalibrationSummary, EdgeRule, SummaryParams, summarize_calibration,
};
use humbly_stats::intervals::Clusters;
use humbly_stats::selective::risk_coverage_curve;

use super::rates::Estimator;
use crate::digest::Digest;
use crate::report::Settings;
use crate::summary::{Bin, CalibrationRow, RiskPoint};

/// A longer curve is thinned to so many points: it is drawn, not computed with.
const MOST_POINTS: usize = 200;

#[derive(Default)]
struct Stated {
    confidences: Vec<f64>,
    outcomes: Vec<bool>,
    questions: Vec<u64>,
}

pub(super) fn calibration(
    members: &[&Digest],
    settings: &Settings,
    estimator: &Estimator,
) -> Vec<CalibrationRow> {
    let mut by_source: BTreeMap<&str, Stated> = BTreeMap::new();
    // An abstention is no prediction, whatever confidence stands with it.
    for digest in members.iter().filter(|digest| !digest.abstains()) {
        if let (Ok(confidence), Some(source), Some(correct)) =
            (digest.confidence, digest.confidence_source(), digest.correct.value())
        {
            let stated = by_source.entry(source).or_default();
            stated.confidences.push(confidence);
            stated.outcomes.push(correct);
            stated.questions.push(digest.question);
        }
    }
    let binning = Binning::new(settings.bins as usize, EdgeRule::RightClosed).unwrap_or_default();
    let params = SummaryParams {
        binning,
        bootstrap: Some(estimator.bootstrap),
        accuracy_interval: estimator.interval,
        ..SummaryParams::default()
    };
    by_source
        .into_iter()
        .filter_map(|(source, stated)| {
            let clusters = Clusters::by_id(&stated.questions).ok()?;
            let summary =
                summarize_calibration(&stated.confidences, &stated.outcomes, &clusters, &params).ok()?;
            Some(row(source, summary, &stated, &binning))
        })
        .collect()
}

fn row(source: &str, summary: CalibrationSummary, stated: &Stated, binning: &Binning) -> CalibrationRow {
    let curve = risk_coverage_curve(&stated.confidences, &stated.outcomes).unwrap_or_default();
    let step = curve.len().div_ceil(MOST_POINTS).max(1);
    CalibrationRow {
        source: source.to_owned(),
        n: summary.n,
        accuracy: summary.accuracy,
        ece: summary.ece,
        brier: summary.brier,
        auroc: summary.auroc,
        mcip: summary.mcip,
        aurc: summary.aurc,
        edges: binning.edges().name().to_owned(),
        bins: summary
            .bins
            .into_iter()
            .map(|bin| Bin {
                low: bin.low.unwrap_or_default(),
                high: bin.high.unwrap_or(1.0),
                n: bin.n,
                confidence: bin.confidence.value(),
                accuracy: bin.accuracy,
            })
            .collect(),
        risk_coverage: curve
            .iter()
            .step_by(step)
            .filter_map(|point| Some(RiskPoint { coverage: point.coverage, risk: point.risk.value()? }))
            .collect(),
    }
}
