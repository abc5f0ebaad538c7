//! `--verdicts`: one line a judged turn, written as it is judged.

use std::io::Write;

use humbly_types::{Judgement, TurnVerdict, Verdict};
use serde::Serialize;

#[derive(Serialize)]
struct Line<'a> {
    trajectory: &'a str,
    question: &'static str,
    turn: Option<u32>,
    verdict: &'a Verdict,
}

/// Writes the verdicts on one trajectory.
pub(crate) fn write(out: &mut dyn Write, id: &str, judgement: &Judgement) -> std::io::Result<()> {
    for TurnVerdict { turn, identify } in &judgement.turns {
        line(out, &Line { trajectory: id, question: "identify", turn: Some(*turn), verdict: identify })?;
    }
    let escalate = &judgement.escalate;
    line(out, &Line { trajectory: id, question: "escalate", turn: escalate.turn, verdict: escalate })
}

fn line(out: &mut dyn Write, line: &Line<'_>) -> std::io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}
