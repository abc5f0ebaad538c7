//! Krippendorff's α for nominal labels.

use super::Ratings;
use crate::{Measured, Reason, Undefined};

/// Krippendorff's α with the nominal metric: one minus observed over expected disagreement, small-sample corrected.
///
/// # Shapes and units
/// - `ratings`: any number of ratings an item; items with fewer than two carry no pair and are left out.
/// - returns: at most 1; 0 is chance; `n` counts the items with two ratings or more.
///
/// # Undefined
/// Undefined: `no_samples`, `too_few_samples` when no item has two ratings, `chance_agreement_is_one` when one label
/// was given throughout.
///
/// # Source
/// Krippendorff (2004), ch. 11; equals the Python package `krippendorff`.
///
/// # Examples
/// ```
/// use humbly_stats::agreement::{Ratings, krippendorff_alpha};
/// let ratings = Ratings::from_counts(vec!["yes", "no"], vec![vec![1, 1], vec![2, 0], vec![1, 1], vec![2, 0]])?;
/// assert!((krippendorff_alpha(&ratings).value().unwrap() + 1.0 / 6.0).abs() < 1e-12);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn krippendorff_alpha<Label: Ord + Clone>(ratings: &Ratings<Label>) -> Measured {
    let total = |row: &[u64]| row.iter().sum::<u64>() as f64;
    let pairable: Vec<&Vec<u64>> = ratings.counts().iter().filter(|row| total(row) >= 2.0).collect();
    if pairable.is_empty() {
        return Measured::undefined(ratings.absence());
    }
    let values: f64 = pairable.iter().map(|row| total(row)).sum();
    let by_label: Vec<f64> =
        (0..ratings.labels().len()).map(|label| pairable.iter().map(|row| row[label] as f64).sum()).collect();
    if by_label.iter().filter(|&&count| count > 0.0).count() == 1 {
        return Measured::undefined(Undefined::new(Reason::ChanceAgreementIsOne)).with_n(pairable.len());
    }
    let observed: f64 = pairable
        .iter()
        .map(|row| {
            let size = total(row);
            let agreeing: f64 = row.iter().map(|&count| count as f64 * (count as f64 - 1.0)).sum();
            (size * (size - 1.0) - agreeing) / (size - 1.0)
        })
        .sum();
    let expected = values * values - by_label.iter().map(|count| count * count).sum::<f64>();
    Measured::new(1.0 - (values - 1.0) * observed / expected, pairable.len())
}
