//! Whether an answer is right: the matching rules of the benchmarks, each under its own name.
//!
//! What cannot be read as a number is wrong where a number is due; it is never infinity and never 0.

mod gaia;

use std::collections::BTreeMap;

pub use crate::latex::latex_equivalent;
use crate::normalize::{Normalizer, fold_whitespace, nfkc_dash, quasi, squad};
pub use gaia::{GaiaMatch, GaiaRule, gaia_quasi_exact, gaia_upstream};

/// Whether two answers have the same normal form.
///
/// Where the form of either is empty (`A` in [`Normalizer::Squad`] is an article and vanishes) they
/// are compared in [`Normalizer::Quasi`] instead, so that nothing equals everything that vanishes.
///
/// # Examples
/// ```
/// # use humbly_text::matching::exact_match;
/// # use humbly_text::normalize::Normalizer;
/// assert!(exact_match("maybe.", "maybe", Normalizer::Quasi));
/// assert!(exact_match("café 1911-1914", "cafe\u{301} 1911–1914", Normalizer::NfkcDash));
/// assert!(!exact_match("A", "the", Normalizer::Squad));
/// ```
pub fn exact_match(prediction: &str, reference: &str, normalizer: Normalizer) -> bool {
    let (left, right) = (normalizer.apply(prediction), normalizer.apply(reference));
    if left.is_empty() || right.is_empty() {
        return quasi(prediction) == quasi(reference);
    }
    left == right
}

/// Whether any reference stands in the prediction, both in [`Normalizer::Quasi`] and at word bounds.
///
/// A plain substring would find `5` in `15` and `-5`; see [`word_bounded_contains`]. An empty
/// reference is nowhere.
///
/// # Examples
/// ```
/// # use humbly_text::matching::any_substring;
/// assert!(any_substring("It was built in New York.", &["NYC", "new york"]));
/// assert!(!any_substring("15 years", &["5 years"]));
/// ```
pub fn any_substring<S: AsRef<str>>(prediction: &str, references: &[S]) -> bool {
    let prediction = fold_whitespace(&nfkc_dash(prediction).to_lowercase());
    references.iter().any(|reference| word_bounded_contains(&prediction, &quasi(reference.as_ref())))
}

/// Whether `needle` stands in `haystack` as whole words, compared byte by byte.
///
/// Digits are not cut out of a longer number: `5` is not in `15`, `3.5`, `5,000` or `-5`.
/// An empty needle is nowhere.
///
/// # Examples
/// ```
/// # use humbly_text::matching::word_bounded_contains;
/// assert!(word_bounded_contains("in 1911, not later", "1911"));
/// assert!(word_bounded_contains("from 1911-1914", "1914"));
/// assert!(!word_bounded_contains("New Yorker", "New York"));
/// ```
pub fn word_bounded_contains(haystack: &str, needle: &str) -> bool {
    word_bounded_find(haystack, needle).is_some()
}

/// Byte at which `needle` first stands in `haystack` as whole words or numbers.
///
/// # Examples
/// ```
/// # use humbly_text::matching::word_bounded_find;
/// assert_eq!(word_bounded_find("1911-1914 or 1911", "1914"), Some(5));
/// assert_eq!(word_bounded_find("New Yorker", "New York"), None);
/// ```
pub fn word_bounded_find(haystack: &str, needle: &str) -> Option<usize> {
    if needle.is_empty() {
        return None;
    }
    memchr::memmem::find_iter(haystack.as_bytes(), needle.as_bytes()).find(|start| {
        // A needle of valid UTF-8 is found at character boundaries only.
        haystack
            .get(..*start)
            .zip(haystack.get(start + needle.len()..))
            .is_some_and(|(before, after)| starts_freely(before, needle) && ends_freely(needle, after))
    })
}

