//! The outputs of a run, read with what was asked; and a sheet of them for people.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use humbly_bench::conflict::Suite;
use humbly_bench::experiment::{Condition, SamplePlan};
use humbly_bench::ua_bench::UaPrompt;
use humbly_score::attribution_study::{AttributionSample, Extraction};
use humbly_store::{RunFile, SampleState};
use humbly_types::{Judgement, Problem, Record, Task, Undefined};

use crate::args::SheetOutputsArguments;
use crate::exit::Status;
use crate::output;

/// The outputs of a run of UA-Bench.
pub(super) struct Outputs {
    /// Key in the run file and the output.
    pub(super) samples: Vec<(String, AttributionSample)>,
    /// What of the benchmark the suite has.
    pub(super) coverage: String,
    /// Samples that failed, or wait.
    pub(super) without_output: u64,
    /// Judge of the answers that no rule decides.
    pub(super) judge: Option<String>,
}

/// The outputs of several runs.
#[derive(Default)]
pub(super) struct ManyOutputs {
    /// Key in the run file and the output.
    pub(super) samples: Vec<(String, AttributionSample)>,
    /// What of the benchmark the suites have, each line once.
    pub(super) coverage: Vec<String>,
    /// Samples that failed, or wait.
    pub(super) without_output: u64,
    /// Judges of the answers that no rule decides.
    pub(super) judges: Vec<String>,
    /// What was left out.
    pub(super) problems: Vec<Problem>,
}

impl ManyOutputs {
    /// The judges in words.
    pub(super) fn judge(&self) -> String {
        if self.judges.is_empty() { "none".to_owned() } else { self.judges.join(", ") }
    }
}

/// Reads runs; the same outputs under a second name are counted once.
pub(super) fn read_all(
    paths: &[PathBuf],
    extraction: Extraction,
    judge: Option<&str>,
) -> anyhow::Result<ManyOutputs> {
    let mut all = ManyOutputs::default();
    let mut known: Vec<(&Path, std::ops::Range<usize>)> = Vec::new();
    for path in paths {
        let found = read(path, extraction, judge)?;
        let is_same = |range: &std::ops::Range<usize>| {
            let before = all.samples.get(range.clone()).unwrap_or_default();
            before.len() == found.samples.len()
                && before.iter().zip(&found.samples).all(|((key, one), (other_key, other))| {
                    key == other_key && one.model == other.model && one.text == other.text
                })
        };
        if let Some((before, _)) = known.iter().find(|(_, range)| !found.samples.is_empty() && is_same(range))
        {
            let message = format!("holds the outputs of `{}`", before.display());
            all.problems.push(Problem::new(path.to_string_lossy(), message).hint("it was counted once"));
            continue;
        }
        known.push((path, all.samples.len()..all.samples.len() + found.samples.len()));
        all.samples.extend(found.samples);
        all.without_output += found.without_output;
        if !all.coverage.contains(&found.coverage) {
            all.coverage.push(found.coverage);
        }
        all.judges.extend(found.judge.filter(|name| !all.judges.contains(name)));
    }
    Ok(all)
}

