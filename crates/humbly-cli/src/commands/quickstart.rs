//! `humbly quickstart`: the whole job on one model, from its beliefs to the report.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use clap::Parser;
use humbly_agent::{Prompts, Protocol};
use humbly_bench::conflict::{self, Scenario, Suite, starter_questions};
use humbly_bench::experiment::Experiment;
use humbly_bench::{Behaviour, Needed, ScriptedAgent, missing_cells};
use humbly_llm::Sampling;
use humbly_store::Shard;

use super::{model, run, score, suite};
use crate::args::{Arguments, ChoiceByArgument, Command, OutputFormat, QuickstartArguments, ScoreArguments};
use crate::clients::Clients;
use crate::exit::Status;
use crate::output;

const NEEDED: Needed = Needed { pairs: 30, cells: 5 };
/// Samples in flight: rows that the embedded model decodes together.
const CONCURRENCY: usize = 16;
/// Longest reply of the small model in tokens; the guided stages ask for one sentence each.
const REPLY: u32 = 40;
/// Longest passage and longest search result in characters.
const OBSERVATION: usize = 400;

pub(crate) fn run(arguments: &QuickstartArguments) -> anyhow::Result<Status> {
    if let Some(name) = arguments.model.strip_prefix("embedded:") {
        model::ensure(name)?;
    }
    let temporary;
    let folder: &Path = if let Some(folder) = &arguments.keep {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
        folder
    } else {
        temporary = tempfile::tempdir().context("cannot make a temporary folder")?;
        temporary.path()
    };
    let mut clients = Clients::new(&arguments.models)?;
    let suite = beliefs(arguments, &mut clients)?;
    let is_embedded = arguments.model.starts_with("embedded:");
    let protocol = match arguments.protocol {
        Some(protocol) => run::protocol_of(protocol),
        None if is_embedded => Protocol::Guided,
        None => Protocol::Native,
    };
    let mut experiment = experiment(vec![arguments.model.clone()], arguments.seed, folder.join("suite.json"));
    experiment.protocols = vec![protocol];
    if !is_embedded {
        // The provider's own settings: reasoning models refuse a temperature and need room.
        experiment.sampling = Sampling::default();
    }
    suite.write(&experiment.suite).context("cannot write the suite")?;
    let prompts = Prompts::built_in().context("cannot use the prompts")?;
    let out = folder.join("run.sqlite");
    let execution = run::Execution { out: &out, shard: Shard::WHOLE, retry_failed: false };
    let sitting = run::execute(&experiment, &suite, &prompts, &mut clients, &execution)?;

    heading(&format!("What `{}` does with {} conflicts and their controls", arguments.model, pairs(&suite)))?;
    let (_, rows) = score::score(&scoring(&out, Some(&arguments.report))?)?;

    let scripted = folder.join("scripted.sqlite");
    run_scripted(&suite, &scripted, arguments.seed, &prompts, &mut clients)?;
    heading("For comparison: two scripted agents with known answers on the same tasks")?;
    score::score(&scoring(&scripted, None)?)?;

    let missing = missing_cells(&rows, pairs(&suite), NEEDED);
    for line in &missing {
        output::note(&format!("missing: {line}"));
    }
    Ok(if sitting.progress.failed > 0 || !suite.failed.is_empty() {
        Status::FailedSamples
    } else if missing.is_empty() {
        Status::Done
    } else {
        Status::Missed
    })
}

fn beliefs(arguments: &QuickstartArguments, clients: &mut Clients) -> anyhow::Result<Suite> {
    let prompts = conflict::Prompts::built_in().context("cannot use the prompts")?;
    let suite = suite::ask(
        clients,
        &starter_questions(),
        &prompts,
        &suite::Asked {
            model: &arguments.model,
            seed: arguments.seed,
            scenarios: vec![Scenario::Rag],
            concurrency: CONCURRENCY,
            enough: Some(arguments.pairs),
            choice_by: suite::choice_by(ChoiceByArgument::Auto, &arguments.model),
        },
    )?;
    heading(&format!("What `{}` believes", arguments.model))?;
    output::table(&suite::levels_table(&suite), OutputFormat::Table)?;
    suite::report_failed(&suite);
    Ok(suite)
}

fn experiment(models: Vec<String>, seed: u64, suite: PathBuf) -> Experiment {
    Experiment {
        suite,
        models,
        protocols: vec![Protocol::Plain],
        conditions: run::default_conditions(),
        seeds: vec![seed],
        tools: vec!["search".to_owned()],
        observation_limit: OBSERVATION,
        sampling: Sampling { temperature: Some(0.0), max_tokens: Some(REPLY), ..Sampling::default() },
        concurrency: CONCURRENCY,
        ..Experiment::default()
    }
}

fn run_scripted(
    suite: &Suite,
    out: &Path,
    seed: u64,
    prompts: &Prompts,
    clients: &mut Clients,
) -> anyhow::Result<()> {
    for behaviour in Behaviour::ALL {
        clients.insert(behaviour.model(), Arc::new(ScriptedAgent::new(suite, behaviour)));
    }
    let models = Behaviour::ALL.map(|behaviour| behaviour.model().to_owned()).into();
    let mut experiment = experiment(models, seed, PathBuf::new());
    experiment.conditions.truncate(1);
    let execution = run::Execution { out, shard: Shard::WHOLE, retry_failed: false };
    run::execute(&experiment, suite, prompts, clients, &execution).map(drop)
}

/// The arguments of `humbly score RUN`, with every default as a user gets it.
fn scoring(run: &Path, report: Option<&Path>) -> anyhow::Result<ScoreArguments> {
    let mut line: Vec<std::ffi::OsString> = vec!["humbly".into(), "score".into(), run.into()];
    if let Some(report) = report {
        line.extend(["--report".into(), report.into()]);
    }
    match Arguments::try_parse_from(line)?.command {
        Command::Score(arguments) => Ok(*arguments),
        _ => anyhow::bail!("invariant: `score` is the command"),
    }
}

fn pairs(suite: &Suite) -> usize {
    suite.tasks.len() / 2
}

fn heading(text: &str) -> anyhow::Result<()> {
    output::stdout(format!("\n## {text}\n\n").as_bytes())
}
