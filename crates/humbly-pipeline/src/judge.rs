//! Where the verdicts on a trajectory come from: rules that decide now, or a judge that has spoken before.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use humbly_judge::LexicalJudge;
use humbly_types::{Judgement, Reason, Task, Trajectory, TurnVerdict, Undefined, Verdict};

/// Something that has the verdicts on a trajectory, from several threads.
pub trait TrajectoryJudge: Sync {
    /// The verdicts.
    fn judgement(&self, trajectory: &Trajectory, task: Option<&Task>) -> Judgement;
}

impl TrajectoryJudge for LexicalJudge {
    fn judgement(&self, trajectory: &Trajectory, task: Option<&Task>) -> Judgement {
        self.judge(trajectory, task)
    }
}

/// Verdicts that were given before, by path and id of the trajectory, and by its first line where one log
/// holds an id several times.
///
/// A trajectory without them has undefined verdicts (`not_recorded`), and is counted.
///
/// # Examples
/// ```
/// use humbly_pipeline::{StoredJudgements, TrajectoryJudge};
/// use humbly_types::{Reason, Trajectory};
/// let stored = StoredJudgements::new("m@1");
/// let judgement = stored.judgement(&Trajectory::new("own", &"log.jsonl".into(), "a"), None);
/// assert_eq!(judgement.escalate.undefined.unwrap().reason, Reason::NotRecorded);
/// assert_eq!(stored.missing(), 1);
/// ```
#[derive(Debug)]
pub struct StoredJudgements {
    judge: Arc<str>,
    by_id: HashMap<(String, String, Option<u64>), Judgement>,
    missing: AtomicUsize,
}

impl StoredJudgements {
    /// No verdicts yet.
    pub fn new(judge: impl Into<Arc<str>>) -> Self {
        Self { judge: judge.into(), by_id: HashMap::new(), missing: AtomicUsize::new(0) }
    }

    /// Name of the judge.
    pub fn judge(&self) -> &Arc<str> {
        &self.judge
    }

    /// Adds the verdicts on one trajectory; `line` is that of its first step, `None` where path and id suffice.
    pub fn insert(&mut self, path: &str, id: &str, line: Option<u64>, judgement: Judgement) {
        self.by_id.insert((path.to_owned(), id.to_owned(), line), judgement);
    }

    /// How often verdicts were asked for that are not there.
    pub fn missing(&self) -> usize {
        self.missing.load(Ordering::Relaxed)
    }

    fn unknown(&self) -> Undefined {
        Undefined::with_detail(
            Reason::NotRecorded,
            format!("`{}` has not judged this trajectory", self.judge),
        )
    }

    fn nothing(&self, trajectory: &Trajectory) -> Judgement {
        let unknown = || Verdict { value: None, undefined: Some(self.unknown()), ..Verdict::no(&self.judge) };
        Judgement {
            judge: Arc::clone(&self.judge),
            turns: trajectory
                .intermediate_turns()
                .map(|step| TurnVerdict {
                    turn: step.turn.unwrap_or_default(),
                    identify: unknown().at(step.turn, &step.at),
                })
                .collect(),
            escalate: unknown(),
            refusal: unknown(),
            final_reasoning: unknown(),
            self_inconsistent: unknown(),
            answer_source: Err(self.unknown()),
            correct: None,
        }
    }
}

impl TrajectoryJudge for StoredJudgements {
    fn judgement(&self, trajectory: &Trajectory, _task: Option<&Task>) -> Judgement {
        let line = trajectory.steps().first().map(|step| step.at.line);
        let known = [line, None]
            .into_iter()
            .find_map(|line| self.by_id.get(&(trajectory.path.to_string(), trajectory.id.clone(), line)));
        if let Some(judgement) = known {
            return placed(judgement.clone(), trajectory);
        }
        self.missing.fetch_add(1, Ordering::Relaxed);
        self.nothing(trajectory)
    }
}

/// The verdicts with the places that their turns have now: the file may have been moved since.
fn placed(mut judgement: Judgement, trajectory: &Trajectory) -> Judgement {
    let place = |verdict: &mut Verdict| {
        let step = verdict.turn.and_then(|turn| trajectory.turns().find(|step| step.turn == Some(turn)));
        if let Some(step) = step {
            *verdict = verdict.clone().at(step.turn, &step.at);
        }
    };
    judgement.turns.iter_mut().for_each(|turn| place(&mut turn.identify));
    for verdict in [
        &mut judgement.escalate,
        &mut judgement.refusal,
        &mut judgement.final_reasoning,
        &mut judgement.self_inconsistent,
    ]
    .into_iter()
    .chain(&mut judgement.correct)
    {
        place(verdict);
    }
    judgement
}

#[cfg(test)]
mod tests {
    use humbly_types::{Location, Role, Step};

    use super::*;

    fn trajectory() -> Trajectory {
        let mut trajectory = Trajectory::new("own", &Arc::from("run.sqlite"), "a");
        let step = |turn: u32| Step {
            role: Role::Assistant,
            turn: Some(turn),
            at: Location { file: Arc::from("run.sqlite"), line: u64::from(turn) + 1 },
            ..Step::default()
        };
        trajectory.set_log(vec![step(0), step(1)]);
        trajectory
    }

    #[test]
    fn stored_verdicts_come_back_at_the_places_of_now() {
        let judge: Arc<str> = "m@1".into();
        let mut judgement = StoredJudgements::new("m@1").nothing(&trajectory());
        let moved = Location { file: Arc::from("old.sqlite"), line: 9 };
        judgement.escalate = Verdict::yes(&judge, "escalate", "").at(Some(1), &moved);
        let mut stored = StoredJudgements::new("m@1");
        stored.insert("run.sqlite", "a", None, judgement);
        let found = stored.judgement(&trajectory(), None);
        assert!(found.escalate.is_yes());
        assert_eq!((found.escalate.file.as_deref(), found.escalate.line), (Some("run.sqlite"), Some(2)));
        assert_eq!(stored.missing(), 0);
    }

    #[test]
    fn what_was_not_judged_is_undefined_and_counted() {
        let stored = StoredJudgements::new("m@1");
        let judgement = stored.judgement(&trajectory(), None);
        assert_eq!(judgement.turns.len(), 2);
        let reasons = judgement.turns.iter().map(|turn| turn.identify.undefined.as_ref().unwrap().reason);
        assert!(
            reasons.chain([judgement.answer_source.unwrap_err().reason]).all(|it| it == Reason::NotRecorded)
        );
        assert_eq!(stored.missing(), 1);
    }
}