fn starts_freely(before: &str, needle: &str) -> bool {
    let first = needle.chars().next().unwrap_or(' ');
    let mut back = before.chars().rev();
    let Some(previous) = back.next() else { return true };
    if first.is_alphanumeric() && previous.is_alphanumeric() {
        return false;
    }
    let earlier = back.next();
    match previous {
        '.' | ',' if first.is_ascii_digit() => !earlier.is_some_and(|c| c.is_ascii_digit()),
        // After a word or a number the hyphen joins or gives a range; elsewhere it is a sign.
        '-' | '−' if first.is_ascii_digit() => earlier.is_some_and(char::is_alphanumeric),
        _ => true,
    }
}

fn ends_freely(needle: &str, after: &str) -> bool {
    let last = needle.chars().next_back().unwrap_or(' ');
    let mut ahead = after.chars();
    let Some(next) = ahead.next() else { return true };
    if last.is_alphanumeric() && next.is_alphanumeric() {
        return false;
    }
    !(last.is_ascii_digit() && matches!(next, '.' | ',') && ahead.next().is_some_and(|c| c.is_ascii_digit()))
}

/// `MoNaCo` similarity of two numbers, `1 - |r - p| / max(|r|, |p|)`; both 0 gives 1.
///
/// # Shapes and units
/// Both in the same unit. The answer is at most 1, and negative where the signs differ.
///
/// # Undefined
/// `None` where either is NaN or infinite.
///
/// # Examples
/// ```
/// # use humbly_text::matching::monaco_similarity;
/// assert_eq!(monaco_similarity(100.0, 75.0), Some(0.75));
/// assert_eq!(monaco_similarity(0.0, 0.0), Some(1.0));
/// assert_eq!(monaco_similarity(1.0, f64::NAN), None);
/// ```
pub fn monaco_similarity(reference: f64, prediction: f64) -> Option<f64> {
    if !reference.is_finite() || !prediction.is_finite() {
        return None;
    }
    let scale = reference.abs().max(prediction.abs());
    // Divided first: the difference of two large numbers may be infinite.
    Some(if scale > 0.0 { 1.0 - (reference / scale - prediction / scale).abs() } else { 1.0 })
}

/// SQuAD exact match with any of the references; see [`exact_match`].
///
/// # Examples
/// ```
/// # use humbly_text::matching::squad_exact;
/// assert!(squad_exact("The Beatles", &["beatles"]));
/// ```
pub fn squad_exact<S: AsRef<str>>(prediction: &str, references: &[S]) -> bool {
    references.iter().any(|reference| exact_match(prediction, reference.as_ref(), Normalizer::Squad))
}

/// Greatest SQuAD token F1 over the references.
///
/// # Shapes and units
/// Tokens of [`squad`], counted with repetition; the answer is in `[0, 1]`.
///
/// # Undefined
/// `None` without references. Where either side has no tokens F1 is 1 or 0 by [`exact_match`].
///
/// # Source
/// Rajpurkar et al. (2016), arXiv:1606.05250, §6.1.
///
/// # Examples
/// ```
/// # use humbly_text::matching::squad_f1;
/// assert_eq!(squad_f1("the tall Eiffel Tower", &["Eiffel Tower"]), Some(0.8));
/// ```
pub fn squad_f1<S: AsRef<str>>(prediction: &str, references: &[S]) -> Option<f64> {
    references.iter().map(|reference| token_f1(prediction, reference.as_ref())).max_by(f64::total_cmp)
}

fn token_f1(prediction: &str, reference: &str) -> f64 {
    let (predicted, expected) = (squad(prediction), squad(reference));
    if predicted.is_empty() || expected.is_empty() {
        return if exact_match(prediction, reference, Normalizer::Squad) { 1.0 } else { 0.0 };
    }
    let mut left_over: BTreeMap<&str, usize> = BTreeMap::new();
    for token in expected.split(' ') {
        *left_over.entry(token).or_default() += 1;
    }
    let mut common = 0_usize;
    for token in predicted.split(' ') {
        if let Some(count) = left_over.get_mut(token).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    // The harmonic mean of precision and recall.
    2.0 * common as f64 / (predicted.split(' ').count() + expected.split(' ').count()) as f64
}

#[cfg(test)]
mod tests;
