//! Whole runs, scored one by one: each with its own tasks, since suites of two models may share task ids.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use humbly_judge::LexicalJudge;
use humbly_score::{CorrectnessBy, Digests, SCHEMA, ScoreReport, Settings, TrajectoryRow, score_trajectory};
use humbly_store::{RunFile, StoreError, StoredVerdict};
use humbly_types::{Judgement, Problem, Task, Trajectory};
use serde_json::Value;

use crate::run::{Observer, Request, visit_logs};
use crate::run_files::{fault, is_run_file, left_out, tasks_of_runs};
use crate::tasks::Tasks;

/// One run, scored.
#[derive(Debug, Clone)]
pub struct ScoredRun {
    /// Path as the user named it.
    pub path: String,
    /// Settings of the run file (experiment, suite, prompts); `None` for a score file.
    pub settings: Option<Value>,
    /// Judge of the rows.
    pub judge: String,
    /// The rows.
    pub rows: Vec<TrajectoryRow>,
    /// What every judge said of every sample, where more than one judged.
    pub labels: Vec<JudgeLabels>,
    /// What could not be used.
    pub problems: Vec<Problem>,
    answerable: HashMap<String, bool>,
}

/// What one judge said of one sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgeLabels {
    /// The sample.
    pub item: String,
    /// `controlled` or `natural`, where the task has a scenario.
    pub setting: Option<String>,
    /// The judge.
    pub judge: String,
    /// Identify over the whole trajectory; `None` where undefined.
    pub identify: Option<bool>,
    /// Escalate.
    pub escalate: Option<bool>,
    /// Correctness: by rules for the lexical judge, else what a model judge said of it where it was asked.
    pub correct: Option<bool>,
}

/// Which judge's verdicts make the rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowJudge {
    /// The lexical judge, asked now.
    Lexical,
    /// A judge whose verdicts the run file holds, by its name.
    Stored(String),
}

impl ScoredRun {
    /// Adds the rows to digests.
    pub fn digest_into(&self, digests: &mut Digests) {
        for row in &self.rows {
            let answerable = row.task.as_ref().and_then(|task| self.answerable.get(task).copied());
            digests.add(row, answerable);
        }
    }

    /// Conditions of the run's experiment that have a clause; `None` where the input does not say.
    pub fn prompted(&self) -> Option<Vec<String>> {
        let conditions = self.settings.as_ref()?.pointer("/experiment/conditions")?.as_array()?;
        let with_clauses = conditions.iter().filter(|condition| {
            condition.get("clauses").and_then(Value::as_array).is_some_and(|clauses| !clauses.is_empty())
        });
        Some(
            with_clauses
                .filter_map(|condition| condition.get("name").and_then(Value::as_str).map(str::to_owned))
                .collect(),
        )
    }
}

/// Scores a run file, or takes the rows of `humbly score --output json`.
///
/// # Errors
/// A [`Problem`] where the input is neither, cannot be read, or holds no verdicts of the judge asked for.
pub fn scored_run(
    path: &Path,
    lexical: &LexicalJudge,
    judge: &RowJudge,
    settings: &Settings,
) -> Result<ScoredRun, Problem> {
    let shown = path.to_string_lossy();
    if is_run_file(path) {
        return from_run_file(path, &shown, lexical, judge, settings);
    }
    let bytes = std::fs::read(path)
        .map_err(|error| Problem::new(shown.as_ref(), format!("cannot be read: {error}")))?;
    let report: ScoreReport = serde_json::from_slice(&bytes).map_err(|error| {
        Problem::new(shown.as_ref(), format!("neither a run file nor a score file ({SCHEMA}): {error}"))
            .hint("give the file of `humbly run --out`, or of `humbly score … --output json`")
    })?;
    if let RowJudge::Stored(name) = judge
        && !is_meant(&report.settings.judge, name)
    {
        return Err(other_judge(&shown, name, std::slice::from_ref(&report.settings.judge)));
    }
    Ok(ScoredRun {
        path: shown.into_owned(),
        settings: None,
        judge: report.settings.judge,
        rows: report.trajectories,
        labels: Vec::new(),
        problems: report.problems,
        answerable: HashMap::new(),
    })
}

