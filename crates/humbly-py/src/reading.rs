//! Logs to trajectories.

use std::path::PathBuf;

use humbly_pipeline::discover;
use humbly_readers::{Episodes, Sink, group, split_episodes};
use humbly_types::{Problem, Record, Trajectory};
use pyo3::prelude::*;
use serde::Serialize;

use crate::error;

#[derive(Serialize)]
struct Row {
    path: String,
    #[serde(flatten)]
    record: Record,
}

#[derive(Serialize, Default)]
struct Found {
    trajectories: Vec<Row>,
    problems: Vec<Problem>,
    #[serde(skip)]
    episodes: Episodes,
}

impl Sink for Found {
    fn trajectory(&mut self, trajectory: Trajectory) {
        self.trajectories.extend(
            split_episodes(trajectory, self.episodes).iter().map(|episode| Row {
                path: episode.path.to_string(),
                record: Record::of_trajectory(episode),
            }),
        );
    }

    fn problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }
}

/// Reads logs; trajectories and problems come back as JSON text.
#[pyfunction]
#[pyo3(signature = (paths, include, format, episodes))]
pub(crate) fn read(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    include: Vec<String>,
    format: Option<String>,
    episodes: &str,
) -> PyResult<String> {
    check_format(format.as_deref())?;
    let episodes = episodes_named(episodes)?;
    let (text, files, first) = py.detach(|| {
        let discovered = discover(&paths, &include);
        let files = discovered.files.len();
        let mut found = Found { problems: discovered.problems, episodes, ..Found::default() };
        let mut recognised = 0;
        for unit in group(discovered.files) {
            // A file of another kind below a folder is no fault; one that was named is.
            let is_named = discovered.named.contains(&unit.main);
            let before = found.problems.len();
            let outcome = humbly_readers::read(&unit, format.as_deref(), &mut found);
            if outcome.format.is_some() {
                recognised += 1;
            } else if !is_named {
                found.problems.truncate(before);
            }
        }
        let first = found.problems.first().cloned();
        (serde_json::to_string(&found), files, (recognised == 0).then_some(first))
    });
    match first {
        Some(first) => Err(nothing_readable(files, first.as_ref())),
        None => text.map_err(|failed| error::json(&failed)),
    }
}

/// Name, title and recognition of every format that can be read.
#[pyfunction]
pub(crate) fn formats() -> Vec<(&'static str, &'static str, &'static str)> {
    humbly_readers::formats()
        .iter()
        .map(|reader| reader.info())
        .map(|info| (info.name, info.title, info.recognised_by))
        .collect()
}

pub(crate) fn check_format(format: Option<&str>) -> PyResult<()> {
    match format {
        Some(name) if !humbly_readers::formats().iter().any(|reader| reader.info().name == name) => {
            Err(error::unknown("format", name, "a name that `humbly.formats()` lists"))
        }
        _ => Ok(()),
    }
}

pub(crate) fn episodes_named(name: &str) -> PyResult<Episodes> {
    match name {
        "each" => Ok(Episodes::Each),
        "whole" => Ok(Episodes::Whole),
        other => Err(error::unknown("episodes", other, "each or whole")),
    }
}

/// No log among the paths; the first problem says more.
pub(crate) fn nothing_readable(files: usize, first: Option<&Problem>) -> PyErr {
    match first {
        Some(problem) => error::input(problem),
        None => error::InputError::new_err(format!(
            "nothing readable among {files} files; hint: `humbly.formats()` lists what can be read"
        )),
    }
}
