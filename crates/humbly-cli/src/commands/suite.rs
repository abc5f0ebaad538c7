//! `humbly suite`: what a model believes, and the tasks built against it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;

use anyhow::{Context, bail};
use humbly_bench::conflict::{
    BuildParams, BuildProgress, ChoiceBy, ConflictQuestion, ControlledParams, ElicitParams, Funnel, Prompts,
    Scenario, Suite, build_suite, read_questions, starter_questions,
};
use humbly_llm::Sampling;
use humbly_types::Split;
use serde_json::json;

use super::{suite_calibration, suite_rows, suite_ua_bench};
use crate::args::{
    ChoiceByArgument, OutputFormat, ScenarioArgument, SuiteBuildArguments, SuiteCommand, SuiteName,
    SuiteShowArguments,
};
use crate::clients::{Clients, wait};
use crate::exit::Status;
use crate::output::{self, Progress, Table};

/// Longest reply of an embedded model about a belief.
const BELIEF_TOKENS: u32 = 32;

pub(crate) fn run(command: &SuiteCommand) -> anyhow::Result<Status> {
    match command {
        SuiteCommand::Build(arguments) => build(arguments),
        SuiteCommand::Show(arguments) => show(arguments),
    }
}

fn build(arguments: &SuiteBuildArguments) -> anyhow::Result<Status> {
    let prompts = match &arguments.prompts {
        Some(folder) => Prompts::load(folder),
        None => Prompts::built_in(),
    }
    .context("cannot use the prompts")?;
    if !arguments.set.is_empty() && !matches!(arguments.name, SuiteName::Calibration | SuiteName::UaBench) {
        bail!("--set goes with `humbly suite build calibration` and `humbly suite build ua-bench`");
    }
    let mut models = arguments.models.clone();
    if let Some(model) = &arguments.model
        && !["embedded:", "scripted:"].iter().any(|own| model.starts_with(own))
        && models.cache.is_none()
    {
        models.cache = Some(arguments.to.with_extension("replies.sqlite"));
    }
    let mut clients = Clients::new(&models)?;
    let suite = match arguments.name {
        SuiteName::Calibration => suite_calibration::build(arguments)?,
        SuiteName::UaBench => suite_ua_bench::build(arguments)?,
        SuiteName::Conflict => controlled(&mut clients, &prompts, arguments)?,
        SuiteName::Natural => suite_rows::natural(&mut clients, &prompts, arguments)?,
    };
    let is_nothing_asked = !suite.failed.is_empty() && suite.failed.len() as u64 == suite.asked;
    if is_nothing_asked && arguments.to.exists() {
        output::note(&format!("no question could be asked: `{}` stays as it was", arguments.to.display()));
        report_failed(&suite);
        return Ok(Status::FailedSamples);
    }
    suite.write(&arguments.to).context("cannot write the suite")?;
    if let (None, Some(cache)) = (&arguments.models.cache, &models.cache) {
        output::note(&format!("replies are kept in `{}`: no question is paid for twice", cache.display()));
    }
    output::note(&format!("suite: {} ({} tasks)", arguments.to.display(), suite.tasks.len()));
    print_tables(&suite, OutputFormat::Table)?;
    report_failed(&suite);
    if !suite.tasks.is_empty() {
        let model = if suite.model.is_empty() { "MODEL" } else { &suite.model };
        // Models that fit here follow no protocol of tools by themselves.
        let protocol = if model.starts_with("embedded:") { " --protocol guided" } else { "" };
        output::note(&format!(
            "hint: run it with `humbly run {} --model {model}{protocol}`",
            arguments.to.display()
        ));
    }
    Ok(if suite.failed.is_empty() { Status::Done } else { Status::FailedSamples })
}

fn controlled(
    clients: &mut Clients,
    prompts: &Prompts,
    arguments: &SuiteBuildArguments,
) -> anyhow::Result<Suite> {
    let (mut questions, dropped) = match arguments.dataset.as_deref() {
        Some(name) => {
            let rows = suite_rows::of_conflict(name, arguments)?;
            (rows.usable, rows.dropped)
        }
        None => (questions(arguments)?, BTreeMap::new()),
    };
    if let Some(limit) = arguments.limit {
        questions.truncate(limit);
    }
    let asked = Asked {
        model: model(arguments)?,
        seed: arguments.seed,
        scenarios: arguments.scenario.iter().map(|scenario| scenario_of(*scenario)).collect(),
        concurrency: arguments.concurrency,
        enough: arguments.enough,
        choice_by: choice_by(arguments.choice_by, model(arguments)?),
    };
    let suite = ask(clients, &questions, prompts, &asked)?;
    Ok(Suite { dropped, ..suite })
}

