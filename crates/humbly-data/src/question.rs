//! A question as every data set gives it.

use std::collections::BTreeMap;

use humbly_types::{NumberRange, ReferenceMode, Task};
use serde::{Deserialize, Serialize};

use crate::acceptable::AcceptableRange;

/// A question with what its data set knows of it.
///
/// # Examples
/// ```
/// use humbly_data::Question;
/// let question = Question::new("q1", "mine", "What is the capital of Peru?");
/// assert_eq!(question.answerable, None);
/// assert_eq!(question.task().id, "q1");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// Id: upstream's where there is one, else file and row (`NQ-open.dev-17`); unique within a load.
    pub id: String,
    /// Name of the data set.
    pub dataset: String,
    /// What is asked.
    pub question: String,
    /// Reference answers; empty where upstream gives none (a hidden test set, a question without an answer).
    #[serde(default)]
    pub references: Vec<String>,
    /// Whether one reference suffices or all are asked for.
    #[serde(default)]
    pub reference_mode: ReferenceMode,
    /// Whether the question has an answer; `None` where the data set does not say.
    #[serde(default)]
    pub answerable: Option<bool>,
    /// Answers that compete.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
    /// Options of a multiple-choice question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// Passages that belong to no side.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passages: Vec<Passage>,
    /// The two sides of a conflict, each with its own evidence: none, or exactly two.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sides: Vec<Side>,
    /// Numbers that count as right beside the reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acceptable: Option<AcceptableRange>,
    /// Allowed absolute error of a numeric answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
    /// Topic, subject or kind of question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Level of difficulty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// Whatever else upstream says, by its own field names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub meta: BTreeMap<String, String>,
}

/// A text that comes with a question.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// Title, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The text.
    pub text: String,
    /// The side that it argues for; `None` where it belongs to none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<SideName>,
    /// Upstream's field, where a side has several kinds of text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Whether upstream marks it as needed for the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_supporting: Option<bool>,
}

/// One of two answers that exclude each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Side {
    /// Which one.
    pub name: SideName,
    /// Its answer.
    pub answer: String,
    /// The answer as a sentence that stands alone, where upstream has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<String>,
    /// Whether it is the side of the reference; `None` where that is not known.
    #[serde(default)]
    pub is_gold: Option<bool>,
    /// Its evidence, one entry a text.
    pub passages: Vec<Passage>,
}

/// Names of sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SideName {
    /// `ConflictQA`: what the model of the file believed.
    Memory,
    /// `ConflictQA`: the opposite.
    Counter,
    /// `WikiContradict`: the first passage.
    First,
    /// `WikiContradict`: the second passage.
    Second,
}

impl Question {
    /// A question of which nothing else is known.
    pub fn new(id: impl Into<String>, dataset: impl Into<String>, question: impl Into<String>) -> Self {
        Self { id: id.into(), dataset: dataset.into(), question: question.into(), ..Self::default() }
    }

    /// The same as a task that logs can be joined to.
    pub fn task(&self) -> Task {
        Task {
            id: self.id.clone(),
            dataset: Some(self.dataset.clone()),
            question: Some(self.question.clone()),
            references: self.references.clone(),
            reference_mode: self.reference_mode,
            candidates: self.candidates.clone(),
            acceptable: self.acceptable.map(|range| NumberRange { low: range.low, high: range.high }),
            answerable: self.answerable,
            ..Task::default()
        }
    }

    /// The side with this name.
    pub fn side(&self, name: SideName) -> Option<&Side> {
        self.sides.iter().find(|side| side.name == name)
    }

    /// Notes a value under a name where there is one.
    pub(crate) fn note(&mut self, name: &str, value: Option<impl Into<String>>) {
        if let Some(value) = value {
            self.meta.insert(name.to_owned(), value.into());
        }
    }
}

impl Passage {
    /// A passage with nothing but its text.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}
