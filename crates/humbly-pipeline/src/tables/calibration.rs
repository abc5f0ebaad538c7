//! Calibration of a table of confidences.

use humbly_stats::calibration::{
    Bin, Binning, CalibrationSummary, McipCommon, Setting, SummaryParams, expected_calibration_error_percent,
    mcip_common, reliability_bins_percent, summarize_calibration,
};
use humbly_stats::intervals::{BootstrapParams, Clusters};
use humbly_table::Table;
use humbly_types::{Measured, Problem, Reason, Undefined};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;

use super::groups::{LeftOut, rows_by};

/// So many rows out of range are listed one by one.
const MOST_LISTED: usize = 20;

/// Names of the columns.
#[derive(Debug, Clone, Default)]
pub struct CalibrationColumns {
    /// Confidences.
    pub confidence: String,
    /// Correctness.
    pub correct: String,
    /// One result for each value of this column.
    pub by: Option<String>,
    /// Ids of questions.
    pub id: Option<String>,
    /// Settings to compare on the questions that all got wrong.
    pub setting: Option<String>,
}

impl CalibrationColumns {
    /// The names that must be read.
    pub fn names(&self) -> Vec<&str> {
        let optional = [&self.by, &self.id, &self.setting];
        [&self.confidence, &self.correct]
            .into_iter()
            .chain(optional.into_iter().flatten())
            .map(String::as_str)
            .collect()
    }
}

/// Scale of the confidences; never guessed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ConfidenceScale {
    /// 0 to 1.
    #[default]
    Unit,
    /// 0 to 100; whole percents are binned as whole numbers.
    Percent,
}

/// How to measure.
#[derive(Debug, Clone, Copy)]
pub struct CalibrationOptions {
    /// Bins and edge rule.
    pub binning: Binning,
    /// Scale of the confidences.
    pub scale: ConfidenceScale,
    /// Resampling.
    pub bootstrap: BootstrapParams,
}

/// What was measured, and what could not be used.
#[derive(Debug, Clone)]
pub struct CalibrationResult {
    /// One entry for each group (and setting).
    pub groups: Vec<CalibrationGroup>,
    /// Rows that could not be used.
    pub problems: Vec<Problem>,
}

/// Calibration of one group.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CalibrationGroup {
    /// Value of the group column (and setting).
    pub group: Option<String>,
    /// Setting, where settings are compared.
    pub setting: Option<String>,
    /// Bins and edge rule.
    pub binning: String,
    /// Scale of the confidences.
    pub scale: &'static str,
    /// Rows left out, by reason.
    pub left_out: IndexMap<String, u64>,
    /// All numbers.
    #[serde(flatten)]
    pub summary: CalibrationSummary,
    /// MCIP on the questions that every setting of the group got wrong.
    pub mcip_common: Measured,
    /// The comparison of the settings of this group; the same in each of its entries.
    pub comparison: Option<McipCommon>,
}

struct Rows {
    confidences: Vec<f64>,
    percents: Option<Vec<u8>>,
    outcomes: Vec<bool>,
    ids: Vec<String>,
    left_out: LeftOut,
}

/// Measures the calibration of every group of a table.
///
/// # Errors
/// A [`Problem`] where a column is missing or holds something else than was asked for.
pub fn calibration(
    table: &Table,
    columns: &CalibrationColumns,
    options: &CalibrationOptions,
) -> Result<CalibrationResult, Problem> {
    let confidences = table.column_f64(&columns.confidence)?;
    let correct = table.column_bool(&columns.correct)?;
    let ids = columns.id.as_deref().map(|column| table.column_text(column)).transpose()?;
    let settings = columns.setting.as_deref().map(|column| table.column_text(column)).transpose()?;
    let mut problems = table.problems().to_vec();
    problems.extend(confidences.problems);
    problems.extend(correct.problems);
    let mut out_of_range = 0;
    let mut groups = Vec::new();
    for (group, rows) in rows_by(table, columns.by.as_deref())? {
        let mut by_setting: IndexMap<Option<String>, Vec<usize>> = IndexMap::new();
        for row in rows {
            let setting = settings.as_ref().map(|settings| {
                settings.get(row).cloned().flatten().unwrap_or_else(|| "(missing)".to_owned())
            });
            by_setting.entry(setting).or_default().push(row);
        }
        if settings.is_none() {
            // A table without rows is one group without samples, not silence.
            by_setting.entry(None).or_default();
        }
        by_setting.sort_keys();
        let parts: Vec<(Option<String>, Rows)> = by_setting
            .into_iter()
            .map(|(setting, rows)| {
                let id_of = |row: usize| -> String {
                    ids.as_ref()
                        .and_then(|ids| ids.get(row).cloned().flatten())
                        .unwrap_or_else(|| format!("row {row}"))
                };
                let mut part = Rows::new(options.scale);
                for row in rows {
                    let stated = confidences.values.get(row).copied().flatten();
                    let is_correct = correct.values.get(row).copied().flatten();
                    if let Err(found) = part.add(stated, is_correct, id_of(row), options.scale) {
                        out_of_range += 1;
                        if out_of_range <= MOST_LISTED {
                            problems.push(out_of_scale(
                                table,
                                row,
                                &columns.confidence,
                                found,
                                options.scale,
                            ));
                        }
                    }
                }
                (setting, part)
            })
            .collect();
        groups.extend(measure_group(group.as_deref(), parts, options, columns.setting.is_some())?);
    }
    if out_of_range > MOST_LISTED {
        let more = out_of_range - MOST_LISTED;
        problems.push(Problem::new(table.path(), format!("{more} more confidences outside the scale")));
    }
    Ok(CalibrationResult { groups, problems })
}

