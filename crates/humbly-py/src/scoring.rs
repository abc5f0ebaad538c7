//! `humbly score` as a function: the same document.

use std::path::PathBuf;

use humbly_judge::LexicalJudge;
use humbly_pipeline::{Observer, Part, Request, Tasks, content_hash, gather, score_logs, tasks_of_runs};
use humbly_score::{CorrectnessBy, Matching, SCHEMA, ScoreReport, Settings, SolveOver, TrajectoryRow};
use humbly_stats::intervals::BootstrapParams;
use humbly_types::{Judgement, Problem, Trajectory};
use pyo3::prelude::*;
use regex::Regex;
use serde::Deserialize;

use crate::error::{self, InputError, ParameterError};
use crate::reading::{check_format, episodes_named, nothing_readable};

/// The options of the command, by the names that stand in its document.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    include: Vec<String>,
    format: Option<String>,
    task_id: Option<String>,
    since: Option<String>,
    episodes: String,
    matching: Matching,
    solve_over: SolveOver,
    solve_same_turn: bool,
    paper: bool,
    confidence_scale: String,
    attribution_f1: String,
    seed: u64,
    resamples: u32,
}

impl Options {
    fn read(text: &str) -> PyResult<Self> {
        let options: Self = serde_json::from_str(text)
            .map_err(|failed| ParameterError::new_err(format!("an option of score: {failed}")))?;
        check_format(options.format.as_deref())?;
        for (name, found, known) in [
            ("confidence_scale", &options.confidence_scale, ["unit", "percent"]),
            ("attribution_f1", &options.attribution_f1, ["released", "balanced"]),
        ] {
            if !known.contains(&found.as_str()) {
                return Err(error::unknown(name, found, &known.join(" or ")));
            }
        }
        BootstrapParams::new(options.resamples, 0.95, options.seed)
            .map_err(|failed| error::stats(&failed))?;
        Ok(options)
    }

    fn request(&self, paths: Vec<PathBuf>) -> PyResult<Request> {
        let pattern = self.task_id.as_deref().map(Regex::new).transpose();
        Ok(Request {
            paths,
            include: self.include.clone(),
            format: self.format.clone(),
            episodes: episodes_named(&self.episodes)?,
            task_pattern: pattern.map_err(|failed| ParameterError::new_err(format!("task_id: {failed}")))?,
            since: self.since.clone(),
            shown_as: None,
        })
    }

    fn settings(self, judge: &LexicalJudge, tasks: Option<&Tasks>) -> Settings {
        Settings {
            humbly: env!("CARGO_PKG_VERSION").to_owned(),
            judge: judge.name().to_string(),
            judge_hash: judge.rules_hash(),
            matching: self.matching,
            seed: self.seed,
            resamples: self.resamples,
            level: 0.95,
            episodes: self.episodes,
            solve_over: self.solve_over,
            solve_same_turn: self.solve_same_turn,
            paper: self.paper,
            bins: 10,
            confidence_scale: self.confidence_scale,
            attribution_f1: self.attribution_f1,
            correctness: CorrectnessBy::Rules,
            tasks_hash: tasks.and_then(|tasks| tasks.hash.clone()),
        }
    }
}

#[derive(Default)]
struct Kept {
    rows: Vec<TrajectoryRow>,
    problems: Vec<Problem>,
}

impl Observer for Kept {
    fn scored(&mut self, _: Option<&Trajectory>, row: &TrajectoryRow, _: &Judgement) {
        self.rows.push(row.clone());
    }

    fn problem(&mut self, problem: &Problem) {
        self.problems.push(problem.clone());
    }
}

