//! Confidence from the agreement of several samples of one question.

use humbly_text::answer::extract_answer;
use humbly_text::confidence::without_confidence;
use humbly_text::normalize::quasi;

/// Longer texts without a marked answer are prose: two of them are never the same.
const SHORT_ANSWER_WORDS: usize = 8;

/// What two answers to one question are compared by: the marked answer, else a short text, normalised.
///
/// `None` for prose without a marked answer and for an empty text.
///
/// # Examples
/// ```
/// use humbly_score::calibration_study::answer_key;
/// assert_eq!(answer_key("So the answer is: **Lima**."), answer_key("lima\nConfidence: 80%"));
/// assert_eq!(answer_key("It was, after all that had been said and done, Lima."), None);
/// ```
pub fn answer_key(text: &str) -> Option<String> {
    let text = without_confidence(text);
    let extracted = extract_answer(&text);
    let answer = match extracted.answer() {
        Some(answer) => answer.as_str(),
        None if text.split_whitespace().nth(SHORT_ANSWER_WORDS).is_none() => text.as_ref(),
        None => return None,
    };
    Some(quasi(answer)).filter(|key| !key.is_empty())
}

/// The share of the other samples of a question that give the same answer.
///
/// # Shapes and units
/// - `keys`: one a sample of the question; `None` where a sample has no comparable answer;
/// - returns: one a sample, a share in `[0, 1]`; `None` without a key or without another sample that has one.
///
/// # Source
/// Self-consistency as a confidence: Xiong et al. (2024), arXiv:2306.13063, §3.2. The sample itself is left out, so
/// that two samples that differ have confidence 0 and not one half.
///
/// # Examples
/// ```
/// use humbly_score::calibration_study::agreement_confidences;
/// let keys = [Some("4"), Some("4"), Some("5"), None];
/// assert_eq!(agreement_confidences(&keys), [Some(0.5), Some(0.5), Some(0.0), None]);
/// assert_eq!(agreement_confidences(&[Some("4")]), [None]);
/// ```
pub fn agreement_confidences<Key: Ord>(keys: &[Option<Key>]) -> Vec<Option<f64>> {
    let mut counts = std::collections::BTreeMap::new();
    for key in keys.iter().flatten() {
        *counts.entry(key).or_insert(0_u32) += 1;
    }
    let answered: u32 = counts.values().sum();
    keys.iter()
        .map(|key| {
            let same = counts.get(key.as_ref()?)?;
            (answered > 1).then(|| f64::from(same - 1) / f64::from(answered - 1))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_and_boxes_are_compared_as_answers() {
        assert_eq!(answer_key(r"We get \boxed{204}."), answer_key("204\nConfidence: 90"));
        assert_ne!(answer_key("204"), answer_key("205"));
        assert_eq!(answer_key(""), None);
    }

    proptest! {
        #[test]
        fn shares_are_probabilities_and_order_does_not_matter(keys in prop::collection::vec(prop::option::of(0..4_u8), 0..12)) {
            let forward = agreement_confidences(&keys);
            prop_assert!(forward.iter().flatten().all(|share| (0.0..=1.0).contains(share)));
            let backward: Vec<_> = keys.iter().copied().rev().collect();
            let mut again = agreement_confidences(&backward);
            again.reverse();
            prop_assert_eq!(forward, again);
        }
    }
}
