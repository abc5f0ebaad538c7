//! Judges at work on trajectories, with their verdicts going into a run file as they are given.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context;
use humbly_judge::LexicalJudge;
use humbly_model_judge::{
    Bill, JudgeSettings, JudgedByModel, ModelJudge, ModelJudgeError, Prompts, RawReply, Rubric, RunItem,
    flag_of, judge_run, panel_judgement,
};
use humbly_pipeline::{Observer, Tasks};
use humbly_score::TrajectoryRow;
use humbly_store::{Finished, PlannedSample, RunFile, StoredVerdict};
use humbly_types::{Judgement, Problem, Record, Trajectory, Undefined, Verdict};
use serde::{Deserialize, Serialize};
use tokio::runtime::Runtime;

use crate::args::{AskArguments, CorrectnessArgument};
use crate::clients::{Clients, runtime};
use crate::output::{self, Progress};

/// Trajectories that are held at a time.
const CHUNK: usize = 256;

/// A judge by name: the rules, or a model.
pub(super) enum Judge {
    Lexical(LexicalJudge),
    Model(Box<ModelJudge>),
}

impl Judge {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Lexical(judge) => judge.name(),
            Self::Model(judge) => judge.name(),
        }
    }
}

/// The judges of these names; models are connected, nothing is asked yet.
///
/// Models are asked for correctness too where `correctness` names one of the two judges of it.
pub(super) fn connect(
    names: &[&str],
    ask: &AskArguments,
    correctness: CorrectnessArgument,
) -> anyhow::Result<Vec<Judge>> {
    let prompts = match &ask.prompts {
        Some(folder) => Prompts::load(folder),
        None => Prompts::built_in(),
    }
    .context("cannot use the judge's prompts")?;
    let mut clients = Clients::new(&ask.models)?;
    let mut judges: Vec<Judge> = Vec::new();
    for name in names {
        let judge = if *name == "lexical" {
            Judge::Lexical(LexicalJudge::new())
        } else {
            let (client, model) =
                clients.client(name).with_context(|| format!("cannot use `{name}` as a judge"))?;
            let settings = JudgeSettings { correctness: correctness.rubric(), ..settings(model, ask) };
            let judge = ModelJudge::new(client, settings, prompts.clone())?;
            Judge::Model(Box::new(judge))
        };
        if !judges.iter().any(|known| known.name() == judge.name()) {
            judges.push(judge);
        }
    }
    Ok(judges)
}

/// The papers' settings, with what was asked for otherwise.
pub(super) fn settings(model: String, ask: &AskArguments) -> JudgeSettings {
    let mut settings = JudgeSettings::new(model);
    if ask.judge_temperature.is_some() || ask.judge_max_tokens.is_some() {
        for &rubric in Rubric::ALL {
            let mut own = settings.of(rubric);
            own.temperature = ask.judge_temperature.or(own.temperature);
            own.max_tokens = ask.judge_max_tokens.or(own.max_tokens);
            settings.rubrics.insert(rubric, own);
        }
    }
    settings
}

/// What one judge did.
#[derive(Debug, Default)]
pub(super) struct Seat {
    pub(super) judge: String,
    /// Trajectories judged in this sitting.
    pub(super) judged: usize,
    /// Trajectories whose verdicts were there already.
    pub(super) kept: usize,
    /// Trajectories among those judged with a failed call.
    pub(super) incomplete: usize,
    pub(super) bill: Bill,
    /// Why the judge was given up.
    pub(super) stopped: Option<String>,
    /// Code of that failure.
    stopped_by: Option<String>,
    complete: BTreeSet<String>,
}

/// Judges what comes by and keeps the verdicts, each at once.
pub(super) struct Judging<'a> {
    run: &'a RunFile,
    judges: &'a [Judge],
    tasks: Option<&'a Tasks>,
    /// Whether the trajectories themselves go into the run file too.
    keeps_samples: bool,
    concurrency: usize,
    runtime: Runtime,
    pending: Vec<RunItem>,
    seats: Vec<Seat>,
    /// Path, id and first line of each trajectory, with its key in the run file.
    places: Vec<(Place, String)>,
    models: BTreeSet<String>,
    bar: Progress,
    fault: Option<anyhow::Error>,
}

