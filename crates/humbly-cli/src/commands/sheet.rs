//! `humbly sheet`: annotation sheets out, filled sheets in.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use humbly_judge::{LexicalJudge, VerdictKind};
use humbly_model_judge::{
    Coefficients, Drawn, Kind, SheetItem, SheetParams, SheetReport, draw_sheet, read_filled, read_key,
    sheet_report, write_csv, write_jsonl, write_key,
};
use humbly_pipeline::{Observer, Request, Tasks, tasks_of_runs, visit_logs};
use humbly_score::{CorrectnessBy, Matching, Settings, SolveOver, TrajectoryRow};
use humbly_stats::intervals::BootstrapParams;
use humbly_types::{Judgement, Problem, Trajectory, Verdict};
use serde::Deserialize;

use crate::args::{OutputFormat, SheetCommand, SheetMakeArguments, SheetReadArguments, VerdictArgument};
use crate::exit::Status;
use crate::output::{self, Table, measured_cell};

pub(crate) fn run(command: SheetCommand) -> anyhow::Result<Status> {
    match command {
        SheetCommand::Make(arguments) => make(&arguments),
        SheetCommand::Outputs(arguments) => super::ua::sheet(&arguments),
        SheetCommand::Read(arguments) => read(&arguments),
    }
}

fn make(arguments: &SheetMakeArguments) -> anyhow::Result<Status> {
    let key_path = arguments.key.clone().unwrap_or_else(|| arguments.to.with_extension("key.jsonl"));
    for path in [&arguments.to, &key_path] {
        if path.exists() {
            bail!(
                "`{}` exists: a sheet may hold somebody's work; hint: remove it or name another file",
                path.display()
            );
        }
    }
    let question = match arguments.verdict {
        VerdictArgument::Identify => VerdictKind::Identify,
        VerdictArgument::Escalate => VerdictKind::Escalate,
        VerdictArgument::Refusal => VerdictKind::Refusal,
    };
    let lexical = LexicalJudge::new();
    let mut verdicts = Verdicts::default();
    for path in &arguments.verdicts {
        verdicts.read(path, question)?;
    }
    let judge = match &arguments.judge {
        Some(name) if *name == **lexical.name() || name == "lexical" => lexical.name().to_string(),
        Some(name) if verdicts.judges.contains(name) => name.clone(),
        Some(name) => {
            let mut known = vec![lexical.name().to_string()];
            known.extend(verdicts.judges.iter().cloned());
            bail!("no verdicts of the judge `{name}`, expected one of {}", known.join(", "))
        }
        None => verdicts.judges.first().cloned().unwrap_or_else(|| lexical.name().to_string()),
    };
    let tasks = match &arguments.tasks {
        Some(path) => Some(Tasks::read(path).map_err(output::problem_error)?),
        None => tasks_of_runs(&arguments.paths).map_err(output::problem_error)?,
    };
    let request = Request { paths: arguments.paths.clone(), ..Request::default() };
    let mut collector = Collector { question, verdicts, items: Vec::new(), problems: Vec::new() };
    let settings = settings_of(lexical.name(), lexical.rules_hash(), arguments.seed, tasks.as_ref());
    let (_, counts) = visit_logs(&request, tasks.as_ref(), &lexical, &settings, &mut collector);
    output::problems(&collector.problems);
    if counts.recognised == 0 {
        bail!("nothing readable among {} files; hint: list the formats with `humbly formats`", counts.files);
    }
    let params = SheetParams {
        question,
        judge,
        rows: arguments.rows,
        positives: arguments.positives,
        hard_negatives: arguments.hard_negatives,
        seed: arguments.seed,
    };
    let drawn = draw_sheet(&collector.items, &params).context("cannot draw a sheet")?;
    if drawn.sheet.is_empty() {
        bail!(
            "nothing to draw: {} texts, {} of them without a verdict of `{}`",
            collector.items.len(),
            drawn.without_verdict,
            params.judge
        );
    }
    write(&arguments.to, &key_path, &drawn)?;
    let count = |kind| drawn.key.iter().filter(|row| row.kind == kind).count();
    output::note(&format!(
        "sheet: {} ({} rows: {} positive by {}, {} hard negatives, {} other negatives; seed {}) · key: {}",
        arguments.to.display(),
        drawn.sheet.len(),
        count(Kind::Positive),
        params.judge,
        count(Kind::HardNegative),
        count(Kind::Negative),
        params.seed,
        key_path.display(),
    ));
    for shortfall in &drawn.shortfalls {
        output::note(&format!("short of what was asked for: {shortfall}"));
    }
    Ok(Status::Done)
}

