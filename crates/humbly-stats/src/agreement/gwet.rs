//! Gwet's AC1.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Ratings, ratings::agreement};
use crate::{
    Interval, IntervalMethod, Measured, Reason, Undefined,
    quantiles::{student_critical, student_two_sided},
};

/// AC1 with what it is made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GwetAc1 {
    /// The coefficient with its 95 % interval (Student's t over items, cut at 1).
    pub coefficient: Measured,
    /// Share of agreeing pairs of ratings.
    pub observed_agreement: Measured,
    /// Agreement expected by chance.
    pub chance_agreement: Measured,
    /// Standard error of the coefficient over items; `null` where it has none.
    pub standard_error: Option<f64>,
    /// Two-sided p against no agreement beyond chance; `null` where the standard error is 0 or absent.
    pub p: Option<f64>,
    /// How common each label is.
    pub prevalence: Vec<Prevalence>,
}

/// The prevalence of one label, which explains a κ far below AC1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Prevalence {
    /// Position among [`Ratings::labels`].
    pub label: u64,
    /// Its mean share over items.
    pub share: f64,
}

/// Gwet's AC1: agreement beyond a chance that shrinks as labels become skewed, so that it keeps a value where κ has none.
///
/// # Shapes and units
/// - `ratings`: items may have different numbers of ratings; those with one count towards prevalence only.
/// - returns: at most 1; 0 is chance; `n` counts items. One label throughout gives 1 without an interval, noted.
///
/// # Undefined
/// Undefined: `no_samples`, `too_few_samples` when no item has two ratings.
///
/// # Source
/// Gwet (2008), unweighted, variance conditional on the raters; equals `irrCAC` (which rounds to 5 digits); the EH
/// paper's Tables 6 and 7.
///
/// # Examples
/// ```
/// use humbly_stats::agreement::{Ratings, gwet_ac1};
/// let skewed = Ratings::from_counts(vec!["yes", "no"], vec![vec![2, 0]; 4])?;
/// assert_eq!(gwet_ac1(&skewed).coefficient.value(), Some(1.0));
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn gwet_ac1<Label: Ord + Clone>(ratings: &Ratings<Label>) -> GwetAc1 {
    let observed_agreement = ratings.raw_agreement();
    let rated: Vec<&Vec<u64>> = ratings.counts().iter().filter(|row| row.iter().sum::<u64>() > 0).collect();
    let n = rated.len() as f64;
    let share = |row: &[u64], label: usize| row[label] as f64 / row.iter().sum::<u64>() as f64;
    let shares: Vec<f64> = (0..ratings.labels().len())
        .map(|label| rated.iter().map(|row| share(row, label)).sum::<f64>() / n)
        .collect();
    let prevalence = |share: (usize, &f64)| Prevalence { label: share.0 as u64, share: *share.1 };
    let mut result = GwetAc1 {
        coefficient: observed_agreement.clone(),
        chance_agreement: observed_agreement.clone(),
        observed_agreement,
        standard_error: None,
        p: None,
        prevalence: if rated.is_empty() {
            Vec::new()
        } else {
            shares.iter().enumerate().map(prevalence).collect()
        },
    };
    let Some(observed) = result.observed_agreement.value() else { return result };
    let labels = ratings.used_labels();
    if labels == 1 {
        let note = "one label throughout: no chance agreement to take off";
        result.coefficient = Measured::new(1.0, rated.len()).with_note(note);
        result.chance_agreement = Measured::undefined(Undefined::new(Reason::OneClass)).with_n(rated.len());
        return result;
    }
    let scale = (labels - 1) as f64;
    let chance: f64 = shares.iter().map(|share| share * (1.0 - share)).sum::<f64>() / scale;
    let coefficient = (observed - chance) / (1.0 - chance);
    result.chance_agreement = Measured::new(chance, rated.len());
    result.coefficient = Measured::new(coefficient, rated.len());

    // Each item's contribution, linearised in the chance agreement as well.
    let pairs = result.observed_agreement.n as f64;
    let contribution = |row: &&Vec<u64>| {
        let own = agreement(row).map_or(0.0, |agreement| (agreement - chance) / (1.0 - chance) * n / pairs);
        let own_chance: f64 = shares
            .iter()
            .enumerate()
            .map(|(label, overall)| share(row, label) * (1.0 - overall))
            .sum::<f64>()
            / scale;
        own - 2.0 * (1.0 - coefficient) * (own_chance - chance) / (1.0 - chance)
    };
    if rated.len() < 2 {
        return result;
    }
    let squares: f64 = rated.iter().map(|row| (contribution(row) - coefficient).powi(2)).sum();
    let error = (squares / (n * (n - 1.0))).sqrt();
    result.standard_error = Some(error);
    if error > 0.0 {
        result.p = student_two_sided(coefficient / error, n - 1.0);
    }
    if let Some(critical) = student_critical(0.95, n - 1.0) {
        result.coefficient = result.coefficient.with_interval(Interval {
            low: coefficient - critical * error,
            high: (coefficient + critical * error).min(1.0),
            level: 0.95,
            method: IntervalMethod::Analytic,
            resamples: None,
            seed: None,
            clusters: None,
        });
    }
    result
}
