//! `humbly reward`: rollouts in, a reward card out.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, bail};
use humbly_pipeline::rewards::{
    Distribution, IseFiles, RewardCard, RewardColumns, RewardRequest, score_ise, score_responses,
};
use humbly_rewards::{IseParams, IseReward, Settings, build};
use humbly_stats::intervals::BootstrapParams;
use serde::Serialize;

use crate::args::RewardArguments;
use crate::args::{OutputFormat, ScaleArgument};
use crate::exit::Status;
use crate::output::{self, Table, measured_cell, problem_error};

pub(crate) fn run(arguments: &RewardArguments) -> anyhow::Result<Status> {
    let mut rows = arguments
        .rows
        .as_deref()
        .map(|path| File::create(path).with_context(|| format!("cannot write `{}`", path.display())))
        .transpose()?
        .map(BufWriter::new);
    let card = if arguments.reward == "ise" {
        score_verdicts(arguments, rows.as_mut())?
    } else {
        score_rollouts(arguments, rows.as_mut())?
    };
    if let Some(mut rows) = rows {
        rows.flush().context("cannot write the rows")?;
    }
    match arguments.output {
        OutputFormat::Json => output::json(&card)?,
        format => print_card(&card, format)?,
    }
    for alarm in &card.alarms {
        output::note(&format!("alarm: {}", alarm.message));
    }
    output::problems(&card.problems);
    if card.rows == 0 {
        bail!("`{}` holds no row that can be read", arguments.file.display());
    }
    let is_complete = card.problems.is_empty() && card.scored == card.rows;
    Ok(if arguments.strict && !is_complete { Status::Missed } else { Status::Done })
}

fn settings(arguments: &RewardArguments) -> anyhow::Result<Settings> {
    let mut settings = Settings::default();
    if arguments.reward != "ise" && arguments.scale == ScaleArgument::Percent {
        settings.set("scale", "percent");
    }
    for pair in &arguments.set {
        let (name, value) = pair
            .split_once('=')
            .with_context(|| format!("`--set {pair}` is no NAME=VALUE, expected e.g. --set beta1=1"))?;
        settings.set(name.trim(), value.trim());
    }
    Ok(settings)
}

fn described(arguments: &RewardArguments, settings: &Settings) -> BTreeMap<String, String> {
    let mut described: BTreeMap<String, String> =
        settings.iter().map(|(name, value)| (format!("set.{name}"), value.to_owned())).collect();
    described.insert("reward".to_owned(), arguments.reward.clone());
    described.insert("seed".to_owned(), arguments.seed.to_string());
    described.insert("resamples".to_owned(), arguments.resamples.to_string());
    described.insert("version".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
    described
}

fn input(path: &Path) -> anyhow::Result<Box<dyn BufRead>> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(BufReader::new(std::io::stdin())));
    }
    let file = File::open(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    Ok(Box::new(BufReader::with_capacity(1 << 20, file)))
}

/// Writes a row where rows are wanted.
fn write_row(rows: Option<&mut BufWriter<File>>, row: &impl Serialize) -> std::io::Result<()> {
    let Some(rows) = rows else { return Ok(()) };
    serde_json::to_writer(&mut *rows, row)?;
    rows.write_all(b"\n")
}

fn score_rollouts(
    arguments: &RewardArguments,
    mut rows: Option<&mut BufWriter<File>>,
) -> anyhow::Result<RewardCard> {
    let settings = settings(arguments)?;
    let reward = build(&arguments.reward, &settings).context("cannot build the reward")?;
    let path = arguments.file.display().to_string();
    let mut described = described(arguments, &settings);
    described.insert("protocol".to_owned(), reward.scoring().protocol.name().to_owned());
    described.insert("match".to_owned(), reward.scoring().matching.name().to_owned());
    let request = RewardRequest {
        path: &path,
        columns: RewardColumns {
            response: arguments.response.clone(),
            references: arguments.references.clone(),
            prompt: arguments.prompt.clone(),
            question: arguments.question.clone(),
            label: arguments.label.clone(),
        },
        settings: described,
        bootstrap: BootstrapParams::new(arguments.resamples, 0.95, arguments.seed)?,
    };
    let mut input = input(&arguments.file)?;
    score_responses(&mut input, reward.as_ref(), request, &mut |row| write_row(rows.as_deref_mut(), row))
        .map_err(problem_error)
}

