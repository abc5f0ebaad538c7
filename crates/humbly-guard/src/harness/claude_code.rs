//! Claude Code: `Stop` and `SubagentStop` hooks in `settings.json`.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::{Harness, HookSettings};
use crate::install::Scope;
use crate::payload::{StopEvent, shared_fields, text};
use crate::transcript::{Transcript, check_file};
use crate::{GuardError, Places, Result};

/// Claude Code.
pub(crate) struct ClaudeCode;

impl Harness for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude-code"
    }

    fn title(&self) -> &'static str {
        "Claude Code"
    }

    fn recognises(&self, payload: &Map<String, Value>) -> bool {
        payload.contains_key("hook_event_name")
    }

    fn stop_event(&self, payload: &Map<String, Value>) -> StopEvent {
        let mut event = shared_fields(payload);
        if event.event == "SubagentStop" {
            // The shared path is the parent's: its last turn is not the one that stops.
            event.transcript = text(payload, "agent_transcript_path").map(PathBuf::from);
        }
        event
    }

    fn transcript(&self, event: &StopEvent, places: &Places) -> Result<Transcript> {
        let path = event.transcript.as_deref().ok_or(GuardError::NoTranscript)?;
        check_file(path, places, places.claude.as_slice()).map(Transcript::ClaudeCode)
    }

    fn settings(&self) -> HookSettings {
        HookSettings { events: &["Stop", "SubagentStop"], units_per_second: 1, matcher: false }
    }

    fn settings_path(&self, scope: Scope, places: &Places) -> Option<PathBuf> {
        match scope {
            Scope::User => places.claude.as_deref().map(|folder| folder.join("settings.json")),
            Scope::Project => Some(places.cwd.join(".claude/settings.json")),
        }
    }
}
