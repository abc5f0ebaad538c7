//! Run files among the inputs: their trajectories are read as Humbly's own JSONL, and they bring their tasks.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use humbly_readers::Input;
use humbly_store::{RunFile, SampleState, StoreError};
use humbly_types::{Problem, Task};
use serde_json::Value;

use crate::hash;
use crate::tasks::Tasks;

/// Setting of a run file made from logs: the tasks that they were scored with.
pub const LOG_TASKS: &str = "tasks";

const SQLITE: &[u8] = b"SQLite format 3\0";

/// Whether the file begins as `SQLite` files do.
pub fn is_run_file(path: &Path) -> bool {
    let mut head = [0; 16];
    File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok() && head == SQLITE
}

/// The trajectories of a run file and the hash of them; line `k` is the k-th sample that ran to its end.
///
/// A failed sample is no trajectory: what it got to is neither right nor wrong ([`failed_samples`] counts them).
pub(crate) fn input(path: &Path, shown: &str) -> Result<(Input, String), Problem> {
    let mut bytes = Vec::new();
    RunFile::read(path)
        .and_then(|run| {
            run.for_each_sample(|sample| {
                if let Some(record) = sample.record.filter(|_| sample.state == SampleState::Done) {
                    bytes.extend_from_slice(record.as_bytes());
                    bytes.push(b'\n');
                }
            })
        })
        .map_err(|error| fault(shown, &error))?;
    let hash = hash::hex(&bytes);
    Ok((Input::bytes(shown, bytes), hash))
}

/// Failed samples of the run files among `paths`, by code of the failure.
///
/// # Errors
/// A [`Problem`] where a run file cannot be read.
pub fn failed_samples(paths: &[PathBuf]) -> Result<BTreeMap<String, u64>, Problem> {
    let mut failed = BTreeMap::new();
    for path in paths.iter().filter(|path| is_run_file(path)) {
        let totals = RunFile::read(path)
            .and_then(|run| run.totals())
            .map_err(|error| fault(&path.to_string_lossy(), &error))?;
        for (code, count) in totals.failed {
            *failed.entry(code).or_default() += count;
        }
    }
    Ok(failed)
}

/// What of a run file is in no rate: failed samples, and those still to be run.
pub(crate) fn left_out(path: &Path) -> Vec<Problem> {
    let shown = path.to_string_lossy();
    // A file that cannot be read is named where it is read.
    let Ok(totals) = RunFile::read(path).and_then(|run| run.totals()) else { return Vec::new() };
    let mut problems = Vec::new();
    if totals.failures() > 0 {
        let codes: Vec<String> =
            totals.failed.iter().map(|(code, count)| format!("{code} {count}")).collect();
        let message =
            format!("{} samples failed and are in no rate ({})", totals.failures(), codes.join(", "));
        problems.push(
            Problem::new(shown.as_ref(), message).hint("run them again with `humbly run … --retry-failed`"),
        );
    }
    if totals.waiting() > 0 {
        let message = format!("{} samples are still to be run", totals.waiting());
        problems.push(Problem::new(shown.as_ref(), message).hint("go on with the same `humbly run`"));
    }
    problems
}

/// The tasks that the run files among `paths` were run on, each run's own ([`Tasks::of`]); `None` where there is
/// none.
///
/// A run of the built-in agent holds its suite; one that was made from logs holds the tasks that they were
/// scored with, which may be none.
///
/// # Errors
/// A [`Problem`] where a run file cannot be read or holds neither suite nor tasks.
pub fn tasks_of_runs(paths: &[PathBuf]) -> Result<Option<Tasks>, Problem> {
    let mut inputs = Vec::new();
    let mut hashed = Vec::new();
    for path in paths.iter().filter(|path| is_run_file(path)) {
        let shown = path.to_string_lossy();
        let settings =
            RunFile::read(path).and_then(|run| run.settings()).map_err(|error| fault(&shown, &error))?;
        let of_suite = settings.pointer("/suite/tasks").and_then(Value::as_array);
        let of_logs = settings.get(LOG_TASKS).and_then(Value::as_array);
        if of_suite.is_none() && of_logs.is_none() {
            return Err(
                Problem::new(shown.as_ref(), "the run holds no suite").hint("give the tasks by --tasks FILE")
            );
        }
        let of_suite = of_suite.into_iter().flatten().filter_map(|value| value.get("task"));
        let mut tasks: Vec<Task> = Vec::new();
        for value in of_suite.chain(of_logs.into_iter().flatten()) {
            let task = serde_json::from_value(value.clone())
                .map_err(|error| Problem::new(shown.as_ref(), format!("not a task: {error}")))?;
            tasks.push(task);
            hashed.extend_from_slice(value.to_string().as_bytes());
            hashed.push(b'\n');
        }
        inputs.push((shown.into_owned(), tasks));
    }
    let mut tasks = Tasks::of_inputs(inputs);
    tasks.hash = Some(hash::hex(&hashed));
    Ok((!tasks.all().is_empty()).then_some(tasks))
}

pub(crate) fn fault(shown: &str, error: &StoreError) -> Problem {
    let cause = std::error::Error::source(error).map(|cause| format!(": {cause}")).unwrap_or_default();
    let problem = Problem::new(shown, format!("the run file cannot be read: {error}{cause}"));
    match error.hint() {
        Some(hint) => problem.hint(hint),
        None => problem,
    }
}
