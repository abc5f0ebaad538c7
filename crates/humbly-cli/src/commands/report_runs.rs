//! `humbly report`: the paper's tables and figures from runs.

mod calibration;
mod items;
mod material;
mod models;

use std::io::BufWriter;

use anyhow::{Context, bail};
use humbly_judge::LexicalJudge;
use humbly_pipeline::{RowJudge, ScoredRun, scored_run};
use humbly_report::tables::{Item, PaperItem, PaperReport, PaperTable, latex, paper_report};
use humbly_report::{ReportOptions, write_paper_page};
use humbly_score::{Matching, Settings, SolveOver};
use humbly_types::Problem;
use serde_json::json;

use crate::args::{CorrectnessArgument, MatchingArgument, ReportArguments, ReportOutput};
use crate::exit::Status;
use crate::output::{self, Table};

/// Version of the JSON.
const SCHEMA: &str = "humbly.report/1";
/// Columns of values that fit a terminal.
const MOST_COLUMNS: usize = 6;

pub(crate) fn run(arguments: &ReportArguments) -> anyhow::Result<Status> {
    if arguments.models {
        return models::run(arguments);
    }
    if super::ua::are_of_ua(&arguments.runs)? {
        return super::ua::report(arguments);
    }
    if arguments.compat.is_some() {
        bail!("--compat goes with runs of UA-Bench");
    }
    let lists = (arguments.table.as_deref(), arguments.figure.as_deref());
    // A mistake in the lists shows before anything is read.
    items::chosen(lists.0, lists.1, true, true)?;
    let lexical = LexicalJudge::new();
    let judge = row_judge(arguments);
    if judge == RowJudge::Lexical && arguments.correctness != CorrectnessArgument::Rules {
        bail!(
            "--correctness {} is a model's, and the judge is lexical; hint: name by --judge a model that has judged the runs",
            arguments.correctness.code()
        );
    }
    let mut settings = settings(arguments, &lexical);
    let (runs, mut problems) = read(&arguments.runs, &lexical, &judge, &settings)?;
    settings.judge = one_judge(&runs)?;
    if *settings.judge != **lexical.name() {
        settings.judge_hash = String::new();
    }
    let people = material::people(&arguments.sheets, arguments.seed)?;
    let has_calibration = runs.iter().any(calibration::is_study);
    let has_conflicts = runs.iter().any(|run| !calibration::is_study(run));
    let items = items::chosen(lists.0, lists.1, has_conflicts, has_calibration)?;
    let mut material = material::of(&runs, &settings, people)?;
    if items.iter().any(|item| matches!(item, Item::Calibration(_))) {
        material.calibration = Some(calibration::study(&runs, &settings)?);
    }
    let against = arguments.against.is_some();
    let report = paper_report(&material, &items, against);
    for run in &runs {
        problems.extend(run.problems.iter().cloned());
    }
    match arguments.output {
        ReportOutput::Table => print_tables(&report, &runs, &settings)?,
        ReportOutput::Latex => output::stdout(latex(&report).as_bytes())?,
        ReportOutput::Csv => output::stdout(csv(&report)?.as_bytes())?,
        ReportOutput::Json => output::json(&json!({
            "schema": SCHEMA,
            "settings": settings,
            "inputs": runs.iter().map(|run| &run.path).collect::<Vec<_>>(),
            "items": report.items,
            "curves": report.curves,
            "problems": problems,
        }))?,
    }
    if let Some(path) = &arguments.report {
        let options = ReportOptions {
            title: "Humbly: the paper’s tables".to_owned(),
            redact: !arguments.no_redact,
            ..ReportOptions::default()
        };
        let out = BufWriter::new(super::score::create(path)?);
        let redactions =
            write_paper_page(out, &report, &material, &facts(&runs, &settings), against, &options)
                .context("cannot write the page")?;
        output::note(&format!("report: {} ({} places redacted)", path.display(), redactions.total()));
    }
    output::problems(&problems);
    Ok(Status::Done)
}

/// The judge that is named, unless the lexical one is: with or without its version.
pub(super) fn stored_judge(arguments: &ReportArguments) -> Option<String> {
    let name = arguments.judge.trim();
    let is_lexical = name == "lexical" || *name == **LexicalJudge::new().name();
    (!is_lexical).then(|| name.to_owned())
}

fn row_judge(arguments: &ReportArguments) -> RowJudge {
    stored_judge(arguments).map_or(RowJudge::Lexical, RowJudge::Stored)
}

fn settings(arguments: &ReportArguments, judge: &LexicalJudge) -> Settings {
    Settings {
        humbly: env!("CARGO_PKG_VERSION").to_owned(),
        judge: judge.name().to_string(),
        judge_hash: judge.rules_hash(),
        matching: match arguments.matching {
            MatchingArgument::Auto => Matching::Auto,
            MatchingArgument::Exact => Matching::Exact,
            MatchingArgument::Contains => Matching::Contains,
            MatchingArgument::Gaia => Matching::Gaia,
            MatchingArgument::Monaco => Matching::Monaco,
            MatchingArgument::Latex => Matching::Latex,
        },
        seed: arguments.seed,
        resamples: arguments.resamples,
        level: 0.95,
        episodes: "each".to_owned(),
        solve_over: SolveOver::Conflict,
        solve_same_turn: false,
        paper: arguments.paper,
        bins: 10,
        confidence_scale: "unit".to_owned(),
        attribution_f1: "released".to_owned(),
        correctness: arguments.correctness.by(),
        tasks_hash: None,
    }
}

