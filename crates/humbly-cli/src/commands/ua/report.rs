//! `humbly report` on runs of UA-Bench.

use anyhow::{Context, bail};
use humbly_report::ReportOptions;
use humbly_report::tables::latex_of_text;
use humbly_score::attribution_study::Extraction;
use humbly_stats::intervals::BootstrapParams;
use serde_json::json;

use super::tables::{Row, all, study};
use super::{outputs, page};
use crate::args::{CompatArgument, ReportArguments, ReportOutput};
use crate::exit::Status;
use crate::output::{self, NOTE_MARK};

/// Version of the JSON.
const SCHEMA: &str = "humbly.ua/1";

pub(in super::super) fn report(arguments: &ReportArguments) -> anyhow::Result<Status> {
    if arguments.table.is_some() || arguments.figure.is_some() || !arguments.sheets.is_empty() {
        bail!("--table, --figure and --sheets choose from another paper; a run of UA-Bench is shown whole");
    }
    let extraction = match arguments.compat {
        Some(CompatArgument::Released) => Extraction::Released,
        None => Extraction::Strict,
    };
    let judge = super::super::report_runs::stored_judge(arguments);
    let params = BootstrapParams::new(arguments.resamples, 0.95, arguments.seed)?;
    let read = outputs::read_all(&arguments.runs, extraction, judge.as_deref())?;
    if read.samples.is_empty() {
        bail!("no sample of these runs has an output; hint: `humbly run` goes on with the same arguments");
    }
    let study = study(&read.samples, &params)?;
    let rows = study.rows.as_slice();
    let judge = read.judge();
    let without_output = match read.without_output {
        0 => String::new(),
        count => format!(", {count} samples without one"),
    };
    let mut lines = read.coverage.clone();
    lines.push(format!(
        "{} outputs{without_output} · extraction {} · correctness by rules, judge {judge} · 95 % intervals: Wilson for \
         proportions, bootstrap {} × seed {}",
        read.samples.len(),
        if extraction == Extraction::Strict { "by box" } else { "as released" },
        arguments.resamples,
        arguments.seed
    ));
    let tables = all(&study);
    match arguments.output {
        ReportOutput::Table => {
            let mut text = lines.join("\n") + "\n";
            for (heading, table) in &tables {
                text.push_str(&format!("\n{heading}\n{table}"));
            }
            if text.contains(NOTE_MARK) {
                text.push_str(&format!(
                    "  {NOTE_MARK} has a note (degenerate interval, …): see `--output json`\n"
                ));
            }
            text.push_str(&undecided_hint(rows, arguments));
            output::stdout(text.as_bytes())?;
        }
        ReportOutput::Csv => {
            let mut text = format!("# {}\n", lines.join("\n# "));
            for (heading, table) in &tables {
                text.push_str(&format!("# {heading}\n{}\n", table.csv()?));
            }
            output::stdout(text.as_bytes())?;
        }
        ReportOutput::Json => output::json(&json!({
            "schema": SCHEMA,
            "coverage": read.coverage,
            "settings": {
                "humbly": env!("CARGO_PKG_VERSION"), "extraction": extraction, "judge": judge,
                "resamples": arguments.resamples, "seed": arguments.seed, "level": 0.95,
            },
            "inputs": arguments.runs,
            "without_output": read.without_output,
            "rows": rows,
            "thinking": study.thinking,
            "problems": read.problems,
        }))?,
        ReportOutput::Latex => {
            output::stdout(latex_of_text(&lines, &page::tables(&tables), "ua").as_bytes())?;
        }
    }
    if let Some(path) = &arguments.report {
        let options = ReportOptions {
            title: "Humbly: does the model know why it does not know?".to_owned(),
            redact: !arguments.no_redact,
            ..ReportOptions::default()
        };
        let out = std::io::BufWriter::new(super::super::score::create(path)?);
        let redactions =
            page::write(out, &lines, rows, &tables, &options).context("cannot write the page")?;
        output::note(&format!("report: {} ({} places redacted)", path.display(), redactions.total()));
    }
    output::problems(&read.problems);
    Ok(Status::Done)
}

fn undecided_hint(rows: &[Row], arguments: &ReportArguments) -> String {
    let undecided: u64 =
        rows.iter().filter(|row| row.set == "all" && !row.is_source).map(|row| row.cell.undecided).sum();
    if undecided == 0 {
        return String::new();
    }
    let run = arguments.runs.first().map_or_else(String::new, |path| path.display().to_string());
    format!(
        "\n{undecided} answers are decided by no rule, so that ACC and F1 are undefined there, never guessed.\n\
         hint: `humbly judge {run} --judge MODEL`, then `humbly report {run} --judge MODEL`\n"
    )
}
