//! `humbly data pull`: a data set into the cache.

use humbly_data::{Cache, FetchParams, LoadReport, data_set, pull, register};

use super::data_error;
use crate::args::PullArguments;
use crate::exit::Status;
use crate::output;

pub(crate) fn run(arguments: &PullArguments) -> anyhow::Result<Status> {
    let set = data_set(&arguments.name).map_err(data_error)?;
    let cache = Cache::from_variables(|name| std::env::var_os(name)).map_err(data_error)?;
    let pulled = if arguments.paths.is_empty() {
        let params = FetchParams::from_variables(|name| std::env::var(name).ok()).forced(arguments.force);
        pull(&cache, set, &params).map_err(data_error)?
    } else {
        register(&cache, set, &arguments.paths).map_err(data_error)?
    };
    let folder = cache.folder(set.name);
    for file in &pulled.receipt.files {
        let state = if pulled.was_local { "is there already" } else { "kept" };
        output::note(&format!(
            "{} {state} ({} bytes, sha256 {})",
            folder.join(&file.file).display(),
            file.bytes,
            file.sha256
        ));
    }
    report(&pulled.report);
    if let Some(warning) = set.warning {
        output::note(&format!("note: {warning}"));
    }
    output::note(&format!("next: humbly data show {}", set.name));
    Ok(Status::Done)
}

/// Counts, and the rows that could not be used.
pub(crate) fn report(report: &LoadReport) {
    let mut text = format!("{} rows, {} questions", report.rows, report.questions);
    for (reason, count) in &report.left_out {
        text.push_str(&format!(", {count} left out ({reason})"));
    }
    if report.bad_rows > 0 {
        text.push_str(&format!(", {} bad", report.bad_rows));
    }
    output::note(&text);
    output::problems(&report.problems);
}