/// Reads every input once; the same samples under a second name are counted once.
fn read(
    paths: &[std::path::PathBuf],
    lexical: &LexicalJudge,
    judge: &RowJudge,
    settings: &Settings,
) -> anyhow::Result<(Vec<ScoredRun>, Vec<Problem>)> {
    let mut runs: Vec<ScoredRun> = Vec::new();
    let mut problems = Vec::new();
    for path in paths {
        let run = scored_run(path, lexical, judge, settings).map_err(output::problem_error)?;
        let contents = |run: &ScoredRun| run.rows.first().map(|row| (row.id.clone(), row.hash.clone()));
        let content = contents(&run).filter(|(_, hash)| hash.is_some());
        match runs.iter().find(|before| content.is_some() && contents(before) == content) {
            Some(before) => problems.push(
                Problem::new(run.path.as_str(), format!("holds the samples of `{}`", before.path))
                    .hint("it was counted once"),
            ),
            None => runs.push(run),
        }
    }
    Ok((runs, problems))
}

fn one_judge(runs: &[ScoredRun]) -> anyhow::Result<String> {
    let Some(first) = runs.first() else { bail!("there is no input") };
    if let Some(other) = runs.iter().find(|run| run.judge != first.judge) {
        bail!(
            "`{}` was judged by {} and `{}` by {}: numbers of two judges are not mixed; hint: report them one by one",
            first.path,
            first.judge,
            other.path,
            other.judge
        );
    }
    Ok(first.judge.clone())
}

fn print_tables(report: &PaperReport, runs: &[ScoredRun], settings: &Settings) -> anyhow::Result<()> {
    let mut text = head(runs, settings);
    let mut missing = String::new();
    for item in &report.items {
        match item {
            PaperItem::Determined(table) => text.push_str(&shown(table)),
            PaperItem::NotDetermined { item, reason } => {
                missing.push_str(&format!("  {item} ({}): {reason}\n", item.title()));
            }
        }
    }
    if !missing.is_empty() {
        text.push_str(&format!("\nNot determined by these runs\n{missing}"));
    }
    output::stdout(text.as_bytes())
}

fn shown(table: &PaperTable) -> String {
    let mut text = format!("\n{}: {}\n", table.item, table.item.title());
    for part in table.parts(MOST_COLUMNS) {
        let header = part.header();
        let mut drawn = Table::new(&header.iter().map(String::as_str).collect::<Vec<_>>());
        for row in part.text_rows() {
            drawn.row(row);
        }
        text.push_str(&drawn.to_string());
    }
    for note in &table.notes {
        text.push_str(&wrapped(note));
    }
    text
}

/// A note in lines that fit, the first set off.
fn wrapped(note: &str) -> String {
    const WIDTH: usize = 116;
    let mut text = String::from("  ");
    let mut length = 0;
    for word in note.split(' ') {
        let width = word.chars().count();
        if length > 0 && length + 1 + width > WIDTH {
            text.push_str("\n    ");
            length = 2;
        } else if length > 0 {
            text.push(' ');
            length += 1;
        }
        text.push_str(word);
        length += width;
    }
    text.push('\n');
    text
}

fn head(runs: &[ScoredRun], settings: &Settings) -> String {
    let rows: usize = runs.iter().map(|run| run.rows.len()).sum();
    format!(
        "{rows} trajectories from {} · judge {} · {} % intervals: {}, bootstrap {} × seed {}\n",
        if runs.len() == 1 { "1 input".to_owned() } else { format!("{} inputs", runs.len()) },
        settings.judge,
        settings.level * 100.0,
        intervals(settings),
        settings.resamples,
        settings.seed,
    )
}

fn intervals(settings: &Settings) -> &'static str {
    if settings.paper { "percentile bootstrap" } else { "Wilson for proportions" }
}

fn facts(runs: &[ScoredRun], settings: &Settings) -> Vec<(String, String)> {
    let rows: usize = runs.iter().map(|run| run.rows.len()).sum();
    let inputs: Vec<&str> = runs.iter().map(|run| run.path.as_str()).collect();
    [
        ("Humbly", settings.humbly.clone()),
        ("Judge", settings.judge.clone()),
        ("Trajectories", rows.to_string()),
        ("Inputs", inputs.join(", ")),
        ("Intervals", format!("{} %, {}", settings.level * 100.0, intervals(settings))),
        ("Bootstrap", format!("{} resamples, seed {}", settings.resamples, settings.seed)),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .to_vec()
}

fn csv(report: &PaperReport) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(PaperTable::LONG_HEADER)?;
    for item in &report.items {
        match item {
            PaperItem::Determined(table) => {
                for line in table.long_rows() {
                    writer.write_record(&line)?;
                }
            }
            PaperItem::NotDetermined { item, reason } => {
                let line: Vec<&str> = PaperTable::LONG_HEADER
                    .iter()
                    .map(|field| match *field {
                        "kind" => "not_determined",
                        "note" => reason.as_str(),
                        _ => "",
                    })
                    .collect();
                writer.write_record(std::iter::once(item.code().as_str()).chain(line.into_iter().skip(1)))?;
            }
        }
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}
