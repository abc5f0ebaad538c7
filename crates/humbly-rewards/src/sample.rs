//! What is scored, and what every reward does.

use std::str::FromStr;

use crate::components::Scored;
use crate::error::RewardError;

/// One response with what it is measured by.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sample<'a> {
    /// What the model (and its environment) wrote; nothing of the prompt.
    pub response: &'a str,
    /// The prompt, for trainers that hand it over in front of the response: cut off where it stands
    /// there, never read.
    pub prompt: Option<&'a str>,
    /// Reference answers; any one is right. Empty: none is known.
    pub references: &'a [&'a str],
    /// Id of the question, which rewards with state need.
    pub question: Option<&'a str>,
    /// What kind of question it is.
    pub label: Option<ItemLabel>,
}

impl<'a> Sample<'a> {
    /// A response and its references.
    pub fn new(response: &'a str, references: &'a [&'a str]) -> Self {
        Self { response, references, ..Self::default() }
    }

    /// The response without the prompt in front of it.
    pub fn text(&self) -> &'a str {
        let prompt = self.prompt.filter(|prompt| !prompt.is_empty());
        prompt.and_then(|prompt| self.response.strip_prefix(prompt)).unwrap_or(self.response)
    }
}

/// What kind of question a sample asks.
///
/// # Source
/// UA §5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ItemLabel {
    /// It has an answer that the model may know.
    Answerable,
    /// Its data do not determine an answer.
    Data,
    /// It is well posed and beyond the model.
    Model,
}

impl ItemLabel {
    /// Name in data and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Answerable => "answerable",
            Self::Data => "data",
            Self::Model => "model",
        }
    }
}

/// `answerable`, `data` or `model`; `data_uncertain` and `model_uncertain` too.
impl FromStr for ItemLabel {
    type Err = RewardError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.trim().trim_matches(['<', '>']).to_ascii_lowercase().as_str() {
            "answerable" => Ok(Self::Answerable),
            "data" | "data_uncertain" => Ok(Self::Data),
            "model" | "model_uncertain" => Ok(Self::Model),
            _ => Err(RewardError::Setting {
                name: "label".to_owned(),
                found: text.to_owned(),
                expected: "answerable, data or model".to_owned(),
            }),
        }
    }
}

/// A reward function: pure, without failure, safe in threads.
pub trait Reward: Send + Sync {
    /// Name in settings and reports.
    fn name(&self) -> &'static str;

    /// Scores one response.
    fn score(&self, sample: &Sample<'_>) -> Scored;

    /// Scores a batch, in order. Rewards with state let the whole batch count for each of its samples.
    fn score_batch(&self, samples: &[Sample<'_>]) -> Vec<Scored> {
        samples.iter().map(|sample| self.score(sample)).collect()
    }

    /// Whether a score depends on what was scored before.
    fn has_state(&self) -> bool {
        false
    }

    /// The text rules of this reward, for diagnoses.
    fn scoring(&self) -> &crate::scoring::TextScoring;
}
