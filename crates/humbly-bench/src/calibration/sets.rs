//! Which data sets a calibration suite is made of, and what each is for.

use humbly_agent::ToolKind;
use humbly_data::Question;
use serde::Deserialize;

use super::CalibrationSet;
use crate::conflict::{Passage, starter_questions};

const ARITHMETIC: &str = include_str!("../../data/arithmetic.jsonl");

/// A data set of the study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CalibrationSource {
    /// Its name, as `humbly data list` has it, or `starter` and `arithmetic`, which come with Humbly.
    pub name: &'static str,
    /// The tools that help.
    pub kind: ToolKind,
    /// Samples a question; `None` leaves it to the experiment.
    pub samples: Option<u32>,
}

/// The sets of CAR Tables 1, 2 and 4, and two that come with Humbly.
pub const CALIBRATION_SETS: &[CalibrationSource] = &[
    CalibrationSource { name: "nq-open", kind: ToolKind::Evidence, samples: None },
    CalibrationSource { name: "hotpotqa", kind: ToolKind::Evidence, samples: None },
    CalibrationSource { name: "simpleqa-verified", kind: ToolKind::Evidence, samples: None },
    CalibrationSource { name: "aime", kind: ToolKind::Verification, samples: Some(32) },
    CalibrationSource { name: "math-500", kind: ToolKind::Verification, samples: None },
    CalibrationSource { name: "starter", kind: ToolKind::Evidence, samples: None },
    CalibrationSource { name: "arithmetic", kind: ToolKind::Verification, samples: None },
];

/// The set with this name.
pub fn calibration_source(name: &str) -> Option<&'static CalibrationSource> {
    CALIBRATION_SETS.iter().find(|source| source.name == name)
}

/// The starter questions with the passages of both sides as a corpus: a search finds texts that contradict each other.
pub fn starter_set() -> CalibrationSet {
    let mut set = CalibrationSet { kind: Some(ToolKind::Evidence), ..CalibrationSet::default() };
    for question in starter_questions() {
        let mut row = Question::new(question.id.as_str(), "starter", question.question.as_str());
        row.references = question.gold.names().map(str::to_owned).collect();
        set.questions.push(row);
        let sides = [question.gold.passages, question.rival.passages];
        set.corpus.extend(sides.into_iter().flatten().map(|passage| Passage {
            // A search needs a title; the question's id says no answer.
            title: Some(passage.title.or(passage.source).unwrap_or_else(|| "Untitled".to_owned())),
            text: passage.text,
            source: None,
        }));
    }
    set
}

/// Forty questions of arithmetic, written for Humbly.
pub fn arithmetic_questions() -> Vec<Question> {
    #[derive(Deserialize)]
    struct Row {
        id: String,
        question: String,
        answer: String,
    }
    let rows = ARITHMETIC.lines().filter_map(|line| serde_json::from_str::<Row>(line).ok());
    rows.map(|row| {
        let mut question = Question::new(row.id, "arithmetic", row.question);
        question.references = vec![row.answer];
        question
    })
    .collect()
}
