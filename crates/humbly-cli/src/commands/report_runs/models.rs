//! `humbly report --models`: three papers in one table.

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufWriter;

use anyhow::Context;
use humbly_judge::LexicalJudge;
use humbly_pipeline::ScoredRun;
use humbly_report::plots::IntervalRow;
use humbly_report::tables::latex_of_text;
use humbly_report::{PageFigure, ReportOptions, write_tables_page};
use humbly_score::calibration_study::StudyCell;
use humbly_score::{Digests, Settings, SummaryRow, summarise};
use humbly_stats::intervals::BootstrapParams;
use humbly_types::{Measured, Reason, Undefined};
use serde_json::json;

use super::super::model_table::{Column, ModelTable, Ranked, Study, ranked_table};
use super::super::ua;
use super::calibration;
use crate::args::{ReportArguments, ReportOutput};
use crate::exit::Status;
use crate::output::{self, NOTE_MARK, Table};

/// Accuracy of each study: a measure is held against that on its own questions.
const ACCURACY: &str = "accuracy";
const ACCURACY_OF_CALIBRATION: &str = "accuracy (calibration)";
const ACC: &str = "ACC";
/// A source that compares the samples of one question with each other.
const AGREEMENT: &str = "agreement";

pub(super) fn run(arguments: &ReportArguments) -> anyhow::Result<Status> {
    let (of_ua, others): (Vec<_>, Vec<_>) =
        arguments.runs.iter().cloned().partition(|path| ua::is_of_ua(path));
    let params = BootstrapParams::new(arguments.resamples, 0.95, arguments.seed)?;
    let mut models = ModelTable::default();
    let mut lines = Vec::new();
    let mut problems = Vec::new();
    let of_ua = ua::attribution_of_models(&of_ua, super::stored_judge(arguments).as_deref(), &params)?;
    lines.extend(of_ua.coverage);
    problems.extend(of_ua.problems);
    if !others.is_empty() {
        let lexical = LexicalJudge::new();
        let settings = super::settings(arguments, &lexical);
        let (runs, found) = super::read(&others, &lexical, &super::row_judge(arguments), &settings)?;
        problems.extend(found);
        problems.extend(runs.iter().flat_map(|run| run.problems.iter().cloned()));
        let judge = super::one_judge(&runs)?;
        let rows: usize = runs.iter().map(|run| run.rows.len()).sum();
        lines.push(format!("{rows} trajectories · judge {judge}"));
        lines.extend(of_runs(&mut models, &runs, &settings)?);
    }
    if of_ua.outputs > 0 {
        lines.push(format!("{} outputs of UA-Bench · judge {}", of_ua.outputs, of_ua.judges));
    }
    lines.push(format!(
        "95 % intervals: Wilson for proportions, bootstrap {} × seed {}",
        arguments.resamples, arguments.seed
    ));
    for (model, cell) in &of_ua.models {
        for (name, number) in [
            (ACC, &cell.accuracy),
            ("DU-F1", &cell.balanced.data),
            ("MU-F1", &cell.balanced.model),
            ("AVG-F1", &cell.balanced.average),
        ] {
            models.add(model, column(name, ACC, Study::Attribution), number.clone());
        }
    }
    let ranked = models.ranked(&params)?;
    print(arguments, &lines, &models, &ranked)?;
    write_page(arguments, &lines, &models, &ranked)?;
    output::problems(&problems);
    Ok(Status::Done)
}

fn column(name: &str, accuracy: &str, study: Study) -> Column {
    Column { name: name.to_owned(), accuracy: accuracy.to_owned(), study }
}

/// The numbers of runs with trajectories; what a reader must know of the confidences.
fn of_runs(models: &mut ModelTable, runs: &[ScoredRun], settings: &Settings) -> anyhow::Result<Vec<String>> {
    let (studies, conflicts): (Vec<&ScoredRun>, Vec<&ScoredRun>) =
        runs.iter().partition(|run| calibration::is_study(run));
    let mut digests = Digests::default();
    for run in &conflicts {
        for row in &run.rows {
            // One group a model, whatever it was run on and with.
            let mut row = row.clone();
            (row.agent, row.dataset, row.condition, row.scenario) = (None, None, None, None);
            digests.add(&row, None);
        }
    }
    for row in summarise(&digests, settings) {
        add_conflict(models, &row);
    }
    let is_own = !studies.is_empty();
    let stated = if is_own { studies } else { conflicts };
    let mut settings_of: BTreeMap<&str, BTreeSet<Option<&str>>> = BTreeMap::new();
    for row in stated.iter().flat_map(|run| &run.rows) {
        let of_model = settings_of.entry(row.model.as_deref().unwrap_or(NO_MODEL)).or_default();
        of_model.insert(row.condition.as_deref());
    }
    let study = calibration::by_model(&stated, settings)?;
    // Samples of two settings are no two samples of one question.
    let has_agreement = settings_of.values().all(|settings| settings.len() < 2);
    let mut notes = Vec::new();
    let sources: BTreeSet<&str> = study
        .cells
        .iter()
        .flat_map(|cell| cell.sources.iter().map(|source| source.source.as_str()))
        .filter(|source| *source != "none" && (has_agreement || *source != AGREEMENT))
        .collect();
    for cell in &study.cells {
        add_calibration(models, cell, &sources, if is_own { ACCURACY_OF_CALIBRATION } else { ACCURACY });
        notes.extend(cell.notes.iter().map(|note| format!("{}: {note}", cell.model)));
    }
    Ok(notes)
}

