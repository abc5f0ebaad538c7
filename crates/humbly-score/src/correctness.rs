//! Is the final answer right? Rules that need no model.
//!
//! The rule that decided is named in the verdict. The paper's rules are: exact match after normalisation for
//! one reference, containment for several; `auto` also uses containment where the answer is prose, since an
//! exact match of prose with a short reference can only fail. Prose that names the right answer and a rival
//! (another candidate, the parametric answer) is right where it names the right one first: people answer first
//! and qualify later. A model judge decides such cases better.

use std::sync::Arc;

use humbly_text::answer::extract_answer;
use humbly_text::confidence::without_confidence;
use humbly_text::matching::{
    exact_match, gaia_quasi_exact, latex_equivalent, monaco_similarity, word_bounded_find,
};
use humbly_text::normalize::{Normalizer, nfkc_dash};
use humbly_types::{Judgement, Reason, ReferenceMode, Task, Undefined, Verdict};

use crate::report::{CorrectnessBy, Matching};
use crate::row::SimilarityRow;

/// An answer of at most so many words is matched exactly, a longer one is prose.
const SHORT_ANSWER_WORDS: usize = 8;
/// Scenario of tasks whose answers are mathematics.
const VERIFICATION: &str = "verification";
/// `MoNaCo` similarity from which a scalar answer counts as right.
const SIMILAR_ENOUGH: f64 = 0.95;
/// The data set whose official metric is a similarity.
const MONACO: &str = "monaco";

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
    // How sure an answer is may be the very number that the reference is.
    let text = without_confidence(text);
    let text = text.as_ref();
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
            if let Some(range) = expected.task.and_then(|task| task.acceptable) {
                let number = in_answer(short);
                return decided(
                    "acceptable_range",
                    number.is_some_and(|n| range.low <= n && n <= range.high),
                );
            }
            if expected.task.and_then(|task| task.scenario.as_deref()) == Some(VERIFICATION) {
                let is_equivalent = |reference: &str| latex_equivalent(short, reference);
                if marked.is_some() || is_short && all_match(&is_equivalent) {
                    return decided("latex_equivalent", all_match(&is_equivalent));
                }
                // A model that marks nothing ends with its result: `6 * 7 = 42`, `There are 42 of them.`
                let last = last_number(text);
                let is_last = |reference: &str| last.is_some_and(|last| latex_equivalent(last, reference));
                return decided("last_number", all_match(&is_last));
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

/// What the model judge that the settings name said.
///
/// No answer is wrong and no reference undefined, as by rules; undefined (`not_recorded`) where that judge was
/// not asked.
pub(crate) fn judged(
    answer: Option<&str>,
    expected: Expected<'_>,
    by: CorrectnessBy,
    judgement: &Judgement,
) -> Verdict {
    let Some(code) = by.code().filter(|_| answer.is_some() && !expected.references.is_empty()) else {
        return correct(answer, expected, Matching::Auto);
    };
    let is_its = |verdict: &&Verdict| {
        verdict.rule.as_deref().is_none_or(|rule| rule.split(['@', ':', ' ']).next() == Some(code))
    };
    judgement.correct.as_ref().filter(is_its).cloned().unwrap_or_else(|| Verdict {
        value: None,
        undefined: Some(Undefined::with_detail(Reason::NotRecorded, format!("{code} was not asked"))),
        ..Verdict::no(&judgement.judge)
    })
}

/// `MoNaCo`'s score of an answer: similarity where a reference is one number, else 1 where it is right by the
/// rules and 0 where not.
///
/// An answer without a number, and no answer, score 0. `None` where the row is not scored so.
///
/// # Source
/// EH §2.2 ("per-instance similarity … for scalar answers").
pub(crate) fn similarity(
    answer: Option<&str>,
    expected: Expected<'_>,
    matching: Matching,
    dataset: Option<&str>,
) -> Option<SimilarityRow> {
    let is_monaco = dataset.is_some_and(|name| name.eq_ignore_ascii_case(MONACO));
    if matching != Matching::Monaco && !(matching == Matching::Auto && is_monaco) {
        return None;
    }
    let verdict = correct(answer, expected, matching);
    let Some(is_right) = verdict.value else {
        return Some(SimilarityRow { value: None, undefined: verdict.undefined });
    };
    let by_rule = f64::from(u8::from(is_right));
    let numbers: Option<Vec<f64>> = expected.references.iter().map(|reference| scalar(reference)).collect();
    let value = match (numbers, expected.mode) {
        (Some(numbers), mode) if numbers.len() == 1 || mode == ReferenceMode::Any => {
            let number = answer.and_then(|text| {
                let text = without_confidence(text);
                let extracted = extract_answer(text.as_ref());
                let short = extracted.answer().map_or(text.as_ref(), String::as_str).trim();
                scalar(short).or_else(|| in_answer(short))
            });
            let similarities = numbers
                .iter()
                .filter_map(|reference| monaco_similarity(*reference, number?))
                .fold(None, |best: Option<f64>, similarity| {
                    Some(best.map_or(similarity, |best| best.max(similarity)))
                });
            similarities.unwrap_or(0.0)
        }
        _ => by_rule,
    };
    Some(SimilarityRow { value: Some(value), undefined: None })
}

/// A text that is a number and nothing else, grouping commas, dollar and percent signs aside.
fn scalar(text: &str) -> Option<f64> {
    text.replace([',', '$', '%'], "").trim().parse::<f64>().ok().filter(|number| number.is_finite())
}

/// The one number of an answer, grouping commas, currency and units aside; `None` where it has none or several.
pub(crate) fn in_answer(answer: &str) -> Option<f64> {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '−' | '+');
    let mut numbers = answer
        .split(|c: char| !is_part(c))
        .filter(|part| part.contains(|c: char| c.is_ascii_digit()))
        .map(|part| part.trim_end_matches(['.', ',', '-']).replace(',', "").replace('−', "-").parse::<f64>());
    match (numbers.next(), numbers.next()) {
        (Some(Ok(number)), None) => Some(number),
        _ => None,
    }
}

