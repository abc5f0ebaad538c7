//! What a user sees: data on standard output, all else on standard error.

mod cells;
mod markdown;
mod moments;
mod progress;
mod summary;
mod table;

use std::io::Write;

use humbly_types::Problem;
use serde::Serialize;

pub(crate) use cells::{NOTE_MARK, measured_cell, number};
pub(crate) use markdown::{gates_markdown, junit, summary_markdown};
pub(crate) use moments::Moments;
pub(crate) use progress::{Progress, totals_line};
pub(crate) use summary::{long_rows, print_summary};
pub(crate) use table::Table;

use crate::args::OutputFormat;

/// So many problems are listed in full; the JSON has them all.
const MOST_PROBLEMS: usize = 20;

/// Writes bytes to standard output.
pub(crate) fn stdout(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()?;
    Ok(())
}

/// Writes one line of text to standard error.
pub(crate) fn note(text: &str) {
    // Nothing can be done where standard error is closed.
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Prints a JSON document.
pub(crate) fn json(value: &impl Serialize) -> anyhow::Result<()> {
    let mut bytes = serde_json::to_vec_pretty(value)?;
    bytes.push(b'\n');
    stdout(&bytes)
}

/// Prints a table, or the same as CSV.
pub(crate) fn table(table: &Table, format: OutputFormat) -> anyhow::Result<()> {
    match format {
        OutputFormat::Csv => stdout(table.csv()?.as_bytes()),
        OutputFormat::Table | OutputFormat::Json => stdout(format!("{table}\n").as_bytes()),
    }
}

/// What failed, causes below, then a hint that can be run.
pub(crate) fn error(error: &anyhow::Error) {
    let mut text = format!("error: {error}");
    for cause in error.chain().skip(1) {
        text.push_str(&format!("\n  cause: {cause}"));
    }
    let hints = error.chain().filter_map(|cause| {
        let of_model =
            cause.downcast_ref::<humbly_model::ModelError>().and_then(humbly_model::ModelError::hint);
        of_model
            .or_else(|| cause.downcast_ref::<humbly_llm::ChatError>()?.hint())
            .or_else(|| cause.downcast_ref::<humbly_store::StoreError>()?.hint())
            .or_else(|| match cause.downcast_ref::<humbly_model_judge::ModelJudgeError>()? {
                humbly_model_judge::ModelJudgeError::Stopped { code, .. } => humbly_llm::hint_for(code),
                _ => None,
            })
            .or_else(|| {
                let kind = cause.downcast_ref::<std::io::Error>()?.kind();
                (kind == std::io::ErrorKind::StorageFull)
                    .then_some("the disk is full: make room, or write elsewhere")
            })
    });
    if let Some(hint) = hints.last() {
        text.push_str(&format!("\nhint: {hint}"));
    }
    note(&text);
}

/// What may help after failures of these codes, each once.
pub(crate) fn hints<'a>(codes: impl IntoIterator<Item = &'a str>) {
    let mut hints: Vec<&str> = codes.into_iter().filter_map(humbly_llm::hint_for).collect();
    hints.sort_unstable();
    hints.dedup();
    for hint in hints {
        note(&format!("hint: {hint}"));
    }
}

/// Lists problems on standard error, the first ones in full.
pub(crate) fn problems(problems: &[Problem]) {
    if problems.is_empty() {
        return;
    }
    let mut text = format!("{} problem{}:", problems.len(), if problems.len() == 1 { "" } else { "s" });
    for problem in problems.iter().take(MOST_PROBLEMS) {
        text.push_str(&format!("\n  {}", problem_line(problem)));
        if let Some(hint) = &problem.hint {
            text.push_str(&format!("\n    hint: {hint}"));
        }
    }
    if problems.len() > MOST_PROBLEMS {
        let more = problems.len() - MOST_PROBLEMS;
        text.push_str(&format!("\n  and {more} more: `--output json` lists all of them"));
    }
    note(&text);
}

/// Where and what, in one line.
pub(crate) fn problem_line(problem: &Problem) -> String {
    let line = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
    let record = problem.record.as_ref().map(|record| format!(" [{record}]")).unwrap_or_default();
    format!("{}{line}{record}: {}", problem.path, problem.message)
}

/// A problem as the error that ends a command.
#[expect(clippy::needless_pass_by_value, reason = "it stands in `map_err`")]
pub(crate) fn problem_error(problem: Problem) -> anyhow::Error {
    let hint = problem.hint.as_ref().map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
    anyhow::anyhow!("{}{hint}", problem_line(&problem))
}
