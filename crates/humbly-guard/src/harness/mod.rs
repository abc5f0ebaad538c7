//! The harnesses: one file each, one line in the registry.

mod claude_code;
mod codex;
mod gemini_cli;
mod openhands;

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use crate::install::Scope;
use crate::payload::StopEvent;
use crate::transcript::Transcript;
use crate::{GuardError, Places, Result};

/// All harnesses, in the order in which a payload is tried.
const ALL: &[&dyn Harness] =
    &[&openhands::OpenHands, &gemini_cli::GeminiCli, &codex::Codex, &claude_code::ClaudeCode];

/// A program that runs agents and asks hooks before an agent stops.
pub trait Harness: Sync {
    /// Name on the command line.
    fn name(&self) -> &'static str;

    /// Name for people.
    fn title(&self) -> &'static str;

    /// Whether a payload without a named harness is of this one.
    fn recognises(&self, payload: &Map<String, Value>) -> bool;

    /// The stop that a payload reports.
    fn stop_event(&self, payload: &Map<String, Value>) -> StopEvent;

    /// The checked transcript of a stop.
    ///
    /// # Errors
    /// [`GuardError::NoTranscript`], [`GuardError::Path`].
    fn transcript(&self, event: &StopEvent, places: &Places) -> Result<Transcript>;

    /// What is written where the agent may stop.
    fn let_stop(&self) -> Reply {
        Reply::default()
    }

    /// What is written to make the agent go on.
    fn ask(&self, request: &str) -> Reply {
        Reply::stdout(&json!({"decision": "block", "reason": request}))
    }

    /// What is written to let the agent stop and show the person a note.
    fn note(&self, note: &str) -> Reply {
        Reply::stdout(&json!({"systemMessage": note}))
    }

    /// Where and how a hook is entered into the settings.
    fn settings(&self) -> HookSettings;

    /// The settings file.
    fn settings_path(&self, scope: Scope, places: &Places) -> Option<PathBuf>;

    /// What a person still has to do after installing, if anything.
    fn after_install(&self) -> Option<&'static str> {
        None
    }
}

/// How a harness's settings hold hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HookSettings {
    /// Events that are hooked.
    pub events: &'static [&'static str],
    /// How the harness counts the hook's time limit.
    pub units_per_second: u64,
    /// Whether a group of hooks names a matcher.
    pub matcher: bool,
}

/// What a hook prints.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// For the harness.
    pub stdout: String,
    /// For the person.
    pub stderr: String,
}

impl Reply {
    fn stdout(value: &Value) -> Self {
        Self { stdout: format!("{value}\n"), stderr: String::new() }
    }
}

/// All harnesses.
pub fn harnesses() -> &'static [&'static dyn Harness] {
    ALL
}

/// The harness of this name.
///
/// # Errors
/// [`GuardError::UnknownHarness`].
pub fn harness(name: &str) -> Result<&'static dyn Harness> {
    ALL.iter().copied().find(|harness| harness.name() == name).ok_or_else(|| {
        let known: Vec<&str> = ALL.iter().map(|harness| harness.name()).collect();
        GuardError::UnknownHarness { name: name.to_owned(), known: known.join(", ") }
    })
}

/// The harness that wrote a payload; Claude Code, whose form the others borrow, where nothing tells.
pub fn recognise(payload: &Map<String, Value>) -> &'static dyn Harness {
    ALL.iter().copied().find(|harness| harness.recognises(payload)).unwrap_or(&claude_code::ClaudeCode)
}
