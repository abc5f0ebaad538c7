//! `humbly guard log`: what the guard did, and what the agents did then.

use anyhow::Context;
use humbly_guard::{AfterAsking, Entry, Log, after_asking};
use humbly_judge::LexicalJudge;
use serde_json::{Value, json};

use super::places;
use crate::args::OutputFormat;
use crate::args::guard::GuardLogArguments;
use crate::exit::Status;
use crate::output::{self, Table};

pub(super) fn run(arguments: &GuardLogArguments) -> anyhow::Result<Status> {
    let log = Log::of(&places()).context("no home folder is known, so there is no log")?;
    let entries = log.entries()?;
    let judge = LexicalJudge::new();
    let judged: Vec<(&Entry, Option<AfterAsking>)> = entries
        .iter()
        .map(|entry| (entry, (entry.did == "asked").then(|| after_asking(entry, &judge))))
        .collect();
    let newest = judged.get(judged.len().saturating_sub(arguments.last)..).unwrap_or_default();
    match arguments.output {
        OutputFormat::Json => {
            let rows: Vec<Value> = newest
                .iter()
                .map(|(entry, after)| json!({"entry": entry, "time_text": entry.time_text(), "after": after}))
                .collect();
            output::json(&json!({"schema": "humbly.guard-log/1", "log": log.path(), "entries": rows,
                "asked": counts(&judged)}))?;
        }
        format => {
            let header = ["time (UTC)", "harness", "did", "why", "then", "turn", "quote"];
            let mut table = Table::new(&header);
            for (entry, after) in newest {
                table.row(row(entry, *after));
            }
            output::table(&table, format)?;
            if format == OutputFormat::Table {
                output::note(&summary(&counts(&judged)));
            }
        }
    }
    Ok(Status::Done)
}

fn row(entry: &Entry, after: Option<AfterAsking>) -> Vec<String> {
    let first = entry.quotes.first();
    vec![
        entry.time_text(),
        entry.harness.clone(),
        entry.did.clone(),
        entry.why.clone().unwrap_or_default(),
        after.map(|after| name(after).to_owned()).unwrap_or_default(),
        first.and_then(|quote| quote.turn).map(|turn| turn.to_string()).unwrap_or_default(),
        first.and_then(|quote| quote.quote.clone()).unwrap_or_default(),
    ]
}

const AFTER: [AfterAsking; 5] = [
    AfterAsking::Told,
    AfterAsking::Resolved,
    AfterAsking::Silent,
    AfterAsking::OffTopic,
    AfterAsking::Unknown,
];

fn name(after: AfterAsking) -> &'static str {
    match after {
        AfterAsking::Told => "told",
        AfterAsking::Resolved => "resolved",
        AfterAsking::Silent => "silent",
        AfterAsking::OffTopic => "off_topic",
        AfterAsking::Unknown => "unknown",
    }
}

fn counts(judged: &[(&Entry, Option<AfterAsking>)]) -> Value {
    let count = |wanted| judged.iter().filter(|(_, after)| *after == Some(wanted)).count();
    let mut counts: serde_json::Map<String, Value> =
        AFTER.iter().map(|after| (name(*after).to_owned(), json!(count(*after)))).collect();
    counts.insert("n".to_owned(), json!(judged.iter().filter(|(_, after)| after.is_some()).count()));
    Value::Object(counts)
}

fn summary(counts: &Value) -> String {
    format!(
        "asked {} times: told then {}, resolved {}, silent again {}, about something else {}, unknown {}",
        counts["n"],
        counts["told"],
        counts["resolved"],
        counts["silent"],
        counts["off_topic"],
        counts["unknown"]
    )
}
