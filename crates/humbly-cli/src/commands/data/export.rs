//! `humbly data export`: a run as other tools read it.

use std::fs::File;
use std::io::{BufWriter, Write};

use anyhow::Context;
use humbly_pipeline::{tasks_of_runs, write_sample_table};
use humbly_store::{RunFile, inspect_log, write_jsonl};

use crate::args::{DataExportArguments, ExportFormat};
use crate::exit::Status;
use crate::output;

pub(super) fn run(arguments: &DataExportArguments) -> anyhow::Result<Status> {
    match arguments.format {
        ExportFormat::Verl => super::export_verl::run(arguments),
        ExportFormat::Jsonl => export(arguments, |run, out| {
            let written = write_jsonl(run, out)?;
            Ok(format!("{written} trajectories"))
        }),
        ExportFormat::Parquet => export(arguments, |_, out| {
            let source = &arguments.source;
            let scored = super::super::stats::scored(source)?;
            let tasks = tasks_of_runs(std::slice::from_ref(source)).map_err(output::problem_error)?;
            let (written, rows) = write_sample_table(source, &scored, &tasks.unwrap_or_default(), out)?;
            written.flush().context("cannot write the export")?;
            Ok(format!("{rows} samples"))
        }),
        ExportFormat::Inspect => export(arguments, |run, out| {
            let log = inspect_log(run, &arguments.created)?;
            serde_json::to_writer_pretty(out, &log)?;
            let samples = log["samples"].as_array().map_or(0, Vec::len);
            Ok(format!("{samples} samples"))
        }),
    }
}

/// Opens the run, writes it, and says how much was written.
fn export(
    arguments: &DataExportArguments,
    write: impl FnOnce(&RunFile, &mut BufWriter<File>) -> anyhow::Result<String>,
) -> anyhow::Result<Status> {
    let run = RunFile::read(&arguments.source).context("cannot export the run")?;
    let mut out = BufWriter::new(crate::commands::score::create(&arguments.to)?);
    let written = write(&run, &mut out)?;
    out.flush().context("cannot write the export")?;
    output::note(&format!("{}: {written}", arguments.to.display()));
    Ok(Status::Done)
}