/// Whether [`scored_run`] may take the file: a run file, or JSON that begins as a score file does.
pub fn is_run_or_scores(path: &Path) -> bool {
    if is_run_file(path) {
        return true;
    }
    let mut head = [0; 64];
    let read = std::fs::File::open(path).and_then(|mut file| std::io::Read::read(&mut file, &mut head));
    read.is_ok_and(|read| {
        let head: String = String::from_utf8_lossy(&head[..read]).split_whitespace().collect();
        head.starts_with("{\"schema\":\"humbly.score/")
    })
}

fn from_run_file(
    path: &Path,
    shown: &str,
    lexical: &LexicalJudge,
    judge: &RowJudge,
    settings: &Settings,
) -> Result<ScoredRun, Problem> {
    let store = |error: StoreError| fault(shown, &error);
    let run = RunFile::read(path).map_err(store)?;
    let mut stored = BTreeMap::new();
    for name in run.judges().map_err(store)? {
        let verdicts = run.verdicts(&name).map_err(store)?;
        stored.insert(name, verdicts);
    }
    let judge = match judge {
        RowJudge::Lexical => None,
        RowJudge::Stored(asked) => {
            let mut meant = stored.keys().filter(|name| is_meant(name, asked));
            let (Some(name), None) = (meant.next(), meant.next()) else {
                let known: Vec<String> =
                    std::iter::once(lexical.name().to_string()).chain(stored.into_keys()).collect();
                return Err(other_judge(shown, asked, &known));
            };
            Some(name.clone())
        }
    };
    let tasks = tasks_of_runs(&[path.to_owned()])?.unwrap_or_default();
    let run_settings = run.settings().map_err(store)?;
    // A confidence is read on the scale on which the run asked for it.
    let own_scale = confidence_scale(&run_settings).map(str::to_owned);
    let own = Settings {
        confidence_scale: own_scale.unwrap_or_else(|| settings.confidence_scale.clone()),
        ..settings.clone()
    };
    let settings = &own;
    let mut observer = Judged {
        tasks: &tasks,
        settings,
        chosen: judge.as_ref(),
        stored: &stored,
        rows: Vec::new(),
        labels: Vec::new(),
        problems: Vec::new(),
        without: 0,
    };
    let request = Request { paths: vec![path.to_owned()], ..Request::default() };
    // The rules' own rows: a model's correctness is for that model's.
    let by_rules = Settings { correctness: CorrectnessBy::Rules, ..settings.clone() };
    visit_logs(&request, Some(&tasks), lexical, &by_rules, &mut observer);
    let Judged { rows, labels, mut problems, without, .. } = observer;
    problems.extend(left_out(path));
    if without > 0 {
        problems.push(
            Problem::new(shown, format!("{without} samples have no verdict of this judge and are left out"))
                .hint("go on judging with `humbly judge`"),
        );
    }
    let judge = judge.unwrap_or_else(|| lexical.name().to_string());
    let answerable =
        tasks.all().iter().filter_map(|task| Some((task.id.clone(), task.answerable?))).collect();
    Ok(ScoredRun {
        path: shown.to_owned(),
        settings: Some(run_settings),
        judge,
        rows,
        labels,
        problems,
        answerable,
    })
}

/// The scale on which a run asked for confidences, `unit` or `percent`; words are on no scale. `None` where it asked for
/// none.
pub(crate) fn confidence_scale(run_settings: &Value) -> Option<&str> {
    match run_settings.pointer("/experiment/confidence")?.as_str()? {
        "percent" => Some("percent"),
        "unit" | "words" => Some("unit"),
        _ => None,
    }
}

/// The scale of all run files among `paths`; `None` where none of them asked for confidences.
///
/// # Errors
/// A [`Problem`] where two runs asked on different scales, or a run file cannot be read.
pub fn confidence_scale_of_runs(paths: &[std::path::PathBuf]) -> Result<Option<String>, Problem> {
    let mut found: Option<(String, String)> = None;
    for path in paths.iter().filter(|path| is_run_file(path)) {
        let shown = path.to_string_lossy().into_owned();
        let settings =
            RunFile::read(path).and_then(|run| run.settings()).map_err(|error| fault(&shown, &error))?;
        let Some(scale) = confidence_scale(&settings) else { continue };
        match &found {
            Some((known, first)) if known != scale => {
                let message =
                    format!("asked for confidences on the {scale} scale, `{first}` on the {known} scale");
                return Err(Problem::new(shown, message)
                    .hint("score the runs one by one, or compare them with `humbly report`, which reads each on its own scale"));
            }
            Some(_) => {}
            None => found = Some((scale.to_owned(), shown)),
        }
    }
    Ok(found.map(|(scale, _)| scale))
}

