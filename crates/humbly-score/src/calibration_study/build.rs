//! From rows to the study.

use indexmap::IndexMap;

use super::cells::{Answers, cell};
use super::comparisons::comparisons;
use super::paths::{contrasts, paths};
use super::{CalibrationStudy, StudyParams, StudySample};

/// Samples of one data set, corpus, base model, model and setting.
pub(super) type CellKey = (String, Option<String>, String, String, String);

/// Measures every cell, compares settings, and follows confidences over turns.
///
/// Cells stand in the order in which their first samples do. An excluded (unfinished) row is counted and in no number.
///
/// # Errors
/// [`StatsError`](humbly_stats::StatsError) where a parameter is out of its range. What data do not determine is
/// undefined with its reason.
///
/// # Source
/// CAR §3.2 (settings, MCIP, t tests), §4.1.3 (accuracy, ECE, Brier, AUROC), §4.1.2 (T = 1.5).
///
/// # Examples
/// ```
/// use humbly_score::calibration_study::{StudyParams, calibration_study};
/// # let params = StudyParams {
/// #     binning: Default::default(), bootstrap: humbly_stats::intervals::BootstrapParams::seeded(0),
/// #     accuracy_interval: Default::default(), coverages: vec![0.5], temperature: 1.5, least_calls: 0.2 };
/// let study = calibration_study(&[], &params)?;
/// assert!(study.cells.is_empty() && study.binning == "10 bins, right-closed");
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn calibration_study(
    samples: &[StudySample<'_>],
    params: &StudyParams,
) -> humbly_stats::Result<CalibrationStudy> {
    let mut groups: IndexMap<CellKey, Vec<&StudySample<'_>>> = IndexMap::new();
    for sample in samples {
        let text = |value: &Option<String>, absent: &str| value.clone().unwrap_or_else(|| absent.to_owned());
        let key = (
            text(&sample.row.dataset, "(no data set)"),
            sample.corpus.clone(),
            sample.base_model.clone(),
            text(&sample.row.model, "(no model)"),
            text(&sample.row.condition, "(no setting)"),
        );
        groups.entry(key).or_default().push(sample);
    }
    let answers: Vec<Answers<'_>> =
        groups.into_iter().map(|(key, samples)| Answers::of(key, samples)).collect();
    let cells =
        answers.iter().map(|answers| cell(answers, params)).collect::<humbly_stats::Result<Vec<_>>>()?;
    let (paths, by_question) = paths(&answers, params)?;
    Ok(CalibrationStudy {
        binning: params.binning.to_string(),
        least_calls: params.least_calls,
        comparisons: comparisons(&answers, &cells, params)?,
        contrasts: contrasts(&by_question)?,
        paths,
        cells,
    })
}
