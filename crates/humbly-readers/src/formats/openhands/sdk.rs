//! Events of the SDK: `events.jsonl`, or a conversation folder with one file an event.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use humbly_types::Problem;
use serde_json::Value;

use super::sdk_branches;
use super::sdk_events::Conversation;
use crate::builder::Builder;
use crate::content::str_field;
use crate::detect::{Head, Shape};
use crate::input::Input;
use crate::records::{for_each_value, text_under};
use crate::registry::{FormatInfo, Reader, Sink};
use crate::units::Unit;

const NAME: &str = "openhands-sdk";

/// Reader of SDK events.
pub(crate) struct OpenHandsSdk;

impl Reader for OpenHandsSdk {
    fn info(&self) -> FormatInfo {
        FormatInfo {
            name: NAME,
            title: "OpenHands SDK events",
            recognised_by: "events with `kind` (`…Event`, `Condensation`), or `base_state.json` with `events/` beside it",
        }
    }

    fn sniff(&self, head: &Head<'_>) -> bool {
        matches!(head.shape, Shape::Document | Shape::Lines)
            && (head.record().is_some_and(|record| is_event(record) || is_base_state(record))
                || head.items().first().is_some_and(is_event))
    }

    fn read(&self, input: &Input, sink: &mut dyn Sink) -> Result<(), Problem> {
        let mut events = Vec::new();
        let mut state = None;
        for_each_value(input, sink, |line, value, _| match value {
            Value::Array(items) => {
                events
                    .extend((1..).zip(items).map(|(number, value)| (Arc::clone(&input.path), number, value)));
            }
            value if is_base_state(&value) => state = Some(value),
            value => events.push((Arc::clone(&input.path), line.unwrap_or(1), value)),
        })?;
        if state.is_some() && input.companions.is_empty() {
            return Err(Problem::new(&*input.path, "the base state of a conversation without its events")
                .hint("name the conversation's folder, which holds `events/event-….json`"));
        }
        for (number, companion) in (1..).zip(&input.companions) {
            let event = Input::file(companion, Vec::new());
            match event.document(sink) {
                Ok(value) => events.push((event.path, number, value)),
                Err(problem) => sink.problem(problem),
            }
        }
        let mut builder = Builder::new(NAME, &input.path, name(input));
        builder.meta().agent = Some("openhands".into());
        let mut conversation = Conversation::new(&mut builder);
        let leaf = state.as_ref().and_then(|state| str_field(state, "leaf_event_id"));
        let active = sdk_branches::active(events.iter().map(|(_, _, value)| value), leaf);
        for ((file, number, value), is_active) in events.iter().zip(active) {
            if is_active {
                conversation.builder.set_file(file);
                conversation.add(value, *number);
            } else {
                conversation.builder.warn("an event of a branch that the conversation left", *number);
            }
        }
        conversation.builder.set_file(&input.path);
        if let Some(state) = &state {
            conversation.set_state(state);
            conversation.builder.meta().run_id = text_under(state, &["id"]);
            conversation.builder.meta().model =
                state.pointer("/agent/llm/model").and_then(Value::as_str).map(str::to_owned);
        }
        conversation.end();
        sink.trajectory(builder.finish());
        Ok(())
    }
}

/// The folder names a conversation whose files are all called alike.
fn name(input: &Input) -> String {
    let stem = input.stem();
    let is_generic = matches!(stem, "events" | "base_state") || stem.starts_with("event-");
    let parts =
        || input.path.split(['/', '\\']).rev().skip(1).filter(|part| !matches!(*part, "events" | "." | ".."));
    match parts().next().filter(|part| is_generic && !part.is_empty()) {
        Some(folder) => format!("{folder}/{stem}"),
        None => stem.to_owned(),
    }
}

fn is_event(value: &Value) -> bool {
    str_field(value, "kind").is_some_and(|kind| {
        (kind.ends_with("Event") || kind.starts_with("Condensation") || kind == "UserRejectObservation")
            && value.get("id").is_some()
    })
}

fn is_base_state(value: &Value) -> bool {
    value.pointer("/agent/llm").is_some()
        && ["execution_status", "persistence_dir", "agent_status"].iter().any(|key| value.get(*key).is_some())
}

/// Takes conversation folders out of the list: `base_state.json` with `events/event-NUMBER-ID.json`.
pub(crate) fn group_conversations(files: &mut Vec<PathBuf>) -> Vec<Unit> {
    let mut events: BTreeMap<Arc<Path>, Vec<(u64, PathBuf)>> = BTreeMap::new();
    for path in files.iter() {
        if let Some((folder, number)) = event_file(path) {
            events.entry(Arc::from(folder)).or_default().push((number, path.clone()));
        }
    }
    if events.is_empty() {
        return Vec::new();
    }
    let known: HashSet<&PathBuf> = files.iter().collect();
    let units: Vec<Unit> = events
        .into_iter()
        .map(|(folder, mut numbered)| {
            // By number: the width of the number is not fixed.
            numbered.sort();
            let mut companions: Vec<PathBuf> = numbered.into_iter().map(|(_, path)| path).collect();
            let state = folder.join("base_state.json");
            let main = if known.contains(&state) { state } else { companions.remove(0) };
            Unit { main, companions }
        })
        .collect();
    let taken: HashSet<&PathBuf> =
        units.iter().flat_map(|unit| std::iter::once(&unit.main).chain(&unit.companions)).collect();
    files.retain(|path| !taken.contains(path));
    units
}

/// The conversation folder and the number of `FOLDER/events/event-NUMBER-ID.json`.
fn event_file(path: &Path) -> Option<(&Path, u64)> {
    let stem = path.file_stem()?.to_str()?.strip_prefix("event-")?;
    let number = stem.split('-').next()?.parse().ok()?;
    let folder = path.parent().filter(|folder| folder.file_name().is_some_and(|name| name == "events"))?;
    path.extension().is_some_and(|extension| extension == "json").then_some((folder.parent()?, number))
}
