//! The statistics of `humbly stats` on rows that came from arrays.

use humbly_pipeline::tables::{
    self, AgreementColumns, AttributionColumns, CalibrationColumns, CalibrationOptions, CompareColumns,
    ConfidenceScale,
};
use humbly_stats::attribution::F1Rule;
use humbly_stats::calibration::Binning;
use humbly_stats::intervals::BootstrapParams;
use humbly_table::Table;
use humbly_types::Problem;
use pyo3::prelude::*;
use serde::Serialize;

use crate::error;
use crate::metrics::edge_rule;

/// What messages call the arguments.
const NAME: &str = "arrays";

#[derive(Serialize)]
struct Answer<T> {
    result: T,
    problems: Vec<Problem>,
}

fn table(name: &str, rows: &[u8], columns: &[&str]) -> Result<Table, Problem> {
    humbly_table::read_bytes(name, rows.to_vec(), columns)
}

fn answer<T: Serialize>(result: Result<(T, Vec<Problem>), Problem>) -> PyResult<String> {
    let (result, problems) = result.map_err(|problem| error::input(&problem))?;
    serde_json::to_string(&Answer { result, problems }).map_err(|failed| error::json(&failed))
}

/// The optional column `name`, where it was given.
fn column(name: &str, is_given: bool) -> Option<String> {
    is_given.then(|| name.to_owned())
}

/// `humbly stats calibration` on JSONL rows with `confidence`, `correct` and, where given, `by`, `id`, `setting`.
#[pyfunction]
#[pyo3(signature = (rows, given, binning, is_percent, resampling))]
pub(crate) fn calibration(
    py: Python<'_>,
    rows: &[u8],
    given: Vec<String>,
    binning: (usize, String),
    is_percent: bool,
    resampling: (u64, u32),
) -> PyResult<String> {
    let ((bins, edges), (seed, resamples)) = (binning, resampling);
    let options = CalibrationOptions {
        binning: Binning::new(bins, edge_rule(&edges)?).map_err(|failed| error::stats(&failed))?,
        scale: if is_percent { ConfidenceScale::Percent } else { ConfidenceScale::Unit },
        bootstrap: BootstrapParams::new(resamples, 0.95, seed).map_err(|failed| error::stats(&failed))?,
    };
    let has = |name: &str| column(name, given.iter().any(|known| known == name));
    let columns = CalibrationColumns {
        confidence: "confidence".to_owned(),
        correct: "correct".to_owned(),
        by: has("by"),
        id: has("id"),
        setting: has("setting"),
    };
    answer(py.detach(|| {
        let table = table(NAME, rows, &columns.names())?;
        let found = tables::calibration(&table, &columns, &options)?;
        Ok((found.groups, found.problems))
    }))
}

/// `humbly stats attribution` on JSONL rows with `form`, `answerable`, `correct` and, where given, `by`.
#[pyfunction]
#[pyo3(signature = (rows, has_groups, is_balanced, seed, resamples))]
pub(crate) fn attribution(
    py: Python<'_>,
    rows: &[u8],
    has_groups: bool,
    is_balanced: bool,
    seed: u64,
    resamples: u32,
) -> PyResult<String> {
    let bootstrap = BootstrapParams::new(resamples, 0.95, seed).map_err(|failed| error::stats(&failed))?;
    let rule = if is_balanced { F1Rule::Balanced } else { F1Rule::Released };
    let columns = AttributionColumns {
        form: "form".to_owned(),
        answerable: "answerable".to_owned(),
        correct: "correct".to_owned(),
        by: column("by", has_groups),
    };
    answer(
        py.detach(|| tables::attribution(&table(NAME, rows, &columns.names())?, &columns, rule, &bootstrap)),
    )
}

/// `humbly stats agreement` on JSONL rows with `item`, `rater`, `label`.
#[pyfunction]
pub(crate) fn agreement(py: Python<'_>, rows: &[u8]) -> PyResult<String> {
    let [item, rater, label] = ["item", "rater", "label"].map(str::to_owned);
    let columns = AgreementColumns { item, rater, label };
    answer(py.detach(|| tables::agreement(&table(NAME, rows, &["item", "rater", "label"])?, &columns)))
}

/// `humbly stats compare` on two sets of JSONL rows with `id` and `score`.
#[pyfunction]
#[pyo3(signature = (first, second, seed, resamples))]
pub(crate) fn compare(
    py: Python<'_>,
    first: &[u8],
    second: &[u8],
    seed: u64,
    resamples: u32,
) -> PyResult<String> {
    let bootstrap = BootstrapParams::new(resamples, 0.95, seed).map_err(|failed| error::stats(&failed))?;
    let columns = CompareColumns { id: "id".to_owned(), score: "score".to_owned(), by: None };
    answer(py.detach(|| {
        let names = ["id", "score"];
        let (first, second) = (table("first", first, &names)?, table("second", second, &names)?);
        tables::compare(&first, Some(&second), &columns, &bootstrap)
    }))
}
