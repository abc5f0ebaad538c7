//! Continuations and sub-agents that Harbor writes beside a trajectory.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use crate::units::Unit;

/// Takes `X.cont-N.json` and `X.ANYTHING.json` beside `X.json` out of the list, where X ends in
/// `trajectory`. Continuations come first, in their order.
pub(crate) fn group_trajectories(files: &mut Vec<PathBuf>) -> Vec<Unit> {
    let known: HashSet<&Path> = files.iter().map(PathBuf::as_path).collect();
    let mut parts: BTreeMap<PathBuf, Vec<(u64, PathBuf)>> = BTreeMap::new();
    for path in files.iter() {
        if let Some(main) = main_of(path).filter(|main| known.contains(main.as_path())) {
            parts.entry(main).or_default().push((continuation(path).unwrap_or(u64::MAX), path.clone()));
        }
    }
    let units: Vec<Unit> = parts
        .into_iter()
        .map(|(main, mut parts)| {
            parts.sort();
            Unit { main, companions: parts.into_iter().map(|(_, path)| path).collect() }
        })
        .collect();
    let taken: HashSet<&PathBuf> =
        units.iter().flat_map(|unit| std::iter::once(&unit.main).chain(&unit.companions)).collect();
    files.retain(|path| !taken.contains(path));
    units
}

/// Number of a continuation, from its name.
pub(super) fn continuation(path: &Path) -> Option<u64> {
    let stem = path.file_name()?.to_str()?.strip_suffix(".json")?;
    stem.rsplit_once(".cont-")?.1.parse().ok()
}

fn main_of(path: &Path) -> Option<PathBuf> {
    let stem = path.file_name()?.to_str()?.strip_suffix(".json")?;
    let end = stem.rfind("trajectory.")? + "trajectory".len();
    Some(path.with_file_name(format!("{}.json", stem.get(..end)?)))
}
