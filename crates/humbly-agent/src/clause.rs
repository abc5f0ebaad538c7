//! Clauses appended to a system prompt: the condition of an experiment.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::fence::clean;
use crate::{AgentError, Result};

const LIMIT: usize = 20_000;

/// A named text appended to the system prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clause {
    /// Name, as conditions show it.
    pub name: String,
    /// The text.
    pub text: String,
}

impl Clause {
    /// A clause of this text.
    ///
    /// # Errors
    /// [`AgentError::ClauseLength`] where the text is blank or longer than 20,000 characters.
    pub fn new(name: impl Into<String>, text: &str) -> Result<Self> {
        let (name, text) = (name.into(), clean(text.trim()));
        let found = text.chars().count();
        if (1..=LIMIT).contains(&found) {
            Ok(Self { name, text: text.into_owned() })
        } else {
            Err(AgentError::ClauseLength { name, found, limit: LIMIT })
        }
    }

    /// The clause that a text file holds; the file's stem is its name.
    ///
    /// # Errors
    /// [`AgentError::Read`], [`AgentError::ClauseLength`].
    pub fn load(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| AgentError::Read { path: path.to_owned(), source })?;
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        Self::new(name, &text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_comes_from_a_file_and_a_blank_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("terse.txt");
        std::fs::write(&path, "Be brief.\n").unwrap();
        assert_eq!(Clause::load(&path).unwrap(), Clause { name: "terse".into(), text: "Be brief.".into() });
        std::fs::write(&path, " \n").unwrap();
        assert!(matches!(Clause::load(&path), Err(AgentError::ClauseLength { found: 0, .. })));
        assert!(matches!(Clause::load(&folder.path().join("none.txt")), Err(AgentError::Read { .. })));
    }
}