fn score_verdicts(
    arguments: &RewardArguments,
    mut rows: Option<&mut BufWriter<File>>,
) -> anyhow::Result<RewardCard> {
    let settings = settings(arguments)?;
    let mut weights =
        BTreeMap::from([("identify", 0.5), ("solve", 0.5), ("escalate", 0.5), ("correct", 1.0)]);
    for (name, value) in settings.iter() {
        let Some(weight) = weights.get_mut(name) else {
            bail!("reward `ise` has no setting `{name}`, expected identify, solve, escalate or correct");
        };
        *weight =
            value.parse().with_context(|| format!("setting `{name}` is `{value}`, expected a number"))?;
    }
    let of = |name| weights.get(name).copied().unwrap_or_default();
    let params = IseParams::new(of("identify"), of("solve"), of("escalate"), of("correct"))?;
    let scores = arguments.scores.as_deref().context(
        "reward `ise` needs --scores FILE.json, what `humbly score LOGS --tasks TASKS --output json` printed",
    )?;
    let text =
        std::fs::read_to_string(scores).with_context(|| format!("cannot read `{}`", scores.display()))?;
    let (verdicts, scores) = (arguments.file.display().to_string(), scores.display().to_string());
    let files = IseFiles {
        verdicts: &verdicts,
        scores: &scores,
        settings: described(arguments, &settings),
        bootstrap: BootstrapParams::new(arguments.resamples, 0.95, arguments.seed)?,
    };
    let mut input = input(&arguments.file)?;
    score_ise(&mut input, &text, IseReward::new(params), files, &mut |row| {
        write_row(rows.as_deref_mut(), row)
    })
    .map_err(problem_error)
}

fn print_card(card: &RewardCard, format: OutputFormat) -> anyhow::Result<()> {
    let mut table =
        Table::new(&["quantity", "mean", "sd", "low", "5 %", "25 %", "median", "75 %", "95 %", "high"]);
    let mut add = |name: &str, distribution: &Distribution| {
        let mut cells = vec![name.to_owned(), measured_cell(&distribution.mean)];
        let rest = [
            &distribution.sd,
            &distribution.low,
            &distribution.p05,
            &distribution.p25,
            &distribution.median,
            &distribution.p75,
            &distribution.p95,
            &distribution.high,
        ];
        // All rest on the n of the mean.
        cells.extend(
            rest.map(|measured| measured.value().map_or_else(|| "undefined".to_owned(), output::number)),
        );
        table.row(cells);
    };
    add("reward", &card.score);
    add("reward if right", &card.right);
    add("reward if wrong", &card.wrong);
    for component in card.components.iter().filter(|component| component.name != "score") {
        add(&component.name, &component.distribution);
    }
    output::table(&table, format)?;
    if format == OutputFormat::Csv {
        return Ok(());
    }
    let mut more = Table::new(&["quantity", "value"]);
    more.row(["right minus wrong".to_owned(), measured_cell(&card.gap)]);
    more.row(["right answers".to_owned(), measured_cell(&card.accuracy)]);
    more.row(["rows with a reward".to_owned(), measured_cell(&card.scorable)]);
    for (reason, count) in &card.unscorable {
        more.row([format!("no reward: {reason}"), count.to_string()]);
    }
    let commonest = card.confidence.commonest.map_or_else(|| "none stated".to_owned(), output::number);
    more.row([format!("commonest confidence: {commonest}"), measured_cell(&card.confidence.share)]);
    let commonest = card.answers.commonest.as_deref().unwrap_or("none given");
    more.row([format!("commonest answer: {commonest}"), measured_cell(&card.answers.share)]);
    for (reason, count) in &card.confidence_faults {
        more.row([format!("unusable confidence: {reason}"), count.to_string()]);
    }
    for fault in &card.faults {
        let example = &fault.example;
        let shown = format!(
            "{}\nline {}, byte {}, expected {}:\n{}⟨here⟩{}",
            fault.n, example.line, example.offset, example.expected, example.before, example.after
        );
        more.row([format!("format broken: {}", fault.rule), shown.replace('\r', " ")]);
    }
    output::table(&more, format)
}
