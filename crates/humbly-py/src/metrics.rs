//! Single numbers on arrays.

use humbly_stats::calibration::{
    Binning, EdgeRule, brier_score, debiased_calibration_error, expected_calibration_error,
    expected_calibration_error_percent, log_loss, maximum_calibration_error, mean_confidence_of_incorrect,
    smooth_calibration_error,
};
use humbly_stats::discrimination::auroc;
use humbly_stats::selective::area_under_risk_coverage;
use humbly_stats::{Measured, StatsError, outcomes_from_numbers};
use pyo3::prelude::*;

use crate::error::{self, ParameterError};

const MEASURES: &str = "ece, ece-debiased, ece-smooth, mce, brier, log-loss, auroc, mcip or aurc";
const EDGES: &str = "right-closed, left-closed, guo2017 or equal-mass";

/// One measure of confidences and outcomes (little-endian `f64` bytes each), as JSON text.
#[pyfunction]
#[pyo3(signature = (name, confidences, outcomes, bins, edges, is_percent))]
pub(crate) fn measure(
    py: Python<'_>,
    name: &str,
    confidences: &[u8],
    outcomes: &[u8],
    bins: usize,
    edges: &str,
    is_percent: bool,
) -> PyResult<String> {
    let binning = Binning::new(bins, edge_rule(edges)?).map_err(|failed| error::stats(&failed))?;
    let measured = py
        .detach(|| {
            let outcomes = outcomes_from_numbers(&floats(outcomes))?;
            measured(name, &Confidences::new(floats(confidences), is_percent), &outcomes, &binning)
        })
        .map_err(|failed| error::stats(&failed))?
        .ok_or_else(|| error::unknown("measure", name, MEASURES))?;
    serde_json::to_string(&measured).map_err(|failed| error::json(&failed))
}

/// Confidences as probabilities, and as whole percents where they are such.
struct Confidences {
    units: Vec<f64>,
    percents: Option<Vec<u8>>,
}

impl Confidences {
    fn new(values: Vec<f64>, is_percent: bool) -> Self {
        if !is_percent {
            return Self { units: values, percents: None };
        }
        let percents = values.iter().map(|value| whole_percent(*value)).collect();
        Self { units: values.iter().map(|value| value / 100.0).collect(), percents }
    }
}

fn whole_percent(value: f64) -> Option<u8> {
    let is_whole = (0.0..=100.0).contains(&value) && value.fract() == 0.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and at most 100")]
    is_whole.then_some(value as u8)
}

fn measured(
    name: &str,
    confidences: &Confidences,
    outcomes: &[bool],
    binning: &Binning,
) -> Result<Option<Measured>, StatsError> {
    let units = &confidences.units;
    match name {
        // Whole percents stand exactly on the edges of bins, quotients by 100 beside them.
        "ece" => match &confidences.percents {
            Some(percents) => expected_calibration_error_percent(percents, outcomes, binning),
            None => expected_calibration_error(units, outcomes, binning),
        },
        "ece-debiased" => debiased_calibration_error(units, outcomes, binning),
        "ece-smooth" => smooth_calibration_error(units, outcomes),
        "mce" => maximum_calibration_error(units, outcomes, binning),
        "brier" => brier_score(units, outcomes),
        "log-loss" => log_loss(units, outcomes),
        "auroc" => auroc(units, outcomes),
        "mcip" => mean_confidence_of_incorrect(units, outcomes),
        "aurc" => area_under_risk_coverage(units, outcomes),
        _ => return Ok(None),
    }
    .map(Some)
}

pub(crate) fn edge_rule(name: &str) -> PyResult<EdgeRule> {
    [EdgeRule::RightClosed, EdgeRule::LeftClosed, EdgeRule::Guo2017, EdgeRule::EqualMass]
        .into_iter()
        .find(|rule| rule.name() == name)
        .ok_or_else(|| ParameterError::new_err(format!("edges is `{name}`, expected {EDGES}")))
}

fn floats(bytes: &[u8]) -> Vec<f64> {
    bytes.as_chunks::<8>().0.iter().map(|chunk| f64::from_le_bytes(*chunk)).collect()
}