/// The model that is asked, which clap asks for unless there are sets.
pub(super) fn model(arguments: &SuiteBuildArguments) -> anyhow::Result<&str> {
    arguments.model.as_deref().context("this suite needs --model, e.g. --model embedded:smollm2-135m")
}

/// What is asked of whom.
pub(super) struct Asked<'a> {
    pub(super) model: &'a str,
    pub(super) seed: u64,
    pub(super) scenarios: Vec<Scenario>,
    pub(super) concurrency: usize,
    pub(super) enough: Option<usize>,
    pub(super) choice_by: ChoiceBy,
}

/// Embedded models give likelihoods; those that fit here are too small to answer with a letter.
pub(super) fn choice_by(asked: ChoiceByArgument, model: &str) -> ChoiceBy {
    match asked {
        ChoiceByArgument::Auto if model.starts_with("embedded:") => ChoiceBy::Likelihood,
        ChoiceByArgument::Likelihood => ChoiceBy::Likelihood,
        ChoiceByArgument::Auto | ChoiceByArgument::Reply => ChoiceBy::Reply,
    }
}

/// Asks for beliefs and builds the controlled suite, with progress on standard error.
pub(super) fn ask(
    clients: &mut Clients,
    questions: &[ConflictQuestion],
    prompts: &Prompts,
    asked: &Asked<'_>,
) -> anyhow::Result<Suite> {
    let (client, model) =
        clients.client(asked.model).with_context(|| format!("cannot reach `{}`", asked.model))?;
    let params = BuildParams {
        name: "conflict".to_owned(),
        model: asked.model.to_owned(),
        elicit: ElicitParams {
            model,
            sampling: belief_sampling(asked.model, asked.seed),
            seed: asked.seed,
            choice_by: asked.choice_by,
        },
        controlled: ControlledParams { seed: asked.seed, scenarios: asked.scenarios.clone() },
        concurrency: asked.concurrency,
        enough: asked.enough,
    };
    let mut bar = Progress::new("beliefs", questions.len());
    let mut show = |progress: BuildProgress| {
        bar.set(progress.asked, &format!("{} at level 3", progress.agreed));
    };
    let suite = wait(build_suite(client.as_ref(), questions, prompts, &params, &mut show))?
        .context("cannot use the prompts")?;
    bar.finish();
    Ok(suite)
}

/// Greedy and short for embedded models; reasoning models elsewhere refuse a temperature and need room.
pub(super) fn belief_sampling(model: &str, seed: u64) -> Sampling {
    let sampling = Sampling { seed: Some(seed), ..Sampling::default() };
    if model.starts_with("embedded:") {
        Sampling { temperature: Some(0.0), max_tokens: Some(BELIEF_TOKENS), ..sampling }
    } else {
        sampling
    }
}

/// Names the questions whose call failed.
pub(super) fn report_failed(suite: &Suite) {
    let Some(first) = suite.failed.first() else { return };
    output::note(&format!(
        "{} of {} questions could not be asked and have no level; first: `{}`: {} ({})",
        suite.failed.len(),
        suite.asked,
        first.id,
        first.message,
        first.code
    ));
    if let Some(why) = &suite.given_up {
        output::note(&format!("the other questions were not asked: {why}"));
    }
    output::hints(suite.failed.iter().map(|failed| failed.code.as_str()));
}