/// Reads a run; `judge` names one whose verdicts it holds.
pub(super) fn read(path: &Path, extraction: Extraction, judge: Option<&str>) -> anyhow::Result<Outputs> {
    let run = RunFile::read(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let settings = run.settings()?;
    let part = |pointer: &str| settings.pointer(pointer).cloned().unwrap_or_default();
    let suite: Suite = serde_json::from_value(part("/suite"))
        .with_context(|| format!("the suite in `{}` cannot be read", path.display()))?;
    let conditions: Vec<Condition> = serde_json::from_value(part("/experiment/conditions"))
        .with_context(|| format!("the experiment in `{}` cannot be read", path.display()))?;
    let conditions: HashMap<&str, &Condition> =
        conditions.iter().map(|condition| (condition.name.as_str(), condition)).collect();
    let tasks: HashMap<&str, &Task> =
        suite.tasks.iter().map(|task| (task.task.id.as_str(), &task.task)).collect();
    let judge = judge.map(|asked| stored_judge(&run, asked)).transpose()?;
    let verdicts = judge.as_deref().map(|name| verdicts_of(&run, name)).transpose()?.unwrap_or_default();
    let mut found = Outputs {
        samples: Vec::new(),
        coverage: suite.coverage.as_ref().map(ToString::to_string).unwrap_or_default(),
        without_output: 0,
        judge,
    };
    run.for_each_sample(|stored| {
        let record = stored.record.as_deref().and_then(|text| serde_json::from_str::<Record>(text).ok());
        let plan = serde_json::from_value::<SamplePlan>(stored.plan).ok();
        let (SampleState::Done, Some(record), Some(plan)) = (stored.state, record, plan) else {
            found.without_output += 1;
            return;
        };
        let Some(task) = tasks.get(plan.task.as_str()) else {
            found.without_output += 1;
            return;
        };
        let last = record.turns.last();
        let text = last.map_or("", |turn| turn.text.as_str());
        let reasoning = last.and_then(|turn| turn.reasoning.as_deref());
        let mut sample = AttributionSample::new((*task).clone(), text, reasoning, extraction);
        let condition = conditions.get(plan.condition.as_str());
        sample.prompt = condition
            .and_then(|condition| UaPrompt::of_template(condition.prompt.as_deref()?))
            .map(|prompt| prompt.name().to_owned());
        sample.thinking = condition.and_then(|condition| condition.thinking);
        sample.base_model = condition.and_then(|condition| {
            let stands_in = |(_, stand_in): &(&String, &String)| **stand_in == plan.model;
            condition.models.iter().find(stands_in).map(|(base, _)| base.clone())
        });
        sample.model = plan.model;
        sample.condition = plan.condition;
        if sample.undecided().is_some()
            && let Some(verdict) = verdicts.get(&stored.key)
        {
            sample.correct.clone_from(verdict);
        }
        found.samples.push((stored.key, sample));
    })?;
    Ok(found)
}

/// The judge of this name, with or without provider and version.
fn stored_judge(run: &RunFile, asked: &str) -> anyhow::Result<String> {
    let bare = asked.split_once(':').map_or(asked, |(_, model)| model);
    let judges = run.judges()?;
    let is_meant = |name: &&String| {
        let model = name.rsplit_once('@').map_or(name.as_str(), |(model, _)| model);
        **name == asked || model == asked || model == bare
    };
    match judges.iter().find(is_meant) {
        Some(name) => Ok(name.clone()),
        None => bail!(
            "`{}` holds no verdicts of `{asked}`, it has those of {}; hint: `humbly judge {} --judge {asked}`",
            run.path().display(),
            if judges.is_empty() { "nobody".to_owned() } else { judges.join(", ") },
            run.path().display()
        ),
    }
}

/// What a judge said of each answer: right, wrong, or why neither is known.
pub(super) fn verdicts_of(
    run: &RunFile,
    judge: &str,
) -> anyhow::Result<BTreeMap<String, Result<bool, Undefined>>> {
    let mut found = BTreeMap::new();
    for (key, stored) in run.verdicts(judge)? {
        let judgement: Judgement = serde_json::from_str(&stored.judgement)
            .with_context(|| format!("the verdict of `{judge}` on `{key}` cannot be read"))?;
        let Some(verdict) = judgement.correct else { continue };
        match (verdict.value, verdict.undefined) {
            (Some(value), _) => found.insert(key, Ok(value)),
            (None, Some(undefined)) => found.insert(key, Err(undefined)),
            (None, None) => None,
        };
    }
    Ok(found)
}

/// Draws outputs with the parsed decision beside them (UA §4.4).
pub(in super::super) fn sheet(arguments: &SheetOutputsArguments) -> anyhow::Result<Status> {
    if arguments.to.exists() {
        bail!(
            "`{}` exists: a sheet may hold somebody's work; hint: remove it or name another file",
            arguments.to.display()
        );
    }
    if !super::is_of_ua(&arguments.run) {
        bail!(
            "`{}` is no run of UA-Bench; hint: other sheets are made by `humbly sheet make`",
            arguments.run.display()
        );
    }
    let mut samples = read(&arguments.run, Extraction::Strict, arguments.judge.as_deref())?.samples;
    let rank = |key: &str| humbly_bench::ua_bench::draw_rank(key, arguments.seed);
    samples.sort_by_cached_key(|(key, _)| (rank(key), key.clone()));
    samples.truncate(arguments.rows);
    let mut writer = csv::Writer::from_path(&arguments.to)
        .with_context(|| format!("cannot write `{}`", arguments.to.display()))?;
    writer.write_record([
        "key",
        "question",
        "references",
        "output",
        "parsed_form",
        "parsed_answer",
        "parsed_correct",
        "form_is_right",
        "answer_is_right",
        "remark",
    ])?;
    for (key, sample) in &samples {
        let answer = match &sample.form {
            humbly_text::attribution::AnswerForm::Answer(answer) => answer.as_str(),
            _ => "",
        };
        let correct = match &sample.correct {
            Ok(value) => value.to_string(),
            Err(why) => why.reason.code().to_owned(),
        };
        let question = sample.task.question.as_deref().unwrap_or_default();
        let references = sample.task.references.join(" | ");
        // A cell that begins like a formula is run by spreadsheets.
        let safe = |text: &str| {
            if text.starts_with(['=', '+', '-', '@']) { format!("'{text}") } else { text.to_owned() }
        };
        writer.write_record([
            safe(key),
            safe(question),
            safe(&references),
            safe(&sample.text),
            sample.form.name().to_owned(),
            safe(answer),
            correct,
            String::new(),
            String::new(),
            String::new(),
        ])?;
    }
    writer.flush()?;
    output::note(&format!(
        "sheet: {} ({} outputs); people fill in form_is_right, answer_is_right and remark",
        arguments.to.display(),
        samples.len()
    ));
    Ok(Status::Done)
}
