//! Confidences of different origin never share a number.

use std::collections::BTreeMap;

use super::{CalibrationSummary, SummaryParams, summarize_calibration};
use crate::{Result, input, intervals::Clusters};

/// One summary for each source of confidence.
#[derive(Debug, Clone, PartialEq)]
pub struct BySource<Source> {
    /// Summaries in the order of the sources.
    pub sources: BTreeMap<Source, CalibrationSummary>,
    /// Rows whose confidence was filled in by a default: measured nowhere.
    pub excluded_defaults: u64,
}

/// [`summarize_calibration`] of each source of confidence apart (tag, number, words, log-probability, agreement).
///
/// A stated 0.95, a word's median and a default of 1.0 mean different things, and one number over all of them
/// means nothing.
///
/// # Shapes and units
/// - `confidences`, `outcomes`: `[n]`, as in [`summarize_calibration`].
/// - `sources`: `[n]`; `None` marks a default that nobody stated.
/// - returns: one summary for each source, and the count of defaults.
///
/// # Errors
/// As [`summarize_calibration`].
///
/// # Source
/// A rule of this project.
///
/// # Examples
/// ```
/// use humbly_stats::calibration::{SummaryParams, calibration_by_source};
/// let sources = [Some("tag"), None, Some("words")];
/// let split =
///     calibration_by_source(&[0.95, 1.0, 0.7], &[true, false, true], &sources, &SummaryParams::default())?;
/// assert_eq!((split.sources.len(), split.excluded_defaults), (2, 1));
/// assert_eq!(split.sources["tag"].n, 1);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn calibration_by_source<Source: Ord + Clone>(
    confidences: &[f64],
    outcomes: &[bool],
    sources: &[Option<Source>],
    params: &SummaryParams,
) -> Result<BySource<Source>> {
    input::forecasts(confidences, outcomes)?;
    input::paired(confidences.len(), sources.len())?;
    let mut columns: BTreeMap<&Source, (Vec<f64>, Vec<bool>)> = BTreeMap::new();
    let mut excluded_defaults = 0;
    for ((source, &confidence), &outcome) in sources.iter().zip(confidences).zip(outcomes) {
        let Some(source) = source else {
            excluded_defaults += 1;
            continue;
        };
        let column = columns.entry(source).or_default();
        column.0.push(confidence);
        column.1.push(outcome);
    }
    let summary = |(source, (confidences, outcomes)): (&Source, (Vec<f64>, Vec<bool>))| {
        let clusters = Clusters::independent(confidences.len())?;
        Ok((source.clone(), summarize_calibration(&confidences, &outcomes, &clusters, params)?))
    };
    Ok(BySource { sources: columns.into_iter().map(summary).collect::<Result<_>>()?, excluded_defaults })
}
