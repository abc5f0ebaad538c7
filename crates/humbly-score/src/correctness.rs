//! Is the final answer right? Rules that need no model.
//!
//! The rule that decided is named in the verdict. The paper's rules are: exact match after normalisation for
//! one reference, containment for several; `auto` also uses containment where the answer is prose, since an
//! exact match of prose with a short reference can only fail. Prose that names the right answer and a rival
//! (another candidate, the parametric answer) is right where it names the right one first: people answer first
//! and qualify later. A model judge decides such cases better.

use std::sync::Arc;

use humbly_text::answer::extract_answer;
use humbly_text::matching::{
    exact_match, gaia_quasi_exact, latex_equivalent, monaco_similarity, word_bounded_find,
};
use humbly_text::normalize::{Normalizer, nfkc_dash};
use humbly_types::{Reason, ReferenceMode, Task, Verdict};

use crate::report::Matching;

/// An answer of at most so many words is matched exactly, a longer one is prose.
const SHORT_ANSWER_WORDS: usize = 8;
/// `MoNaCo` similarity from which a scalar answer counts as right.
const SIMILAR_ENOUGH: f64 = 0.95;

/// What an answer is held against.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Expected<'a> {
    /// The right answers.
    pub(crate) references: &'a [String],
    /// Whether one suffices.
    pub(crate) mode: ReferenceMode,
    /// The task, for its rival answers.
    pub(crate) task: Option<&'a Task>,
}

/// Whether a final answer is right by the task's references.
///
/// Undefined ([`Reason::NoReference`]) for a task without references.
///
/// # Examples
/// ```
/// use humbly_score::{Matching, answer_is_right};
/// use humbly_types::Task;
/// let task = Task { references: vec!["17,000".into()], ..Task::default() };
/// assert_eq!(answer_is_right("17000", &task, Matching::Gaia).value, Some(true));
/// ```
pub fn answer_is_right(answer: &str, task: &Task, matching: Matching) -> Verdict {
    let expected = Expected { references: &task.references, mode: task.reference_mode, task: Some(task) };
    correct(Some(answer), expected, matching)
}

/// Whether `answer` is right, by the references alone.
///
/// Undefined ([`Reason::NoReference`]) without references; no answer is wrong.
pub(crate) fn correct(answer: Option<&str>, expected: Expected<'_>, matching: Matching) -> Verdict {
    let judge: Arc<str> = Arc::from("rules/1");
    if expected.references.is_empty() {
        return Verdict::undefined(&judge, Reason::NoReference);
    }
    let decided = |rule: &str, is_right: bool| Verdict {
        value: Some(is_right),
        rule: Some(rule.to_owned()),
        ..Verdict::no(&judge)
    };
    let Some(text) = answer else { return decided("no_final_answer", false) };
    let extracted = extract_answer(text);
    let marked = extracted.answer().map(String::as_str);
    let short = marked.unwrap_or(text).trim();
    let is_short = marked.is_some() || short.split_whitespace().count() <= SHORT_ANSWER_WORDS;
    let all_match = |matches: &dyn Fn(&str) -> bool| {
        let mut references = expected.references.iter().map(String::as_str);
        match expected.mode {
            ReferenceMode::Any => references.any(matches),
            ReferenceMode::All => references.all(matches),
        }
    };
    match matching {
        Matching::Exact => decided("exact_match", all_match(&|reference| is_exact(short, reference))),
        Matching::Contains => {
            decided("contains", all_match(&|reference| named_at(text, reference).is_some()))
        }
        Matching::Gaia => {
            decided("gaia_quasi_exact", all_match(&|reference| gaia_quasi_exact(short, reference).is_match))
        }
        Matching::Latex => {
            decided("latex_equivalent", all_match(&|reference| latex_equivalent(short, reference)))
        }
        Matching::Monaco => {
            decided("monaco_similarity", all_match(&|reference| is_similar(short, reference)))
        }
        Matching::Auto => {
            let is_equal =
                |reference: &str| is_exact(short, reference) || gaia_quasi_exact(short, reference).is_match;
            if is_short && all_match(&is_equal) {
                return decided("exact_match", true);
            }
            let scope = if is_short { short } else { text };
            if !all_match(&|reference| named_at(scope, reference).is_some()) {
                return decided("contains", false);
            }
            match names_rival_first(scope, expected) {
                None => decided("contains", true),
                Some(is_rival_first) => decided("named_first", !is_rival_first),
            }
        }
    }
}

