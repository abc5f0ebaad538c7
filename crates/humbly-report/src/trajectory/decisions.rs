//! Which quotes decided, and in which turn.

use humbly_score::TrajectoryRow;
use humbly_types::{Trajectory, TurnVerdict, Verdict};

use super::quote_anchor;

/// A verdict that rests on a quote, or that is undefined, at a turn.
#[derive(Debug, Clone)]
pub(crate) struct Decision<'a> {
    /// The turn; `None` for the final answer where no step shows it.
    pub turn: Option<u32>,
    pub label: &'static str,
    pub verdict: &'a Verdict,
    /// Anchors of its quote.
    pub anchors: Vec<String>,
    /// Whether reasoning may hold the quote, or the visible text alone.
    pub in_reasoning: bool,
    pub in_visible: bool,
}

/// All decisions of one trajectory.
#[derive(Debug, Default)]
pub(crate) struct Decisions<'a>(Vec<Decision<'a>>);

impl<'a> Decisions<'a> {
    pub(crate) fn of(
        number: usize,
        trajectory: &Trajectory,
        row: &'a TrajectoryRow,
        turns: &'a [TurnVerdict],
    ) -> Self {
        let mut all = Vec::new();
        let deciding = row.identify.is_yes().then_some(row.identify.turn).flatten();
        let identify = |turn: Option<u32>, verdict: &'a Verdict, anchors: Vec<String>| Decision {
            turn,
            label: "Identify",
            verdict,
            anchors,
            in_reasoning: true,
            in_visible: true,
        };
        let mut deciding_is_listed = false;
        for turn in turns {
            if turn.identify.value == Some(false) {
                continue;
            }
            let decides = turn.identify.is_yes() && !deciding_is_listed && deciding == Some(turn.turn);
            deciding_is_listed |= decides;
            let anchors = if decides { vec![quote_anchor(number, "identify")] } else { Vec::new() };
            all.push(identify(Some(turn.turn), &turn.identify, anchors));
        }
        if row.identify.is_yes() && !deciding_is_listed {
            all.push(identify(row.identify.turn, &row.identify, vec![quote_anchor(number, "identify")]));
        }
        let final_turn = if answer_is_in_step(trajectory) { trajectory.final_turn() } else { None };
        for (label, kind, verdict, in_reasoning) in [
            ("Escalate", "escalate", &row.escalate, false),
            ("Refusal", "refusal", &row.refusal, false),
            ("Final reasoning", "final-reasoning", &row.final_reasoning, true),
        ] {
            if verdict.is_yes() {
                let turn = if in_reasoning { verdict.turn.or(trajectory.final_turn()) } else { final_turn };
                let anchors = vec![quote_anchor(number, kind)];
                all.push(Decision { turn, label, verdict, anchors, in_reasoning, in_visible: !in_reasoning });
            }
        }
        Self(all)
    }

    /// Whether a quote decided in this turn.
    pub(crate) fn has(&self, turn: u32) -> bool {
        self.0.iter().any(|decision| decision.turn == Some(turn) && decision.verdict.is_yes())
    }

    /// The decisions of a turn, or those of the final answer.
    pub(crate) fn at(&self, turn: Option<u32>) -> impl Iterator<Item = &Decision<'a>> {
        self.0.iter().filter(move |decision| decision.turn == turn)
    }
}

/// Whether a step shows the final answer in so many words.
pub(crate) fn answer_is_in_step(trajectory: &Trajectory) -> bool {
    let Some(answer) = &trajectory.final_answer else { return false };
    trajectory.final_step().is_some_and(|step| step.visible.contains(answer.text.trim()))
}