/// Settings of a scoring of which only ids, texts and verdicts are used.
pub(super) fn settings_of(judge: &str, judge_hash: String, seed: u64, tasks: Option<&Tasks>) -> Settings {
    Settings {
        humbly: env!("CARGO_PKG_VERSION").to_owned(),
        judge: judge.to_owned(),
        judge_hash,
        matching: Matching::Auto,
        seed,
        resamples: 1,
        level: 0.95,
        episodes: "each".to_owned(),
        solve_over: SolveOver::Conflict,
        solve_same_turn: false,
        paper: false,
        bins: 10,
        confidence_scale: "unit".to_owned(),
        attribution_f1: "released".to_owned(),
        correctness: CorrectnessBy::Rules,
        tasks_hash: tasks.and_then(|tasks| tasks.hash.clone()),
    }
}

fn write(sheet: &Path, key: &Path, drawn: &Drawn) -> anyhow::Result<()> {
    let create = |path: &Path| {
        File::create_new(path)
            .map(BufWriter::new)
            .with_context(|| format!("cannot create `{}`", path.display()))
    };
    let is_jsonl = sheet.extension().is_some_and(|extension| extension == "jsonl");
    let out = create(sheet)?;
    let written = if is_jsonl { write_jsonl(out, &drawn.sheet) } else { write_csv(out, &drawn.sheet) };
    written.with_context(|| format!("cannot write `{}`", sheet.display()))?;
    write_key(create(key)?, &drawn.key).with_context(|| format!("cannot write `{}`", key.display()))
}

/// Verdicts of other judges, by trajectory and turn.
#[derive(Debug, Default)]
struct Verdicts {
    judges: Vec<String>,
    values: HashMap<(String, Option<u32>), BTreeMap<String, Option<bool>>>,
}

#[derive(Deserialize)]
struct Line {
    trajectory: String,
    question: String,
    turn: Option<u32>,
    verdict: Verdict,
}

impl Verdicts {
    fn read(&mut self, path: &Path, question: VerdictKind) -> anyhow::Result<()> {
        let cannot = || format!("cannot read `{}`", path.display());
        let file = File::open(path).with_context(cannot)?;
        for (index, line) in BufReader::new(file).lines().enumerate() {
            let text = line.with_context(cannot)?;
            if text.trim().is_empty() {
                continue;
            }
            let line: Line = serde_json::from_str(&text).with_context(|| {
                format!(
                    "line {} of `{}` is not a line of `humbly score --verdicts`",
                    index + 1,
                    path.display()
                )
            })?;
            if line.question != question.code() {
                continue;
            }
            let judge = line.verdict.judge.to_string();
            if !self.judges.contains(&judge) {
                self.judges.push(judge.clone());
            }
            // Only a turn verdict is about the turn; the others are about the answer.
            let turn = line.turn.filter(|_| question == VerdictKind::Identify);
            self.values.entry((line.trajectory, turn)).or_default().insert(judge, line.verdict.value);
        }
        Ok(())
    }
}

/// Texts that could stand on the sheet.
struct Collector {
    question: VerdictKind,
    verdicts: Verdicts,
    items: Vec<SheetItem>,
    problems: Vec<Problem>,
}

