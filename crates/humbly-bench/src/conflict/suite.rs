//! A suite: the tasks for one model, with everything that they were built from.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use humbly_types::{Split, Task};
use serde::{Deserialize, Serialize};

use super::{Belief, ChoiceBy, FailedQuestion, Level, NaturalBelief, Passage};
use crate::ua_bench::Coverage;

/// Version of the suite file.
pub const SUITE_SCHEMA: &str = "humbly.suite/1";

/// Tasks for one model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Suite {
    /// [`SUITE_SCHEMA`].
    pub schema: String,
    /// Name, e.g. `conflict`.
    pub name: String,
    /// Version of Humbly that built it.
    pub humbly: String,
    /// The model that it was built for, as it was asked for (`embedded:smollm2-135m`).
    pub model: String,
    /// Seed of every draw.
    pub seed: u64,
    /// How the choice between candidates was read (controlled conflict).
    #[serde(default)]
    pub choice_by: ChoiceBy,
    /// Hashes of the prompts that were used.
    pub prompts: BTreeMap<String, String>,
    /// Questions that were asked.
    pub asked: u64,
    /// Beliefs with the raw replies (controlled conflict).
    pub beliefs: Vec<Belief>,
    /// Beliefs with the raw replies (naturally occurring conflict).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub natural: Vec<NaturalBelief>,
    /// Questions whose call failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<FailedQuestion>,
    /// Why not all questions were asked: asking on was pointless.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_up: Option<String>,
    /// Rows that could not become a question, by reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub dropped: BTreeMap<String, u64>,
    /// Texts that the search tool looks in beside the passages of the tasks; no agent is shown them unasked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub corpus: Vec<Passage>,
    /// What of a benchmark of fixed size could be built (UA-Bench).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// The tasks.
    pub tasks: Vec<SuiteTask>,
}

/// One task with the passages that the agent is given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteTask {
    /// Question, split, references, candidates.
    pub task: Task,
    /// Passages, in the order shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passages: Vec<Passage>,
    /// Samples of this task in place of the experiment's `repeats`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<u32>,
}

impl SuiteTask {
    /// A task without passages, drawn as often as the experiment says.
    pub fn new(task: Task) -> Self {
        Self { task, passages: Vec::new(), samples: None }
    }
}

/// Why a suite file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SuiteError {
    /// It cannot be read or written.
    #[error("cannot use `{}`", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// It is no suite.
    #[error("`{}` is no suite of humbly", path.display())]
    NotASuite {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// It is a suite of another version.
    #[error("`{}` is a suite of version `{found}`, expected `{SUITE_SCHEMA}`", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: String,
    },
}

impl Suite {
    /// A suite without tasks.
    pub fn new(name: &str, model: &str, seed: u64) -> Self {
        Self {
            schema: SUITE_SCHEMA.to_owned(),
            name: name.to_owned(),
            humbly: env!("CARGO_PKG_VERSION").to_owned(),
            model: model.to_owned(),
            seed,
            ..Self::default()
        }
    }

    /// Reads a suite file.
    ///
    /// # Errors
    /// [`SuiteError`].
    pub fn read(path: &Path) -> Result<Self, SuiteError> {
        #[derive(Deserialize)]
        struct Head {
            schema: String,
        }
        let bytes = std::fs::read(path).map_err(|source| SuiteError::Io { path: path.to_owned(), source })?;
        let not_a_suite = |source| SuiteError::NotASuite { path: path.to_owned(), source };
        let head: Head = serde_json::from_slice(&bytes).map_err(not_a_suite)?;
        if head.schema != SUITE_SCHEMA {
            return Err(SuiteError::Version { path: path.to_owned(), found: head.schema });
        }
        serde_json::from_slice(&bytes).map_err(not_a_suite)
    }

    /// Writes the suite file, whole or not at all.
    ///
    /// # Errors
    /// [`SuiteError::Io`].
    pub fn write(&self, path: &Path) -> Result<(), SuiteError> {
        let io = |source| SuiteError::Io { path: path.to_owned(), source };
        let bytes = serde_json::to_vec_pretty(self)
            .map_err(|source| SuiteError::NotASuite { path: path.to_owned(), source })?;
        let mut partial = path.as_os_str().to_owned();
        partial.push(".partial");
        if let Err(error) = std::fs::write(&partial, bytes) {
            // Half a file helps nobody, least of all on a full disk.
            let _ = std::fs::remove_file(&partial);
            return Err(io(error));
        }
        std::fs::rename(&partial, path).map_err(io)
    }

    /// Questions of each level, from 0 (EH Table 3).
    pub fn levels(&self) -> [u64; 4] {
        Level::ALL.map(|level| self.beliefs.iter().filter(|belief| belief.level == level).count() as u64)
    }

    /// Tasks by scenario and split (EH Table 3).
    pub fn task_counts(&self) -> BTreeMap<(String, Split), u64> {
        let mut counts = BTreeMap::new();
        for SuiteTask { task, .. } in &self.tasks {
            if let (Some(scenario), Some(split)) = (&task.scenario, task.split) {
                *counts.entry((scenario.clone(), split)).or_default() += 1;
            }
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suite() -> Suite {
        Suite {
            choice_by: ChoiceBy::Likelihood,
            tasks: vec![SuiteTask::new(Task { id: "t".into(), ..Task::default() })],
            ..Suite::new("conflict", "m", 1)
        }
    }

    #[test]
    fn a_suite_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("suite.json");
        suite().write(&path).unwrap();
        assert_eq!(Suite::read(&path).unwrap(), suite());
    }

    #[test]
    fn another_version_and_other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("suite.json");
        Suite { schema: "humbly.suite/9".into(), ..suite() }.write(&path).unwrap();
        assert!(
            matches!(Suite::read(&path), Err(SuiteError::Version { found, .. }) if found == "humbly.suite/9")
        );
        std::fs::write(&path, "{}").unwrap();
        assert!(matches!(Suite::read(&path), Err(SuiteError::NotASuite { .. })));
        assert!(matches!(Suite::read(&folder.path().join("none")), Err(SuiteError::Io { .. })));
    }
}
