//! `humbly guard check`: the guard's decisions on a whole transcript.

use anyhow::Context;
use humbly_guard::{EpisodeFinding, Flag, Outcome, audit_file, safe_quote};
use serde_json::{Value, json};

use super::judge;
use crate::args::OutputFormat;
use crate::args::guard::GuardCheckArguments;
use crate::exit::Status;
use crate::output::{self, Table};

pub(super) fn run(arguments: &GuardCheckArguments) -> anyhow::Result<Status> {
    let format = (arguments.format != "auto").then_some(arguments.format.as_str());
    let findings = audit_file(&arguments.transcript, format, &*judge::of(&arguments.judge, judge::BY_HAND))
        .with_context(|| format!("cannot check {}", arguments.transcript.display()))?;
    match arguments.output {
        OutputFormat::Json => {
            let episodes: Vec<Value> = findings.iter().map(episode_json).collect();
            output::json(&json!({"schema": "humbly.guard-check/1", "episodes": episodes}))?;
        }
        format => {
            let header = ["trajectory", "episode", "turns", "the guard", "turn", "line", "quote"];
            let mut table = Table::new(&header);
            for finding in &findings {
                for row in rows(finding) {
                    table.row(row);
                }
            }
            output::table(&table, format)?;
        }
    }
    Ok(Status::Done)
}

fn did(outcome: &Outcome) -> (&'static str, Option<&'static str>) {
    match outcome {
        Outcome::Ask(_) => ("asks", None),
        Outcome::Silent(silence) => ("silent", Some(silence.code())),
    }
}

/// What the outcome is about: what is open, else what was recognised.
fn flags(finding: &EpisodeFinding) -> &[Flag] {
    match &finding.outcome {
        Outcome::Ask(flags) => flags,
        Outcome::Silent(_) => &finding.flags,
    }
}

fn rows(finding: &EpisodeFinding) -> Vec<Vec<String>> {
    let (did, why) = did(&finding.outcome);
    let did = why.map_or_else(|| did.to_owned(), |why| format!("{did}: {why}"));
    let row = |turn: String, line: String, quote: String| {
        let (episode, turns) = (finding.episode.to_string(), finding.turns.to_string());
        vec![finding.trajectory.clone(), episode, turns, did.clone(), turn, line, quote]
    };
    let flags = flags(finding);
    if flags.is_empty() {
        return vec![row(String::new(), String::new(), String::new())];
    }
    flags
        .iter()
        .map(|flag| {
            let turn = flag.turn.map(|turn| turn.to_string()).unwrap_or_default();
            row(turn, flag.line.to_string(), flag.quote.as_deref().map(safe_quote).unwrap_or_default())
        })
        .collect()
}

fn episode_json(finding: &EpisodeFinding) -> Value {
    let (did, why) = did(&finding.outcome);
    let quotes: Vec<Value> = flags(finding)
        .iter()
        .map(|flag| {
            json!({"turn": flag.turn, "line": flag.line, "quote": flag.quote, "rule": flag.rule,
                "resolved": flag.resolved})
        })
        .collect();
    json!({"trajectory": finding.trajectory, "episode": finding.episode, "prompt_line": finding.prompt_line,
        "turns": finding.turns, "guard": did, "why": why, "quotes": quotes})
}
