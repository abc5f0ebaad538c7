//! Gemini CLI: `AfterAgent` hooks in `settings.json`.
//!
//! The answer stands in `prompt_response`, a refusal is `deny`, and the reason becomes a prompt of its own.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::{Harness, HookSettings, Reply};
use crate::install::Scope;
use crate::payload::{StopEvent, shared_fields, text};
use crate::transcript::{Transcript, check_file};
use crate::{GuardError, Places, Result};

/// Gemini CLI.
pub(crate) struct GeminiCli;

impl Harness for GeminiCli {
    fn name(&self) -> &'static str {
        "gemini-cli"
    }

    fn title(&self) -> &'static str {
        "Gemini CLI"
    }

    fn recognises(&self, payload: &Map<String, Value>) -> bool {
        payload.get("hook_event_name").and_then(Value::as_str) == Some("AfterAgent")
    }

    fn stop_event(&self, payload: &Map<String, Value>) -> StopEvent {
        let mut event = shared_fields(payload);
        event.last_message = text(payload, "prompt_response").or(event.last_message);
        event
    }

    fn transcript(&self, event: &StopEvent, places: &Places) -> Result<Transcript> {
        let path = event.transcript.as_deref().ok_or(GuardError::NoTranscript)?;
        check_file(path, places, places.gemini.as_slice()).map(Transcript::GeminiCli)
    }

    fn let_stop(&self) -> Reply {
        Reply::stdout(&json!({}))
    }

    fn ask(&self, request: &str) -> Reply {
        Reply::stdout(&json!({"decision": "deny", "reason": request}))
    }

    fn settings(&self) -> HookSettings {
        HookSettings { events: &["AfterAgent"], units_per_second: 1_000, matcher: true }
    }

    fn settings_path(&self, scope: Scope, places: &Places) -> Option<PathBuf> {
        match scope {
            Scope::User => places.gemini.as_deref().map(|folder| folder.join("settings.json")),
            Scope::Project => Some(places.cwd.join(".gemini/settings.json")),
        }
    }
}
