//! Thinking as a factor: the same questions with it and without.

use humbly_stats::comparison::{Scores, compare};
use humbly_stats::intervals::BootstrapParams;
use humbly_types::{Measured, Reason};
use serde::Serialize;

use super::AttributionSample;
use super::sample::undefined;

/// What thinking changes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ThinkingCell {
    /// ACC, over the answerable questions.
    pub accuracy: Compared,
    /// Abstention, over all questions.
    pub abstention: Compared,
}

/// A rate without and with thinking, over the questions that both have.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// Without thinking.
    pub without: Measured,
    /// With it.
    pub with: Measured,
    /// With it minus without.
    pub difference: Measured,
    /// `McNemar`'s exact p; the paired t test's where a question has several outputs.
    pub p: Measured,
}

/// Outputs of one model under one prompt with thinking against those without.
///
/// # Undefined
/// `needs_model_judge` for ACC where an answer of either side is undecided; `no_samples` without a question. An answer
/// whose correctness is unknown for another reason is left out.
///
/// # Errors
/// None on data; [`humbly_stats::StatsError`] where a count is too large for the resampling.
///
/// # Source
/// UA §4 runs models in both modes.
///
/// # Examples
/// ```
/// use humbly_score::attribution_study::{AttributionSample, Extraction, thinking_cell};
/// use humbly_stats::intervals::BootstrapParams;
/// use humbly_types::Task;
/// let task = Task { id: "1".into(), answerable: Some(true), references: vec!["7".into()], ..Task::default() };
/// let output = |text| AttributionSample::new(task.clone(), text, None, Extraction::Strict);
/// let (without, with) = ([output(r"\boxed{8}")], [output(r"\boxed{7}")]);
/// let cell = thinking_cell(&without, &with, &BootstrapParams::seeded(1))?;
/// assert_eq!(cell.accuracy.difference.value(), Some(1.0));
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn thinking_cell(
    without: &[AttributionSample],
    with: &[AttributionSample],
    params: &BootstrapParams,
) -> humbly_stats::Result<ThinkingCell> {
    let is_right = |sample: &AttributionSample| {
        let correct = sample.correct.as_ref().ok().copied().filter(|_| sample.is_answerable())?;
        Some(correct)
    };
    let mut accuracy = compared(without, with, params, is_right)?;
    let undecided = without.iter().chain(with).filter(|sample| sample.undecided().is_some()).count();
    if undecided > 0 {
        let n = without.iter().filter(|sample| sample.is_answerable()).count();
        let unknown =
            || undefined(Reason::NeedsModelJudge, format!("no rule decides {undecided} answers"), n);
        accuracy = Compared { without: unknown(), with: unknown(), difference: unknown(), p: unknown() };
    }
    let abstention = compared(without, with, params, |sample| Some(sample.abstains()))?;
    Ok(ThinkingCell { accuracy, abstention })
}

fn compared(
    without: &[AttributionSample],
    with: &[AttributionSample],
    params: &BootstrapParams,
    is: impl Fn(&AttributionSample) -> Option<bool>,
) -> humbly_stats::Result<Compared> {
    let of = |samples: &'_ [AttributionSample]| -> (Vec<String>, Vec<f64>) {
        let known = samples
            .iter()
            .filter_map(|sample| Some((sample.task.id.clone(), f64::from(u8::from(is(sample)?)))));
        known.unzip()
    };
    let ((ids, values), (other_ids, other_values)) = (of(without), of(with));
    let first = Scores { ids: &ids, values: &values };
    let second = Scores { ids: &other_ids, values: &other_values };
    let found = compare(&first, &second, params)?;
    Ok(Compared { without: found.first, with: found.second, difference: found.difference, p: found.test.p })
}

#[cfg(test)]
mod tests {
    use humbly_types::Task;

    use super::super::Extraction;
    use super::*;

    fn outputs(answers: &[&str]) -> Vec<AttributionSample> {
        let one = |(place, answer): (usize, &&str)| {
            let task = Task {
                id: place.to_string(),
                answerable: Some(true),
                references: vec!["7".to_owned()],
                ..Task::default()
            };
            AttributionSample::new(task, &format!(r"\boxed{{{answer}}}"), None, Extraction::Strict)
        };
        answers.iter().enumerate().map(one).collect()
    }

    fn cell(without: &[&str], with: &[&str]) -> ThinkingCell {
        let params = BootstrapParams::new(200, 0.95, 1).unwrap();
        thinking_cell(&outputs(without), &outputs(with), &params).unwrap()
    }

    /// Six questions gained, none lost: the exact p is 2 / 2^6.
    #[test]
    fn gained_and_lost_questions_are_tested_in_pairs() {
        let without = ["8", "8", "8", "8", "8", "8", "7", "<MODEL_UNCERTAIN>"];
        let with = ["7", "7", "7", "7", "7", "7", "7", "8"];
        let found = cell(&without, &with);
        assert_eq!(found.accuracy.without.value(), Some(0.125));
        assert_eq!(found.accuracy.with.value(), Some(0.875));
        assert_eq!(found.accuracy.difference.value(), Some(0.75));
        assert!((found.accuracy.p.value().unwrap() - 2.0 / 64.0).abs() < 1e-12);
        assert_eq!(found.abstention.difference.value(), Some(-0.125));
    }

    #[test]
    fn an_undecided_answer_leaves_the_accuracy_undefined() {
        let found = cell(&["7", "8"], &["7", "seven"]);
        assert_eq!(found.accuracy.difference.undefined_reason(), Some(Reason::NeedsModelJudge));
        assert_eq!(found.abstention.with.value(), Some(0.0));
    }

    #[test]
    fn without_outputs_nothing_is_compared() {
        let found = cell(&[], &[]);
        assert!(found.accuracy.difference.value().is_none() && found.abstention.p.value().is_none());
    }
}