/// What came of it.
pub(super) struct Judged {
    pub(super) seats: Vec<Seat>,
    /// Path, id and first line of each trajectory, with its key in the run file.
    pub(super) places: Vec<(Place, String)>,
}

/// Where a trajectory stands in its log.
pub(super) type Place = (String, String, Option<u64>);

impl<'a> Judging<'a> {
    pub(super) fn new(
        run: &'a RunFile,
        judges: &'a [Judge],
        tasks: Option<&'a Tasks>,
        concurrency: usize,
    ) -> anyhow::Result<Self> {
        let seats = judges
            .iter()
            .map(|judge| {
                let complete = run.verdicts(judge.name())?.into_values().filter(is_complete);
                Ok(Seat {
                    judge: judge.name().to_owned(),
                    complete: complete.map(|verdict| verdict.key).collect(),
                    ..Seat::default()
                })
            })
            .collect::<anyhow::Result<_>>()?;
        Ok(Self {
            run,
            judges,
            tasks,
            keeps_samples: false,
            concurrency,
            runtime: runtime()?,
            pending: Vec::new(),
            seats,
            places: Vec::new(),
            models: BTreeSet::new(),
            bar: Progress::new("judged", 0),
            fault: None,
        })
    }

    pub(super) fn keeping_samples(mut self) -> Self {
        self.keeps_samples = true;
        self
    }

    /// Judges the rest, warns of kinship, and says what each judge did.
    pub(super) fn finish(mut self) -> anyhow::Result<Judged> {
        if self.fault.is_none() {
            self.fault = self.flush().err();
        }
        self.bar.finish();
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        for judge in self.judges {
            let Judge::Model(judge) = judge else { continue };
            for warning in self.models.iter().filter_map(|model| judge.family_warning(model)) {
                output::note(&format!("warning: {warning}"));
            }
        }
        Ok(Judged { seats: self.seats, places: self.places })
    }

