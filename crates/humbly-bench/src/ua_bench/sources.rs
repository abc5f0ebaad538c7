//! The six sources and how many questions UA-Bench has of each.

use humbly_data::Question;
use serde::{Deserialize, Serialize};

/// Kind of task (UA §3.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Hard without looking something up.
    Knowledge,
    /// Hard without reasoning well.
    Reasoning,
}

impl Category {
    /// The name in tables, and the scenario of its tasks.
    pub fn code(self) -> &'static str {
        match self {
            Self::Knowledge => "knowledge",
            Self::Reasoning => "reasoning",
        }
    }
}

/// One source.
#[derive(Debug, Clone, Copy)]
pub struct UaSource {
    /// Name in tables.
    pub name: &'static str,
    /// Data set that it is taken from, as `humbly data` knows it.
    pub dataset: &'static str,
    /// Questions in UA-Bench.
    pub questions: u64,
    /// Kind of task.
    pub category: Category,
    /// Whether its questions have an answer.
    pub answerable: bool,
    /// What is always different from the paper, or has to be said.
    pub note: Option<&'static str>,
    /// Whether questions are drawn where there are more.
    pub(super) is_sampled: bool,
    pub(super) wants: fn(&Question) -> bool,
}

/// The row of `OlympiadBench` that UA-Bench leaves out.
const LEFT_OUT: &str = "olympiadbench-1965";

/// All six; 3,505 questions.
pub const UA_SOURCES: [UaSource; 6] = [
    UaSource {
        name: "gaia",
        dataset: "gaia",
        questions: 165,
        category: Category::Knowledge,
        answerable: true,
        note: None,
        is_sampled: false,
        // The withheld answers of the test split are counted as such.
        wants: |question| question.answerable != Some(false),
    },
    UaSource {
        name: "musique",
        dataset: "musique",
        questions: 1_000,
        category: Category::Knowledge,
        answerable: true,
        note: Some("public test split has no answers: dev used"),
        is_sampled: true,
        wants: |question| question.answerable != Some(false),
    },
    UaSource {
        name: "selfaware",
        dataset: "selfaware",
        questions: 1_032,
        category: Category::Knowledge,
        answerable: false,
        note: None,
        is_sampled: false,
        wants: |question| question.answerable == Some(false),
    },
    UaSource {
        name: "olympiadbench-math",
        dataset: "olympiadbench",
        questions: 674,
        category: Category::Reasoning,
        answerable: true,
        note: Some("675 published, row 1965 left out"),
        is_sampled: false,
        wants: |question| question.id != LEFT_OUT,
    },
    UaSource {
        name: "gsm8k-mip",
        dataset: "mip-overthinking",
        questions: 582,
        category: Category::Reasoning,
        answerable: false,
        note: None,
        is_sampled: false,
        wants: |question| is_mip(question, "gsm8k"),
    },
    UaSource {
        name: "math-mip",
        dataset: "mip-overthinking",
        questions: 52,
        category: Category::Reasoning,
        answerable: false,
        note: None,
        is_sampled: false,
        wants: |question| is_mip(question, "math"),
    },
];

fn is_mip(question: &Question, part: &str) -> bool {
    question.answerable == Some(false) && question.category.as_deref() == Some(part)
}
