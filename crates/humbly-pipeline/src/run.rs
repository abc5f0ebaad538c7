//! Logs to scores: read, join, judge, score, in input order and with flat memory.
//!
//! Files are read in parallel batches; what a batch gave is handed on in order and dropped. Only digests of
//! a few bytes stay until the summary.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use humbly_readers::{Episodes, Input, Sink, Unit, group, read_input, split_episodes};
use humbly_score::{Digests, Settings, SummaryRow, TrajectoryRow, score_trajectory, summarise};
use humbly_types::{Judgement, Problem, Trajectory};
use rayon::prelude::*;
use regex::Regex;

use crate::discover::discover;
use crate::hash;
use crate::join::{Joiner, Unjoined};
use crate::judge::TrajectoryJudge;
use crate::run_files;
use crate::tasks::Tasks;

/// So many files are read at a time: enough for every core, little enough for the memory.
const BATCH: usize = 32;
/// A file up to this size is read once and kept while it is recognised, hashed and parsed.
const SMALL_FILE: u64 = 4 << 20;
/// So many trajectories of one file are judged at a time.
const CHUNK: usize = 64;

/// What to score.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Files and folders.
    pub paths: Vec<PathBuf>,
    /// Globs that files below a folder must match.
    pub include: Vec<String>,
    /// Format, where it is not to be recognised.
    pub format: Option<String>,
    /// How logs with several prompts are scored.
    pub episodes: Episodes,
    /// Pattern over the path that names the task.
    pub task_pattern: Option<Regex>,
    /// Trajectories that ended before this time (as text, ISO 8601) are left out.
    pub since: Option<String>,
    /// One of the paths that is shown under another name (standard input, spooled to a file).
    pub shown_as: Option<(PathBuf, String)>,
}

/// Receives every scored trajectory in input order.
pub trait Observer {
    /// Whether [`Observer::scored`] is given the steps; without them memory stays smaller.
    fn wants_steps(&self) -> bool {
        false
    }

    /// One scored trajectory, with its steps where they are wanted.
    fn scored(&mut self, trajectory: Option<&Trajectory>, row: &TrajectoryRow, judgement: &Judgement);
    /// Something that could not be used.
    fn problem(&mut self, problem: &Problem);
}

/// What is left when all was handed to the observer.
#[derive(Debug)]
pub struct Scored {
    /// The summary.
    pub summary: Vec<SummaryRow>,
    /// Digests, for comparisons with a baseline.
    pub digests: Digests,
    /// Counts of the run.
    pub counts: RunCounts,
}

/// Counts of one run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunCounts {
    /// Files found.
    pub files: usize,
    /// Files of a recognised format.
    pub recognised: usize,
    /// Trajectories scored.
    pub trajectories: usize,
    /// Files that were an exact copy of another.
    pub copies: usize,
    /// Problems handed to the observer.
    pub problems: usize,
}

/// Scores logs: every trajectory goes to the observer, the summary comes back.
pub fn score_logs(
    request: &Request,
    tasks: Option<&Tasks>,
    judge: &dyn TrajectoryJudge,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Scored {
    let (digests, counts) = visit_logs(request, tasks, judge, settings, observer);
    let summary = summarise(&digests, settings);
    Scored { summary, digests, counts }
}

/// [`score_logs`] without the summary: a second look at the same logs.
pub fn visit_logs(
    request: &Request,
    tasks: Option<&Tasks>,
    judge: &dyn TrajectoryJudge,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> (Digests, RunCounts) {
    let found = discover(&request.paths, &request.include);
    let mut run =
        Run { observer, digests: Digests::default(), counts: RunCounts::default(), ids: HashMap::new() };
    for problem in found.problems.iter().chain(tasks.iter().flat_map(|tasks| &tasks.problems)) {
        run.problem(problem);
    }
    run.counts.files = found.files.len();
    let named = found.named;
    let units = group(found.files);
    let joiner = tasks.map(|tasks| Joiner::new(tasks, request.task_pattern.clone()));
    let keeps_steps = run.observer.wants_steps();
    let work = Work { request, joiner, judge, settings, named: &named, keeps_steps };
    let mut seen = HashSet::new();
    let mut batch: Vec<&Unit> = Vec::new();
    for unit in &units {
        if size_of(unit) > SMALL_FILE {
            work.run_batch(&mut batch, &mut seen, &mut run);
            work.run_large(unit, &mut seen, &mut run);
            continue;
        }
        batch.push(unit);
        if batch.len() == BATCH {
            work.run_batch(&mut batch, &mut seen, &mut run);
        }
    }
    work.run_batch(&mut batch, &mut seen, &mut run);
    (run.digests, run.counts)
}

struct Run<'a> {
    observer: &'a mut dyn Observer,
    digests: Digests,
    counts: RunCounts,
    ids: HashMap<u64, u32>,
}

impl Run<'_> {
    fn item(&mut self, item: Item) {
        match item {
            Item::Problem(problem) => self.problem(&problem),
            Item::Scored(scored) => self.scored(*scored),
        }
    }

    fn problem(&mut self, problem: &Problem) {
        self.counts.problems += 1;
        self.observer.problem(problem);
    }

    fn scored(&mut self, scored: ScoredTrajectory) {
        let ScoredTrajectory { trajectory, mut row, judgement, answerable } = scored;
        let count = self.ids.entry(humbly_score::Digest::id_hash(&row.id)).or_insert(0);
        *count += 1;
        if *count > 1 {
            row.id = format!("{}~{count}", row.id);
        }
        self.counts.trajectories += 1;
        self.digests.add(&row, answerable);
        self.observer.scored(trajectory.as_ref(), &row, &judgement);
    }
}