impl Collector {
    fn add(&mut self, row: &TrajectoryRow, turn: Option<u32>, text: String, lexical: &Verdict) {
        if text.trim().is_empty() {
            return;
        }
        let mut verdicts = self.verdicts.values.remove(&(row.id.clone(), turn)).unwrap_or_default();
        verdicts.insert(lexical.judge.to_string(), lexical.value);
        self.items.push(SheetItem {
            trajectory: row.id.clone(),
            turn,
            text,
            verdicts,
            agent: row.agent.clone(),
            model: row.model.clone(),
            dataset: row.dataset.clone(),
            condition: row.condition.clone(),
            split: row.split,
        });
    }
}

impl Observer for Collector {
    fn wants_steps(&self) -> bool {
        true
    }

    fn scored(&mut self, trajectory: Option<&Trajectory>, row: &TrajectoryRow, judgement: &Judgement) {
        let Some(trajectory) = trajectory else { return };
        if self.question == VerdictKind::Identify {
            for step in trajectory.intermediate_turns() {
                let verdict = judgement.turns.iter().find(|verdict| Some(verdict.turn) == step.turn);
                if let Some(verdict) = verdict {
                    self.add(row, step.turn, step.reasoning_and_visible(), &verdict.identify);
                }
            }
        } else if let Some(answer) = &trajectory.final_answer {
            let verdict = match self.question {
                VerdictKind::Refusal => &judgement.refusal,
                _ => &judgement.escalate,
            };
            self.add(row, None, humbly_text::think::visible(&answer.text).into_owned(), verdict);
        }
    }

    fn problem(&mut self, problem: &Problem) {
        self.problems.push(problem.clone());
    }
}

fn read(arguments: &SheetReadArguments) -> anyhow::Result<Status> {
    let content = |path: &PathBuf| {
        std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))
    };
    let wrong = |path: &PathBuf| format!("`{}` cannot be used", path.display());
    let key = read_key(&content(&arguments.key)?).with_context(|| wrong(&arguments.key))?;
    let mut sheets = Vec::new();
    for path in &arguments.sheets {
        let annotator = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        sheets.push(read_filled(&content(path)?, annotator).with_context(|| wrong(path))?);
    }
    let report = sheet_report(&key, &sheets, &BootstrapParams::seeded(arguments.seed))
        .context("the sheets do not fit the key")?;
    if arguments.output == OutputFormat::Json {
        output::json(&report)?;
        return Ok(Status::Done);
    }
    if arguments.output == OutputFormat::Table {
        let head = format!(
            "{} rows, {} labelled by all of {} people, {} tied, {} unlabelled\n",
            report.items,
            report.complete,
            report.annotators.len(),
            report.ties,
            report.unlabelled
        );
        output::stdout(head.as_bytes())?;
    }
    output::table(&table(&report), arguments.output)?;
    Ok(Status::Done)
}

fn table(report: &SheetReport) -> Table {
    let mut table = Table::new(&["between", "raw", "kappa", "AC1", "yes"]);
    let people = &report.people;
    table.row([
        "people (kappa: Fleiss)".to_owned(),
        measured_cell(&people.raw),
        measured_cell(&people.fleiss_kappa),
        measured_cell(&people.ac1),
        measured_cell(&people.prevalence),
    ]);
    let mut row = |name: String, numbers: &Coefficients| {
        table.row([
            name,
            measured_cell(&numbers.raw),
            measured_cell(&numbers.kappa),
            measured_cell(&numbers.ac1),
            measured_cell(&numbers.prevalence),
        ]);
    };
    for pair in &people.pairs {
        row(format!("{} and {}", pair.first, pair.second), &pair.coefficients);
    }
    for judge in &report.judges {
        row(format!("{} and the majority", judge.judge), &judge.majority);
        for (name, numbers) in &judge.each {
            row(format!("{} and {name}", judge.judge), numbers);
        }
    }
    table
}
