//! Terminus-2 answers in JSON text: its commands are calls, its analysis and plan are what it says.

use serde_json::{Value, json};

use crate::content::str_field;

/// What such a message holds.
pub(super) struct Commands {
    /// Analysis and plan.
    pub(super) text: String,
    /// The commands as arguments of one call; none where there are no commands.
    pub(super) arguments: Option<String>,
}

impl Commands {
    /// Reads a message; none where it is of another form.
    pub(super) fn of(message: &str) -> Option<Self> {
        let message = message.trim();
        if !message.starts_with('{') || !message.contains("\"commands\"") {
            return None;
        }
        let value: Value = serde_json::from_str(message).ok()?;
        let commands = value.get("commands")?.as_array()?;
        let said: Vec<&str> = ["analysis", "state_analysis", "plan", "explanation"]
            .iter()
            .filter_map(|key| str_field(&value, key))
            .collect();
        // One observation answers all commands of a step.
        let arguments = (!commands.is_empty()).then(|| json!({ "commands": commands }).to_string());
        Some(Self { text: said.join("\n\n"), arguments })
    }
}
