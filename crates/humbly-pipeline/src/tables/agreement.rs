//! Agreement of raters in a table of ratings.

use std::collections::{BTreeMap, BTreeSet};

use humbly_stats::agreement::{
    GwetAc1, Ratings, cohen_kappa, fleiss_kappa, gwet_ac1, krippendorff_alpha, raw_agreement,
};
use humbly_table::Table;
use humbly_types::{Measured, Problem, Reason, Undefined};
use schemars::JsonSchema;
use serde::Serialize;

/// Names of the columns.
#[derive(Debug, Clone, Default)]
pub struct AgreementColumns {
    /// Items.
    pub item: String,
    /// Raters.
    pub rater: String,
    /// Labels.
    pub label: String,
}

/// Agreement of all raters.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AgreementResult {
    /// Items.
    pub items: u64,
    /// Raters.
    pub raters: u64,
    /// Share of each label.
    pub prevalence: BTreeMap<String, Measured>,
    /// Share of agreeing pairs of ratings.
    pub raw: Measured,
    /// Cohen's κ; undefined unless there are two raters.
    pub cohen_kappa: Measured,
    /// Fleiss' κ.
    pub fleiss_kappa: Measured,
    /// Gwet's AC1.
    pub gwet_ac1: GwetAc1,
    /// Krippendorff's α, nominal.
    pub krippendorff_alpha: Measured,
}

/// Measures the agreement of a table with one rating a row.
///
/// # Errors
/// A [`Problem`] where a column is missing, or a rater labels an item twice.
pub fn agreement(
    table: &Table,
    columns: &AgreementColumns,
) -> Result<(AgreementResult, Vec<Problem>), Problem> {
    let (items, raters, labels) = (
        table.column_text(&columns.item)?,
        table.column_text(&columns.rater)?,
        table.column_text(&columns.label)?,
    );
    let mut problems = table.problems().to_vec();
    let mut by_rater: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for (row, ((item, rater), label)) in items.into_iter().zip(raters).zip(labels).enumerate() {
        let (Some(item), Some(rater), Some(label)) = (item, rater, label) else {
            problems
                .push(table.problem_at(row, "item, rater or label is missing").hint("the row is left out"));
            continue;
        };
        if let Some(earlier) = by_rater.entry(rater.clone()).or_default().insert(item.clone(), label) {
            return Err(table
                .problem_at(
                    row,
                    format!("`{rater}` labels `{item}` twice (first `{earlier}`), expected once"),
                )
                .hint("keep one label for each item and rater"));
        }
    }
    let all_items: BTreeSet<&String> = by_rater.values().flat_map(BTreeMap::keys).collect();
    let columns: Vec<Vec<Option<String>>> = by_rater
        .values()
        .map(|labels| all_items.iter().map(|item| labels.get(*item).cloned()).collect())
        .collect();
    let slices: Vec<&[Option<String>]> = columns.iter().map(Vec::as_slice).collect();
    let failed = |error: humbly_stats::StatsError| Problem::new(table.path(), error.to_string());
    let ratings = Ratings::from_raters(&slices).map_err(failed)?;
    let two = match columns.as_slice() {
        [first, second] => {
            let (first, second): (Vec<&String>, Vec<&String>) =
                first.iter().zip(second).filter_map(|(a, b)| Some((a.as_ref()?, b.as_ref()?))).unzip();
            Some((
                raw_agreement(&first, &second).map_err(failed)?,
                cohen_kappa(&first, &second).map_err(failed)?,
            ))
        }
        _ => None,
    };
    let total: usize = columns.iter().flatten().flatten().count();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for label in columns.iter().flatten().flatten() {
        *counts.entry(label.clone()).or_default() += 1;
    }
    let (raw, cohen) = match two {
        Some((raw, kappa)) => (raw, kappa),
        None => (
            ratings.raw_agreement(),
            Measured::undefined(Undefined::with_detail(
                Reason::NotApplicable,
                format!("{} raters, Cohen's kappa takes two", columns.len()),
            )),
        ),
    };
    let result = AgreementResult {
        items: all_items.len() as u64,
        raters: columns.len() as u64,
        prevalence: counts
            .into_iter()
            .map(|(label, count)| (label, Measured::proportion(count, total)))
            .collect(),
        raw,
        cohen_kappa: cohen,
        fleiss_kappa: fleiss_kappa(&ratings),
        gwet_ac1: gwet_ac1(&ratings),
        krippendorff_alpha: krippendorff_alpha(&ratings),
    };
    Ok((result, problems))
}