/// The last number of a text as it stands there, grouping commas kept.
fn last_number(text: &str) -> Option<&str> {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
    let end = text.rfind(|c: char| c.is_ascii_digit())? + 1;
    let start = text[..end]
        .rfind(|c| !is_part(c))
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    // `5-42` is a difference, `= -42` a negative number.
    let before = text[..start].strip_suffix('-');
    let signed = before.is_some_and(|before| !before.ends_with(char::is_alphanumeric));
    let number = &text[if signed { start - 1 } else { start }..end];
    Some(number.trim_start_matches(['.', ',']))
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
    match (scalar(answer), scalar(reference)) {
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
    fn the_number_of_a_confidence_is_no_answer() {
        let task = Task { references: vec!["90".into()], ..Task::default() };
        assert_eq!(answer_is_right("17\nConfidence: 90", &task, Matching::Auto).value, Some(false));
        assert_eq!(answer_is_right("90\nConfidence: 17", &task, Matching::Auto).value, Some(true));
        let tagged = "<confidence>90</confidence><answer>17</answer>";
        assert_eq!(answer_is_right(tagged, &task, Matching::Auto).value, Some(false));
    }

    #[test]
    fn a_number_within_the_acceptable_range_is_right() {
        let task = Task {
            references: vec!["10,990,502".into()],
            acceptable: Some(humbly_types::NumberRange { low: 10_440_976.0, high: 11_540_028.0 }),
            ..Task::default()
        };
        let verdict = |answer| answer_is_right(answer, &task, Matching::Auto);
        for (answer, is_right) in [
            ("11,000,000", true),
            ("About 10440976 people\nConfidence: 80%", true),
            ("11,540,029", false),
            ("between 10,500,000 and 11,000,000", false),
            ("many", false),
        ] {
            assert_eq!(verdict(answer).value, Some(is_right), "{answer}");
        }
        assert_eq!(verdict("11,000,000").rule.as_deref(), Some("acceptable_range"));
        assert_eq!(verdict("10,990,502").rule.as_deref(), Some("exact_match"));
    }

    fn similar(answer: Option<&str>, references: &[&str], mode: ReferenceMode) -> Option<f64> {
        let references: Vec<String> = references.iter().map(|text| (*text).to_owned()).collect();
        let expected = Expected { references: &references, mode, task: None };
        similarity(answer, expected, Matching::Auto, Some("MoNaCo")).unwrap().value
    }

    #[test]
    fn a_scalar_has_a_similarity_and_all_else_is_right_or_wrong() {
        let one = |answer| similar(Some(answer), &["1,000"], ReferenceMode::Any).unwrap();
        assert!((one("750") - 0.75).abs() < 1e-12);
        assert!((one("About 1,250 people.\nConfidence: 80%") - 0.8).abs() < 1e-12);
        assert!((one("-1000") + 1.0).abs() < 1e-12);
        assert!((one("between 900 and 1,100")).abs() < 1e-12, "two numbers are no answer");
        assert_eq!(similar(None, &["1000"], ReferenceMode::Any), Some(0.0));
        let list = |answer| similar(Some(answer), &["Oslo", "Bergen"], ReferenceMode::All);
        assert_eq!((list("Oslo and Bergen"), list("Oslo")), (Some(1.0), Some(0.0)));
        assert_eq!(similar(Some("yes"), &["yes"], ReferenceMode::Any), Some(1.0));
        assert_eq!(similar(Some("3"), &[], ReferenceMode::Any), None, "no reference is undefined");
        assert_eq!(
            similar(Some("1, 3"), &["1", "2"], ReferenceMode::All),
            Some(0.0),
            "a list of numbers is a list"
        );
    }

    #[test]
    fn other_data_sets_have_no_similarity() {
        let references = ["1000".to_owned()];
        let expected = Expected { references: &references, mode: ReferenceMode::Any, task: None };
        assert_eq!(similarity(Some("750"), expected, Matching::Auto, Some("gaia")), None);
        assert_eq!(similarity(Some("750"), expected, Matching::Exact, Some("monaco")), None);
        assert!(similarity(Some("750"), expected, Matching::Monaco, None).is_some());
    }

    #[test]
    fn mathematics_is_compared_as_mathematics() {
        let task = Task {
            references: vec![r"\frac{1}{2}".into()],
            scenario: Some("verification".into()),
            ..Task::default()
        };
        let verdict = |answer| answer_is_right(answer, &task, Matching::Auto).value;
        assert_eq!(verdict(r"So it is \boxed{0.5}. Confidence: 90"), Some(true));
        assert_eq!(verdict(r"\boxed{\dfrac12}"), Some(true));
        assert_eq!(verdict(r"\boxed{2}"), Some(false));
        let task =
            Task { references: vec!["42".into()], scenario: Some("verification".into()), ..Task::default() };
        let verdict = |answer| answer_is_right(answer, &task, Matching::Auto);
        for (answer, is_right) in [
            ("6 * 7 = 42.", true),
            ("So, all in all and counting the ones at the door, there are 42 lamps.\nConfidence: 7", true),
            ("42 lamps hang there, 9 of them broken", false),
            ("6 * 7 = 421", false),
            ("x = -42", false),
            (r"\boxed{41}, not 42", false),
            ("none", false),
        ] {
            assert_eq!(verdict(answer).value, Some(is_right), "{answer}");
        }
        assert_eq!(verdict("6 * 7 = 42.").rule.as_deref(), Some("last_number"));
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
