//! How an agent works.

use humbly_llm::Sampling;
use serde::{Deserialize, Serialize};

use crate::{AgentError, Clause, Result};

/// The most turns that a run may have (EH §3.1 caps every agent here).
pub const MAX_TURNS: u32 = 50;
/// Bounds of the observation limit, in characters.
const OBSERVATION_LIMITS: (usize, usize) = (64, 200_000);

/// Settings of an [`crate::Agent`], checked when it is made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentOptions {
    /// Model as its provider names it.
    pub model: String,
    /// Name under which records show the agent.
    pub agent: String,
    /// The most generations, 1 to [`MAX_TURNS`].
    pub max_turns: u32,
    /// How the model says what it wants to do.
    pub protocol: Protocol,
    /// The template that the direct protocol asks with; `None` is `direct_answer`.
    pub prompt: Option<String>,
    /// How replies are drawn.
    pub sampling: Sampling,
    /// Clauses appended to the system prompt, in order.
    pub clauses: Vec<Clause>,
    /// Seed of the run: every call gets a seed made from it, the task's id and the turn. `None` sends
    /// [`AgentOptions::sampling`] as it is.
    pub seed: Option<u64>,
    /// Longest observation and longest passage, in characters.
    pub observation_limit: usize,
    /// The scale on which a confidence is asked for; `None` asks for none.
    pub ask_confidence: Option<ConfidenceScale>,
    /// How a confidence is written; `None` is a tag in the tagged protocol and a line elsewhere.
    pub confidence_form: Option<ConfidenceForm>,
    /// Whether every turn is asked for the confidence in the answer as it stands, not the last one alone.
    pub confidence_every_turn: bool,
    /// How observations reach the model (tagged protocol).
    pub observations: ObservationStyle,
    /// Reminders after turns without an action, in a row; one more such turn ends the run.
    pub reminders: u32,
    /// Whether the closing tags are sent as stop texts (tagged protocol).
    pub stop_at_tags: bool,
    /// How often the plain protocol offers the search tool.
    pub plain_searches: u32,
}

impl Default for AgentOptions {
    fn default() -> Self {
        Self {
            model: String::new(),
            agent: "humbly-agent".into(),
            max_turns: MAX_TURNS,
            protocol: Protocol::Native,
            prompt: None,
            sampling: Sampling::default(),
            clauses: Vec::new(),
            seed: None,
            observation_limit: 4_000,
            ask_confidence: None,
            confidence_form: None,
            confidence_every_turn: false,
            observations: ObservationStyle::Message,
            reminders: 2,
            stop_at_tags: true,
            plain_searches: 1,
        }
    }
}

impl AgentOptions {
    /// Whether every setting is in its range.
    ///
    /// # Errors
    /// [`AgentError::Setting`].
    pub(crate) fn check(&self) -> Result<()> {
        if !(1..=MAX_TURNS).contains(&self.max_turns) {
            return Err(AgentError::Setting {
                setting: "max_turns",
                found: self.max_turns.to_string(),
                expected: format!("1 to {MAX_TURNS}"),
            });
        }
        let (low, high) = OBSERVATION_LIMITS;
        if !(low..=high).contains(&self.observation_limit) {
            return Err(AgentError::Setting {
                setting: "observation_limit",
                found: self.observation_limit.to_string(),
                expected: format!("{low} to {high} characters"),
            });
        }
        Ok(())
    }

    /// Sampling of one turn.
    pub(crate) fn sampling_for(&self, task: &str, turn: u32, stop: &[String]) -> Sampling {
        let mut sampling = self.sampling.clone();
        if let Some(seed) = self.seed {
            sampling.seed = Some(call_seed(seed, task, turn));
        }
        sampling.stop.extend(stop.iter().filter(|text| !self.sampling.stop.contains(text)).cloned());
        sampling
    }
}

/// A seed for one call; 31 bits, since some servers take no more.
fn call_seed(seed: u64, task: &str, turn: u32) -> u64 {
    let mixed = xxhash_rust::xxh3::xxh3_64_with_seed(task.as_bytes(), seed);
    xxhash_rust::xxh3::xxh3_64_with_seed(&turn.to_le_bytes(), mixed) & 0x7fff_ffff
}

/// How the model says what it wants to do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// Tool calls of the provider.
    #[default]
    Native,
    /// Tags in text (`<think>`, `<search>`, `<information>`, `<answer>`), in Search-R1's manner.
    Tagged,
    /// Fixed stages, each one short prompt (read, look up, answer): for models that can follow no protocol.
    Plain,
    /// Guided stages with worked examples, one passage a turn, the comparison asked for: for models that lose
    /// even the plain stages. Identify then says what the model saw when asked, which no other protocol does.
    Guided,
    /// One question, one reply, no tools: a template of its own ([`AgentOptions::prompt`]) is all that the model reads.
    Direct,
}

/// How observations reach the model in the tagged protocol.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObservationStyle {
    /// A message of the user after each turn.
    #[default]
    Message,
    /// Appended to the assistant's growing text, as Search-R1 does. The client must continue a conversation
    /// that ends with an assistant message.
    Appended,
}

/// The scale on which a confidence is asked for; it is stated in the prompt and never guessed later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConfidenceScale {
    /// 0 to 1.
    Unit,
    /// 0 to 100.
    Percent,
    /// One of a few probability words, whose readings by people are known.
    Words,
}

impl ConfidenceScale {
    /// The name in experiment files.
    pub fn code(self) -> &'static str {
        match self {
            Self::Unit => "unit",
            Self::Percent => "percent",
            Self::Words => "words",
        }
    }
}

/// How a confidence is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConfidenceForm {
    /// `<confidence>…</confidence>`.
    Tag,
    /// A line `Confidence: …`.
    Line,
}

/// Words that are offered where a confidence is asked for in words, from sure to unsure.
pub(crate) const CONFIDENCE_WORDS: [&str; 7] = [
    "almost certainly",
    "highly likely",
    "likely",
    "about even",
    "unlikely",
    "highly unlikely",
    "almost no chance",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fifty_one_turns_are_refused() {
        let options = AgentOptions { max_turns: 51, ..AgentOptions::default() };
        let error = options.check().unwrap_err();
        assert_eq!(error.to_string(), "`max_turns` is 51, expected 1 to 50");
        assert!(AgentOptions { max_turns: 0, ..AgentOptions::default() }.check().is_err());
    }

    #[test]
    fn every_word_that_is_offered_was_read_by_people() {
        for word in CONFIDENCE_WORDS {
            let known = humbly_text::confidence::probability_words();
            assert!(known.iter().any(|one| one.phrase == word), "{word}");
        }
    }

    #[test]
    fn every_call_has_its_own_seed_and_the_same_one_again() {
        let options = AgentOptions { seed: Some(7), ..AgentOptions::default() };
        let seed = |task, turn| options.sampling_for(task, turn, &[]).seed.unwrap();
        assert_eq!(seed("a", 0), seed("a", 0));
        assert!(seed("a", 0) != seed("a", 1) && seed("a", 0) != seed("b", 0));
        assert!(seed("a", 0) < 1 << 31);
        assert_eq!(AgentOptions::default().sampling_for("a", 0, &[]).seed, None);
    }
}