    fn add(&mut self, trajectory: &Trajectory, row: &TrajectoryRow) -> anyhow::Result<()> {
        if self.keeps_samples {
            keep_sample(self.run, trajectory, row)?;
        }
        let line = trajectory.steps().first().map(|step| step.at.line);
        self.places.push(((row.path.clone(), trajectory.id.clone(), line), row.id.clone()));
        self.models.extend(row.model.clone());
        let task = row
            .task
            .as_deref()
            .zip(self.tasks)
            .and_then(|(id, tasks)| tasks.of(&row.path).by_id(id))
            .cloned();
        self.pending.push(RunItem { key: row.id.clone(), trajectory: trajectory.clone(), task });
        if self.pending.len() >= CHUNK { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        let pending = std::mem::take(&mut self.pending);
        for (judge, seat) in self.judges.iter().zip(&mut self.seats) {
            if seat.stopped.is_some() {
                continue;
            }
            let waiting: Vec<RunItem> =
                pending.iter().filter(|item| !seat.complete.contains(&item.key)).cloned().collect();
            seat.kept += pending.len() - waiting.len();
            match judge {
                Judge::Lexical(judge) => {
                    for item in waiting {
                        let judgement = judge.judge(&item.trajectory, item.task.as_ref());
                        put(self.run, &item.key, &judgement, None)?;
                        seat.judged += 1;
                    }
                }
                Judge::Model(judge) => {
                    let run = self.run;
                    let bar = &mut self.bar;
                    let keep = |key: String, judged: JudgedByModel| {
                        let kept = Kept { failed: judged.failures.len(), raw: judged.raw };
                        put(run, &key, &judged.judgement, Some(&kept))?;
                        seat.judged += 1;
                        seat.incomplete += usize::from(kept.failed > 0);
                        seat.bill.add(&judged.bill);
                        bar.set(seat.judged, &seat.judge);
                        Ok::<(), anyhow::Error>(())
                    };
                    let ended = self.runtime.block_on(judge_run(judge, waiting, self.concurrency, keep));
                    if let Err(error) = ended {
                        match error.downcast_ref::<ModelJudgeError>() {
                            Some(ModelJudgeError::Stopped { code, .. }) => {
                                seat.stopped_by = Some(code.clone());
                                seat.stopped = Some(error.to_string());
                            }
                            _ => return Err(error),
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

impl Observer for Judging<'_> {
    fn wants_steps(&self) -> bool {
        true
    }

    fn scored(&mut self, trajectory: Option<&Trajectory>, row: &TrajectoryRow, _judgement: &Judgement) {
        if let (None, Some(trajectory)) = (&self.fault, trajectory) {
            self.fault = self.add(trajectory, row).err();
        }
    }

    fn problem(&mut self, _problem: &Problem) {}
}

/// Keeps a trajectory of a log in a run file, whole and with the task that it was joined to.
pub(super) fn keep_sample(run: &RunFile, trajectory: &Trajectory, row: &TrajectoryRow) -> anyhow::Result<()> {
    let mut record = Record::of_trajectory(trajectory);
    record.id.clone_from(&row.id);
    record.task_id = row.task.clone().or(record.task_id);
    run.plan(&[PlannedSample { key: row.id.clone(), plan: serde_json::Value::Null }])?;
    let finished = Finished {
        record: Some(serde_json::to_string(&record)?),
        usage: trajectory.usage,
        cost_usd: trajectory.cost_usd,
        ..Finished::default()
    };
    run.finish(&row.id, &finished).context("cannot keep a trajectory")
}

/// Keeps what a judge said.
pub(super) fn put(
    run: &RunFile,
    key: &str,
    judgement: &Judgement,
    kept: Option<&Kept>,
) -> anyhow::Result<()> {
    let verdict = StoredVerdict {
        key: key.to_owned(),
        judge: judgement.judge.to_string(),
        judgement: serde_json::to_string(judgement)?,
        raw: kept.map(serde_json::to_string).transpose()?,
    };
    run.put_verdict(&verdict).context("cannot keep a verdict")
}

/// What a model judge said beyond its verdicts, as it stands in the run file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Kept {
    /// Failed calls.
    pub(super) failed: usize,
    /// Every reply as it came.
    pub(super) raw: Vec<RawReply>,
}

/// A verdict with a failed call is asked for again.
fn is_complete(verdict: &StoredVerdict) -> bool {
    #[derive(Deserialize)]
    struct Failed {
        #[serde(default)]
        failed: usize,
    }
    let failed = verdict.raw.as_deref().and_then(|raw| serde_json::from_str::<Failed>(raw).ok());
    failed.is_none_or(|kept| kept.failed == 0)
}

/// What the judge of this name said in a run, by key.
pub(super) fn judgements(run: &RunFile, judge: &str) -> anyhow::Result<BTreeMap<String, Judgement>> {
    run.verdicts(judge)?
        .into_iter()
        .map(|(key, verdict)| {
            let judgement = serde_json::from_str(&verdict.judgement)
                .with_context(|| format!("the verdicts of `{judge}` on `{key}` cannot be read"))?;
            Ok((key, judgement))
        })
        .collect()
}

/// Joins the judges of a run to a panel, over what all of them have judged; its name.
pub(super) fn panel(run: &RunFile, judges: &[Judge]) -> anyhow::Result<String> {
    let names: Vec<&str> = judges.iter().map(Judge::name).collect();
    let name: std::sync::Arc<str> = format!("panel[{}]", names.join(",")).into();
    let members: Vec<BTreeMap<String, Judgement>> =
        names.iter().map(|judge| judgements(run, judge)).collect::<anyhow::Result<_>>()?;
    let Some((first, others)) = members.split_first() else { return Ok(name.to_string()) };
    for (key, judgement) in first {
        let rest: Option<Vec<&Judgement>> = others.iter().map(|member| member.get(key)).collect();
        let Some(rest) = rest else { continue };
        let all: Vec<&Judgement> = std::iter::once(judgement).chain(rest).collect();
        if let Some(joined) = panel_judgement(&name, &all) {
            put(run, key, &joined, None)?;
        }
    }
    Ok(name.to_string())
}

/// Yes, no and undefined by reason, of one question.
#[derive(Debug, Default, Serialize)]
pub(super) struct Tally {
    pub(super) yes: u64,
    pub(super) no: u64,
    pub(super) undefined: BTreeMap<String, u64>,
}

impl Tally {
    fn add(&mut self, verdict: &Verdict) {
        match (verdict.value, &verdict.undefined) {
            (Some(true), _) => self.yes += 1,
            (Some(false), _) => self.no += 1,
            (None, undefined) => self.unknown(undefined.as_ref()),
        }
    }

    fn unknown(&mut self, undefined: Option<&Undefined>) {
        let reason = undefined.map_or("unknown", |undefined| undefined.reason.code());
        *self.undefined.entry(reason.to_owned()).or_default() += 1;
    }
}

/// The verdicts of one judge in a run, counted by question, in a fixed order.
pub(super) fn tally(run: &RunFile, judge: &str) -> anyhow::Result<Vec<(&'static str, Tally)>> {
    let mut tallies: Vec<(&'static str, Tally)> =
        ["identify", "escalate", "refusal", "final_reasoning", "self_inconsistent", "answer_source"]
            .map(|name| (name, Tally::default()))
            .into();
    let mut correct = Tally::default();
    let mut is_asked = false;
    for judgement in judgements(run, judge)?.values() {
        let identify = flag_of(judgement);
        let verdicts = [
            &identify,
            &judgement.escalate,
            &judgement.refusal,
            &judgement.final_reasoning,
            &judgement.self_inconsistent,
        ];
        if let Some(verdict) = &judgement.correct {
            is_asked = true;
            correct.add(verdict);
        }
        for ((_, tally), verdict) in tallies.iter_mut().zip(verdicts) {
            tally.add(verdict);
        }
        if let Some((_, tally)) = tallies.last_mut() {
            match &judgement.answer_source {
                // A source is named: there is no yes or no to it.
                Ok(_) => tally.yes += 1,
                Err(undefined) => tally.unknown(Some(undefined)),
            }
        }
    }
    if is_asked {
        tallies.push(("correct", correct));
    }
    Ok(tallies)
}

/// Says on standard error what each judge did.
pub(super) fn report_seats(seats: &[Seat]) {
    for seat in seats {
        let kept = if seat.kept > 0 { format!(", {} judged before", seat.kept) } else { String::new() };
        let bill = if seat.bill.asks > 0 { format!(" · {}", seat.bill.line()) } else { String::new() };
        output::note(&format!("{}: {} judged{kept}{bill}", seat.judge, seat.judged));
        if seat.incomplete > 0 {
            output::note(&format!(
                "  the verdicts on {} of them have a failed call and are undefined; hint: the same command asks again",
                seat.incomplete
            ));
        }
        // Half and more is no slip of the judge's.
        if seat.bill.unusable * 2 >= seat.bill.asks.max(1) {
            output::note(
                "  most of its replies are not of the form that was asked for and give no verdict; hint: take another judge, or ask in your own words by --prompts",
            );
        }
        if let Some(why) = &seat.stopped {
            output::note(&format!("  {why}; hint: what was judged is kept, the same command goes on"));
            output::hints(seat.stopped_by.as_deref());
        }
    }
}

/// Whether every call of every judge succeeded.
pub(super) fn all_succeeded(seats: &[Seat]) -> bool {
    seats.iter().all(|seat| seat.incomplete == 0 && seat.stopped.is_none())
}