/// Several judges that were joined: no rater of its own.
const PANEL: &str = "panel[";

/// Whether a judge's name is what somebody calls `asked`: whole, the model with or without its provider, the panel.
fn is_meant(name: &str, asked: &str) -> bool {
    if name.starts_with(PANEL) {
        return name == asked || asked == "panel";
    }
    let model = name.rsplit_once('@').map_or(name, |(model, _)| model);
    let bare = asked.split_once(':').map_or(asked, |(_, model)| model);
    name == asked || model == asked || model == bare
}

fn other_judge(shown: &str, name: &str, known: &[String]) -> Problem {
    Problem::new(shown, format!("holds verdicts of no or of several judges called `{name}`"))
        .hint(format!("judges here: {}", known.join(", ")))
}

struct Judged<'a> {
    tasks: &'a Tasks,
    settings: &'a Settings,
    chosen: Option<&'a String>,
    stored: &'a BTreeMap<String, BTreeMap<String, StoredVerdict>>,
    rows: Vec<TrajectoryRow>,
    labels: Vec<JudgeLabels>,
    problems: Vec<Problem>,
    without: u64,
}

impl Judged<'_> {
    /// The row under a stored judge's verdicts, and what that judge said of correctness.
    fn under(
        &mut self,
        judge: &str,
        trajectory: &Trajectory,
        row: &TrajectoryRow,
    ) -> Option<(TrajectoryRow, Option<bool>)> {
        let verdict = self.stored.get(judge)?.get(&row.id)?;
        let judgement = match serde_json::from_str::<Judgement>(&verdict.judgement) {
            Ok(judgement) => judgement,
            Err(error) => {
                let message = format!("the stored judgement of `{judge}` cannot be read: {error}");
                self.problems.push(Problem::new(row.path.as_str(), message).record(row.id.clone()));
                return None;
            }
        };
        let task = self.task(row);
        let mut scored = score_trajectory(trajectory, task, &judgement, self.settings);
        scored.id.clone_from(&row.id);
        scored.hash.clone_from(&row.hash);
        Some((scored, judgement.correct.and_then(|verdict| verdict.value)))
    }

    fn task(&self, row: &TrajectoryRow) -> Option<&Task> {
        self.tasks.by_id(row.task.as_deref()?)
    }

    fn label(&mut self, judge: &str, row: &TrajectoryRow, correct: Option<bool>) {
        let scenario = self.task(row).and_then(|task| task.scenario.as_deref());
        let setting = scenario.map(|scenario| if scenario == "natural" { "natural" } else { "controlled" });
        self.labels.push(JudgeLabels {
            item: row.id.clone(),
            setting: setting.map(str::to_owned),
            judge: judge.to_owned(),
            identify: row.identify.value,
            escalate: row.escalate.value,
            correct,
        });
    }
}

impl Observer for Judged<'_> {
    fn wants_steps(&self) -> bool {
        !self.stored.is_empty()
    }

    fn scored(&mut self, trajectory: Option<&Trajectory>, row: &TrajectoryRow, judgement: &Judgement) {
        let mut chosen = self.chosen.is_none().then(|| row.clone());
        if let Some(trajectory) = trajectory {
            self.label(&Arc::clone(&judgement.judge), row, row.correct.value);
            // A run made from logs may hold the rules' own verdicts: they are one rater, not two.
            let judges: Vec<String> =
                self.stored.keys().filter(|name| ***name != *judgement.judge).cloned().collect();
            for judge in judges {
                let Some((under, correct)) = self.under(&judge, trajectory, row) else { continue };
                if !judge.starts_with(PANEL) {
                    self.label(&judge, &under, correct);
                }
                if self.chosen == Some(&judge) {
                    chosen = Some(under);
                }
            }
        }
        match chosen {
            Some(row) => self.rows.push(row),
            None => self.without += 1,
        }
    }

    fn problem(&mut self, problem: &Problem) {
        self.problems.push(problem.clone());
    }
}