/// Rows that name no model.
const NO_MODEL: &str = "(no model)";

fn add_conflict(models: &mut ModelTable, row: &SummaryRow) {
    let model = row.model.as_deref().unwrap_or(NO_MODEL);
    for (name, number) in [
        (ACCURACY, &row.accuracy.all),
        ("Identify F1", &row.identify.f1),
        ("Solve", &row.solve),
        ("Escalate", &row.escalate),
    ] {
        models.add(model, column(name, ACCURACY, Study::Conflict), number.clone());
    }
}

/// ECE, AUROC and MCIP of each source: no number mixes two, neither in a model nor between models.
fn add_calibration(models: &mut ModelTable, cell: &StudyCell, sources: &BTreeSet<&str>, accuracy: &str) {
    let mut add = |name: &str, number: Measured| {
        models.add(&cell.model, column(name, accuracy, Study::Calibration), number);
    };
    if accuracy == ACCURACY_OF_CALIBRATION {
        add(accuracy, cell.accuracy.clone());
    }
    let absent = || Measured::undefined(Undefined::new(Reason::ConfidenceAbsent));
    if sources.is_empty() {
        for name in ["ECE", "AUROC", "MCIP"] {
            add(name, absent());
        }
    }
    for source in sources {
        let found = cell.sources.iter().find(|one| one.source == *source).map(|one| &one.summary);
        let said = source.replace('_', "-");
        for (name, number) in [
            ("ECE", found.map(|summary| &summary.ece)),
            ("AUROC", found.map(|summary| &summary.auroc)),
            ("MCIP", found.map(|summary| &summary.mcip)),
        ] {
            add(&format!("{name} ({said})"), number.cloned().unwrap_or_else(absent));
        }
    }
}

const RANKED: &str = "Is the accurate model the humble one? Rank correlation over the models";
const LESS: &str =
    "of ECE and MCIP less is better: a negative correlation means that accurate models are calibrated";

fn print(
    arguments: &ReportArguments,
    lines: &[String],
    models: &ModelTable,
    ranked: &[Ranked],
) -> anyhow::Result<()> {
    match arguments.output {
        ReportOutput::Json => {
            output::json(
                &json!({"schema": "humbly.models/1", "measured": lines, "table": models, "ranked": ranked}),
            )?;
        }
        ReportOutput::Csv => {
            let measured = format!("# {}\n", lines.join("\n# "));
            let (table, ranked) = (models.table().csv()?, ranked_table(ranked).csv()?);
            output::stdout(format!("{measured}{table}\n{ranked}").as_bytes())?;
        }
        ReportOutput::Table => {
            let mut text = lines.join("\n") + "\n";
            for (title, table) in with_ranked(models.parts(), ranked) {
                text.push_str(&format!("\n{title}\n{table}"));
            }
            if text.contains(NOTE_MARK) {
                text.push_str(&format!(
                    "  {NOTE_MARK} has a note (degenerate interval, …): see `--output json`\n"
                ));
            }
            text.push_str(&format!("  {LESS}\n"));
            output::stdout(text.as_bytes())?;
        }
        ReportOutput::Latex => {
            let tables = with_ranked(vec![("Models", models.table())], ranked);
            output::stdout(latex_of_text(lines, &ua::page_tables(&tables), "models").as_bytes())?;
        }
    }
    Ok(())
}

fn with_ranked(mut tables: Vec<(&'static str, Table)>, ranked: &[Ranked]) -> Vec<(&'static str, Table)> {
    tables.push((RANKED, ranked_table(ranked)));
    tables
}

/// The same as a page, each measure drawn over the models.
fn write_page(
    arguments: &ReportArguments,
    lines: &[String],
    models: &ModelTable,
    ranked: &[Ranked],
) -> anyhow::Result<()> {
    let Some(path) = &arguments.report else { return Ok(()) };
    let options = ReportOptions {
        title: "Humbly: is the accurate model the humble one?".to_owned(),
        redact: !arguments.no_redact,
        ..ReportOptions::default()
    };
    let drawn: Vec<(&str, Vec<IntervalRow<'_>>)> = models
        .columns()
        .iter()
        .map(|column| {
            let rows = models.numbers(column).filter_map(|(label, number)| {
                number.map(|measured| IntervalRow { key: "", label, measured })
            });
            (column.name.as_str(), rows.collect())
        })
        .collect();
    let figures: Vec<PageFigure<'_>> = drawn.iter().map(|(title, rows)| PageFigure { title, rows }).collect();
    let tables = with_ranked(vec![("Models", models.table())], ranked);
    let facts: Vec<String> = lines.iter().cloned().chain([LESS.to_owned()]).collect();
    let out = BufWriter::new(super::super::score::create(path)?);
    let redactions = write_tables_page(out, &facts, &figures, &ua::page_tables(&tables), &options)
        .context("cannot write the page")?;
    output::note(&format!("report: {} ({} places redacted)", path.display(), redactions.total()));
    Ok(())
}