fn questions(arguments: &SuiteBuildArguments) -> anyhow::Result<Vec<ConflictQuestion>> {
    let Some(path) = &arguments.questions else { return Ok(starter_questions()) };
    let file = File::open(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let shown = path.to_string_lossy();
    let dataset = path.file_stem().map_or_else(|| "questions".into(), |stem| stem.to_string_lossy());
    let (questions, problems) = read_questions(BufReader::new(file), &shown, &dataset);
    output::problems(&problems);
    if questions.is_empty() {
        bail!("`{shown}` holds no usable question; hint: see docs/suites.md for the fields");
    }
    Ok(questions)
}

fn scenario_of(argument: ScenarioArgument) -> Scenario {
    match argument {
        ScenarioArgument::ClosedBook => Scenario::ClosedBook,
        ScenarioArgument::Rag => Scenario::Rag,
        ScenarioArgument::Pck => Scenario::Pck,
    }
}

fn show(arguments: &SuiteShowArguments) -> anyhow::Result<Status> {
    let suite = Suite::read(&arguments.suite).context("cannot show the suite")?;
    match arguments.output {
        OutputFormat::Json => {
            let tasks: Vec<_> = suite
                .task_counts()
                .into_iter()
                .map(|((scenario, split), count)| json!({"scenario": scenario, "split": split, "tasks": count}))
                .collect();
            output::json(&json!({
                "schema": suite.schema, "name": suite.name, "model": suite.model, "seed": suite.seed,
                "choice_by": suite.choice_by,
                "asked": suite.asked, "failed": suite.failed.len(), "levels": suite.levels(),
                "funnel": (!suite.natural.is_empty()).then(|| Funnel::of(&suite.natural)),
                "nested": (!suite.natural.is_empty()).then(|| BTreeMap::from(Funnel::of(&suite.natural).nested())),
                "dropped": suite.dropped, "coverage": suite.coverage, "tasks": tasks, "prompts": suite.prompts, "humbly": suite.humbly,
            }))?;
        }
        format => {
            print_tables(&suite, format)?;
        }
    }
    Ok(Status::Done)
}

/// EH Table 3 of a controlled suite, EH Table 4 of a natural one, and the rows that fell out.
fn print_tables(suite: &Suite, format: OutputFormat) -> anyhow::Result<()> {
    if let Some(coverage) = &suite.coverage {
        if format == OutputFormat::Table {
            output::stdout(format!("{coverage}\n").as_bytes())?;
        }
        output::table(&suite_ua_bench::table(coverage), format)?;
    } else if suite.name == "calibration" {
        output::table(&suite_calibration::table(suite), format)?;
    } else if suite.natural.is_empty() {
        output::table(&levels_table(suite), format)?;
    } else {
        output::table(&funnel_table(suite), format)?;
        output::table(&nested_table(suite), format)?;
    }
    if !suite.dropped.is_empty() {
        let mut table = Table::new(&["rows left out", "why"]);
        for (reason, count) in &suite.dropped {
            table.row([count.to_string(), reason.clone()]);
        }
        output::table(&table, format)?;
    }
    Ok(())
}

/// EH Table 3.
pub(super) fn levels_table(suite: &Suite) -> Table {
    let mut table = Table::new(&[
        "model",
        "asked",
        "L0 no answer",
        "L1 free-form only",
        "L2 inconsistent",
        "L3 agreed",
        "failed",
        "tasks",
    ]);
    let [l0, l1, l2, l3] = suite.levels().map(|count| count.to_string());
    let tasks: Vec<String> = suite
        .task_counts()
        .into_iter()
        .map(|((scenario, split), count)| {
            let split = if split == Split::Conflict { "conflict" } else { "control" };
            format!("{scenario} {split} {count}")
        })
        .collect();
    let failed = suite.failed.len().to_string();
    let choice_by = match suite.choice_by {
        ChoiceBy::Reply => "reply",
        ChoiceBy::Likelihood => "likelihood",
    };
    let model = format!("{}\nchoice by {choice_by}", suite.model);
    table.row([model, suite.asked.to_string(), l0, l1, l2, l3, failed, tasks.join("\n")]);
    table
}

/// EH Table 4.
fn funnel_table(suite: &Suite) -> Table {
    let mut table = Table::new(&[
        "data set · model",
        "total",
        "has PK",
        "self agrees",
        "disagrees GT",
        "selected",
        "agrees GT",
        "no belief",
    ]);
    for (dataset, funnel) in funnels(suite) {
        table.row([
            format!("{dataset} · {}", suite.model),
            funnel.total.to_string(),
            funnel.has_pk.to_string(),
            funnel.self_agrees.to_string(),
            funnel.disagrees_gt.to_string(),
            funnel.selected.to_string(),
            funnel.agrees_gt.to_string(),
            funnel.no_strong_belief.to_string(),
        ]);
    }
    table
}

/// The same as steps, each with its share of the step before.
fn nested_table(suite: &Suite) -> Table {
    let mut table =
        Table::new(&["data set · model", "total", "has PK", "of these self agrees", "of these disagrees GT"]);
    for (dataset, funnel) in funnels(suite) {
        let steps = funnel.nested().map(|(_, count)| count);
        let mut row = vec![format!("{dataset} · {}", suite.model)];
        for (index, count) in steps.iter().enumerate() {
            let before =
                index.checked_sub(1).and_then(|index| steps.get(index)).filter(|before| **before > 0);
            row.push(match before {
                Some(before) => format!("{count} ({:.0} %)", 100.0 * *count as f64 / *before as f64),
                None => count.to_string(),
            });
        }
        table.row(row);
    }
    table
}

/// The funnel of each data set, in the order of their names.
fn funnels(suite: &Suite) -> Vec<(&str, Funnel)> {
    let mut datasets: Vec<&str> = suite.natural.iter().map(|belief| belief.dataset.as_str()).collect();
    datasets.sort_unstable();
    datasets.dedup();
    let of = |dataset| suite.natural.iter().filter(move |belief| belief.dataset == dataset);
    datasets.into_iter().map(|dataset| (dataset, Funnel::of(of(dataset)))).collect()
}
