//! The problems that a set is made of.

use std::collections::BTreeMap;

use humbly_data::Question;
use humbly_text::normalize::fold_whitespace;
use serde::Serialize;

/// A problem with its one answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Original {
    /// Id, unique within a set.
    pub id: String,
    /// Data set.
    pub dataset: String,
    /// The problem.
    pub problem: String,
    /// Its answer.
    pub answer: String,
}

/// The originals among questions, and why others are none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Originals {
    /// In the order of the questions.
    #[serde(skip)]
    pub all: Vec<Original>,
    /// Questions that cannot be used, by reason.
    pub left_out: BTreeMap<&'static str, u64>,
}

/// The questions that have exactly one answer, each text once.
///
/// # Examples
/// ```
/// use humbly_data::Question;
/// let mut one = Question::new("a", "mine", "What is 1 + 1?");
/// one.references = vec!["2".to_owned()];
/// let without = Question::new("b", "mine", "What is 2 + 2?");
/// let found = humbly_synth::originals([one.clone(), without, Question { id: "c".to_owned(), ..one }]);
/// assert_eq!(found.all.len(), 1);
/// assert_eq!(found.left_out, [("copy of an earlier problem", 1), ("no answer", 1)].into());
/// ```
pub fn originals(questions: impl IntoIterator<Item = Question>) -> Originals {
    let mut found = Originals::default();
    let mut met = std::collections::HashSet::new();
    for question in questions {
        let reason = match question.references.as_slice() {
            _ if question.question.trim().is_empty() => "no problem",
            _ if question.answerable == Some(false) => "not answerable",
            [] => "no answer",
            [answer] if answer.trim().is_empty() => "no answer",
            [_] if !met.insert(fold_whitespace(&question.question)) => "copy of an earlier problem",
            [answer] => {
                found.all.push(Original {
                    id: question.id.clone(),
                    dataset: question.dataset.clone(),
                    problem: question.question.trim().to_owned(),
                    answer: answer.trim().to_owned(),
                });
                continue;
            }
            _ => "several answers",
        };
        *found.left_out.entry(reason).or_default() += 1;
    }
    found
}
