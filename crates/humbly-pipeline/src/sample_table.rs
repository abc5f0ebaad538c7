//! A run as a table: one row a sample, with its scores; a column of reasons beside each that may be undefined.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use humbly_score::TrajectoryRow;
use humbly_store::{RunFile, SampleState, StoreError, StoredSample};
use humbly_table::{ParquetTable, Values, WriteError};
use humbly_types::{Task, Verdict};
use serde_json::Value;

use crate::scored_runs::ScoredRun;
use crate::tasks::Tasks;

/// Rows that are held at a time.
const BATCH: usize = 1_000;

/// Why the table cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SampleTableError {
    /// The run file.
    #[error("the run file cannot be read")]
    Store(#[from] StoreError),
    /// The table.
    #[error(transparent)]
    Table(#[from] WriteError),
}

/// Writes every sample of a run file as Parquet, those that failed or wait included.
///
/// Columns of scores are null where the sample did not run to its end, and the reason stands beside:
/// `sample_failed`, `sample_waiting`, else the reason of the verdict. Never 0 for unknown.
///
/// # Errors
/// [`SampleTableError`].
pub fn write_sample_table<W: Write + Send>(
    path: &Path,
    scored: &ScoredRun,
    tasks: &Tasks,
    out: W,
) -> Result<(W, u64), SampleTableError> {
    let run = RunFile::read(path)?;
    let by_key: HashMap<&str, &TrajectoryRow> =
        scored.rows.iter().map(|row| (row.id.as_str(), row)).collect();
    let columns = |samples: &[StoredSample]| columns(samples, &by_key, tasks, &scored.judge);
    let mut table = ParquetTable::new(out, &columns(&[]))?;
    let (mut held, mut written) = (Vec::with_capacity(BATCH), 0);
    let mut failed: Option<WriteError> = None;
    run.for_each_sample(|sample| {
        held.push(sample);
        if held.len() == BATCH && failed.is_none() {
            failed = table.write(&columns(&held)).err();
            written += held.len() as u64;
            held.clear();
        }
    })?;
    if let Some(error) = failed {
        return Err(error.into());
    }
    if !held.is_empty() {
        table.write(&columns(&held))?;
        written += held.len() as u64;
    }
    Ok((table.finish()?, written))
}

type VerdictOf = fn(&TrajectoryRow) -> &Verdict;

fn columns(
    samples: &[StoredSample],
    scores: &HashMap<&str, &TrajectoryRow>,
    tasks: &Tasks,
    judge: &str,
) -> Vec<(&'static str, Values)> {
    let rows: Vec<Sample<'_>> = samples
        .iter()
        .map(|sample| {
            let score = scores.get(sample.key.as_str()).copied();
            // The plan of a run made from logs names no task.
            let task = sample.plan.get("task").and_then(Value::as_str).or_else(|| score?.task.as_deref());
            Sample { stored: sample, score, task: task.and_then(|id| tasks.by_id(id)), judge }
        })
        .collect();
    let text = |of: fn(&Sample<'_>) -> Option<String>| Values::Text(rows.iter().map(of).collect());
    let integer = |of: fn(&Sample<'_>) -> Option<u64>| {
        Values::Integer(rows.iter().map(|row| i64::try_from(of(row)?).ok()).collect())
    };
    let number = |of: fn(&Sample<'_>) -> Option<f64>| Values::Number(rows.iter().map(of).collect());
    let mut columns = vec![
        ("key", text(|row| Some(row.stored.key.clone()))),
        ("task", text(|row| row.plan("task").or_else(|| row.score?.task.clone()))),
        ("agent", text(|row| row.score?.agent.clone())),
        ("model", text(|row| row.plan("model").or_else(|| row.score?.model.clone()))),
        ("protocol", text(|row| row.plan("protocol"))),
        ("condition", text(|row| row.plan("condition").or_else(|| row.score?.condition.clone()))),
        ("seed", integer(|row| row.stored.plan.get("seed")?.as_u64())),
        ("repeat", integer(|row| row.stored.plan.get("repeat")?.as_u64())),
        ("dataset", text(|row| row.task?.dataset.clone())),
        ("split", text(|row| code(&row.task?.split?))),
        ("pair", text(|row| row.task?.pair.clone())),
        ("scenario", text(|row| row.task?.scenario.clone())),
        ("state", text(|row| code(&row.stored.state))),
        ("attempts", integer(|row| Some(u64::from(row.stored.attempts)))),
        ("error_code", text(|row| Some(row.stored.error.as_ref()?.0.clone()))),
        ("error", text(|row| Some(row.stored.error.as_ref()?.1.clone()))),
        ("input_tokens", integer(|row| row.stored.usage.input)),
        ("cached_tokens", integer(|row| row.stored.usage.cached)),
        ("output_tokens", integer(|row| row.stored.usage.output)),
        ("reasoning_tokens", integer(|row| row.stored.usage.reasoning)),
        ("cost_usd", number(|row| row.stored.cost_usd)),
        ("seconds", number(|row| row.stored.seconds)),
        ("turns", integer(|row| Some(u64::from(row.score?.turns)))),
        ("tool_calls", integer(|row| Some(u64::from(row.score?.tool_calls)))),
        ("duplicate_calls", integer(|row| Some(u64::from(row.score?.duplicate_calls)))),
        ("truncated", text(|row| Some(row.score?.truncated.clone()))),
        ("stop", text(|row| Some(row.score?.stop.clone()))),
        ("judge", text(|row| row.score.map(|_| row.judge.to_owned()))),
        ("identify_turn", integer(|row| row.score?.identify.turn.map(u64::from))),
        ("identify_quote", text(|row| row.score?.identify.quote.clone())),
        ("escalate_quote", text(|row| row.score?.escalate.quote.clone())),
    ];
    let verdicts: [(&str, &str, VerdictOf); 6] = [
        ("correct", "correct_undefined", |row| &row.correct),
        ("identify", "identify_undefined", |row| &row.identify),
        ("solve", "solve_undefined", |row| &row.solve),
        ("escalate", "escalate_undefined", |row| &row.escalate),
        ("acknowledged", "acknowledged_undefined", |row| &row.acknowledged),
        ("refusal", "refusal_undefined", |row| &row.refusal),
    ];
    for (name, reason, of) in verdicts {
        columns.push((name, Values::Flag(rows.iter().map(|row| of(row.score?).value).collect())));
        columns.push((reason, Values::Text(rows.iter().map(|row| row.undefined(of)).collect())));
    }
    columns.push(("confidence", number(|row| row.score?.confidence.value)));
    columns.push(("confidence_source", text(|row| row.score?.confidence.source.clone())));
    columns.push((
        "confidence_undefined",
        text(|row| match row.score {
            None => Some(row.absent()),
            Some(score) => score.confidence.undefined.as_ref().map(|why| why.reason.code().to_owned()),
        }),
    ));
    columns.push(("answer_source", text(|row| code(&row.score?.answer_source.value?))));
    columns.push((
        "answer_source_undefined",
        text(|row| match row.score {
            None => Some(row.absent()),
            Some(score) => score.answer_source.undefined.as_ref().map(|why| why.reason.code().to_owned()),
        }),
    ));
    columns.push(("record", text(|row| row.stored.record.clone())));
    columns
}

struct Sample<'a> {
    stored: &'a StoredSample,
    score: Option<&'a TrajectoryRow>,
    task: Option<&'a Task>,
    judge: &'a str,
}

impl Sample<'_> {
    fn plan(&self, field: &str) -> Option<String> {
        self.stored.plan.get(field)?.as_str().map(str::to_owned)
    }

    /// Why a sample has no scores at all.
    fn absent(&self) -> String {
        let reason = match self.stored.state {
            SampleState::Waiting => "sample_waiting",
            SampleState::Failed => "sample_failed",
            SampleState::Done => "not_judged",
        };
        reason.to_owned()
    }

    fn undefined(&self, of: fn(&TrajectoryRow) -> &Verdict) -> Option<String> {
        match self.score {
            None => Some(self.absent()),
            Some(score) => of(score).undefined.as_ref().map(|why| why.reason.code().to_owned()),
        }
    }
}

/// The word that JSON has for a value.
fn code(value: &impl serde::Serialize) -> Option<String> {
    serde_json::to_value(value).ok()?.as_str().map(str::to_owned)
}
