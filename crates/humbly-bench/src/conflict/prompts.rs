//! The prompts with which beliefs are asked for: files that a user can replace.

use std::collections::BTreeMap;
use std::path::Path;

use humbly_prompts::{PromptFileError, PromptFiles, fill, variables};
use minijinja::value::Serde;
use serde::Serialize;

const BUILT_IN: &[(&str, &str)] = &[
    ("belief_free_form", include_str!("../../prompts/belief_free_form.txt")),
    ("belief_choice", include_str!("../../prompts/belief_choice.txt")),
    ("belief_likelihood", include_str!("../../prompts/belief_likelihood.txt")),
    ("closed_book", include_str!("../../prompts/closed_book.txt")),
    ("self_verify", include_str!("../../prompts/self_verify.txt")),
];

/// The prompts of this crate, as templates by name.
#[derive(Debug, Clone)]
pub struct Prompts {
    files: PromptFiles,
    hashes: BTreeMap<String, String>,
}

/// Why prompts cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PromptError {
    /// A folder of prompts cannot be used.
    #[error(transparent)]
    File(#[from] PromptFileError),
    /// A file is no template, or a value that it names is not given.
    #[error("the prompt `{name}` is not usable")]
    Template {
        /// Its name.
        name: String,
        /// Why.
        #[source]
        source: minijinja::Error,
    },
}

impl Prompts {
    /// The prompts that come with Humbly.
    ///
    /// # Errors
    /// None in practice: a test renders each of them.
    pub fn built_in() -> Result<Self, PromptError> {
        Self::checked(PromptFiles::built_in(BUILT_IN))
    }

    /// Files of a folder in place of ours; a file that is not there keeps ours.
    ///
    /// # Errors
    /// [`PromptError`].
    pub fn load(folder: &Path) -> Result<Self, PromptError> {
        Self::checked(PromptFiles::load(BUILT_IN, folder)?)
    }

    fn checked(files: PromptFiles) -> Result<Self, PromptError> {
        for (name, text) in files.sources() {
            variables(text).map_err(|source| PromptError::Template { name: name.clone(), source })?;
        }
        let hashes = files.hashes().into_iter().map(|(name, hash)| (format!("{name}.txt"), hash)).collect();
        Ok(Self { files, hashes })
    }

    /// First 12 hex digits of each prompt file's SHA-256, for the suite file.
    pub fn hashes(&self) -> &BTreeMap<String, String> {
        &self.hashes
    }

    pub(crate) fn render(&self, name: &str, values: impl Serialize) -> Result<String, PromptError> {
        fill(self.files.get(name), Serde(&values))
            .map_err(|source| PromptError::Template { name: name.to_owned(), source })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_prompt_renders() {
        let prompts = Prompts::built_in().unwrap();
        let choices = json!([{"letter": "A", "text": "Rome"}, {"letter": "B", "text": "Milan"}]);
        let values = json!({"question": "Q?", "choices": choices, "answer": "Rome", "reason": "I read it."});
        for (name, _) in BUILT_IN {
            let text = prompts.render(name, &values).unwrap();
            assert!(text.contains("Q?") && !text.contains("{{"), "{name}: {text}");
        }
        assert!(prompts.render("belief_choice", &values).unwrap().contains("A. Rome\nB. Milan"));
    }

    #[test]
    fn a_file_of_the_user_takes_the_place_of_ours() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("belief_free_form.txt"), "Tell me: {{ question }}").unwrap();
        let prompts = Prompts::load(folder.path()).unwrap();
        assert_eq!(prompts.render("belief_free_form", json!({"question": "Q?"})).unwrap(), "Tell me: Q?");
        assert_ne!(prompts.hashes(), Prompts::built_in().unwrap().hashes());
        std::fs::write(folder.path().join("belief_choice.txt"), "{% if %}").unwrap();
        assert!(matches!(Prompts::load(folder.path()), Err(PromptError::Template { .. })));
        std::fs::write(folder.path().join("belief_choices.txt"), "x").unwrap();
        let slip = Prompts::load(folder.path()).unwrap_err().to_string();
        assert!(
            slip.contains("belief_choices.txt` is no prompt, expected one of belief_choice.txt"),
            "{slip}"
        );
    }
}
