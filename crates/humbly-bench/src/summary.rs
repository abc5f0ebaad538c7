//! What an import wrote.

use std::path::PathBuf;

use humbly_types::Problem;
use serde::Serialize;

/// What an import wrote, and what it could not use.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ImportSummary {
    /// The import.
    pub name: String,
    /// The files, in the order in which they were written.
    pub files: Vec<WrittenFile>,
    /// Rows by group, in order of first appearance.
    pub counts: Vec<Count>,
    /// Records that could not be used.
    pub problems: Vec<Problem>,
    /// The command that comes next, with `{to}` for the folder.
    pub next: String,
}

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WrittenFile {
    /// Where it is.
    pub path: PathBuf,
    /// How many records it holds.
    pub rows: usize,
}

/// Rows of one group, e.g. a model, a split and a condition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Count {
    /// What the rows have in common.
    pub group: Vec<String>,
    /// How many there are.
    pub rows: usize,
}

impl ImportSummary {
    pub(crate) fn new(name: &str, next: &str) -> Self {
        Self { name: name.to_owned(), next: next.to_owned(), ..Self::default() }
    }

    /// Counts one row of a group.
    pub(crate) fn count(&mut self, group: &[&str]) {
        let known = self
            .counts
            .iter_mut()
            .find(|count| count.group.iter().map(String::as_str).eq(group.iter().copied()));
        match known {
            Some(count) => count.rows += 1,
            None => self
                .counts
                .push(Count { group: group.iter().map(|part| (*part).to_owned()).collect(), rows: 1 }),
        }
    }
}
