//! The prompts: files of our own, each replaceable.

use std::collections::BTreeMap;
use std::path::Path;

use humbly_model_judge::Fence;
use humbly_prompts::{PromptFiles, fill, variables};

use crate::{Kind, Result, SynthError};

/// Hexadecimal digits of the hash.
const DIGITS: usize = 12;

/// Name and text of each prompt.
const BUILT_IN: &[(&str, &str)] = &[
    ("compare", include_str!("../prompts/compare.txt")),
    ("hard", include_str!("../prompts/hard.txt")),
    ("insufficient", include_str!("../prompts/insufficient.txt")),
    ("validate", include_str!("../prompts/validate.txt")),
];

/// Variables of each prompt.
const VARIABLES: &[(&str, &[&str])] = &[
    ("compare", &["first", "second"]),
    ("hard", &["problem"]),
    ("insufficient", &["problem"]),
    ("validate", &["problem"]),
];

/// The templates (minijinja) with which variants are asked for and examined.
///
/// Problems stand in them inside a boundary that does not occur in any of them, and are values, never template.
///
/// # Examples
/// ```
/// let prompts = humbly_synth::Prompts::built_in()?;
/// assert!(prompts.sources().contains_key("validate"));
/// assert_eq!(prompts.hash().len(), 12);
/// # Ok::<(), humbly_synth::SynthError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompts {
    files: PromptFiles,
}

impl Prompts {
    /// The prompts of this crate.
    ///
    /// # Errors
    /// None as shipped: a test renders each of them.
    pub fn built_in() -> Result<Self> {
        Self::checked(PromptFiles::built_in(BUILT_IN))
    }

    /// Files of a folder (`insufficient.txt`, `hard.txt`, `validate.txt`, `compare.txt`) in place of ours.
    ///
    /// # Errors
    /// [`SynthError::PromptFile`], also for a `.txt` that replaces nothing; [`SynthError::Prompt`].
    pub fn load(folder: &Path) -> Result<Self> {
        Self::checked(PromptFiles::load(BUILT_IN, folder)?)
    }

    fn checked(files: PromptFiles) -> Result<Self> {
        let prompts = Self { files };
        for (name, known) in VARIABLES {
            let fault = |detail: String| SynthError::Prompt { name, detail };
            let used = variables(prompts.files.get(name)).map_err(|error| fault(format!("{error:#}")))?;
            if let Some(unknown) =
                used.iter().find(|used| *used != "boundary" && !known.contains(&used.as_str()))
            {
                return Err(fault(format!(
                    "it names `{unknown}`, expected {} and boundary",
                    known.join(", ")
                )));
            }
            if let Some(unused) = known.iter().find(|name| !used.contains(**name)) {
                return Err(fault(format!("it never shows `{{{{ {unused} }}}}`")));
            }
            // A filter that does not exist shows only when it is called.
            let texts: Vec<(&str, &str)> = known.iter().map(|name| (*name, "")).collect();
            prompts.fill(name, &texts)?;
        }
        Ok(prompts)
    }

    /// Names and texts in use.
    pub fn sources(&self) -> &BTreeMap<String, String> {
        self.files.sources()
    }

    /// First 12 hexadecimal digits of the SHA-256 over all of them.
    pub fn hash(&self) -> String {
        self.files.hash(DIGITS)
    }

    /// What the rewriter is asked.
    pub(crate) fn rewrite(&self, kind: Kind, problem: &str) -> Result<String> {
        self.fill(kind.name(), &[("problem", problem)])
    }

    /// What the validator is asked of a text, whatever it is meant to be.
    pub(crate) fn validate(&self, problem: &str) -> Result<String> {
        self.fill("validate", &[("problem", problem)])
    }

    /// What the validator is asked of two texts.
    pub(crate) fn compare(&self, first: &str, second: &str) -> Result<String> {
        self.fill("compare", &[("first", first), ("second", second)])
    }

    fn fill(&self, name: &'static str, texts: &[(&str, &str)]) -> Result<String> {
        let bodies: Vec<&str> = texts.iter().map(|(_, text)| *text).collect();
        let fence = Fence::around(&bodies);
        let mut values: BTreeMap<&str, String> =
            texts.iter().map(|(name, text)| (*name, fence.wrap(name, text))).collect();
        values.insert("boundary", fence.boundary().to_owned());
        fill(self.files.get(name), &values)
            .map_err(|error| SynthError::Prompt { name, detail: format!("{error:#}") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_values_inside_a_boundary() {
        let prompts = Prompts::built_in().unwrap();
        let text = prompts.rewrite(Kind::Hard, "{{ 7 * 7 }} <b> & {% if %}").unwrap();
        assert!(text.contains("problem\n{{ 7 * 7 }} <b> & {% if %}\n"), "{text}");
        assert!(text.contains("<problem>"));
    }

    #[test]
    fn what_the_validator_reads_names_no_kind() {
        let prompts = Prompts::built_in().unwrap();
        for name in ["validate", "compare"] {
            let text = prompts.sources()[name].to_lowercase();
            for word in ["insufficient", "uncertain", "variant", "rewrit", "original", "hard", "label"] {
                assert!(!text.contains(word), "{name}: {word}");
            }
        }
    }

    #[test]
    fn a_folder_replaces_prompts_and_slips_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("validate.txt", "Well? {{ problem }}");
        write("notes.md", "mine");
        let own = Prompts::load(folder.path()).unwrap();
        assert!(own.validate("1+1").unwrap().starts_with("Well? <<<"));
        assert_ne!(own.hash(), Prompts::built_in().unwrap().hash());
        for (text, expected) in [
            ("Well?", "the prompt `validate` cannot be used: it never shows `{{ problem }}`"),
            ("{{ problem }} {{ label }}", "it names `label`, expected problem and boundary"),
            ("{% if %}", "syntax error"),
            ("{{ problem | nope }}", "unknown filter"),
        ] {
            write("validate.txt", text);
            let error = Prompts::load(folder.path()).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        write("validator.txt", "x");
        std::fs::remove_file(folder.path().join("validate.txt")).unwrap();
        let error = Prompts::load(folder.path()).unwrap_err().to_string();
        assert!(
            error.ends_with("expected one of compare.txt, hard.txt, insufficient.txt, validate.txt"),
            "{error}"
        );
    }
}