struct Work<'a> {
    request: &'a Request,
    joiner: Option<Joiner<'a>>,
    judge: &'a dyn TrajectoryJudge,
    settings: &'a Settings,
    named: &'a [PathBuf],
    keeps_steps: bool,
}

struct UnitOutcome {
    hash: Option<String>,
    recognised: bool,
    items: Vec<Item>,
}

enum Item {
    Problem(Problem),
    Scored(Box<ScoredTrajectory>),
}

struct ScoredTrajectory {
    trajectory: Option<Trajectory>,
    row: TrajectoryRow,
    judgement: Judgement,
    answerable: Option<bool>,
}

impl Work<'_> {
    /// Reads the files of a batch in parallel and hands on what they gave, in order.
    fn run_batch(&self, batch: &mut Vec<&Unit>, seen: &mut HashSet<String>, run: &mut Run<'_>) {
        let done: Vec<UnitOutcome> = batch.par_iter().map(|unit| self.unit(unit)).collect();
        batch.clear();
        for outcome in done {
            if outcome.hash.is_some_and(|hash| !seen.insert(hash)) {
                run.counts.copies += 1;
                continue;
            }
            run.counts.recognised += usize::from(outcome.recognised);
            outcome.items.into_iter().for_each(|item| run.item(item));
        }
    }

    /// Reads one large file as a stream: what it gives is handed on at once.
    fn run_large(&self, unit: &Unit, seen: &mut HashSet<String>, run: &mut Run<'_>) {
        let (input, hash) = match self.open(unit) {
            Ok(opened) => opened,
            Err(problem) => return run.problem(&problem),
        };
        if !seen.insert(hash.clone()) {
            run.counts.copies += 1;
            return;
        }
        let mut collector =
            Collector { work: self, hash: &hash, pending: Vec::new(), emit: &mut |item| run.item(item) };
        let read = read_input(&input, self.request.format.as_deref(), &mut collector);
        collector.flush();
        run.counts.recognised += usize::from(read.format.is_some());
    }

    fn unit(&self, unit: &Unit) -> UnitOutcome {
        let (input, hash) = match self.open(unit) {
            Ok(opened) => opened,
            Err(problem) => {
                return UnitOutcome { hash: None, recognised: false, items: vec![Item::Problem(problem)] };
            }
        };
        let mut items = Vec::new();
        let mut collector =
            Collector { work: self, hash: &hash, pending: Vec::new(), emit: &mut |item| items.push(item) };
        let read = read_input(&input, self.request.format.as_deref(), &mut collector);
        collector.flush();
        if read.format.is_none() && is_incidental(unit) && !self.named.contains(&unit.main) {
            items.clear();
        }
        UnitOutcome { hash: Some(hash), recognised: read.format.is_some(), items }
    }

    /// The input of a unit and the hash of its main file.
    fn open(&self, unit: &Unit) -> Result<(Input, String), Problem> {
        let shown = match &self.request.shown_as {
            Some((path, name)) if *path == unit.main => name.clone(),
            _ => unit.main.to_string_lossy().into_owned(),
        };
        if run_files::is_run_file(&unit.main) {
            return run_files::input(&unit.main, &shown);
        }
        let cannot = |error: std::io::Error| Problem::new(shown.as_str(), format!("cannot be read: {error}"));
        if size_of(unit) > SMALL_FILE {
            let hash = hash::of_reader(std::fs::File::open(&unit.main).map_err(cannot)?).map_err(cannot)?;
            let mut input = Input::file_as(&shown, &unit.main);
            input.companions.clone_from(&unit.companions);
            return Ok((input, hash));
        }
        let bytes = std::fs::read(&unit.main).map_err(cannot)?;
        let hash = hash::hex(&bytes);
        let mut input = Input::bytes(&shown, bytes);
        input.companions.clone_from(&unit.companions);
        Ok((input, hash))
    }

    fn score(&self, trajectory: Trajectory, hash: &str) -> (Option<Problem>, Option<ScoredTrajectory>) {
        if self.is_too_old(&trajectory) {
            return (None, None);
        }
        let (task, problem) = match self.joiner.as_ref().map(|joiner| joiner.join(&trajectory)) {
            None => (None, None),
            Some(Ok(task)) => (Some(task), None),
            Some(Err(reason)) => (None, Some(unjoined(&trajectory, &reason))),
        };
        let judgement = self.judge.judgement(&trajectory, task);
        let mut row = score_trajectory(&trajectory, task, &judgement, self.settings);
        row.hash = Some(hash.to_owned());
        let answerable = task.and_then(|task| task.answerable);
        let trajectory = self.keeps_steps.then_some(trajectory);
        (problem, Some(ScoredTrajectory { trajectory, row, judgement, answerable }))
    }

    fn is_too_old(&self, trajectory: &Trajectory) -> bool {
        let Some(since) = &self.request.since else { return false };
        let last = trajectory.steps().iter().rev().find_map(|step| step.timestamp.as_deref());
        last.is_some_and(|time| time < since.as_str())
    }
}

