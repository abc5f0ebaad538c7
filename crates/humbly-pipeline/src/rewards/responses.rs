//! Rollouts with responses: read in batches, scored on all cores, in the order of the file.

use std::collections::BTreeMap;
use std::io::BufRead;

use humbly_rewards::{Component, Reward, Sample, Scored, StatedConfidence};
use humbly_stats::intervals::BootstrapParams;
use humbly_text::normalize::quasi;
use humbly_types::Problem;
use rayon::prelude::*;
use serde::Serialize;

use super::card::{FaultExample, RewardCard};
use super::row::{RewardColumns, Rollout};
use super::tally::Tally;

/// Rows that are read, and for rewards with state noted, at a time.
const BATCH: usize = 4_096;

/// What is asked of a file of rollouts.
#[derive(Debug)]
pub struct RewardRequest<'a> {
    /// Name of the file, for problems.
    pub path: &'a str,
    /// Columns.
    pub columns: RewardColumns,
    /// Settings, for the card.
    pub settings: BTreeMap<String, String>,
    /// Resamples and seed.
    pub bootstrap: BootstrapParams,
}

/// One row as it is handed on.
#[derive(Debug, Clone, Serialize)]
pub struct RewardRow {
    /// Line of the file, from 1.
    pub line: u64,
    /// Its `id`, where it has one.
    pub id: Option<String>,
    /// The reward, `null` where there is none.
    pub score: Option<f64>,
    /// Why there is none.
    pub unscorable: Option<&'static str>,
    /// The first broken rule and its byte.
    pub fault: Option<String>,
    /// Every component.
    pub components: BTreeMap<&'static str, f64>,
}

struct Judged {
    row: RewardRow,
    scored: Scored,
    question: Option<String>,
    answer: Option<String>,
    fault: Option<(&'static str, FaultExample)>,
    confidence_fault: Option<&'static str>,
    has_known_tag: bool,
}

/// Scores every line and sums up; a line that cannot be read is a problem and the rest goes on.
///
/// Rewards with state see batches of 4,096 rows in the order of the file.
///
/// # Errors
/// A [`Problem`] where the input breaks off.
pub fn score_responses(
    input: &mut dyn BufRead,
    reward: &dyn Reward,
    request: RewardRequest<'_>,
    each: &mut dyn FnMut(&RewardRow) -> std::io::Result<()>,
) -> Result<RewardCard, Problem> {
    let failed = |error: &dyn std::fmt::Display| Problem::new(request.path, error.to_string());
    let mut tally = Tally::new(Component::NAMES);
    let mut line = 0_u64;
    let mut batch: Vec<(u64, String)> = Vec::with_capacity(BATCH);
    loop {
        batch.clear();
        while batch.len() < BATCH {
            let mut text = Vec::new();
            if input.read_until(b'\n', &mut text).map_err(|error| failed(&error))? == 0 {
                break;
            }
            line += 1;
            if !text.trim_ascii().is_empty() {
                batch.push((line, String::from_utf8_lossy(&text).into_owned()));
            }
        }
        if batch.is_empty() {
            break;
        }
        let rollouts = read(&batch, &request.columns, request.path, &mut tally.problems);
        for rollout in &rollouts {
            tally.groups.add(rollout.question.as_deref(), rollout.prompt.as_deref());
        }
        for judged in judge(reward, &rollouts) {
            each(&judged.row).map_err(|error| failed(&error))?;
            add(&mut tally, judged);
        }
    }
    RewardCard::new(tally, request.settings, &request.bootstrap)
        .map_err(|error| Problem::new(request.path, error.to_string()))
}

/// Scores lines that somebody else read, each with its number in the file: one block of a larger job.
///
/// Rows and problems are those of [`score_responses`] on the whole file, for a reward without state.
pub fn score_lines(
    lines: &[(u64, String)],
    reward: &dyn Reward,
    columns: &RewardColumns,
    path: &str,
) -> (Vec<RewardRow>, Vec<Problem>) {
    let mut problems = Vec::new();
    let rollouts = read(lines, columns, path, &mut problems);
    (judge(reward, &rollouts).into_iter().map(|judged| judged.row).collect(), problems)
}

/// The rollouts of the lines that can be read.
fn read(
    lines: &[(u64, String)],
    columns: &RewardColumns,
    path: &str,
    problems: &mut Vec<Problem>,
) -> Vec<Rollout> {
    let read: Vec<Result<Rollout, (u64, String)>> = lines
        .par_iter()
        .map(|(line, text)| columns.read(*line, text).map_err(|message| (*line, message)))
        .collect();
    let mut rollouts = Vec::with_capacity(read.len());
    for row in read {
        match row {
            Ok(rollout) => rollouts.push(rollout),
            Err((line, message)) => problems.push(Problem::new(path, message).line(line)),
        }
    }
    rollouts
}

fn judge(reward: &dyn Reward, rollouts: &[Rollout]) -> Vec<Judged> {
    let references: Vec<Vec<&str>> =
        rollouts.iter().map(|rollout| rollout.references.iter().map(String::as_str).collect()).collect();
    let samples: Vec<Sample<'_>> = rollouts
        .iter()
        .zip(&references)
        .map(|(rollout, references)| Sample {
            response: &rollout.response,
            prompt: rollout.prompt.as_deref(),
            references,
            question: rollout.question.as_deref(),
            label: rollout.label,
        })
        .collect();
    let scored = if reward.has_state() {
        reward.score_batch(&samples)
    } else {
        samples.par_iter().map(|sample| reward.score(sample)).collect()
    };
    rollouts
        .par_iter()
        .zip(&samples)
        .zip(scored)
        .map(|((rollout, sample), scored)| described(reward, rollout, sample, scored))
        .collect()
}

fn described(reward: &dyn Reward, rollout: &Rollout, sample: &Sample<'_>, scored: Scored) -> Judged {
    let reading = reward.scoring().read(sample);
    let fault = reading.fault.map(|fault| {
        let excerpt = fault.excerpt(sample.text());
        let example = FaultExample {
            line: rollout.line,
            offset: fault.offset,
            expected: fault.expected.to_owned(),
            before: excerpt.before.to_owned(),
            after: excerpt.after.to_owned(),
        };
        (fault.rule.name(), example)
    });
    let row = RewardRow {
        line: rollout.line,
        id: rollout.id.clone(),
        score: scored.score(),
        unscorable: scored.unscorable().map(humbly_rewards::Unscorable::name),
        fault: reading.fault.map(|fault| fault.to_string()),
        components: scored.components.iter().collect(),
    };
    Judged {
        row,
        scored,
        question: rollout.question.clone(),
        answer: reading.answer.as_deref().map(quasi),
        fault,
        confidence_fault: match reading.confidence {
            StatedConfidence::Unusable(fault) => Some(fault.name()),
            StatedConfidence::Stated(_) | StatedConfidence::NotAsked => None,
        },
        has_known_tag: reading.has_known_tag,
    }
}

fn add(tally: &mut Tally, judged: Judged) {
    if let Some((rule, example)) = judged.fault {
        tally.add_fault(rule, || example);
    }
    if let Some(fault) = judged.confidence_fault {
        *tally.confidence_faults.entry(fault).or_default() += 1;
    }
    if let Some(answer) = &judged.answer {
        tally.add_answer(answer);
    }
    tally.without_tags += u64::from(!judged.has_known_tag);
    match judged.row.unscorable {
        Some(reason) => tally.add_unscorable(reason),
        None => tally.add_scored(judged.scored.components.values(), judged.question),
    }
}
