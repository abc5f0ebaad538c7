//! `humbly quickstart`: the whole job on one model, from its beliefs to the report.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use clap::Parser;
use humbly_agent::{Prompts, Protocol};
use humbly_bench::conflict::{
    self, ElicitParams, Scenario, Suite, ask_unanswerable, starter_questions, unanswerable_questions,
};
use humbly_bench::experiment::Experiment;
use humbly_bench::{Behaviour, Needed, ScriptedAgent, missing_cells};
use humbly_llm::Sampling;
use humbly_store::Shard;

use super::{model, run, score, suite};
use crate::args::{Arguments, ChoiceByArgument, Command, OutputFormat, QuickstartArguments, ScoreArguments};
use crate::clients::{Clients, wait};
use crate::exit::Status;
use crate::output::{self, Table};

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
    if suite.given_up.is_some() && suite.tasks.is_empty() {
        return Ok(Status::FailedSamples);
    }
    let unanswered = without_answer(arguments, &mut clients, &suite)?;
    if suite.tasks.is_empty() {
        // There is nothing to run.
        report_missing(&missing_cells(&[], 0, NEEDED));
        let has_failed = unanswered > 0 || !suite.failed.is_empty();
        return Ok(if has_failed { Status::FailedSamples } else { Status::Missed });
    }
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
    if !sitting.stopped.is_empty() {
        output::hints(sitting.stopped.iter().map(|stopped| stopped.why.code.as_str()));
    }

    heading(&format!("What `{}` does with {} conflicts and their controls", arguments.model, pairs(&suite)))?;
    let (_, rows) = score::score(&scoring(&out, Some(&arguments.report))?)?;

    let scripted = folder.join("scripted.sqlite");
    run_scripted(&suite, &scripted, arguments.seed, &prompts, &mut clients)?;
    heading("For comparison: two scripted agents with known answers on the same tasks")?;
    score::score(&scoring(&scripted, None)?)?;

    let missing = missing_cells(&rows, pairs(&suite), NEEDED);
    report_missing(&missing);
    Ok(
        if sitting.progress.failed > 0
            || !sitting.stopped.is_empty()
            || !suite.failed.is_empty()
            || unanswered > 0
        {
            Status::FailedSamples
        } else if missing.is_empty() {
            Status::Done
        } else {
            Status::Missed
        },
    )
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

fn report_missing(missing: &[String]) {
    for line in missing {
        output::note(&format!("missing: {line}"));
    }
}

/// Questions that have no answer, and beside them those of the beliefs: who declines everything is found out. Returns
/// how many calls failed.
fn without_answer(
    arguments: &QuickstartArguments,
    clients: &mut Clients,
    suite: &Suite,
) -> anyhow::Result<usize> {
    let prompts = conflict::Prompts::built_in().context("cannot use the prompts")?;
    let (client, model) = clients.client(&arguments.model)?;
    let params = ElicitParams {
        model,
        sampling: suite::belief_sampling(&arguments.model, arguments.seed),
        seed: arguments.seed,
        choice_by: suite.choice_by,
    };
    let questions = unanswerable_questions();
    let asking = ask_unanswerable(client.as_ref(), &questions, &prompts, &params, CONCURRENCY);
    let set = wait(asking)?.context("cannot use the prompts")?;
    heading(&format!(
        "What `{}` says to {} questions that have no answer",
        arguments.model,
        questions.len()
    ))?;
    let rates = set.beside(&suite.beliefs)?;
    let mut table = Table::new(&["questions", "asked", "declines to answer"]);
    for (kind, name) in [
        (Some("missing_premise"), "a premise is missing"),
        (Some("ambiguous"), "ambiguous"),
        (Some("subjective"), "a matter of taste"),
        (None, "without an answer (recall)"),
    ] {
        let asked = questions.iter().filter(|question| kind.is_none_or(|kind| question.kind == kind)).count();
        table.row([name.to_owned(), asked.to_string(), output::measured_cell(&set.declined(kind)?)]);
    }
    table.row([
        "with one (false abstention)".to_owned(),
        suite.beliefs.len().to_string(),
        output::measured_cell(&rates.false_abstention_rate),
    ]);
    output::table(&table, OutputFormat::Table)?;
    let coverage = output::measured_cell(&rates.coverage).replace('\n', " ");
    output::stdout(format!("coverage (answered, of all): {coverage}\n").as_bytes())?;
    if set.undecided() > 0 {
        output::note(&format!("{} replies are in no rate: the rules do not cover them", set.undecided()));
    }
    if let Some(first) = set.failed.first() {
        output::note(&format!("{} questions could not be asked: {}", set.failed.len(), first.message));
        output::hints([first.code.as_str()]);
    }
    Ok(set.failed.len())
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
