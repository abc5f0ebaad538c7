//! Is the final answer right? Rules that need no model.
//!
//! The rule that decided is named in the verdict. The paper's rules are: exact match after normalisation for
//! one reference, containment for several; `auto` also uses containment where the answer is prose, since an
//! exact match of prose with a short reference can only fail.

use std::sync::Arc;

use humbly_text::answer::extract_answer;
use humbly_text::matching::{
    exact_match, gaia_quasi_exact, latex_equivalent, monaco_similarity, word_bounded_contains,
};
use humbly_text::normalize::Normalizer;
use humbly_types::{Reason, ReferenceMode, Verdict};

use crate::report::Matching;

/// An answer of at most so many words is matched exactly, a longer one is prose.
const SHORT_ANSWER_WORDS: usize = 8;
/// `MoNaCo` similarity from which a scalar answer counts as right.
const SIMILAR_ENOUGH: f64 = 0.95;

/// Whether `answer` is right, by the references alone.
///
/// Undefined ([`Reason::NoReference`]) without references; no answer is wrong.
pub(crate) fn correct(
    answer: Option<&str>,
    references: &[String],
    mode: ReferenceMode,
    matching: Matching,
) -> Verdict {
    let judge: Arc<str> = Arc::from("rules/1");
    if references.is_empty() {
        return Verdict::undefined(&judge, Reason::NoReference);
    }
    let Some(text) = answer else {
        return Verdict { rule: Some("no_final_answer".into()), ..Verdict::no(&judge) };
    };
    let extracted = extract_answer(text);
    let marked = extracted.answer().map(String::as_str);
    let short = marked.unwrap_or(text).trim();
    let is_short = marked.is_some() || short.split_whitespace().count() <= SHORT_ANSWER_WORDS;
    let (rule, matches): (&str, Box<dyn Fn(&String) -> bool>) = match matching {
        Matching::Exact => ("exact_match", Box::new(|reference| is_exact(short, reference))),
        Matching::Contains => ("contains", Box::new(|reference| word_bounded_contains(text, reference))),
        Matching::Gaia => ("gaia_quasi_exact", Box::new(|reference| gaia_quasi_exact(short, reference).is_match)),
        Matching::Latex => ("latex_equivalent", Box::new(|reference| latex_equivalent(short, reference))),
        Matching::Monaco => ("monaco_similarity", Box::new(|reference| is_similar(short, reference))),
        Matching::Auto if is_short && references.len() == 1 => (
            "exact_or_contains",
            Box::new(|reference| {
                is_exact(short, reference)
                    || gaia_quasi_exact(short, reference).is_match
                    || word_bounded_contains(short, reference)
            }),
        ),
        Matching::Auto => ("contains", Box::new(|reference| word_bounded_contains(text, reference))),
    };
    let right = match mode {
        ReferenceMode::Any => references.iter().any(&matches),
        ReferenceMode::All => references.iter().all(&matches),
    };
    Verdict { value: Some(right), rule: Some(rule.to_owned()), ..Verdict::no(&judge) }
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
