//! Paired comparison of two sets of scores.

use humbly_stats::comparison::{Comparison as Measures, Scores, compare as measure};
use humbly_stats::intervals::BootstrapParams;
use humbly_table::Table;
use humbly_types::Problem;
use serde::Serialize;

use super::groups::rows_by;

/// Names of the columns.
#[derive(Debug, Clone, Default)]
pub struct CompareColumns {
    /// Ids.
    pub id: String,
    /// Scores.
    pub score: String,
    /// Column with two values, where both sets stand in one table.
    pub by: Option<String>,
}

/// Two named sets, compared.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    /// Name of the first set.
    pub first_name: String,
    /// Name of the second set.
    pub second_name: String,
    /// The measures; differences are second − first.
    #[serde(flatten)]
    pub measures: Measures,
}

struct Set {
    name: String,
    ids: Vec<String>,
    values: Vec<f64>,
}

/// Compares two tables, or the two values of a column of one.
///
/// # Errors
/// A [`Problem`] where a column is missing, or one table does not hold two sets.
pub fn compare(
    first: &Table,
    second: Option<&Table>,
    columns: &CompareColumns,
    bootstrap: &BootstrapParams,
) -> Result<(Comparison, Vec<Problem>), Problem> {
    let mut problems = Vec::new();
    let sets = match (second, &columns.by) {
        (Some(second), _) => {
            let all = |table: &Table| (0..table.len()).collect::<Vec<_>>();
            vec![
                set(first.path().to_owned(), first, &all(first), columns, &mut problems)?,
                set(second.path().to_owned(), second, &all(second), columns, &mut problems)?,
            ]
        }
        (None, Some(by)) => rows_by(first, Some(by))?
            .into_iter()
            .map(|(name, rows)| set(name.unwrap_or_default(), first, &rows, columns, &mut problems))
            .collect::<Result<Vec<_>, _>>()?,
        (None, None) => {
            return Err(Problem::new(first.path(), "one set of scores, expected two")
                .hint("give a second table, or --by COLUMN with two values"));
        }
    };
    let [one, two] = sets.as_slice() else {
        return Err(Problem::new(
            first.path(),
            format!("--by splits the table into {} sets, expected 2", sets.len()),
        )
        .hint("filter the table to two values"));
    };
    let measures = measure(
        &Scores { ids: &one.ids, values: &one.values },
        &Scores { ids: &two.ids, values: &two.values },
        bootstrap,
    )
    .map_err(|error| Problem::new(first.path(), error.to_string()))?;
    Ok((Comparison { first_name: one.name.clone(), second_name: two.name.clone(), measures }, problems))
}

fn set(
    name: String,
    table: &Table,
    rows: &[usize],
    columns: &CompareColumns,
    problems: &mut Vec<Problem>,
) -> Result<Set, Problem> {
    let ids = table.column_text(&columns.id)?;
    let scores = table.column_f64(&columns.score)?;
    problems.extend(scores.problems);
    let (mut kept, mut values) = (Vec::new(), Vec::new());
    for &row in rows {
        if let (Some(id), Some(score)) =
            (ids.get(row).cloned().flatten(), scores.values.get(row).copied().flatten())
        {
            kept.push(id);
            values.push(score);
        }
    }
    Ok(Set { name, ids: kept, values })
}
