//! Files that belong together are read together.

use std::path::PathBuf;

use crate::formats;

/// A file and those that belong to it (sub-agents, event files, continuations).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// The file that names the trajectory.
    pub main: PathBuf,
    /// The files that belong to it, in reading order.
    pub companions: Vec<PathBuf>,
}

/// Takes the files it knows to belong together out of the list and returns them as units.
///
/// Linear in the number of files: a grouper may read names and first lines, never pairs of files.
pub(crate) type Grouper = fn(&mut Vec<PathBuf>) -> Vec<Unit>;

/// Groups files into units; the order of the result is that of the main files' paths.
pub fn group(mut files: Vec<PathBuf>) -> Vec<Unit> {
    files.sort();
    files.dedup();
    let mut units = Vec::new();
    for grouper in formats::GROUPERS {
        units.extend(grouper(&mut files));
    }
    units.extend(files.into_iter().map(|main| Unit { main, companions: Vec::new() }));
    units.sort_by(|a, b| a.main.cmp(&b.main));
    units
}
