//! `OpenHands`: `Stop` hooks in `.openhands/hooks.json`.
//!
//! Its documentation lists no fields of the payload; its source sends `event_type`, `session_id`,
//! `working_dir` and `metadata`. It names no transcript: the conversation's folder is looked for by the
//! session's id. It has no `SubagentStop`, and a settings file with an event that it does not know is
//! refused whole. Its decisions are `allow` and `deny`: it reads `block` as none and lets the agent stop.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::{Harness, HookSettings, Reply};
use crate::install::Scope;
use crate::payload::{StopEvent, shared_fields, text};
use crate::transcript::{Transcript, check_file, check_folder};
use crate::{GuardError, Places, Result};

/// `OpenHands`.
pub(crate) struct OpenHands;

impl Harness for OpenHands {
    fn name(&self) -> &'static str {
        "openhands"
    }

    fn title(&self) -> &'static str {
        "OpenHands"
    }

    fn recognises(&self, payload: &Map<String, Value>) -> bool {
        payload.contains_key("event_type") && !payload.contains_key("hook_event_name")
    }

    fn stop_event(&self, payload: &Map<String, Value>) -> StopEvent {
        let mut event = shared_fields(payload);
        if event.event.is_empty() {
            event.event = text(payload, "event_type").unwrap_or_default();
        }
        event.cwd = event.cwd.or_else(|| text(payload, "working_dir").map(PathBuf::from));
        event.last_message = event.last_message.or_else(|| text(payload, "message"));
        event
    }

    fn transcript(&self, event: &StopEvent, places: &Places) -> Result<Transcript> {
        let roots = roots(event, places);
        if let Some(path) = &event.transcript {
            return check_file(path, places, &roots).map(Transcript::OpenHandsFile);
        }
        let id: String = event.session.chars().filter(|letter| *letter != '-').collect();
        if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Err(GuardError::NoTranscript);
        }
        let folders = roots.iter().flat_map(|root| [root.join(&id), root.join(&event.session)]);
        let found = folders.into_iter().find(|folder| folder.join("events").is_dir());
        check_folder(&found.ok_or(GuardError::NoTranscript)?, &roots).map(Transcript::OpenHandsFolder)
    }

    fn ask(&self, request: &str) -> Reply {
        Reply::stdout(&json!({"decision": "deny", "reason": request}))
    }

    fn note(&self, note: &str) -> Reply {
        // Its hooks know no message to the person.
        Reply { stdout: String::new(), stderr: format!("{note}\n") }
    }

    fn settings(&self) -> HookSettings {
        HookSettings { events: &["Stop"], units_per_second: 1, matcher: true }
    }

    fn settings_path(&self, scope: Scope, places: &Places) -> Option<PathBuf> {
        match scope {
            Scope::User => places.openhands.as_deref().map(|folder| folder.join("hooks.json")),
            Scope::Project => Some(places.cwd.join(".openhands/hooks.json")),
        }
    }

    fn after_install(&self) -> Option<&'static str> {
        Some("OpenHands reads one file: a project's .openhands/hooks.json hides the user's")
    }
}

/// Folders that hold conversations.
fn roots(event: &StopEvent, places: &Places) -> Vec<PathBuf> {
    let mut roots = Vec::new();
    roots.extend(places.openhands_conversations.clone());
    roots.extend(places.openhands.as_deref().map(|folder| folder.join("conversations")));
    if let Some(cwd) = event.cwd.as_deref().filter(|cwd| cwd.is_absolute()) {
        roots.push(cwd.join(".conversations"));
        roots.push(cwd.join("workspace/conversations"));
    }
    roots.extend(places.extra.iter().cloned());
    roots
}
