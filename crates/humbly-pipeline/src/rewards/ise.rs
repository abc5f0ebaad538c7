//! The `ise` reward: verdicts of a judge, joined with the scores of the same logs.

use std::collections::BTreeMap;
use std::io::BufRead;

use humbly_rewards::{IseReward, IseSplit, IseTrajectory};
use humbly_stats::intervals::BootstrapParams;
use humbly_types::{Problem, Verdict};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::card::RewardCard;
use super::tally::Tally;

/// The two files.
#[derive(Debug)]
pub struct IseFiles<'a> {
    /// Name of the file of verdicts.
    pub verdicts: &'a str,
    /// Name of the file of scores.
    pub scores: &'a str,
    /// Settings, for the card.
    pub settings: BTreeMap<String, String>,
    /// Resamples and seed.
    pub bootstrap: BootstrapParams,
}

/// A row for process supervision: one turn, or the end of a trajectory.
#[derive(Debug, Clone, Serialize)]
pub struct IseRow<'a> {
    /// The trajectory.
    pub trajectory: &'a str,
    /// `identify` of a turn, `escalate` of the end.
    pub question: &'static str,
    /// The turn.
    pub turn: Option<u32>,
    /// What this turn (or the end) earned, `null` where it has no reward.
    pub reward: Option<f64>,
    /// The reward of the whole trajectory.
    pub score: Option<f64>,
    /// Why there is none.
    pub unscorable: Option<&'static str>,
    /// The verdict, with quote, file and line.
    pub verdict: Option<&'a Verdict>,
    /// The turn's reasoning and visible text, of the end the final answer; `null` where the file of verdicts has none.
    pub text: Option<&'a str>,
    /// Components of the trajectory, at its end.
    pub components: Option<BTreeMap<&'static str, f64>>,
}

#[derive(Deserialize)]
struct Line {
    trajectory: String,
    question: String,
    turn: Option<u32>,
    verdict: Verdict,
    #[serde(default)]
    text: Option<String>,
}

/// A verdict with the text that it is about.
struct Judged {
    verdict: Verdict,
    text: Option<String>,
}

#[derive(Default)]
struct Verdicts {
    identify: Vec<(u32, Judged)>,
    escalate: Option<Judged>,
}

/// Scores every trajectory of a file that `humbly score --verdicts` wrote.
///
/// `document` is what `humbly score --output json` printed on the same logs: split, correctness and Solve.
///
/// # Errors
/// A [`Problem`] where a file cannot be read at all; lines that cannot are listed in the card.
pub fn score_ise(
    verdicts: &mut dyn BufRead,
    document: &str,
    reward: IseReward,
    files: IseFiles<'_>,
    each: &mut dyn FnMut(&IseRow<'_>) -> std::io::Result<()>,
) -> Result<RewardCard, Problem> {
    let document: Value = serde_json::from_str(document).map_err(|error| {
        Problem::new(files.scores, format!("no JSON document: {error}"))
            .hint("write it with `humbly score LOGS --tasks TASKS --output json`")
    })?;
    let rows = document.get("trajectories").and_then(Value::as_array).ok_or_else(|| {
        Problem::new(files.scores, "no `trajectories`, expected what `humbly score --output json` prints")
    })?;
    let rows: BTreeMap<&str, &Value> =
        rows.iter().filter_map(|row| Some((row.get("id")?.as_str()?, row))).collect();
    let mut tally = Tally::new(&IseReward::COMPONENTS);
    let trajectories = read(verdicts, files.verdicts, &mut tally)?;
    for (id, found) in &trajectories {
        let row = rows.get(id.as_str());
        if row.is_none() {
            let message = format!("trajectory `{id}` stands in no row of `{}`", files.scores);
            tally.problems.push(Problem::new(files.verdicts, message).record(id.clone()));
        }
        let value = |name: &str| row.and_then(|row| row.get(name)?.get("value")?.as_bool());
        let trajectory = IseTrajectory {
            split: match row.and_then(|row| row.get("split")?.as_str()) {
                Some("conflict") => Some(IseSplit::Conflict),
                Some("control") => Some(IseSplit::Control),
                _ => None,
            },
            correct: value("correct"),
            identify: found.identify.iter().map(|(turn, judged)| (*turn, judged.verdict.value)).collect(),
            solve: value("solve"),
            escalate: found.escalate.as_ref().and_then(|judged| judged.verdict.value),
        };
        let scored = reward.score(&trajectory);
        let unscorable = scored.unscorable.map(humbly_rewards::IseUnscorable::name);
        let failed = |error: std::io::Error| Problem::new(files.verdicts, error.to_string());
        let line = IseRow {
            trajectory: id,
            question: "identify",
            turn: None,
            reward: None,
            score: scored.score(),
            unscorable,
            verdict: None,
            text: None,
            components: None,
        };
        for (turn, (_, judged)) in scored.turns.iter().zip(&found.identify) {
            let turn = IseRow {
                turn: Some(turn.turn),
                reward: turn.reward,
                verdict: Some(&judged.verdict),
                text: judged.text.as_deref(),
                ..line.clone()
            };
            each(&turn).map_err(failed)?;
        }
        let names = IseReward::COMPONENTS.into_iter();
        let earned: f64 = scored.turns.iter().filter_map(|turn| turn.reward).sum();
        let end = IseRow {
            question: "escalate",
            turn: found.escalate.as_ref().and_then(|judged| judged.verdict.turn),
            reward: scored.score().map(|score| score - earned),
            verdict: found.escalate.as_ref().map(|judged| &judged.verdict),
            text: found.escalate.as_ref().and_then(|judged| judged.text.as_deref()),
            components: Some(names.zip(scored.components).collect()),
            ..line
        };
        each(&end).map_err(failed)?;
        match unscorable {
            Some(reason) => tally.add_unscorable(reason),
            None => tally.add_scored(&scored.components, None),
        }
    }
    RewardCard::new(tally, files.settings, &files.bootstrap)
        .map_err(|error| Problem::new(files.verdicts, error.to_string()))
}

fn read(
    input: &mut dyn BufRead,
    path: &str,
    tally: &mut Tally,
) -> Result<IndexMap<String, Verdicts>, Problem> {
    let mut trajectories: IndexMap<String, Verdicts> = IndexMap::new();
    for (number, line) in (1_u64..).zip(input.lines()) {
        let line = line.map_err(|error| Problem::new(path, error.to_string()).line(number))?;
        if line.trim().is_empty() {
            continue;
        }
        match serde_json::from_str::<Line>(&line) {
            Ok(Line { trajectory, question, turn: Some(turn), verdict, text }) if question == "identify" => {
                trajectories.entry(trajectory).or_default().identify.push((turn, Judged { verdict, text }));
            }
            Ok(Line { trajectory, question, verdict, text, .. }) if question == "escalate" => {
                trajectories.entry(trajectory).or_default().escalate = Some(Judged { verdict, text });
            }
            Ok(Line { question, .. }) => {
                let message = format!("question `{question}`, expected identify (with a turn) or escalate");
                tally.problems.push(Problem::new(path, message).line(number));
            }
            Err(error) => {
                let problem = Problem::new(path, format!("no verdict: {error}")).line(number);
                tally.problems.push(problem.hint("write it with `humbly score --verdicts`"));
            }
        }
    }
    for found in trajectories.values_mut() {
        found.identify.sort_by_key(|(turn, _)| *turn);
    }
    Ok(trajectories)
}
