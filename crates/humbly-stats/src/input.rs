//! Checks of a caller's slices: each names the index of the first value that is wrong.

use crate::{Result, StatsError};

pub(crate) fn paired(left: usize, right: usize) -> Result<()> {
    if left == right { Ok(()) } else { Err(StatsError::UnpairedLengths { left, right }) }
}

pub(crate) fn probabilities(values: &[f64]) -> Result<()> {
    match values.iter().position(|value| !(0.0..=1.0).contains(value)) {
        None => Ok(()),
        Some(index) => Err(StatsError::NotAProbability { index, value: values[index] }),
    }
}

pub(crate) fn finite(values: &[f64]) -> Result<()> {
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(index) => Err(StatsError::NotFinite { index }),
    }
}

/// Confidences and outcomes that belong together.
pub(crate) fn forecasts(confidences: &[f64], outcomes: &[bool]) -> Result<()> {
    paired(confidences.len(), outcomes.len())?;
    probabilities(confidences)
}

pub(crate) fn open_unit(name: &'static str, value: f64) -> Result<f64> {
    if value > 0.0 && value < 1.0 {
        Ok(value)
    } else {
        Err(StatsError::Parameter { name, value, expected: "a number between 0 and 1, both excluded" })
    }
}

/// Outcomes from a numeric column, refusing everything but exactly 0 and 1.
///
/// A column of labels and one of confidences are easily swapped; a fraction among the outcomes shows it.
///
/// # Shapes and units
/// - `values`: `[n]`, each exactly 0 or 1.
/// - returns: `[n]`, `true` where the value is 1.
///
/// # Errors
/// [`StatsError::NotAnOutcome`] with the index of the first other value, NaN included.
///
/// # Source
/// A convention of this crate.
///
/// # Examples
/// ```
/// use humbly_stats::{StatsError, outcomes_from_numbers};
/// assert_eq!(outcomes_from_numbers(&[1.0, 0.0])?, [true, false]);
/// let swapped = outcomes_from_numbers(&[0.82, 0.4, 0.77]);
/// assert!(matches!(swapped, Err(StatsError::NotAnOutcome { index: 0, .. })));
/// # Ok::<(), StatsError>(())
/// ```
#[expect(clippy::float_cmp, reason = "only exactly 0 and 1 are outcomes")]
pub fn outcomes_from_numbers(values: &[f64]) -> Result<Vec<bool>> {
    let outcome = |(index, &value): (usize, &f64)| match value {
        _ if value == 1.0 => Ok(true),
        _ if value == 0.0 => Ok(false),
        _ => Err(StatsError::NotAnOutcome { index, value }),
    };
    values.iter().enumerate().map(outcome).collect()
}
