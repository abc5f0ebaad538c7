//! `humbly data export`: a run as other tools read it.

use std::io::{BufWriter, Write};

use anyhow::Context;
use humbly_pipeline::{tasks_of_runs, write_sample_table};
use humbly_store::{RunFile, inspect_log, write_jsonl};

use crate::args::{DataExportArguments, ExportFormat};
use crate::exit::Status;
use crate::output;

pub(super) fn run(arguments: &DataExportArguments) -> anyhow::Result<Status> {
    let run = RunFile::read(&arguments.run).context("cannot export the run")?;
    let mut out = BufWriter::new(crate::commands::score::create(&arguments.to)?);
    match arguments.format {
        ExportFormat::Jsonl => {
            let written = write_jsonl(&run, &mut out)?;
            output::note(&format!("{}: {written} trajectories", arguments.to.display()));
        }
        ExportFormat::Parquet => {
            let scored = super::super::stats::scored(&arguments.run)?;
            let tasks = tasks_of_runs(std::slice::from_ref(&arguments.run)).map_err(output::problem_error)?;
            let (written, rows) =
                write_sample_table(&arguments.run, &scored, &tasks.unwrap_or_default(), &mut out)?;
            written.flush().context("cannot write the export")?;
            output::note(&format!("{}: {rows} samples", arguments.to.display()));
        }
        ExportFormat::Inspect => {
            let log = inspect_log(&run, &arguments.created)?;
            serde_json::to_writer_pretty(&mut out, &log)?;
            let samples = log["samples"].as_array().map_or(0, Vec::len);
            output::note(&format!("{}: {samples} samples", arguments.to.display()));
        }
    }
    out.flush().context("cannot write the export")?;
    Ok(Status::Done)
}
