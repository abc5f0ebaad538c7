//! `humbly data export --format verl`: questions as a training set.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};

use anyhow::{Context, bail};
use humbly_data::{Cache, data_set, load, load_local};
use humbly_pipeline::{Tasks, is_run_file, tasks_of_runs};
use humbly_rewards::Protocol;
use humbly_table::{VerlExtra, VerlRow, VerlTable, VerlTruth, VerlTurn};
use humbly_text::confidence::Scale;
use humbly_types::Task;

use super::data_error;
use super::pull::report;
use crate::args::{DataExportArguments, ScaleArgument};
use crate::exit::Status;
use crate::output::{self, problem_error};

pub(super) fn run(arguments: &DataExportArguments) -> anyhow::Result<Status> {
    let scale = match arguments.scale {
        ScaleArgument::Unit => Scale::Unit,
        ScaleArgument::Percent => Scale::Percent,
    };
    let protocol = Protocol::named(&arguments.protocol, scale).context("cannot explain the protocol")?;
    let tasks = tasks(arguments)?;
    let mut rows = Rows { arguments, protocol: &protocol, written: 0, left_out: BTreeMap::new() };
    let kept: Vec<VerlRow> = tasks.iter().filter_map(|task| rows.row(task)).collect();
    for (reason, count) in &rows.left_out {
        output::note(&format!("left out: {count} ({reason})"));
    }
    if kept.is_empty() {
        bail!("no task of `{}` can be trained on", arguments.source.display());
    }
    let out = BufWriter::new(crate::commands::score::create(&arguments.to)?);
    let mut table = VerlTable::new(out)?;
    for row in kept {
        table.write(row)?;
    }
    table.finish()?.flush().context("cannot write the export")?;
    output::note(&format!("{}: {} rows", arguments.to.display(), rows.written));
    Ok(Status::Done)
}

/// Tasks of a run file, of a file of tasks, or of a data set.
fn tasks(arguments: &DataExportArguments) -> anyhow::Result<Vec<Task>> {
    let source = &arguments.source;
    if is_run_file(source) {
        let tasks = tasks_of_runs(std::slice::from_ref(source)).map_err(problem_error)?;
        return Ok(tasks.map(|tasks| tasks.all().to_vec()).unwrap_or_default());
    }
    if source.exists() {
        let tasks = Tasks::read(source).map_err(problem_error)?;
        output::problems(&tasks.problems);
        return Ok(tasks.all().to_vec());
    }
    let set = data_set(&source.to_string_lossy()).map_err(data_error)?;
    if let Some(warning) = set.warning {
        output::note(&format!("note: {warning}"));
    }
    let mut tasks = Vec::new();
    let mut each = |question: humbly_data::Question| tasks.push(question.task());
    let found = if let Some(path) = &arguments.path {
        load(set, path, &mut each).map_err(problem_error)?
    } else {
        let cache = Cache::from_variables(|name| std::env::var_os(name)).map_err(data_error)?;
        load_local(&cache, set, &mut each).map_err(data_error)?
    };
    report(&found);
    Ok(tasks)
}

struct Rows<'a> {
    arguments: &'a DataExportArguments,
    protocol: &'a Protocol,
    written: i64,
    left_out: BTreeMap<&'static str, u64>,
}

impl Rows<'_> {
    /// The row of a task, unless no reward could score it.
    fn row(&mut self, task: &Task) -> Option<VerlRow> {
        let label = task.answerable.map(|answerable| if answerable { "answerable" } else { "data" });
        // A question without an answer is scored by its label alone.
        let is_scorable = !task.references.is_empty() || label == Some("data");
        let question = match (&task.question, is_scorable) {
            (Some(question), true) if !question.trim().is_empty() => question.trim(),
            (_, true) => return self.leave_out("no question"),
            (_, false) => return self.leave_out("no reference answer"),
        };
        let is_boxed = matches!(self.protocol.name(), "boxed" | "boxed-confidence");
        let ability = if is_boxed { "math" } else { "fact-reasoning" };
        let row = VerlRow {
            data_source: task.dataset.clone().unwrap_or_else(|| "humbly".to_owned()),
            prompt: vec![VerlTurn { role: "user".to_owned(), content: self.protocol.instruction(question) }],
            ability: self.arguments.ability.clone().unwrap_or_else(|| ability.to_owned()),
            reward_model: VerlTruth::rule(task.references.clone()),
            extra_info: VerlExtra {
                index: self.written,
                split: self.arguments.split.clone(),
                question_id: task.id.clone(),
                question: question.to_owned(),
                label: label.map(str::to_owned),
            },
        };
        self.written += 1;
        Some(row)
    }

    fn leave_out(&mut self, reason: &'static str) -> Option<VerlRow> {
        *self.left_out.entry(reason).or_default() += 1;
        None
    }
}