/// Text files that a folder search turned up by name alone; silence is better than a list of readmes.
fn is_incidental(unit: &Unit) -> bool {
    unit.main
        .extension()
        .and_then(|extension| extension.to_str())
        .is_some_and(|extension| ["txt", "log"].iter().any(|known| extension.eq_ignore_ascii_case(known)))
}

fn size_of(unit: &Unit) -> u64 {
    std::fs::metadata(&unit.main).map_or(0, |metadata| metadata.len())
}

fn unjoined(trajectory: &Trajectory, reason: &Unjoined) -> Problem {
    let problem = match reason {
        Unjoined::NoMatch => Problem::new(&*trajectory.path, "no task fits this trajectory").hint(
            "tasks join by trajectory or sample id, by --task-id PATTERN over the path, or by the question in the first prompt",
        ),
        Unjoined::Ambiguous(ids) => Problem::new(
            &*trajectory.path,
            format!("several tasks fit this trajectory: {}", ids.join(", ")),
        )
        .hint("name the task in the log, or give --task-id PATTERN"),
    };
    problem.record(trajectory.id.clone())
}

struct Collector<'a> {
    work: &'a Work<'a>,
    hash: &'a str,
    pending: Vec<Trajectory>,
    emit: &'a mut dyn FnMut(Item),
}

impl Collector<'_> {
    fn flush(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        let scored: Vec<_> =
            pending.into_par_iter().map(|trajectory| self.work.score(trajectory, self.hash)).collect();
        for (problem, scored) in scored {
            problem.map(Item::Problem).into_iter().for_each(&mut *self.emit);
            scored.map(|scored| Item::Scored(Box::new(scored))).into_iter().for_each(&mut *self.emit);
        }
    }
}

impl Sink for Collector<'_> {
    fn trajectory(&mut self, trajectory: Trajectory) {
        for warning in &trajectory.warnings {
            let times = if warning.count > 1 { format!(" ({} times)", warning.count) } else { String::new() };
            let problem = Problem::new(&*trajectory.path, format!("{}{times}", warning.message));
            (self.emit)(Item::Problem(problem.line(warning.line).record(trajectory.id.clone())));
        }
        self.pending.extend(split_episodes(trajectory, self.work.request.episodes));
        if self.pending.len() >= CHUNK {
            self.flush();
        }
    }

    fn problem(&mut self, problem: Problem) {
        (self.emit)(Item::Problem(problem));
    }
}
