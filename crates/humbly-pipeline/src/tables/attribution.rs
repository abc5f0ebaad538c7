//! Attribution of uncertainty in a table of answer forms.

use humbly_stats::attribution::{Attribution, AttributionRows, F1Rule, Form, attribution as measure};
use humbly_stats::intervals::{BootstrapParams, Clusters};
use humbly_table::Table;
use humbly_types::{Problem, Reason};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;

use super::groups::{LeftOut, rows_by};

/// Names of the columns.
#[derive(Debug, Clone, Default)]
pub struct AttributionColumns {
    /// Answer forms.
    pub form: String,
    /// Whether the question is answerable.
    pub answerable: String,
    /// Correctness.
    pub correct: String,
    /// One result for each value of this column.
    pub by: Option<String>,
}

impl AttributionColumns {
    /// The names that must be read.
    pub fn names(&self) -> Vec<&str> {
        [&self.form, &self.answerable, &self.correct]
            .into_iter()
            .chain(self.by.as_ref())
            .map(String::as_str)
            .collect()
    }
}

/// Attribution of one group.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AttributionGroup {
    /// Value of the group column.
    pub group: Option<String>,
    /// Rows measured.
    pub n: u64,
    /// Rows left out, by reason.
    pub left_out: IndexMap<String, u64>,
    /// All numbers.
    #[serde(flatten)]
    pub attribution: Attribution,
}

/// Measures every group of a table; unknown forms are listed as problems and left out.
///
/// # Errors
/// A [`Problem`] where a column is missing or holds something else than was asked for.
pub fn attribution(
    table: &Table,
    columns: &AttributionColumns,
    rule: F1Rule,
    bootstrap: &BootstrapParams,
) -> Result<(Vec<AttributionGroup>, Vec<Problem>), Problem> {
    let forms = table.column_text(&columns.form)?;
    let answerable = table.column_bool(&columns.answerable)?;
    let correct = table.column_bool(&columns.correct)?;
    let mut problems = table.problems().to_vec();
    problems.extend(answerable.problems);
    let mut groups = Vec::new();
    for (group, rows) in rows_by(table, columns.by.as_deref())? {
        let mut left_out = LeftOut::default();
        let (mut kept, mut answers, mut rights) = (Vec::new(), Vec::new(), Vec::new());
        for row in rows {
            let Some(is_answerable) = answerable.values.get(row).copied().flatten() else {
                left_out.add(Reason::NoLabels);
                continue;
            };
            let Some(name) = forms.get(row).cloned().flatten() else {
                // Nobody has said what form this output has.
                left_out.add(Reason::NotRecorded);
                continue;
            };
            let Some(form) = form_of(&name) else {
                left_out.add(Reason::Unparsable);
                let expected = "answer, data_uncertain, model_uncertain, dont_know or unparsable";
                let problem = table.problem_at(row, format!("form `{name}`, expected {expected}"));
                problems.push(problem.hint("the row is left out and counted"));
                continue;
            };
            let is_correct = correct.values.get(row).copied().flatten();
            if is_correct.is_none() && is_answerable && form == Form::Answer {
                left_out.add(Reason::NoLabels);
                continue;
            }
            kept.push(form);
            answers.push(is_answerable);
            rights.push(is_correct == Some(true));
        }
        let rows = AttributionRows { forms: &kept, answerable: &answers, correct: &rights };
        let failed = |error: humbly_stats::StatsError| Problem::new(table.path(), error.to_string());
        let clusters = Clusters::independent(kept.len()).map_err(failed)?;
        groups.push(AttributionGroup {
            group,
            n: kept.len() as u64,
            left_out: left_out.into_counts(),
            attribution: measure(&rows, rule, &clusters, bootstrap).map_err(failed)?,
        });
    }
    Ok((groups, problems))
}

fn form_of(name: &str) -> Option<Form> {
    match name.trim().to_ascii_lowercase().trim_matches(['<', '>']) {
        "answer" => Some(Form::Answer),
        "data_uncertain" => Some(Form::DataUncertain),
        "model_uncertain" | "dont_know" => Some(Form::ModelUncertain),
        "unparsable" => Some(Form::Unparsable),
        _ => None,
    }
}
