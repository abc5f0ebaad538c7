//! Statistics of a set for people.

use humbly_synth::{Bill, Statistics};

use crate::args::OutputFormat;
use crate::output::{self, Table, measured_cell, number};

pub(super) fn print(statistics: &Statistics, format: OutputFormat) -> anyhow::Result<()> {
    if format == OutputFormat::Json {
        return output::json(statistics);
    }
    let mut splits = Table::new(&["split", "label", "rows", "wanted", "share", "words"]);
    for split in &statistics.splits {
        splits.row([
            split.split.to_owned(),
            split.label.to_owned(),
            split.rows.to_string(),
            split.wanted.to_string(),
            measured_cell(&split.share),
            measured_cell(&split.words),
        ]);
    }
    output::table(&splits, format)?;
    if format == OutputFormat::Csv {
        return Ok(());
    }
    let mut kinds = Table::new(&[
        "variant",
        "asked",
        "verified",
        "at attempt",
        "retried",
        "discarded",
        "used",
        "not used",
        "missing",
    ]);
    for kind in &statistics.kinds {
        let at: Vec<String> = kind
            .verified_at
            .iter()
            .enumerate()
            .map(|(index, count)| format!("{}: {count}", index + 1))
            .collect();
        let not_used = [("spare", kind.spare), ("repeated", kind.repeated), ("surplus", kind.surplus)];
        let not_used: Vec<String> = not_used
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .map(|(name, count)| format!("{count} {name}"))
            .collect();
        kinds.row([
            kind.kind.to_string(),
            kind.asked.to_string(),
            measured_cell(&kind.verified),
            at.join("\n"),
            kind.retried.to_string(),
            kind.discarded.to_string(),
            kind.used.to_string(),
            if not_used.is_empty() { "0".to_owned() } else { not_used.join("\n") },
            kind.missing.to_string(),
        ]);
    }
    output::table(&kinds, format)?;
    let mut outcomes = Table::new(&["attempts that ended", "insufficient", "hard"]);
    for outcome in humbly_synth::Outcome::ALL {
        let counts: Vec<usize> = statistics
            .kinds
            .iter()
            .map(|kind| kind.outcomes.get(outcome.code()).copied().unwrap_or(0))
            .collect();
        if counts.iter().any(|count| *count > 0) {
            let mut cells = vec![outcome.text().to_owned()];
            cells.extend(counts.iter().map(ToString::to_string));
            outcomes.row(cells);
        }
    }
    output::table(&outcomes, format)?;
    let mut calls = Table::new(&["model", "calls", "from the cache", "failed", "tokens in", "out", "cost"]);
    for (name, bill) in [("rewriter", &statistics.rewriter), ("validator", &statistics.validator)] {
        calls.row(bill_row(name, bill));
    }
    output::table(&calls, format)
}

fn bill_row(name: &str, bill: &Bill) -> [String; 7] {
    let unknown = if bill.without_usage > 0 {
        format!("\n{} replies of unknown length", bill.without_usage)
    } else {
        String::new()
    };
    [
        name.to_owned(),
        bill.live.to_string(),
        bill.cached.to_string(),
        bill.failed.to_string(),
        format!("{}{unknown}", bill.input_tokens),
        bill.output_tokens.to_string(),
        bill.cost_usd.map_or_else(|| "unknown".to_owned(), |cost| format!("{} USD", number(cost))),
    ]
}

/// What went wrong, with what may help.
pub(super) fn advise(statistics: &Statistics) {
    if let Some(stopped) = &statistics.stopped {
        let failed: Vec<String> =
            stopped.failed.iter().map(|(code, count)| format!("{count} {code}")).collect();
        output::note(&format!(
            "stopped: {} (variants that failed: {}); what was done is kept, the same command goes on",
            stopped.detail,
            failed.join(", ")
        ));
        output::hints(stopped.failed.keys().map(String::as_str));
    }
    for kind in statistics.kinds.iter().filter(|kind| kind.missing > 0) {
        let why =
            if statistics.stopped.is_some() { "calls ended early" } else { "the problems have run out" };
        output::note(&format!(
            "missing: {} {} rows of {}: {why}",
            kind.missing,
            kind.kind,
            kind.missing + kind.used
        ));
    }
    for kind in &statistics.kinds {
        let attempts: usize = kind.outcomes.values().sum();
        let most = humbly_synth::Outcome::ALL
            .into_iter()
            .max_by_key(|outcome| kind.outcomes.get(outcome.code()).copied().unwrap_or(0));
        let Some(most) = most else { continue };
        let count = kind.outcomes.get(most.code()).copied().unwrap_or(0);
        if let (true, Some(hint)) = (count * 2 > attempts, most.hint()) {
            output::note(&format!(
                "{}: {count} of {attempts} attempts: {}\nhint: {hint}",
                kind.kind,
                most.text()
            ));
        }
    }
}
