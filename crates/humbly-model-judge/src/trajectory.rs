//! All verdicts of a model judge on one trajectory.

use humbly_text::think;
use humbly_types::{
    AnswerSource, Judgement, Reason, Step, Task, Trajectory, TurnVerdict, Undefined, Verdict,
};
use serde::{Deserialize, Serialize};

use crate::reply::Flagged;
use crate::windows::Shown;
use crate::{Asked, Bill, Failure, ModelJudge, RawReply, Rubric};

/// What a model judge says of a trajectory (correctness too, where the settings ask for it), and all that it replied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgedByModel {
    /// The verdicts, in the form of the lexical judge's.
    pub judgement: Judgement,
    /// Every reply.
    pub raw: Vec<RawReply>,
    /// What it cost.
    pub bill: Bill,
    /// Requests that failed; their verdicts are undefined.
    pub failures: Vec<Failure>,
}

impl ModelJudge {
    /// Judges a trajectory: the questions of [`humbly_judge::LexicalJudge::judge`], and self-inconsistency.
    ///
    /// - Identify reads every intermediate turn, reasoning kept, numbered. The judge names the first turn
    ///   that recognises a gap: turns before it are no, it is yes, and later ones are undefined
    ///   (`not_applicable`), since the judge was not asked for them. A trajectory without intermediate turns
    ///   asks nothing. Turns whose reasoning cannot be read are not shown and undefined
    ///   (`reasoning_not_readable`); turns without any text are not shown and no.
    /// - Escalate, refusal and answer source read the final answer with think blocks taken out; undefined
    ///   (`no_final_answer`) where there is none. A blank one is no, and a refusal, without asking.
    /// - `final_reasoning` is Identify on the final turn's reasoning alone.
    /// - Self-inconsistency reads the visible text of all turns.
    ///
    /// A judge is given the task's references for correctness and for the answer's source only.
    ///
    /// # Source
    /// EH §2.2, App. A.3.
    pub async fn judge(&self, trajectory: &Trajectory, task: Option<&Task>) -> JudgedByModel {
        let (identify, escalate, refusal, final_reasoning, self_inconsistent, source, correct) = futures::join!(
            self.turns(trajectory),
            self.on_answer(trajectory, self.settings().escalate.rubric()),
            self.on_answer(trajectory, Rubric::Refusal),
            self.final_reasoning(trajectory),
            self.self_inconsistent(trajectory),
            self.source_of(trajectory, task),
            self.correct(trajectory, task),
        );
        let (turns, mut raw) = identify;
        let (source, source_raw) = (source.reading, source.raw);
        let (correct, correct_raw) = correct;
        raw.extend(escalate.1);
        raw.extend(refusal.1);
        raw.extend(final_reasoning.1);
        raw.extend(self_inconsistent.1);
        raw.extend(source_raw);
        raw.extend(correct_raw);
        let judgement = Judgement {
            judge: self.name().clone(),
            turns,
            escalate: escalate.0,
            refusal: refusal.0,
            final_reasoning: final_reasoning.0,
            self_inconsistent: self_inconsistent.0,
            answer_source: source,
            correct,
        };
        let failures = raw.iter().filter_map(|reply| reply.failed.clone()).collect();
        JudgedByModel { judgement, bill: Bill::of(&raw), raw, failures }
    }

    async fn turns(&self, trajectory: &Trajectory) -> (Vec<TurnVerdict>, Vec<RawReply>) {
        if !trajectory.has_turns {
            return (Vec::new(), Vec::new());
        }
        let steps: Vec<&Step> = trajectory.intermediate_turns().collect();
        let shown: Vec<Shown> = steps.iter().filter_map(|step| shown(step)).collect();
        let (asked, rule) = if self.is_left_out(Rubric::Identify) {
            (Asked::settled(Err(not_asked(Rubric::Identify))), None)
        } else if shown.is_empty() {
            (Asked::settled(Ok(Flagged { turn: None })), None)
        } else {
            let (asked, rule) = self.flag(Rubric::Identify, &shown, None).await;
            (asked, Some(rule))
        };
        let verdicts = steps
            .into_iter()
            .map(|step| {
                let turn = step.turn.unwrap_or_default();
                let verdict = self.turn_verdict(step, turn, &asked.reading, rule.clone());
                TurnVerdict { turn, identify: verdict.at(step.turn, &step.at) }
            })
            .collect();
        (verdicts, asked.raw)
    }

