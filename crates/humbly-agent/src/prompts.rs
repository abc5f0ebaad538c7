//! Prompt templates: files of our own, each replaceable, with one hash over those in use.

use std::collections::BTreeMap;
use std::path::Path;

use humbly_prompts::{PromptFiles, environment};
use minijinja::{Environment, Value};

use crate::{AgentError, Clause, Result};

/// Name and text of each built-in template.
const BUILT_IN: &[(&str, &str)] = &[
    ("clause_humility", include_str!("../prompts/clause_humility.txt")),
    ("confidence", include_str!("../prompts/confidence.txt")),
    ("direct_abstain", include_str!("../prompts/direct_abstain.txt")),
    ("direct_answer", include_str!("../prompts/direct_answer.txt")),
    ("direct_attribute", include_str!("../prompts/direct_attribute.txt")),
    ("guided_answer", include_str!("../prompts/guided_answer.txt")),
    ("guided_compare", include_str!("../prompts/guided_compare.txt")),
    ("guided_examples", include_str!("../prompts/guided_examples.txt")),
    ("guided_passage", include_str!("../prompts/guided_passage.txt")),
    ("guided_search", include_str!("../prompts/guided_search.txt")),
    ("native_system", include_str!("../prompts/native_system.txt")),
    ("observation", include_str!("../prompts/observation.txt")),
    ("plain_answer", include_str!("../prompts/plain_answer.txt")),
    ("plain_calculate", include_str!("../prompts/plain_calculate.txt")),
    ("plain_read", include_str!("../prompts/plain_read.txt")),
    ("plain_recall", include_str!("../prompts/plain_recall.txt")),
    ("plain_search", include_str!("../prompts/plain_search.txt")),
    ("plain_system", include_str!("../prompts/plain_system.txt")),
    ("reminder", include_str!("../prompts/reminder.txt")),
    ("reminder_native", include_str!("../prompts/reminder_native.txt")),
    ("tagged_system", include_str!("../prompts/tagged_system.txt")),
    ("task", include_str!("../prompts/task.txt")),
];

/// The templates of an agent (minijinja). A variable that a template names and nothing fills is an error.
///
/// # Examples
/// ```
/// use humbly_agent::Prompts;
/// let prompts = Prompts::built_in()?;
/// assert_eq!(prompts.hash().len(), 64);
/// assert!(prompts.sources().contains_key("reminder"));
/// # Ok::<(), humbly_agent::AgentError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Prompts {
    files: PromptFiles,
    environment: Environment<'static>,
}

impl Prompts {
    /// The prompts of this crate.
    ///
    /// # Errors
    /// [`AgentError::Prompt`] where one cannot be compiled; a test holds that none fails.
    pub fn built_in() -> Result<Self> {
        Self::compile(PromptFiles::built_in(BUILT_IN))
    }

    /// The prompts of this crate, replaced by the files `NAME.txt` that a folder holds. Other files than
    /// `.txt` are passed over.
    ///
    /// # Errors
    /// [`AgentError::PromptFile`], also for a `.txt` that replaces nothing; [`AgentError::Prompt`].
    pub fn load(folder: &Path) -> Result<Self> {
        Self::compile(PromptFiles::load(BUILT_IN, folder)?)
    }

    fn compile(files: PromptFiles) -> Result<Self> {
        let mut environment = environment();
        for (name, text) in files.sources() {
            environment
                .add_template_owned(name.clone(), text.clone())
                .map_err(|source| AgentError::Prompt { name: name.clone(), source })?;
        }
        Ok(Self { files, environment })
    }

    /// Names and texts in use.
    pub fn sources(&self) -> &BTreeMap<String, String> {
        self.files.sources()
    }

    /// SHA-256 over names and texts, as hexadecimal digits.
    pub fn hash(&self) -> String {
        self.files.hash(64)
    }

    /// The humility clause in use.
    ///
    /// # Errors
    /// [`AgentError::ClauseLength`] where its file is blank.
    pub fn humility(&self) -> Result<Clause> {
        Clause::new("humility", self.files.get("clause_humility"))
    }

    /// Fills in a template; white space at both ends goes.
    pub(crate) fn fill(&self, name: &str, values: Value) -> Result<String> {
        self.environment
            .get_template(name)
            .and_then(|template| template.render(values))
            .map(|text| text.trim().to_owned())
            .map_err(|source| AgentError::Prompt { name: name.to_owned(), source })
    }
}

#[cfg(test)]
mod tests {
    use minijinja::context;

    use super::*;

    #[test]
    fn values_are_never_read_as_templates() {
        let prompts = Prompts::built_in().unwrap();
        let text = prompts
            .fill(
                "observation",
                context! { tool => "search", kind => "evidence", text => "{{ 7 * 7 }} <b> & {% if %}" },
            )
            .unwrap();
        assert!(text.contains("{{ 7 * 7 }} <b> & {% if %}"), "{text}");
    }

    #[test]
    fn the_reminders_hold_no_tag() {
        let prompts = Prompts::built_in().unwrap();
        for name in ["reminder", "reminder_native"] {
            assert!(!prompts.sources()[name].contains(['<', '>']), "{name}");
        }
    }

    /// Humility is a condition: a run without the clause must not be asked for it by another prompt.
    #[test]
    fn no_prompt_but_the_clause_asks_for_humility() {
        let words =
            ["agree", "contradict", "conflict", "uncertain", "unsure", "doubt", "verif", "weigh", "trust"];
        for (name, text) in Prompts::built_in().unwrap().sources() {
            // The guided stages and the prompts of UA-Bench ask on purpose, and say so.
            if name != "clause_humility" && !name.starts_with("guided_") && !name.starts_with("direct_") {
                let text = text.to_lowercase();
                assert!(words.iter().all(|word| !text.contains(word)), "{name}: {text}");
            }
        }
    }

    #[test]
    fn a_folder_replaces_prompts_and_changes_the_hash() {
        let folder = tempfile::tempdir().unwrap();
        let built_in = Prompts::built_in().unwrap();
        assert_eq!(Prompts::load(folder.path()).unwrap().hash(), built_in.hash());
        std::fs::write(folder.path().join("reminder.txt"), "Go on.").unwrap();
        std::fs::write(folder.path().join("notes.md"), "mine").unwrap();
        let replaced = Prompts::load(folder.path()).unwrap();
        assert_eq!(replaced.fill("reminder", context! {}).unwrap(), "Go on.");
        assert_ne!(replaced.hash(), built_in.hash());

        std::fs::write(folder.path().join("remainder.txt"), "").unwrap();
        assert!(matches!(Prompts::load(folder.path()), Err(AgentError::PromptFile(_))));
        std::fs::remove_file(folder.path().join("remainder.txt")).unwrap();
        std::fs::write(folder.path().join("task.txt"), "{% if %}").unwrap();
        assert!(matches!(Prompts::load(folder.path()), Err(AgentError::Prompt { .. })));
    }

    #[test]
    fn a_variable_that_nothing_fills_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("reminder.txt"), "Go on, {{ nmae }}.").unwrap();
        let prompts = Prompts::load(folder.path()).unwrap();
        assert!(matches!(prompts.fill("reminder", context! {}), Err(AgentError::Prompt { .. })));
    }
}