/// Byte at which an answer is named, whatever the case and kind of dash.
fn named_at(text: &str, answer: &str) -> Option<usize> {
    word_bounded_find(&folded(text), &folded(answer))
}

fn folded(text: &str) -> String {
    nfkc_dash(text).trim().to_lowercase()
}

/// Whether a rival stands before every right answer; `None` where no rival is named.
fn names_rival_first(text: &str, expected: Expected<'_>) -> Option<bool> {
    if expected.mode == ReferenceMode::All {
        return None;
    }
    let task = expected.task?;
    let is_right =
        |candidate: &String| expected.references.iter().any(|reference| is_exact(candidate, reference));
    let first_of = |answers: &mut dyn Iterator<Item = &String>| {
        answers.filter_map(|answer| named_at(text, answer)).min()
    };
    let mut rivals = task.candidates.iter().chain(&task.parametric_answer).filter(|rival| !is_right(rival));
    let rival = first_of(&mut rivals)?;
    let right = first_of(&mut expected.references.iter())?;
    Some(rival < right)
}

fn is_exact(answer: &str, reference: &str) -> bool {
    exact_match(answer, reference, Normalizer::Quasi)
}

fn is_similar(answer: &str, reference: &str) -> bool {
    let number = |text: &str| text.replace([',', '$', '%'], "").trim().parse::<f64>().ok();
    match (number(answer), number(reference)) {
        (Some(answer), Some(reference)) => {
            monaco_similarity(reference, answer).is_some_and(|similarity| similarity >= SIMILAR_ENOUGH)
        }
        _ => is_exact(answer, reference),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task() -> Task {
        Task {
            references: vec!["1874".into()],
            candidates: vec!["1874".into(), "1871".into()],
            ..Task::default()
        }
    }

    fn auto(answer: &str) -> Verdict {
        let task = task();
        let expected =
            Expected { references: &task.references, mode: task.reference_mode, task: Some(&task) };
        correct(Some(answer), expected, Matching::Auto)
    }

    #[test]
    fn prose_that_names_the_reference_is_right() {
        let verdict =
            auto("After comparing both archives I am sure that it was first lit in 1874, in spring.");
        assert_eq!((verdict.value, verdict.rule.as_deref()), (Some(true), Some("contains")));
    }

    #[test]
    fn the_answer_named_first_counts() {
        let qualified =
            auto("It was first lit in 1874 according to the register; the archive gives 1871 without proof.");
        assert_eq!((qualified.value, qualified.rule.as_deref()), (Some(true), Some("named_first")));
        assert_eq!(
            auto("The archive says 1871, while the register says 1874, and nothing settles it.").value,
            Some(false)
        );
    }

    #[test]
    fn a_short_answer_is_exact() {
        assert_eq!(auto("1874").rule.as_deref(), Some("exact_match"));
        assert_eq!(auto("1875").value, Some(false));
    }

    #[test]
    fn without_references_nothing_is_wrong() {
        let expected = Expected { references: &[], mode: ReferenceMode::Any, task: None };
        assert_eq!(correct(Some("x"), expected, Matching::Auto).value, None);
    }

    #[test]
    fn an_option_list_without_candidates_is_decided_by_containment() {
        let references = ["B".to_owned()];
        let expected = Expected { references: &references, mode: ReferenceMode::Any, task: None };
        assert_eq!(correct(Some("ANSWER: **B**"), expected, Matching::Auto).value, Some(true));
    }
}