    fn turn_verdict(
        &self,
        step: &Step,
        turn: u32,
        reading: &Result<Flagged, Undefined>,
        rule: Option<String>,
    ) -> Verdict {
        if shown(step).is_none() && !self.is_left_out(Rubric::Identify) {
            return if step.reasoning_is_unreadable() {
                Verdict::undefined(self.name(), Reason::ReasoningNotReadable)
            } else {
                Verdict::no(self.name())
            };
        }
        match reading {
            Err(undefined) => self.unknown(undefined.clone(), rule),
            Ok(Flagged { turn: Some(first) }) if turn > *first => {
                let detail = format!("the judge names the first turn only, which is {first}");
                self.unknown(Undefined::with_detail(Reason::NotApplicable, detail), rule)
            }
            Ok(flagged) => {
                Verdict { value: Some(flagged.turn == Some(turn)), rule, ..Verdict::no(self.name()) }
            }
        }
    }

    async fn on_answer(&self, trajectory: &Trajectory, rubric: Rubric) -> (Verdict, Vec<RawReply>) {
        if self.is_left_out(rubric) {
            return (self.unknown(not_asked(rubric), None), Vec::new());
        }
        let Some(answer) = &trajectory.final_answer else {
            return (Verdict::undefined(self.name(), Reason::NoFinalAnswer), Vec::new());
        };
        if think::visible(&answer.text).trim().is_empty() {
            let rule = format!("{rubric} (blank answer)");
            return (self.verdict(rubric == Rubric::Refusal, rule).at(answer.turn, &answer.at), Vec::new());
        }
        let asked = if rubric == Rubric::Refusal {
            self.refusal(&answer.text).await
        } else {
            self.escalate(&answer.text).await
        };
        let (verdict, raw) = self.settle(asked, rubric);
        (verdict.at(answer.turn, &answer.at), raw)
    }

    async fn final_reasoning(&self, trajectory: &Trajectory) -> (Verdict, Vec<RawReply>) {
        if self.is_left_out(Rubric::Identify) {
            return (self.unknown(not_asked(Rubric::Identify), None), Vec::new());
        }
        let Some(step) = trajectory.final_step() else {
            let reason = if trajectory.has_turns { Reason::NoFinalAnswer } else { Reason::NoTurns };
            return (Verdict::undefined(self.name(), reason), Vec::new());
        };
        let reasoning: Vec<&str> = step.readable_reasoning().collect();
        let text = reasoning.join("\n\n");
        if text.trim().is_empty() {
            let verdict = if step.reasoning_is_unreadable() {
                Verdict::undefined(self.name(), Reason::ReasoningNotReadable)
            } else {
                Verdict::no(self.name())
            };
            return (verdict.at(step.turn, &step.at), Vec::new());
        }
        let turns = [Shown { turn: step.turn.unwrap_or_default(), text }];
        let (asked, rule) = self.flag(Rubric::Identify, &turns, Some("final_reasoning")).await;
        let asked = asked.map(|flagged| self.verdict(flagged.turn.is_some(), rule));
        let (verdict, raw) = self.settle(asked, Rubric::Identify);
        (verdict.at(step.turn, &step.at), raw)
    }

