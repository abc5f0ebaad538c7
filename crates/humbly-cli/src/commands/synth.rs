//! `humbly synth`: a training set for attribution of uncertainty out of problems of mathematics.

mod show;

use std::path::Path;

use anyhow::{Context, bail};
use humbly_bench::experiment::{Estimate, ModelEstimate, Range};
use humbly_data::{Cache, LoadReport, MATHS, Question, data_set, load, load_local};
use humbly_store::RunFile;
use humbly_synth::{
    CallEstimate, KindsAsked, Original, Plan, Progress as Done, Prompts, Seat, Statistics, Synth, SynthError,
    originals, rows, write_json, write_rows,
};

use super::data::{data_error, pull};
use super::run::estimate;
use crate::args::{KindsArgument, SynthArguments};
use crate::clients::{Clients, wait};
use crate::exit::Status;
use crate::output::{self, Progress, problem_error};

/// Longest reply of an embedded model, whose own limit is shorter than a problem in full may be.
const EMBEDDED_TOKENS: u32 = 512;

pub(crate) fn run(arguments: &SynthArguments) -> anyhow::Result<Status> {
    let plan = plan(arguments)?;
    let originals = problems(arguments)?;
    plan.check(originals.len()).map_err(with_hint)?;
    let prompts = match &arguments.prompts {
        Some(folder) => Prompts::load(folder),
        None => Prompts::built_in(),
    }
    .context("cannot use the prompts")?;
    let folder = &arguments.to;
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder `{}`", folder.display()))?;
    let mut models = arguments.models.clone();
    models.cache.get_or_insert_with(|| folder.join("replies.sqlite"));
    let mut clients = Clients::new(&models)?;
    clients.allow(arguments.concurrency);
    let mut seat = |name: &str, temperature: f64| seat(&mut clients, arguments, name, temperature);
    let rewriter = seat(&arguments.rewriter, arguments.rewriter_temperature)?;
    let validator = seat(&arguments.validator, arguments.validator_temperature)?;
    if arguments.rewriter == arguments.validator {
        output::note("warning: rewriter and validator are one model: it judges its own work");
    }
    let synth = Synth {
        plan: &plan,
        originals: &originals,
        prompts: &prompts,
        rewriter: &rewriter,
        validator: &validator,
        concurrency: arguments.concurrency,
    };
    estimate::check_and_show(&expected(&synth)?, &clients)?;
    if arguments.dry_run {
        return Ok(Status::Done);
    }
    let statistics = make(&synth, folder)?;
    show::print(&statistics, arguments.output)?;
    show::advise(&statistics);
    Ok(if statistics.is_complete { Status::Done } else { Status::FailedSamples })
}

fn plan(arguments: &SynthArguments) -> anyhow::Result<Plan> {
    for (name, temperature) in
        [("rewriter", arguments.rewriter_temperature), ("validator", arguments.validator_temperature)]
    {
        if !(0.0..=2.0).contains(&temperature) {
            bail!("--{name}-temperature is {temperature}, expected a number from 0 to 2");
        }
    }
    Ok(Plan {
        train: arguments.train,
        validation: arguments.validation,
        composition: arguments.composition.parse()?,
        tries: arguments.tries,
        kinds: match arguments.kinds {
            KindsArgument::One => KindsAsked::One,
            KindsArgument::Both => KindsAsked::Both,
        },
        compares: !arguments.no_comparison,
        seed: arguments.seed,
    })
}

/// The usable problems of a file, folder or data set; what is not usable is listed or counted.
fn problems(arguments: &SynthArguments) -> anyhow::Result<Vec<Original>> {
    let source = &arguments.source;
    let mut questions: Vec<Question> = Vec::new();
    let mut each = |question: Question| questions.push(question);
    let report: LoadReport = if source.exists() {
        if arguments.path.is_some() {
            bail!(
                "--path goes with the name of a data set; `{}` is a file or folder itself",
                source.display()
            );
        }
        load(&MATHS, source, &mut each).map_err(problem_error)?
    } else {
        let set = data_set(&source.to_string_lossy()).map_err(|error| {
            data_error(error).context(format!("`{}` is no file, no folder and no data set", source.display()))
        })?;
        if let Some(path) = &arguments.path {
            load(set, path, &mut each).map_err(problem_error)?
        } else {
            let cache = Cache::from_variables(|name| std::env::var_os(name)).map_err(data_error)?;
            load_local(&cache, set, &mut each).map_err(data_error)?
        }
    };
    pull::report(&report);
    let mut found = originals(questions);
    for (reason, count) in &found.left_out {
        output::note(&format!("left out: {count} ({reason})"));
    }
    if found.all.is_empty() {
        bail!("`{}` holds no problem with an answer; hint: {}", source.display(), MATHS.expects);
    }
    if let Some(limit) = arguments.limit {
        found.all.truncate(limit);
    }
    Ok(found.all)
}

fn seat(
    clients: &mut Clients,
    arguments: &SynthArguments,
    name: &str,
    temperature: f64,
) -> anyhow::Result<Seat> {
    let (client, model) = clients.client(name).with_context(|| format!("cannot use `{name}`"))?;
    let max_tokens = arguments.max_tokens.or(name.starts_with("embedded:").then_some(EMBEDDED_TOKENS));
    Ok(Seat { client, name: name.to_owned(), model, temperature: Some(temperature), max_tokens })
}

fn expected(synth: &Synth<'_>) -> anyhow::Result<Estimate> {
    let found = synth.estimate()?;
    let range = |(low, high): (u64, u64)| Range { low, high };
    let of = |seat: &Seat, calls: &CallEstimate| ModelEstimate {
        model: seat.name.clone(),
        samples: found.items,
        measured: found.measured,
        calls: range(calls.calls),
        input: range(calls.input),
        output: range(calls.output),
        assumed_output: calls.assumed_output,
    };
    let models = vec![of(synth.rewriter, &found.rewriter), of(synth.validator, &found.validator)];
    Ok(Estimate { samples: found.items, models })
}

/// Asks, writes the files and counts.
fn make(synth: &Synth<'_>, folder: &Path) -> anyhow::Result<Statistics> {
    let settings = synth.settings();
    let path = folder.join("synth.sqlite");
    let run = RunFile::open_or_create(&path, &serde_json::to_value(&settings)?)
        .map_err(|error| with_hint(error.into()))?;
    let mut bar = Progress::new("variants", 0);
    let mut show = |done: Done| {
        bar.length(done.asked);
        bar.set(done.ended, &format!("{} verified", done.verified));
    };
    let sitting = wait(synth.sit(&run, &mut show))?
        .map_err(with_hint)
        .with_context(|| format!("the work stopped; `{}` keeps what was done", path.display()))?;
    bar.finish();
    let rows = rows(synth.plan, synth.originals, &sitting.selection);
    let statistics = Statistics::new(synth.plan, synth.originals, settings, &sitting, &rows);
    for (path, rows) in write_rows(folder, &rows)? {
        output::note(&format!("wrote {} ({rows} rows)", path.display()));
    }
    write_json(&folder.join("statistics.json"), &statistics)?;
    Ok(statistics)
}

#[expect(clippy::needless_pass_by_value, reason = "it stands in `map_err`")]
fn with_hint(error: SynthError) -> anyhow::Error {
    let hint = error.hint().map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
    anyhow::anyhow!("{error}{hint}")
}
