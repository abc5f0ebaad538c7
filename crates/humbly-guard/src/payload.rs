//! What a harness says when its agent is about to stop.

use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::{GuardError, Result};

/// A longer payload is refused unread: no harness writes one.
pub const LONGEST_PAYLOAD: u64 = 16 << 20;

/// A stop, as the guard needs it, whichever harness reported it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StopEvent {
    /// Id of the session; empty where the harness gave none.
    pub session: String,
    /// Name of the event as the harness writes it.
    pub event: String,
    /// The transcript that the harness names, unchecked.
    pub transcript: Option<PathBuf>,
    /// Whether the agent is already going on because of a stop hook.
    pub stop_hook_active: bool,
    /// The text with which the agent is about to stop.
    pub last_message: Option<String>,
    /// Working folder of the session.
    pub cwd: Option<PathBuf>,
    /// Whether the harness can be answered at all.
    pub can_block: bool,
}

/// Parses the payload's JSON.
pub(crate) fn object(bytes: &[u8]) -> Result<Map<String, Value>> {
    if bytes.len() as u64 > LONGEST_PAYLOAD {
        return Err(GuardError::PayloadTooLong { limit: LONGEST_PAYLOAD });
    }
    match serde_json::from_slice(bytes.trim_ascii()).map_err(|source| GuardError::NotJson { source })? {
        Value::Object(fields) => Ok(fields),
        _ => Err(GuardError::NotAnObject),
    }
}

/// A field that is a text which is not blank.
pub(crate) fn text(fields: &Map<String, Value>, key: &str) -> Option<String> {
    fields.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

/// The fields that Claude Code, Codex and Gemini CLI share.
pub(crate) fn shared_fields(fields: &Map<String, Value>) -> StopEvent {
    StopEvent {
        session: text(fields, "session_id").unwrap_or_default(),
        event: text(fields, "hook_event_name").unwrap_or_default(),
        transcript: text(fields, "transcript_path").map(PathBuf::from),
        stop_hook_active: fields.get("stop_hook_active") == Some(&Value::Bool(true)),
        last_message: text(fields, "last_assistant_message"),
        cwd: text(fields, "cwd").map(PathBuf::from),
        can_block: true,
    }
}