    async fn self_inconsistent(&self, trajectory: &Trajectory) -> (Verdict, Vec<RawReply>) {
        let rubric = Rubric::SelfInconsistency;
        if self.is_left_out(rubric) {
            return (self.unknown(not_asked(rubric), None), Vec::new());
        }
        if !trajectory.has_turns {
            return (Verdict::undefined(self.name(), Reason::NoTurns), Vec::new());
        }
        let spoken: Vec<(&Step, Shown)> = trajectory
            .turns()
            .filter_map(|step| {
                let text = think::visible(&step.visible).trim().to_owned();
                (!text.is_empty()).then(|| (step, Shown { turn: step.turn.unwrap_or_default(), text }))
            })
            .collect();
        if spoken.len() < 2 {
            // Who speaks once cannot contradict himself.
            return (self.verdict(false, format!("{rubric} (fewer than two turns with text)")), Vec::new());
        }
        let turns: Vec<Shown> = spoken.iter().map(|(_, shown)| shown.clone()).collect();
        let (asked, rule) = self.flag(rubric, &turns, None).await;
        let flagged = asked.reading.as_ref().ok().and_then(|flagged| flagged.turn);
        let asked = asked.map(|flagged| self.verdict(flagged.turn.is_some(), rule));
        let (verdict, raw) = self.settle(asked, rubric);
        let step =
            spoken.iter().map(|(step, _)| *step).find(|step| flagged.is_some() && step.turn == flagged);
        (step.map_or_else(|| verdict.clone(), |step| verdict.clone().at(step.turn, &step.at)), raw)
    }

    async fn source_of(&self, trajectory: &Trajectory, task: Option<&Task>) -> Asked<AnswerSource> {
        let rubrics = [Rubric::SourceControlled, Rubric::SourceNatural];
        let is_controlled = task.is_some_and(|task| !task.candidates.is_empty());
        let rubric = if is_controlled { rubrics[0] } else { rubrics[1] };
        if self.is_left_out(rubric) {
            return Asked::settled(Err(not_asked(rubric)));
        }
        let answer = trajectory.final_answer.as_ref().map(|answer| answer.text.as_str());
        self.answer_source(answer, task).await
    }

    async fn correct(
        &self,
        trajectory: &Trajectory,
        task: Option<&Task>,
    ) -> (Option<Verdict>, Vec<RawReply>) {
        let Some(which) = self.settings().correctness else { return (None, Vec::new()) };
        let Some(answer) = &trajectory.final_answer else {
            return (Some(Verdict::undefined(self.name(), Reason::NoFinalAnswer)), Vec::new());
        };
        let references = match task {
            Some(task) if !task.references.is_empty() => &task.references,
            _ => trajectory.references.for_correctness(),
        };
        let question = task.and_then(|task| task.question.as_deref()).or(trajectory.question.as_deref());
        let asked = self.correctness(which, question, &answer.text, references).await;
        let (verdict, raw) = self.settle(asked, which.rubric());
        (Some(verdict.at(answer.turn, &answer.at)), raw)
    }

    fn settle(&self, asked: Asked<Verdict>, rubric: Rubric) -> (Verdict, Vec<RawReply>) {
        let rule = || self.prompt(rubric).ok().map(crate::Prompt::rule);
        (asked.reading.unwrap_or_else(|undefined| self.unknown(undefined, rule())), asked.raw)
    }

    fn is_left_out(&self, rubric: Rubric) -> bool {
        self.settings().left_out.contains(&rubric)
    }
}

/// A turn as Identify sees it: reasoning in a think block, then the visible text; `None` without either.
fn shown(step: &Step) -> Option<Shown> {
    let reasoning: Vec<&str> = step.readable_reasoning().collect();
    let visible = step.visible.trim();
    let text = match (reasoning.is_empty(), visible.is_empty()) {
        (true, true) => return None,
        (true, false) => visible.to_owned(),
        (false, is_silent) => {
            let thought = format!("<think>\n{}\n</think>", reasoning.join("\n\n"));
            if is_silent { thought } else { format!("{thought}\n\n{visible}") }
        }
    };
    Some(Shown { turn: step.turn.unwrap_or_default(), text })
}

fn not_asked(rubric: Rubric) -> Undefined {
    Undefined::with_detail(Reason::NotApplicable, format!("{rubric}: not asked"))
}
