//! The prompts with which beliefs are asked for: files that a user can replace.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use minijinja::Environment;
use minijinja::value::Serde;
use serde::Serialize;
use sha2::{Digest, Sha256};

const FILES: &[(&str, &str)] = &[
    ("belief_free_form.txt", include_str!("../../prompts/belief_free_form.txt")),
    ("belief_choice.txt", include_str!("../../prompts/belief_choice.txt")),
    ("belief_likelihood.txt", include_str!("../../prompts/belief_likelihood.txt")),
    ("closed_book.txt", include_str!("../../prompts/closed_book.txt")),
    ("self_verify.txt", include_str!("../../prompts/self_verify.txt")),
];

/// The prompts of this crate, as templates by file name.
#[derive(Debug, Clone)]
pub struct Prompts {
    environment: Environment<'static>,
    hashes: BTreeMap<String, String>,
}

/// Why prompts cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PromptError {
    /// A file cannot be read.
    #[error("cannot read the prompt `{}`", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A file is no template, or a value that it names is not given.
    #[error("the prompt `{name}` is not usable")]
    Template {
        /// File name.
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
        Self::with(|_, text| Ok(text.to_owned()))
    }

    /// Files of a folder in place of ours; a file that is not there keeps ours.
    ///
    /// # Errors
    /// [`PromptError`].
    pub fn load(folder: &Path) -> Result<Self, PromptError> {
        Self::with(|name, text| {
            let path = folder.join(name);
            match std::fs::read_to_string(&path) {
                Ok(own) => Ok(own),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(text.to_owned()),
                Err(source) => Err(PromptError::Read { path, source }),
            }
        })
    }

    fn with(text_of: impl Fn(&str, &str) -> Result<String, PromptError>) -> Result<Self, PromptError> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(minijinja::UndefinedBehavior::Strict);
        let mut hashes = BTreeMap::new();
        for (name, built_in) in FILES {
            let text = text_of(name, built_in)?;
            let hash = short_hash(&text);
            environment
                .add_template_owned(*name, text)
                .map_err(|source| PromptError::Template { name: (*name).to_owned(), source })?;
            hashes.insert((*name).to_owned(), hash);
        }
        Ok(Self { environment, hashes })
    }

    /// First 12 hex digits of each prompt's SHA-256, for the suite file.
    pub fn hashes(&self) -> &BTreeMap<String, String> {
        &self.hashes
    }

    pub(crate) fn render(&self, name: &str, values: impl Serialize) -> Result<String, PromptError> {
        self.environment
            .get_template(name)
            .and_then(|template| template.render(Serde(&values)))
            .map(|text| text.trim().to_owned())
            .map_err(|source| PromptError::Template { name: name.to_owned(), source })
    }
}

/// First 12 hex digits of the SHA-256.
fn short_hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let first = digest.iter().take(6).fold(0u64, |sum, byte| (sum << 8) | u64::from(*byte));
    format!("{first:012x}")
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
        for (name, _) in FILES {
            let text = prompts.render(name, &values).unwrap();
            assert!(text.contains("Q?") && !text.contains("{{"), "{name}: {text}");
        }
        assert!(prompts.render("belief_choice.txt", &values).unwrap().contains("A. Rome\nB. Milan"));
    }

    #[test]
    fn a_file_of_the_user_takes_the_place_of_ours() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("belief_free_form.txt"), "Tell me: {{ question }}").unwrap();
        let prompts = Prompts::load(folder.path()).unwrap();
        assert_eq!(prompts.render("belief_free_form.txt", json!({"question": "Q?"})).unwrap(), "Tell me: Q?");
        assert_ne!(prompts.hashes(), Prompts::built_in().unwrap().hashes());
        std::fs::write(folder.path().join("belief_choice.txt"), "{% if %}").unwrap();
        assert!(matches!(Prompts::load(folder.path()), Err(PromptError::Template { .. })));
    }
}
