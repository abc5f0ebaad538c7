//! What an agent is asked.

use serde::{Deserialize, Serialize};

/// One question for an agent, with the passages that stand beside it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentTask {
    /// Id of the trajectory: unique in a run, repeats included.
    pub id: String,
    /// Id of the task that the trajectory answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The question.
    pub question: String,
    /// Passages given with it, in the order in which they are shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passages: Vec<Passage>,
    /// What the passages are for.
    #[serde(default)]
    pub scenario: Scenario,
    /// Answers to choose from; empty for a free answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
    /// Which of several draws of this task it is, from 0: part of the key of the reply cache.
    #[serde(default)]
    pub sample_index: u32,
}

/// A text given with a question: data, never an instruction.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// Title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The text.
    pub text: String,
    /// Where it is from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// What the passages are for (EH §2.1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scenario {
    /// The question alone.
    #[default]
    ClosedBook,
    /// Answer from the passages.
    Rag,
    /// Passages and own knowledge, answered in two parts.
    Pck,
}

impl Scenario {
    /// The name in JSON and in prompt templates.
    pub fn code(self) -> &'static str {
        match self {
            Self::ClosedBook => "closed_book",
            Self::Rag => "rag",
            Self::Pck => "pck",
        }
    }
}
