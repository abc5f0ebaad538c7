//! Codex: `Stop` and `SubagentStop` hooks in `hooks.json`, and the older `notify` command.
//!
//! 1. `transcript_path` may be null: the rollout is then looked for by the session's id.
//! 2. `notify` hands its payload as the last argument and reads no answer: such a stop is only recorded.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::{Harness, HookSettings, Reply};
use crate::install::Scope;
use crate::payload::{StopEvent, shared_fields, text};
use crate::transcript::{Transcript, check_file};
use crate::{GuardError, Places, Result};

/// So many folders of days are looked through for a rollout, newest first.
const MOST_DAYS: usize = 60;

/// Codex.
pub(crate) struct Codex;

impl Harness for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn title(&self) -> &'static str {
        "Codex"
    }

    fn recognises(&self, payload: &Map<String, Value>) -> bool {
        payload.contains_key("turn_id") || is_notification(payload)
    }

    fn stop_event(&self, payload: &Map<String, Value>) -> StopEvent {
        if is_notification(payload) {
            return StopEvent {
                session: text(payload, "thread-id").unwrap_or_default(),
                event: "notify".to_owned(),
                last_message: text(payload, "last-assistant-message"),
                cwd: text(payload, "cwd").map(PathBuf::from),
                ..StopEvent::default()
            };
        }
        let mut event = shared_fields(payload);
        if event.event == "SubagentStop" {
            event.transcript = text(payload, "agent_transcript_path").map(PathBuf::from);
            event.session = text(payload, "agent_id").unwrap_or(event.session);
        }
        event
    }

    fn transcript(&self, event: &StopEvent, places: &Places) -> Result<Transcript> {
        let found = match &event.transcript {
            Some(path) => path.clone(),
            None => places
                .codex
                .as_deref()
                .and_then(|folder| rollout(&folder.join("sessions"), &event.session))
                .ok_or(GuardError::NoTranscript)?,
        };
        check_file(&found, places, places.codex.as_slice()).map(Transcript::Codex)
    }

    fn let_stop(&self) -> Reply {
        Reply::stdout(&json!({}))
    }

    fn settings(&self) -> HookSettings {
        HookSettings { events: &["Stop", "SubagentStop"], units_per_second: 1, matcher: false }
    }

    fn settings_path(&self, scope: Scope, places: &Places) -> Option<PathBuf> {
        match scope {
            Scope::User => places.codex.as_deref().map(|folder| folder.join("hooks.json")),
            Scope::Project => Some(places.cwd.join(".codex/hooks.json")),
        }
    }

    fn after_install(&self) -> Option<&'static str> {
        Some(
            "start Codex and accept the hook under /hooks; older versions also need `codex_hooks = true` under `[features]` in config.toml",
        )
    }
}

fn is_notification(payload: &Map<String, Value>) -> bool {
    payload.get("type").and_then(Value::as_str) == Some("agent-turn-complete")
}

/// The rollout `sessions/YEAR/MONTH/DAY/rollout-…-SESSION.jsonl`.
fn rollout(sessions: &Path, session: &str) -> Option<PathBuf> {
    let is_id =
        !session.is_empty() && session.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if !is_id {
        return None;
    }
    let ending = format!("-{session}.jsonl");
    let days = newest(sessions).into_iter().flat_map(|year| newest(&year)).flat_map(|month| newest(&month));
    days.take(MOST_DAYS).find_map(|day| {
        newest(&day).into_iter().find(|file| {
            file.file_name().is_some_and(|name| {
                let name = name.to_string_lossy();
                name.starts_with("rollout-") && name.ends_with(&ending)
            })
        })
    })
}

/// What a folder holds, last name first.
fn newest(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort_unstable_by(|a, b| b.cmp(a));
    paths
}
