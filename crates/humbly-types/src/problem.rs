//! Bad input, as users see it: what, where, what was expected, what to do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One piece of input that could not be used; the rest is still scored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// File as the user named it.
    pub path: String,
    /// Line from 1, where there is one.
    pub line: Option<u64>,
    /// Record (sample id, entry of an archive, key path) where there is one.
    pub record: Option<String>,
    /// What was found and what was expected.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

impl Problem {
    /// A problem with a file.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), line: None, record: None, message: message.into(), hint: None }
    }

    /// Names the line.
    #[must_use]
    pub fn line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    /// Names the record.
    #[must_use]
    pub fn record(mut self, record: impl Into<String>) -> Self {
        self.record = Some(record.into());
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
