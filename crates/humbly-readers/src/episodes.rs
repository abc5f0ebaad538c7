//! A log with several prompts is several episodes.

use humbly_types::{Role, Stop, StopKind, Trajectory, Truncation};

use crate::final_answer;

/// How a log with several prompts is scored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Episodes {
    /// One trajectory for each prompt.
    #[default]
    Each,
    /// One trajectory; only the last answer counts.
    Whole,
}

/// Splits a trajectory into its episodes (ids `ID#1`, `ID#2`, …); a log with one prompt is left as it is.
///
/// Earlier steps stay reachable as context. Ending and limits of the log belong to the last episode; an
/// earlier one that has no answer was interrupted by the next prompt.
pub fn split_episodes(trajectory: Trajectory, mode: Episodes) -> Vec<Trajectory> {
    let starts = episode_starts(&trajectory);
    if mode == Episodes::Whole || starts.len() < 2 {
        return vec![trajectory];
    }
    let count = starts.len();
    let end_of_log = trajectory.steps().len();
    (0..count)
        .map(|index| {
            let start = if index == 0 { 0 } else { starts[index] };
            let end = starts.get(index + 1).copied().unwrap_or(end_of_log);
            let mut episode = trajectory.episode(start..end);
            episode.id = format!("{}#{}", trajectory.id, index + 1);
            if let Some(prompt) = trajectory.steps().get(starts[index])
                && (index > 0 || episode.question.is_none())
            {
                episode.question = Some(prompt.visible.clone());
            }
            if index + 1 < count {
                episode.final_answer = final_answer::of_steps(episode.steps());
                episode.truncated = Truncation::No;
                episode.stop = match episode.final_answer {
                    Some(_) => Stop { kind: StopKind::Completed, raw: None },
                    None => Stop { kind: StopKind::Interrupted, raw: Some("next prompt".into()) },
                };
            }
            if index > 0 {
                // Warnings and sub-agents belong to the log and are reported once, with its first episode.
                episode.warnings.clear();
                episode.children.clear();
            }
            episode
        })
        .collect()
}

/// Indexes of the first prompt of each run of prompts that an assistant turn follows.
fn episode_starts(trajectory: &Trajectory) -> Vec<usize> {
    let mut starts: Vec<usize> = Vec::new();
    let mut pending = None;
    for (index, step) in trajectory.steps().iter().enumerate() {
        if step.is_prompt() {
            pending = pending.or(Some(index));
        } else if step.role == Role::Assistant && step.turn.is_some() {
            starts.extend(pending.take());
        }
    }
    starts
}