fn out_of_scale(table: &Table, row: usize, column: &str, found: f64, scale: ConfidenceScale) -> Problem {
    let (expected, hint) = match scale {
        ConfidenceScale::Unit => (
            "0 to 1",
            "where confidences are stated in percent, say --scale percent; the row counts as undefined",
        ),
        ConfidenceScale::Percent => ("0 to 100", "the row counts as undefined; nothing is clamped"),
    };
    table.problem_at(row, format!("`{column}` is {found}, expected {expected}")).hint(hint)
}

impl Rows {
    fn new(scale: ConfidenceScale) -> Self {
        Self {
            confidences: Vec::new(),
            percents: (scale == ConfidenceScale::Percent).then(Vec::new),
            outcomes: Vec::new(),
            ids: Vec::new(),
            left_out: LeftOut::default(),
        }
    }

    /// Adds a row; `Err` names a confidence outside the scale.
    fn add(
        &mut self,
        stated: Option<f64>,
        correct: Option<bool>,
        id: String,
        scale: ConfidenceScale,
    ) -> Result<(), f64> {
        let Some(stated) = stated else {
            self.left_out.add(Reason::ConfidenceAbsent);
            return Ok(());
        };
        let confidence = match scale {
            ConfidenceScale::Unit => stated,
            ConfidenceScale::Percent => stated / 100.0,
        };
        if !(0.0..=1.0).contains(&confidence) {
            self.left_out.add(Reason::ConfidenceOutOfRange);
            return Err(stated);
        }
        let Some(correct) = correct else {
            self.left_out.add(Reason::NoLabels);
            return Ok(());
        };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and 0 to 100")]
        if stated.fract() == 0.0 {
            if let Some(percents) = &mut self.percents {
                percents.push(stated as u8);
            }
        } else {
            self.percents = None;
        }
        self.confidences.push(confidence);
        self.outcomes.push(correct);
        self.ids.push(id);
        Ok(())
    }

    fn summary(&self, options: &CalibrationOptions) -> humbly_stats::Result<CalibrationSummary> {
        let clusters = Clusters::by_id(&self.ids)?;
        let params = SummaryParams {
            binning: options.binning,
            bootstrap: Some(options.bootstrap),
            ..SummaryParams::default()
        };
        let mut summary = summarize_calibration(&self.confidences, &self.outcomes, &clusters, &params)?;
        if let Some(percents) = &self.percents {
            let interval = summary.ece.interval.take();
            summary.ece = expected_calibration_error_percent(percents, &self.outcomes, &options.binning)?;
            summary.ece.interval = interval;
            summary.bins = reliability_bins_percent(percents, &self.outcomes, &options.binning)?;
        }
        Ok(summary)
    }
}

fn measure_group(
    group: Option<&str>,
    parts: Vec<(Option<String>, Rows)>,
    options: &CalibrationOptions,
    compares: bool,
) -> Result<Vec<CalibrationGroup>, Problem> {
    let failed = |error: humbly_stats::StatsError| Problem::new("", error.to_string());
    let comparison = if compares {
        let settings: Vec<Setting<'_, String>> = parts
            .iter()
            .map(|(name, rows)| Setting {
                name: name.as_deref().unwrap_or_default(),
                ids: &rows.ids,
                confidences: &rows.confidences,
                outcomes: &rows.outcomes,
            })
            .collect();
        Some(mcip_common(&settings, &options.bootstrap).map_err(failed)?)
    } else {
        None
    };
    parts
        .into_iter()
        .map(|(setting, rows)| {
            let common = comparison.as_ref().and_then(|comparison| {
                let own = comparison.settings.iter().find(|one| Some(&one.name) == setting.as_ref());
                own.map(|own| own.mcip_common.clone())
            });
            Ok(CalibrationGroup {
                group: group.map(str::to_owned),
                binning: options.binning.to_string(),
                scale: match options.scale {
                    ConfidenceScale::Unit => "unit",
                    ConfidenceScale::Percent => "percent",
                },
                summary: rows.summary(options).map_err(failed)?,
                left_out: rows.left_out.into_counts(),
                mcip_common: common.unwrap_or_else(|| {
                    Measured::undefined(Undefined::with_detail(
                        Reason::NoCommonItems,
                        "name --setting and --id",
                    ))
                }),
                comparison: comparison.clone(),
                setting,
            })
        })
        .collect()
}

impl CalibrationGroup {
    /// Group and setting in one line.
    pub fn title(&self) -> String {
        let parts: Vec<&str> =
            [&self.group, &self.setting].into_iter().flatten().map(String::as_str).collect();
        if parts.is_empty() { "all".to_owned() } else { parts.join(" · ") }
    }

    /// The reliability table.
    pub fn bins(&self) -> &[Bin] {
        &self.summary.bins
    }
}
