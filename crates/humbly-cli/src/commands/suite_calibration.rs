//! `humbly suite build calibration`: questions of several data sets, no model asked.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::bail;
use humbly_bench::calibration::{
    CALIBRATION_SETS, CalibrationParams, CalibrationSet, arithmetic_questions, build_calibration,
    calibration_source, starter_set,
};
use humbly_bench::conflict::Suite;

use super::suite_rows::rows_at;
use crate::args::SuiteBuildArguments;
use crate::output::Table;

pub(super) fn build(arguments: &SuiteBuildArguments) -> anyhow::Result<Suite> {
    if arguments.set.is_empty() {
        bail!(
            "a calibration suite needs --set, e.g. --set starter --set arithmetic; hint: --set NAME=PATH reads your copy of a \
             data set"
        );
    }
    let mut named: Vec<&str> = arguments.set.iter().map(|set| name_of(set).0).collect();
    named.sort_unstable();
    if let Some([name, _]) = named.array_windows().find(|[one, other]| one == other) {
        bail!("--set names `{name}` twice; hint: put the files into one folder");
    }
    let sets =
        arguments.set.iter().map(|set| read(set, arguments.samples)).collect::<anyhow::Result<Vec<_>>>()?;
    let params = CalibrationParams { limit: arguments.limit, seed: arguments.seed };
    let suite = build_calibration(sets, params);
    if suite.tasks.is_empty() {
        bail!("no question of these sets has a reference");
    }
    Ok(suite)
}

/// `NAME` or `NAME=PATH`.
fn name_of(text: &str) -> (&str, Option<&Path>) {
    match text.split_once('=') {
        Some((name, path)) => (name.trim(), Some(Path::new(path.trim()))),
        None => (text.trim(), None),
    }
}

fn read(text: &str, samples: Option<u32>) -> anyhow::Result<CalibrationSet> {
    let (name, path) = name_of(text);
    let Some(source) = calibration_source(name) else {
        let known: Vec<&str> = CALIBRATION_SETS.iter().map(|source| source.name).collect();
        bail!("`{name}` is no set of the calibration study, expected {}", known.join(", "));
    };
    let mut set = match (name, path) {
        ("starter", None) => starter_set(),
        ("arithmetic", None) => {
            CalibrationSet { questions: arithmetic_questions(), ..CalibrationSet::default() }
        }
        ("starter" | "arithmetic", Some(_)) => bail!("`{name}` comes with humbly and is read from no file"),
        _ => CalibrationSet { questions: rows_at(name, path)?.1, ..CalibrationSet::default() },
    };
    set.kind = Some(source.kind);
    set.samples = samples.or(source.samples);
    Ok(set)
}

/// Questions, tools and samples of each data set.
pub(super) fn table(suite: &Suite) -> Table {
    let mut sets: BTreeMap<(&str, &str, Option<u32>), u64> = BTreeMap::new();
    for task in &suite.tasks {
        let dataset = task.task.dataset.as_deref().unwrap_or("");
        let kind = task.task.scenario.as_deref().unwrap_or("");
        *sets.entry((dataset, kind, task.samples)).or_default() += 1;
    }
    let mut table = Table::new(&["data set", "tools that help", "questions", "samples a question"]);
    for ((dataset, kind, samples), questions) in sets {
        let samples =
            samples.map_or_else(|| "as the experiment says".to_owned(), |samples| samples.to_string());
        table.row([dataset.to_owned(), kind.to_owned(), questions.to_string(), samples]);
    }
    table
}
