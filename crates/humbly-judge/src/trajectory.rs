//! All verdicts on one trajectory.

use humbly_text::think;
use humbly_types::{Judgement, Reason, Step, Task, Trajectory, TurnVerdict, Verdict};

use crate::{Knowledge, LexicalJudge};

impl LexicalJudge {
    /// Judges a trajectory: Identify on every intermediate turn, Escalate and refusal on the final answer.
    ///
    /// - Identify reads reasoning and visible text of a turn. A turn whose reasoning is encrypted or
    ///   redacted and that says nothing else is undefined (`reasoning_not_readable`); one without any
    ///   text says nothing: no.
    /// - Escalate and refusal read the final answer with think blocks taken out; undefined
    ///   (`no_final_answer`) where there is none.
    /// - `final_reasoning` is Identify on the final turn's reasoning alone.
    /// - `self_inconsistent` is undefined: `needs_model_judge`.
    /// - A format without turns gives no turn verdicts.
    pub fn judge(&self, trajectory: &Trajectory, task: Option<&Task>) -> Judgement {
        let knowledge = Knowledge::from_task(task);
        let turns = if trajectory.has_turns {
            trajectory.intermediate_turns().map(|step| self.turn(step, &knowledge)).collect()
        } else {
            Vec::new()
        };
        let answer = trajectory.final_answer.as_ref();
        let visible = answer.map(|answer| think::visible(&answer.text));
        let missing = || Verdict::undefined(&self.name, Reason::NoFinalAnswer);
        let on_answer = |verdict: Verdict| match answer {
            Some(answer) => verdict.at(answer.turn, &answer.at),
            None => verdict,
        };
        Judgement {
            judge: self.name.clone(),
            turns,
            escalate: on_answer(
                visible.as_deref().map_or_else(missing, |text| self.escalate(text, &knowledge)),
            ),
            refusal: on_answer(visible.as_deref().map_or_else(missing, |text| self.refusal(text))),
            final_reasoning: self.final_reasoning(trajectory, &knowledge),
            self_inconsistent: Verdict::undefined(&self.name, Reason::NeedsModelJudge),
            answer_source: self.answer_source(visible.as_deref(), task),
            correct: None,
        }
    }

    fn turn(&self, step: &Step, knowledge: &Knowledge) -> TurnVerdict {
        let text = step.reasoning_and_visible();
        let verdict =
            if text.trim().is_empty() { self.silent(step) } else { self.identify_turn(&text, knowledge) };
        TurnVerdict { turn: step.turn.unwrap_or_default(), identify: verdict.at(step.turn, &step.at) }
    }

    fn final_reasoning(&self, trajectory: &Trajectory, knowledge: &Knowledge) -> Verdict {
        let Some(step) = trajectory.final_step() else {
            let reason = if trajectory.has_turns { Reason::NoFinalAnswer } else { Reason::NoTurns };
            return Verdict::undefined(&self.name, reason);
        };
        let reasoning: Vec<&str> = step.readable_reasoning().collect();
        let verdict = if reasoning.is_empty() {
            self.silent(step)
        } else {
            self.identify_turn(&reasoning.join("\n\n"), knowledge)
        };
        verdict.at(step.turn, &step.at)
    }

    /// A turn without readable text.
    fn silent(&self, step: &Step) -> Verdict {
        if step.reasoning_is_unreadable() {
            Verdict::undefined(&self.name, Reason::ReasoningNotReadable)
        } else {
            Verdict::no(&self.name)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use humbly_types::{AnswerOrigin, FinalAnswer, Location, Reasoning, ReasoningOrigin, Role};
    use std::sync::Arc;

    const GAP: &str = "The first result says 1912, whereas the second result says 1913.";

    fn step(turn: u32, visible: &str, reasoning: &[(&str, ReasoningOrigin)]) -> Step {
        Step {
            role: Role::Assistant,
            turn: Some(turn),
            visible: visible.to_owned(),
            reasoning: reasoning
                .iter()
                .map(|&(text, origin)| Reasoning { text: text.to_owned(), origin })
                .collect(),
            at: Location { file: Arc::from("log.jsonl"), line: u64::from(turn) + 10 },
            ..Step::default()
        }
    }

    fn trajectory(steps: Vec<Step>, answer: Option<&str>) -> Trajectory {
        let mut trajectory = Trajectory::new("test", &Arc::from("log.jsonl"), "t");
        let last = steps.last().map(|step| (step.turn, step.at.clone()));
        trajectory.set_log(steps);
        trajectory.final_answer = answer.zip(last).map(|(text, (turn, at))| FinalAnswer {
            text: text.to_owned(),
            origin: AnswerOrigin::LastText,
            turn,
            at,
        });
        trajectory
    }

    #[test]
    fn turns_are_judged_on_reasoning_and_cited() {
        let steps = vec![
            step(0, "Searching.", &[]),
            step(1, "", &[(GAP, ReasoningOrigin::Field)]),
            step(2, "", &[("", ReasoningOrigin::Encrypted)]),
            step(3, "", &[]),
            step(4, "It was 1912.", &[(GAP, ReasoningOrigin::Field)]),
        ];
        let judgement =
            LexicalJudge::new().judge(&trajectory(steps, Some("<think>no</think>It was 1912.")), None);
        let values: Vec<Option<bool>> = judgement.turns.iter().map(|turn| turn.identify.value).collect();
        assert_eq!(values, [Some(false), Some(true), None, Some(false)]);
        let flagged = &judgement.turns[1].identify;
        assert_eq!((flagged.turn, flagged.line, flagged.quote.as_deref()), (Some(1), Some(11), Some(GAP)));
        assert_eq!(judgement.escalate.value, Some(false));
        assert_eq!(judgement.final_reasoning.value, Some(true));
        assert_eq!(judgement.self_inconsistent.undefined.unwrap().reason, Reason::NeedsModelJudge);
    }

    #[test]
    fn reasoning_in_the_final_answer_is_not_seen_by_escalate() {
        let answer = format!("<think>{GAP}</think>1912");
        let judgement =
            LexicalJudge::new().judge(&trajectory(vec![step(0, &answer, &[])], Some(&answer)), None);
        assert_eq!(judgement.escalate.value, Some(false));
        assert!(judgement.turns.is_empty());
    }

    #[test]
    fn without_a_final_answer_escalate_is_undefined_and_every_turn_intermediate() {
        let judgement = LexicalJudge::new().judge(&trajectory(vec![step(0, GAP, &[])], None), None);
        assert_eq!(judgement.escalate.undefined.unwrap().reason, Reason::NoFinalAnswer);
        assert_eq!(judgement.refusal.undefined.unwrap().reason, Reason::NoFinalAnswer);
        assert_eq!(judgement.turns[0].identify.value, Some(true));
    }

    #[test]
    fn a_format_without_turns_has_no_turn_verdicts() {
        let mut submission = trajectory(Vec::new(), None);
        submission.has_turns = false;
        submission.final_answer = Some(FinalAnswer {
            text: "Zwei Quellen sagen, dass es nicht in der Stadt ist.".to_owned(),
            origin: AnswerOrigin::Field,
            turn: None,
            at: Location::default(),
        });
        let judgement = LexicalJudge::new().judge(&submission, None);
        assert!(judgement.turns.is_empty());
        assert_eq!(judgement.escalate.undefined.unwrap().reason, Reason::LanguageNotCovered);
        assert_eq!(judgement.final_reasoning.undefined.unwrap().reason, Reason::NoTurns);
    }
}
