//! `humbly run` and `humbly merge`: experiments into run files.

pub(super) mod estimate;

use std::path::Path;

use anyhow::{Context, bail};
use humbly_agent::{Prompts, Protocol};
use humbly_bench::conflict::Suite;
use humbly_bench::experiment::{
    Cancel, Condition, Experiment, RunProgress, Runner, Sitting, StoppedModel, plan,
};
use humbly_bench::ua_bench::ua_conditions;
use humbly_store::{RunFile, Shard, merge};
use serde_json::json;

use crate::args::{MergeArguments, ProtocolArgument, RunArguments};
use crate::clients::{Clients, wait};
use crate::exit::Status;
use crate::output::{self, Progress};

pub(crate) fn run(arguments: &RunArguments) -> anyhow::Result<Status> {
    let mut experiment = experiment(arguments)?;
    if let Some(concurrency) = arguments.concurrency {
        experiment.concurrency = concurrency as usize;
    }
    let suite = Suite::read(&experiment.suite).context("cannot read the suite")?;
    if let Some(coverage) = &suite.coverage {
        output::note(&coverage.to_string());
        if !is_experiment(&arguments.input) {
            experiment.protocols = vec![Protocol::Direct];
            experiment.conditions = ua_conditions();
        }
    }
    let prompts = match &arguments.prompts {
        Some(folder) => Prompts::load(folder),
        None => Prompts::built_in(),
    }
    .context("cannot use the prompts")?;
    let shard = arguments.shard.as_deref().map_or(Ok(Shard::WHOLE), str::parse)?;
    let mut clients = Clients::new(&arguments.models)?;
    clients.allow(experiment.concurrency);
    let sitting = execute(
        &experiment,
        &suite,
        &prompts,
        &mut clients,
        &Execution { out: &arguments.out, shard, retry_failed: arguments.retry_failed },
    )?;
    let totals = RunFile::read(&arguments.out)?.totals()?;
    let stopped = sitting.stopped.iter().map(|stopped| stopped.why.code.as_str());
    output::hints(totals.failed.keys().map(String::as_str).chain(stopped));
    if !sitting.stopped.is_empty() {
        output::note("hint: what was done is kept, the same command goes on");
    }
    if totals.failures() > 0 && !sitting.cancelled {
        output::note("hint: --retry-failed runs the failed samples again");
    }
    if totals.done > 0 {
        let command = if super::ua::is_of_ua(&arguments.out) { "report" } else { "score" };
        output::note(&format!("hint: see the tables with `humbly {command} {}`", arguments.out.display()));
    }
    // Also where they failed in an earlier sitting: the run as a whole is what its tables are made of.
    let is_whole = totals.failures() == 0 && sitting.stopped.is_empty();
    Ok(if is_whole { Status::Done } else { Status::FailedSamples })
}

fn experiment(arguments: &RunArguments) -> anyhow::Result<Experiment> {
    if is_experiment(&arguments.input) {
        if !arguments.model.is_empty() {
            bail!("--model goes with a suite; an experiment names its models itself");
        }
        let read = Experiment::read(&arguments.input);
        return read.with_context(|| format!("cannot use the experiment `{}`", arguments.input.display()));
    }
    if arguments.model.is_empty() {
        bail!("a suite needs --model, e.g. --model embedded:smollm2-135m");
    }
    let experiment = Experiment {
        suite: arguments.input.clone(),
        models: arguments.model.clone(),
        protocols: vec![protocol_of(arguments.protocol)],
        conditions: default_conditions(),
        tools: arguments.tool.clone(),
        ..Experiment::default()
    };
    experiment.check()?;
    Ok(experiment)
}

fn is_experiment(input: &Path) -> bool {
    input.extension().is_some_and(|extension| extension == "toml")
}

/// Without and with the humility clause (EH §3.4).
pub(super) fn default_conditions() -> Vec<Condition> {
    vec![Condition::new("default", Vec::new()), Condition::new("humility", vec!["humility".to_owned()])]
}

