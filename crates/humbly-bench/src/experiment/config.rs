//! The experiment file: what is crossed with what.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use humbly_agent::{ConfidenceForm, ConfidenceScale, MAX_TURNS, Protocol};
use humbly_llm::Sampling;
use serde::{Deserialize, Serialize};

/// An experiment: every task of the suite under every combination of the lists.
///
/// # Examples
/// ```
/// use humbly_bench::experiment::Experiment;
/// let experiment = Experiment::from_toml(r#"
///     suite = "suite.json"
///     models = ["scripted:rules.toml"]
///     seeds = [1, 2]
///     [[conditions]]
///     name = "default"
///     [[conditions]]
///     name = "humility"
///     clauses = ["humility"]
/// "#)?;
/// assert_eq!(experiment.cells(), 4);
/// # Ok::<(), humbly_bench::experiment::ExperimentError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Suite file, beside the experiment file where it is relative.
    pub suite: PathBuf,
    /// Models, each with its provider: `openai:gpt-5`, `embedded:smollm2-135m`, `scripted:rules.toml`.
    pub models: Vec<String>,
    /// How the models are driven.
    #[serde(default = "protocols")]
    pub protocols: Vec<Protocol>,
    /// Conditions.
    #[serde(default = "conditions")]
    pub conditions: Vec<Condition>,
    /// Seeds.
    #[serde(default = "seeds")]
    pub seeds: Vec<u64>,
    /// Draws of each combination.
    #[serde(default = "one")]
    pub repeats: u32,
    /// The most turns of a trajectory.
    #[serde(default = "max_turns")]
    pub max_turns: u32,
    /// Tools: `search`, `calculator`.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Corpus of the search tool; the suite's own passages where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corpus: Option<PathBuf>,
    /// Longest observation in characters.
    #[serde(default = "observation_limit")]
    pub observation_limit: usize,
    /// Scale on which a confidence is asked for: `unit`, `percent` or `words`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<ConfidenceScale>,
    /// How it is written: `tag` or `line`; as the protocol has it where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence_form: Option<ConfidenceForm>,
    /// Whether every turn states one, so that it can be followed over tool calls.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub confidence_every_turn: bool,
    /// Data sets that the trained models were trained on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_distribution: Vec<String>,
    /// Data sets that they were not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub out_of_distribution: Vec<String>,
    /// How replies are drawn.
    #[serde(default)]
    pub sampling: Sampling,
    /// Samples in flight at a time.
    #[serde(default = "concurrency")]
    pub concurrency: usize,
}

/// One condition.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// Name, as tables show it.
    pub name: String,
    /// Clauses appended to the system prompt: `humility`, or the path of a text file.
    #[serde(default)]
    pub clauses: Vec<String>,
    /// Tools in place of the experiment's; an empty list offers none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// Corpus of the search tool in place of the experiment's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corpus: Option<PathBuf>,
    /// The model that stands in for each model of the experiment, e.g. one trained from it; a model without an entry is
    /// not run under this condition.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<String, String>,
    /// The template of the direct protocol: `direct_answer`, `direct_abstain`, `direct_attribute`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Whether the model thinks before it answers: a factor of the tables. What switches it (`reasoning_effort`, an option
    /// of the provider) stands in `sampling`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<bool>,
    /// How replies are drawn, in place of the experiment's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling: Option<Sampling>,
}

impl Condition {
    /// A condition of the direct protocol: one template, nothing else.
    pub fn asked_with(name: impl Into<String>, prompt: impl Into<String>) -> Self {
        Self { name: name.into(), prompt: Some(prompt.into()), ..Self::default() }
    }

    /// A condition that changes nothing but the prompt.
    pub fn new(name: impl Into<String>, clauses: Vec<String>) -> Self {
        Self { name: name.into(), clauses, ..Self::default() }
    }

    /// The model that is run for a model of the experiment; `None` where this condition leaves it out.
    pub fn model_for<'a>(&'a self, model: &'a str) -> Option<&'a str> {
        if self.models.is_empty() { Some(model) } else { self.models.get(model).map(String::as_str) }
    }

    /// Tools of the agent under this condition.
    pub fn tools<'a>(&'a self, experiment: &'a Experiment) -> &'a [String] {
        self.tools.as_deref().unwrap_or(&experiment.tools)
    }
}

