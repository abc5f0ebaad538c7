//! Runs of UA-Bench: reported, judged and drawn for people in a manner of their own.

mod judge;
mod outputs;
mod page;
mod report;
mod tables;

use std::path::{Path, PathBuf};

use anyhow::bail;
use humbly_pipeline::is_run_file;
use humbly_store::RunFile;

pub(super) use judge::judge;
pub(super) use outputs::sheet;
pub(super) use page::tables as page_tables;
pub(super) use report::report;
pub(super) use tables::attribution_of_models;

/// Whether a file is a run of UA-Bench.
pub(super) fn is_of_ua(path: &Path) -> bool {
    is_run_file(path)
        && RunFile::read(path).and_then(|run| run.settings()).is_ok_and(|settings| {
            settings.pointer("/suite/coverage").is_some_and(serde_json::Value::is_object)
        })
}

/// Whether all of these are runs of UA-Bench.
///
/// # Errors
/// Where some are and some are not.
pub(super) fn are_of_ua(paths: &[PathBuf]) -> anyhow::Result<bool> {
    let of_ua = paths.iter().filter(|path| is_of_ua(path)).count();
    if of_ua > 0 && of_ua < paths.len() {
        bail!("runs of UA-Bench have tables of their own; hint: report them apart from other runs");
    }
    Ok(of_ua > 0)
}