pub(super) fn protocol_of(argument: ProtocolArgument) -> Protocol {
    match argument {
        ProtocolArgument::Native => Protocol::Native,
        ProtocolArgument::Tagged => Protocol::Tagged,
        ProtocolArgument::Plain => Protocol::Plain,
        ProtocolArgument::Guided => Protocol::Guided,
        ProtocolArgument::Direct => Protocol::Direct,
    }
}

/// Where a run goes and what of it is run now.
pub(super) struct Execution<'a> {
    pub(super) out: &'a Path,
    pub(super) shard: Shard,
    pub(super) retry_failed: bool,
}

/// Runs what waits, with progress on standard error; Ctrl-C finishes what is in flight.
pub(super) fn execute(
    experiment: &Experiment,
    suite: &Suite,
    prompts: &Prompts,
    clients: &mut Clients,
    execution: &Execution<'_>,
) -> anyhow::Result<Sitting> {
    let settings = json!({
        "name": suite.name,
        "model": experiment.models.join(", "),
        "humbly": env!("CARGO_PKG_VERSION"),
        "experiment": experiment_setting(experiment),
        "suite": suite,
        "prompts": prompts.sources(),
        "prompts_hash": prompts.hash(),
    });
    let run = RunFile::open_or_create(execution.out, &settings)?;
    run.plan(&plan(experiment, suite))?;
    let before = run.totals()?;
    if before.waiting() < before.planned {
        output::note(&format!(
            "going on with {}: {} of {} samples were done before",
            execution.out.display(),
            before.done,
            before.planned
        ));
    }
    let runner = Runner::new(experiment, suite, prompts, &mut |model| clients.client(model))
        .context("cannot start the run")?;
    let expected = wait(runner.estimate(&run, execution.shard, execution.retry_failed))?
        .context("cannot estimate the run")?;
    estimate::check_and_show(&expected, clients)?;
    let cancel = Cancel::default();
    let mut bar = Progress::new("samples", 0);
    let mut show = |progress: RunProgress| bar.show(&progress);
    let sitting = wait(async {
        let watched = cancel.clone();
        let watch = tokio::spawn(async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                watched.cancel();
            }
        });
        let sitting = runner.run(&run, execution.shard, execution.retry_failed, &cancel, &mut show).await;
        watch.abort();
        sitting
    })?
    .with_context(|| format!("the run stopped; `{}` keeps what was done", execution.out.display()))?;
    bar.finish();
    let totals = run.totals()?;
    output::note(&format!("run: {}: {}", execution.out.display(), output::totals_line(&totals)));
    for StoppedModel { model, why, left } in &sitting.stopped {
        output::note(&format!("`{model}` was given up with {left} samples to be run: {why}"));
    }
    if sitting.cancelled {
        output::note("interrupted: run again with the same arguments to go on");
    }
    Ok(sitting)
}

/// The experiment without the path of its suite: the suite itself is kept, wherever the file lies.
fn experiment_setting(experiment: &Experiment) -> serde_json::Value {
    let mut value = serde_json::to_value(experiment).unwrap_or_default();
    if let Some(fields) = value.as_object_mut() {
        fields.remove("suite");
        fields.remove("concurrency");
    }
    value
}

pub(crate) fn merge_runs(arguments: &MergeArguments) -> anyhow::Result<Status> {
    let merged = merge(&arguments.out, &arguments.runs).context("cannot join the runs")?;
    output::note(&format!(
        "joined: {} ({} samples, {} still to be run, {} that two parts had run)",
        arguments.out.display(),
        merged.samples,
        merged.waiting,
        merged.repeated.len()
    ));
    Ok(Status::Done)
}

impl Progress {
    /// Shows how far a run is.
    pub(crate) fn show(&mut self, progress: &RunProgress) {
        let cost = progress.cost_usd.filter(|cost| *cost > 0.0).map(|cost| format!(" {cost:.4} USD"));
        let message = format!("{} failed{}", progress.failed, cost.unwrap_or_default());
        self.length(progress.samples);
        self.set(progress.ended, &message);
    }
}
