//! The prompts: files of our own, each replaceable.

use std::collections::BTreeMap;
use std::path::Path;

use humbly_model_judge::Fence;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use sha2::{Digest, Sha256};

use crate::{Kind, Result, SynthError};

/// Name, text and variables of each prompt.
const BUILT_IN: &[(&str, &str, &[&str])] = &[
    ("compare", include_str!("../prompts/compare.txt"), &["first", "second"]),
    ("hard", include_str!("../prompts/hard.txt"), &["problem"]),
    ("insufficient", include_str!("../prompts/insufficient.txt"), &["problem"]),
    ("validate", include_str!("../prompts/validate.txt"), &["problem"]),
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
    sources: BTreeMap<&'static str, String>,
}

impl Prompts {
    /// The prompts of this crate.
    ///
    /// # Errors
    /// None as shipped: a test renders each of them.
    pub fn built_in() -> Result<Self> {
        Self::checked(BUILT_IN.iter().map(|(name, text, _)| (*name, (*text).to_owned())).collect())
    }

    /// Files of a folder (`insufficient.txt`, `hard.txt`, `validate.txt`, `compare.txt`) in place of ours.
    ///
    /// # Errors
    /// [`SynthError::ReadPrompt`]; [`SynthError::UnknownPrompt`] for a `.txt` that replaces nothing;
    /// [`SynthError::Prompt`].
    pub fn load(folder: &Path) -> Result<Self> {
        let unreadable = |source| SynthError::ReadPrompt { path: folder.to_owned(), source };
        let mut sources: BTreeMap<&'static str, String> =
            BUILT_IN.iter().map(|(name, text, _)| (*name, (*text).to_owned())).collect();
        for entry in std::fs::read_dir(folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            if path.extension().is_none_or(|ending| ending != "txt") {
                continue;
            }
            let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            let Some(source) = sources.get_mut(stem) else {
                let names: Vec<String> = BUILT_IN.iter().map(|(name, ..)| format!("{name}.txt")).collect();
                return Err(SynthError::UnknownPrompt { path, expected: names.join(", ") });
            };
            *source = std::fs::read_to_string(&path)
                .map_err(|source| SynthError::ReadPrompt { path: path.clone(), source })?;
        }
        Self::checked(sources)
    }

    fn checked(sources: BTreeMap<&'static str, String>) -> Result<Self> {
        let prompts = Self { sources };
        for (name, _, variables) in BUILT_IN {
            let fault = |detail: String| SynthError::Prompt { name, detail };
            let source = prompts.sources.get(name).map_or("", String::as_str);
            let environment = environment();
            let template =
                environment.template_from_str(source).map_err(|error| fault(format!("{error:#}")))?;
            let used = template.undeclared_variables(false);
            if let Some(unknown) =
                used.iter().find(|used| *used != "boundary" && !variables.contains(&used.as_str()))
            {
                return Err(fault(format!(
                    "it names `{unknown}`, expected {} and boundary",
                    variables.join(", ")
                )));
            }
            if let Some(unused) = variables.iter().find(|name| !used.contains(**name)) {
                return Err(fault(format!("it never shows `{{{{ {unused} }}}}`")));
            }
            // A filter that does not exist shows only when it is called.
            let texts: Vec<(&str, &str)> = variables.iter().map(|name| (*name, "")).collect();
            prompts.fill(name, &texts)?;
        }
        Ok(prompts)
    }

    /// Names and texts in use.
    pub fn sources(&self) -> &BTreeMap<&'static str, String> {
        &self.sources
    }

    /// First 12 hexadecimal digits of the SHA-256 over all of them.
    pub fn hash(&self) -> String {
        let mut hasher = Sha256::new();
        for (name, text) in &self.sources {
            hasher.update((name.len() as u64).to_le_bytes());
            hasher.update(name.as_bytes());
            hasher.update((text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        hasher.finalize().iter().take(6).fold(String::new(), |digits, byte| digits + &format!("{byte:02x}"))
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
        let source = self.sources.get(name).map_or("", String::as_str);
        environment()
            .template_from_str(source)
            .and_then(|template| template.render(&values))
            .map(|text| text.trim().to_owned())
            .map_err(|error| SynthError::Prompt { name, detail: format!("{error:#}") })
    }
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment
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
        assert!(error.ends_with("expected compare.txt, hard.txt, insufficient.txt, validate.txt"), "{error}");
    }
}