/// Why an experiment cannot be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// The file cannot be read.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// It is no experiment.
    #[error("not an experiment file")]
    Syntax(#[source] toml::de::Error),
    /// A list is empty or a number out of range.
    #[error("`{field}` is {found}, expected {expected}")]
    Value {
        /// Which field.
        field: &'static str,
        /// What stands there.
        found: String,
        /// What may.
        expected: &'static str,
    },
}

impl Default for Experiment {
    /// No suite and no model; everything else as in a file that leaves it out.
    fn default() -> Self {
        Self {
            suite: PathBuf::new(),
            models: Vec::new(),
            protocols: protocols(),
            conditions: conditions(),
            seeds: seeds(),
            repeats: one(),
            max_turns: max_turns(),
            tools: Vec::new(),
            corpus: None,
            observation_limit: observation_limit(),
            confidence: None,
            confidence_form: None,
            confidence_every_turn: false,
            in_distribution: Vec::new(),
            out_of_distribution: Vec::new(),
            sampling: Sampling::default(),
            concurrency: concurrency(),
        }
    }
}

impl Experiment {
    /// Reads an experiment file.
    ///
    /// # Errors
    /// [`ExperimentError`].
    pub fn read(path: &Path) -> Result<Self, ExperimentError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| ExperimentError::Read { path: path.to_owned(), source })?;
        let mut experiment = Self::from_toml(&text)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        experiment.suite = folder.join(&experiment.suite);
        experiment.corpus = experiment.corpus.map(|corpus| folder.join(corpus));
        for corpus in experiment.conditions.iter_mut().filter_map(|condition| condition.corpus.as_mut()) {
            *corpus = folder.join(&*corpus);
        }
        for clause in experiment.conditions.iter_mut().flat_map(|condition| &mut condition.clauses) {
            if clause != "humility" {
                *clause = folder.join(&*clause).to_string_lossy().into_owned();
            }
        }
        Ok(experiment)
    }

    /// Reads the text of an experiment file.
    ///
    /// # Errors
    /// [`ExperimentError`].
    pub fn from_toml(text: &str) -> Result<Self, ExperimentError> {
        let experiment: Self = toml::from_str(text).map_err(ExperimentError::Syntax)?;
        experiment.check()?;
        Ok(experiment)
    }

    /// Whether every list has something in it and every number is in its range.
    ///
    /// # Errors
    /// [`ExperimentError::Value`].
    pub fn check(&self) -> Result<(), ExperimentError> {
        let lists = [
            ("models", self.models.len()),
            ("protocols", self.protocols.len()),
            ("conditions", self.conditions.len()),
            ("seeds", self.seeds.len()),
        ];
        for (field, length) in lists {
            if length == 0 {
                return Err(value(field, "empty", "at least one"));
            }
        }
        if self.repeats == 0 {
            return Err(value("repeats", "0", "1 or more"));
        }
        if !(1..=MAX_TURNS).contains(&self.max_turns) {
            return Err(value("max_turns", &self.max_turns.to_string(), "1 to 50"));
        }
        if self.concurrency == 0 {
            return Err(value("concurrency", "0", "1 or more"));
        }
        let of_conditions = self.conditions.iter().filter_map(|condition| condition.tools.as_ref()).flatten();
        let mut tools = self.tools.iter().chain(of_conditions);
        if let Some(tool) = tools.find(|tool| !["search", "calculator"].contains(&tool.as_str())) {
            return Err(value("tools", &format!("`{tool}`"), "search or calculator"));
        }
        let names: BTreeSet<_> = self.conditions.iter().map(|condition| &condition.name).collect();
        if names.len() < self.conditions.len() {
            return Err(value("conditions", "two of one name", "names that differ"));
        }
        for condition in &self.conditions {
            if condition.prompt.is_some() && self.protocols.iter().any(|used| *used != Protocol::Direct) {
                return Err(value(
                    "conditions.prompt",
                    "a template beside another protocol",
                    "protocols = [\"direct\"]",
                ));
            }
            if let Some(other) = condition.models.keys().find(|model| !self.models.contains(model)) {
                return Err(value("conditions.models", &format!("`{other}`"), "a model of the experiment"));
            }
            let stand_ins: BTreeSet<&String> = condition.models.values().collect();
            if stand_ins.len() < condition.models.len() {
                return Err(value("conditions.models", "one model for two", "a model of its own for each"));
            }
        }
        if let Some(both) = self.in_distribution.iter().find(|set| self.out_of_distribution.contains(set)) {
            return Err(value(
                "in_distribution",
                &format!("`{both}`"),
                "a data set that is not out of it too",
            ));
        }
        if self.confidence.is_none() && (self.confidence_every_turn || self.confidence_form.is_some()) {
            return Err(value(
                "confidence",
                "absent",
                "unit, percent or words, as a confidence is asked for",
            ));
        }
        Ok(())
    }

    /// Combinations that each task is run under.
    pub fn cells(&self) -> usize {
        self.models.len()
            * self.protocols.len()
            * self.conditions.len()
            * self.seeds.len()
            * self.repeats as usize
    }
}

