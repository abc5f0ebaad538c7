//! `--verdicts`: one line a judged turn, written as it is judged.

use std::collections::BTreeMap;
use std::io::Write;

use humbly_types::{Judgement, Trajectory, TurnVerdict, Verdict};
use serde::Serialize;

#[derive(Serialize)]
struct Line<'a> {
    trajectory: &'a str,
    question: &'static str,
    turn: Option<u32>,
    verdict: &'a Verdict,
    /// What was judged: a turn's reasoning and visible text, or the final answer; `null` where it is not at hand.
    text: Option<&'a str>,
}

/// Writes the verdicts on one trajectory.
pub(crate) fn write(
    out: &mut dyn Write,
    id: &str,
    trajectory: Option<&Trajectory>,
    judgement: &Judgement,
) -> std::io::Result<()> {
    let texts: BTreeMap<u32, String> = trajectory
        .into_iter()
        .flat_map(Trajectory::turns)
        .filter_map(|step| Some((step.turn?, step.reasoning_and_visible())))
        .collect();
    for TurnVerdict { turn, identify } in &judgement.turns {
        let text = texts.get(turn).map(String::as_str);
        line(
            out,
            &Line { trajectory: id, question: "identify", turn: Some(*turn), verdict: identify, text },
        )?;
    }
    let escalate = &judgement.escalate;
    let answer = trajectory.and_then(|trajectory| trajectory.final_answer.as_ref());
    let text = answer.map(|answer| answer.text.as_str());
    line(out, &Line { trajectory: id, question: "escalate", turn: escalate.turn, verdict: escalate, text })
}

fn line(out: &mut dyn Write, line: &Line<'_>) -> std::io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}
