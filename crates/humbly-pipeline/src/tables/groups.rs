//! Rows by the value of a column, and counts of what is left out.

use std::collections::BTreeMap;

use humbly_table::Table;
use humbly_types::{Problem, Reason};
use indexmap::IndexMap;

/// Row numbers by group, groups in the order of their names; one group without a name when no column is given.
pub(super) fn rows_by(
    table: &Table,
    column: Option<&str>,
) -> Result<BTreeMap<Option<String>, Vec<usize>>, Problem> {
    let mut groups: BTreeMap<Option<String>, Vec<usize>> = BTreeMap::new();
    match column {
        None => {
            groups.insert(None, (0..table.len()).collect());
        }
        Some(column) => {
            for (row, value) in table.column_text(column)?.into_iter().enumerate() {
                groups.entry(Some(value.unwrap_or_else(|| "(missing)".to_owned()))).or_default().push(row);
            }
        }
    }
    Ok(groups)
}

/// Counts rows that are left out.
#[derive(Debug, Default)]
pub(super) struct LeftOut(IndexMap<String, u64>);

impl LeftOut {
    pub(super) fn add(&mut self, reason: Reason) {
        *self.0.entry(reason.code().to_owned()).or_default() += 1;
    }

    pub(super) fn into_counts(mut self) -> IndexMap<String, u64> {
        self.0.sort_keys();
        self.0
    }
}