fn value(field: &'static str, found: &str, expected: &'static str) -> ExperimentError {
    ExperimentError::Value { field, found: found.to_owned(), expected }
}

fn protocols() -> Vec<Protocol> {
    vec![Protocol::Native]
}

fn conditions() -> Vec<Condition> {
    vec![Condition::new("default", Vec::new())]
}

fn seeds() -> Vec<u64> {
    vec![1]
}

fn one() -> u32 {
    1
}

fn max_turns() -> u32 {
    MAX_TURNS
}

fn observation_limit() -> usize {
    4_000
}

fn concurrency() -> usize {
    8
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "suite = \"s.json\"\nmodels = [\"scripted:r.toml\"]\n";

    fn error_of(more: &str) -> String {
        Experiment::from_toml(&format!("{GOOD}{more}")).unwrap_err().to_string()
    }

    #[test]
    fn what_is_left_out_has_a_default() {
        let experiment = Experiment::from_toml(GOOD).unwrap();
        assert_eq!((experiment.cells(), experiment.max_turns), (1, 50));
    }

    #[test]
    fn values_out_of_range_are_named() {
        assert_eq!(error_of("repeats = 0"), "`repeats` is 0, expected 1 or more");
        assert_eq!(error_of("max_turns = 51"), "`max_turns` is 51, expected 1 to 50");
        assert_eq!(error_of("tools = [\"shell\"]"), "`tools` is `shell`, expected search or calculator");
        assert_eq!(error_of("seeds = []"), "`seeds` is empty, expected at least one");
        assert!(
            error_of("[[conditions]]\nname=\"a\"\n[[conditions]]\nname=\"a\"").contains("two of one name")
        );
    }

    #[test]
    fn a_template_is_for_the_direct_protocol() {
        let condition = "[[conditions]]\nname = \"a\"\nprompt = \"direct_attribute\"\nthinking = true\n";
        assert!(error_of(condition).starts_with("`conditions.prompt` is a template beside another protocol"));
        let experiment =
            Experiment::from_toml(&format!("{GOOD}protocols = [\"direct\"]\n{condition}")).unwrap();
        let condition = &experiment.conditions[0];
        assert_eq!((condition.prompt.as_deref(), condition.thinking), (Some("direct_attribute"), Some(true)));
    }

    #[test]
    fn settings_are_factors_of_one_file() {
        let text = "tools = [\"search\"]\nconfidence = \"percent\"\n[[conditions]]\nname = \"direct\"\ntools = []\n\
            [[conditions]]\nname = \"trained\"\nmodels = { \"scripted:r.toml\" = \"scripted:t.toml\" }";
        let experiment = Experiment::from_toml(&format!("{GOOD}{text}")).unwrap();
        let [direct, trained] = experiment.conditions.as_slice() else { panic!() };
        assert!(direct.tools(&experiment).is_empty() && trained.tools(&experiment) == ["search"]);
        assert_eq!(direct.model_for("scripted:r.toml"), Some("scripted:r.toml"));
        assert_eq!(trained.model_for("scripted:r.toml"), Some("scripted:t.toml"));
        assert_eq!(trained.model_for("other"), None);
    }

    #[test]
    fn settings_that_cannot_be_compared_are_named() {
        let condition = "[[conditions]]\nname=\"a\"\n";
        assert!(error_of(&format!("{condition}tools=[\"shell\"]")).contains("`shell`"));
        let models = error_of(&format!("{condition}models = {{ \"x\" = \"y\" }}"));
        assert_eq!(models, "`conditions.models` is `x`, expected a model of the experiment");
        assert!(
            error_of("in_distribution = [\"a\"]\nout_of_distribution = [\"a\"]").contains("out of it too")
        );
        assert!(error_of("confidence_every_turn = true").starts_with("`confidence` is absent"));
    }

    #[test]
    fn a_misspelt_key_is_refused() {
        let error = Experiment::from_toml(&format!("{GOOD}sedes = [1]")).unwrap_err();
        assert!(matches!(error, ExperimentError::Syntax(source) if source.to_string().contains("sedes")));
    }
}