/// Scores logs by the lexical judge; the document of `humbly score --output json` comes back as text.
#[pyfunction]
#[pyo3(signature = (paths, tasks, options))]
pub(crate) fn score(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    tasks: Option<PathBuf>,
    options: &str,
) -> PyResult<String> {
    let options = Options::read(options)?;
    let request = options.request(paths)?;
    py.detach(|| {
        let tasks = match &tasks {
            Some(path) => Some(Tasks::read(path)),
            None => tasks_of_runs(&request.paths).transpose(),
        };
        let tasks = tasks.transpose().map_err(|problem| error::input(&problem))?;
        let judge = LexicalJudge::new();
        let settings = options.settings(&judge, tasks.as_ref());
        let mut kept = Kept::default();
        let scored = score_logs(&request, tasks.as_ref(), &judge, &settings, &mut kept);
        if scored.counts.recognised == 0 {
            return Err(nothing_readable(scored.counts.files, kept.problems.first()));
        }
        let report = ScoreReport {
            schema: SCHEMA.to_owned(),
            settings,
            summary: scored.summary,
            trajectories: kept.rows,
            problems: kept.problems,
        };
        serde_json::to_string(&report).map_err(|failed| error::json(&failed))
    })
}

/// Hash, whether it was recognised, rows as JSON texts, problems as JSON text.
type ScoredLog = (String, bool, Vec<String>, String);

/// Scores one log, a block of a larger job; it is shown under another name than the path it was brought to.
#[pyfunction]
#[pyo3(signature = (path, shown, tasks, options))]
pub(crate) fn score_log(
    py: Python<'_>,
    path: PathBuf,
    shown: String,
    tasks: Option<PathBuf>,
    options: &str,
) -> PyResult<ScoredLog> {
    let options = Options::read(options)?;
    let mut request = options.request(vec![path.clone()])?;
    request.shown_as = Some((path.clone(), shown));
    py.detach(|| {
        let mut tasks = read_tasks(tasks)?;
        if let Some(tasks) = &mut tasks {
            // They are the job's, not this log's.
            tasks.problems.clear();
        }
        let bytes = std::fs::read(&path)
            .map_err(|failed| InputError::new_err(format!("cannot read `{}`: {failed}", path.display())))?;
        let judge = LexicalJudge::new();
        let settings = options.settings(&judge, tasks.as_ref());
        let mut kept = Kept::default();
        let scored = score_logs(&request, tasks.as_ref(), &judge, &settings, &mut kept);
        let rows = kept.rows.iter().map(serde_json::to_string).collect::<Result<_, _>>();
        let problems = serde_json::to_string(&kept.problems).map_err(|failed| error::json(&failed))?;
        let recognised = scored.counts.recognised > 0;
        Ok((content_hash(&bytes), recognised, rows.map_err(|failed| error::json(&failed))?, problems))
    })
}

/// Joins what [`score_log`] gave of several logs (hash, rows, problems) into the document of `humbly score`.
#[pyfunction]
#[pyo3(signature = (parts, tasks, options))]
pub(crate) fn gather_logs(
    py: Python<'_>,
    parts: Vec<(String, Vec<String>, String)>,
    tasks: Option<PathBuf>,
    options: &str,
) -> PyResult<String> {
    let options = Options::read(options)?;
    py.detach(|| {
        let tasks = read_tasks(tasks)?;
        let settings = options.settings(&LexicalJudge::new(), tasks.as_ref());
        let parts = parts
            .into_iter()
            .map(|(hash, rows, problems)| Ok(Part { hash, rows, problems: serde_json::from_str(&problems)? }))
            .collect::<Result<Vec<_>, serde_json::Error>>();
        let report = parts.and_then(|parts| gather(parts, tasks.as_ref(), settings));
        let report = report.map_err(|failed| error::json(&failed))?;
        document(&report).map_err(|failed| error::json(&failed))
    })
}

/// The document as the command lays it out: a trajectory a line.
fn document(report: &ScoreReport) -> Result<String, serde_json::Error> {
    let rows = report.trajectories.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
    Ok(format!(
        "{{\"schema\":\"{}\",\n\"settings\":{},\n\"summary\":{},\n\"trajectories\":[\n{}],\n\"problems\":{}}}\n",
        report.schema,
        serde_json::to_string(&report.settings)?,
        serde_json::to_string(&report.summary)?,
        rows.join(",\n"),
        serde_json::to_string(&report.problems)?,
    ))
}

fn read_tasks(path: Option<PathBuf>) -> PyResult<Option<Tasks>> {
    path.map(|path| Tasks::read(&path)).transpose().map_err(|problem| error::input(&problem))
}
