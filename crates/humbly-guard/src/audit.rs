//! The guard's decision on every episode of a whole transcript, of any format.

use std::path::Path;

use humbly_readers::{Sink, final_answer_of_steps, group, read};
use humbly_types::{Problem, Role, Step, Trajectory};

use crate::gap_judge::GapJudge;
use crate::watch::{Base, Flag, Outcome, Silence, Watch, is_prompt};
use crate::{GuardError, Result};

/// What the guard makes of one episode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EpisodeFinding {
    /// Id of the trajectory.
    pub trajectory: String,
    /// Number of the episode, from 1.
    pub episode: usize,
    /// Line of its prompt.
    pub prompt_line: Option<u64>,
    /// Its assistant turns.
    pub turns: usize,
    /// What the guard would do where the agent stops.
    pub outcome: Outcome,
    /// Everything that was recognised.
    pub flags: Vec<Flag>,
}

/// Judges every episode of a trajectory, as if its agent were about to stop at its end.
///
/// A request of the guard itself does not begin an episode: an agent that was asked is judged by its last
/// answer.
///
/// # Errors
/// [`GuardError::Judge`] where the judge could not answer.
pub fn audit(trajectory: &Trajectory, judge: &dyn GapJudge) -> Result<Vec<EpisodeFinding>> {
    let steps = trajectory.steps();
    let mut starts: Vec<Option<usize>> =
        (0..steps.len()).filter(|index| is_prompt(steps, *index)).map(Some).collect();
    if starts.first().copied().flatten() != Some(0) {
        starts.insert(0, None);
    }
    let mut findings = Vec::new();
    for (index, start) in starts.iter().enumerate() {
        let end = starts.get(index + 1).copied().flatten().unwrap_or(steps.len());
        let prompt = start.and_then(|start| steps.get(start));
        let rest = steps.get(start.map_or(0, |start| start + 1)..end).unwrap_or_default();
        let Some(mut finding) = episode(trajectory, prompt, rest, end == steps.len(), judge)? else {
            continue;
        };
        finding.episode = findings.len() + 1;
        findings.push(finding);
    }
    Ok(findings)
}

fn episode(
    trajectory: &Trajectory,
    prompt: Option<&Step>,
    steps: &[Step],
    is_last: bool,
    judge: &dyn GapJudge,
) -> Result<Option<EpisodeFinding>> {
    let is_turn = |step: &Step| step.role == Role::Assistant && step.turn.is_some();
    let turns = steps.iter().filter(|step| is_turn(step)).count();
    let Some(last) = steps.iter().rposition(is_turn) else { return Ok(None) };
    let base = Base { lines: 0, turns: Some(0) };
    let mut watch = prompt.map_or_else(Watch::default, |prompt| Watch::begin(prompt, base));
    let answer = match &trajectory.final_answer {
        Some(answer) if is_last => Some(answer.clone()),
        _ => final_answer_of_steps(steps),
    };
    let final_turn = answer.as_ref().and_then(|answer| answer.turn);
    let split =
        steps.iter().position(|step| is_turn(step) && step.turn == final_turn && final_turn.is_some());
    watch.add(steps.get(..split.unwrap_or(last + 1)).unwrap_or_default(), &[], base, judge)?;
    let outcome = match (&answer, split.and_then(|split| steps.get(split))) {
        (None, _) => Outcome::Silent(Silence::NoAnswer),
        (Some(answer), step) => {
            let reasoning = step.map(reasoning_of).unwrap_or_default();
            watch.judge_answer(&humbly_text::think::visible(&answer.text), &reasoning, judge)?
        }
    };
    Ok(Some(EpisodeFinding {
        trajectory: trajectory.id.clone(),
        episode: 0,
        prompt_line: watch.prompt_line,
        turns,
        outcome,
        flags: watch.flags,
    }))
}

/// The readable reasoning of a turn.
pub(crate) fn reasoning_of(step: &Step) -> String {
    step.readable_reasoning().collect::<Vec<_>>().join("\n\n")
}

/// [`audit`] on a file or a conversation's folder.
///
/// # Errors
/// [`GuardError::Transcript`] where nothing in it can be read; [`GuardError::Judge`].
pub fn audit_file(path: &Path, format: Option<&str>, judge: &dyn GapJudge) -> Result<Vec<EpisodeFinding>> {
    let mut collected = Collected::default();
    for unit in group(files_of(path)) {
        read(&unit, format, &mut collected);
    }
    if collected.trajectories.is_empty() {
        let message = collected
            .problems
            .first()
            .map_or_else(|| "no agent log was found".to_owned(), |problem| problem.message.clone());
        return Err(GuardError::Transcript { message });
    }
    let mut findings = Vec::new();
    for trajectory in &collected.trajectories {
        findings.extend(audit(trajectory, judge)?);
    }
    Ok(findings)
}

/// The files of one transcript: itself, or those of a conversation's folder.
fn files_of(path: &Path) -> Vec<std::path::PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    [path.to_owned(), path.join("events")]
        .iter()
        .filter_map(|folder| std::fs::read_dir(folder).ok())
        .flat_map(|entries| entries.flatten().map(|entry| entry.path()))
        .filter(|path| path.is_file())
        .collect()
}

#[derive(Default)]
struct Collected {
    trajectories: Vec<Trajectory>,
    problems: Vec<Problem>,
}

impl Sink for Collected {
    fn trajectory(&mut self, trajectory: Trajectory) {
        self.trajectories.push(trajectory);
    }

    fn problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }
}
