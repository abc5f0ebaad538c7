//! Solve: did a call follow the recognition, and did the run finish cleanly (EH Eq. 2)?
//!
//! Differences from the paper:
//! 1. The run must not have ended in an error either; switched off by the paper's settings.
//! 2. The call that ends the run (finish, submit) is no follow-up.
//! 3. Unknown truncation counts as clean; the bounds of the summary show both extremes.

use std::sync::Arc;

use humbly_types::{Reason, StopKind, Trajectory, Truncation, Verdict};

use crate::calls::CallCounts;
use crate::report::Settings;

/// Solve and its variant by the paper's prose.
pub(crate) struct Solved {
    pub(crate) solve: Verdict,
    pub(crate) successful: Verdict,
}

pub(crate) fn solve(
    trajectory: &Trajectory,
    identify: &Verdict,
    counts: CallCounts,
    settings: &Settings,
    judge: &Arc<str>,
) -> Solved {
    let both = |verdict: Verdict| Solved { solve: verdict.clone(), successful: verdict };
    let recognised = match (identify.value, identify.turn) {
        (Some(true), Some(turn)) => turn,
        (Some(_), _) => return both(Verdict::undefined(judge, Reason::NoneIdentified)),
        (None, _) => {
            let mut verdict = Verdict::no(judge);
            verdict.value = None;
            verdict.undefined.clone_from(&identify.undefined);
            return both(verdict);
        }
    };
    let follows = |turn: u32| turn > recognised || (settings.solve_same_turn && turn == recognised);
    let mut follow_ups = trajectory.calls().filter(|(turn, call)| follows(*turn) && !call.ends_run);
    let no = |rule: &str| Verdict { rule: Some(rule.to_owned()), ..Verdict::no(judge) };
    let Some((turn, call)) = follow_ups.next() else {
        return both(no("no_call_after_recognition"));
    };
    let at = trajectory.turns().find(|step| step.turn == Some(turn)).map(|step| step.at.clone());
    let yes = |rule: &str, turn, quote: &str| {
        let verdict = Verdict::yes(judge, rule, quote);
        match &at {
            Some(at) => verdict.at(Some(turn), at),
            None => verdict,
        }
    };
    let solve = if counts.duplicates > 0 {
        no("duplicate_call")
    } else if trajectory.truncated == Truncation::Yes {
        no("cut_by_limit")
    } else if trajectory.stop.kind == StopKind::Error && !settings.paper {
        no("ended_in_error")
    } else {
        yes("call_after_recognition", turn, &call.name)
    };
    let failed = |id: &str| {
        trajectory
            .results()
            .any(|result| result.call_id.as_deref() == Some(id) && result.is_error == Some(true))
    };
    let successful =
        std::iter::once((turn, call)).chain(follow_ups).find(|(_, call)| !failed(&call.id)).map_or_else(
            || no("every_later_call_failed"),
            |(turn, call)| {
                if trajectory.final_answer.is_some() {
                    yes("successful_call_after_recognition", turn, &call.name)
                } else {
                    no("no_final_answer")
                }
            },
        );
    Solved { solve, successful }
}
