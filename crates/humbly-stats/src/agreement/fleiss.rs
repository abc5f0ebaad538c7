//! Fleiss' κ.

use super::Ratings;
use crate::{Measured, Reason, Undefined};

/// Fleiss' κ: agreement of exchangeable raters beyond what the overall label frequencies give by chance.
///
/// # Shapes and units
/// - `ratings`: each item rated equally often.
/// - returns: at most 1; 0 is chance; `n` counts items.
///
/// # Undefined
/// Undefined: `no_samples`, `too_few_samples` (one rating an item), `unequal_raters` when items differ in their
/// number of ratings ([`gwet_ac1`](super::gwet_ac1) and [`krippendorff_alpha`](super::krippendorff_alpha) allow that),
/// `chance_agreement_is_one` when one label was given throughout.
///
/// # Source
/// Fleiss (1971); equals `statsmodels` `fleiss_kappa`; the EH paper's Table 7.
///
/// # Examples
/// ```
/// use humbly_stats::{Reason, agreement::{Ratings, fleiss_kappa}};
/// let ratings = Ratings::from_counts(vec!["yes", "no"], vec![vec![7, 0], vec![7, 0]])?;
/// assert_eq!(fleiss_kappa(&ratings).undefined_reason(), Some(Reason::ChanceAgreementIsOne));
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn fleiss_kappa<Label: Ord + Clone>(ratings: &Ratings<Label>) -> Measured {
    let observed = ratings.raw_agreement();
    let Some(observed) = observed.value() else { return observed };
    let totals: Vec<u64> = ratings.counts().iter().map(|row| row.iter().sum()).collect();
    let items = totals.len();
    let (fewest, most) = totals.iter().fold((u64::MAX, 0), |(low, high), &n| (low.min(n), high.max(n)));
    if fewest != most {
        let detail = format!("between {fewest} and {most} ratings an item");
        return Measured::undefined(Undefined::with_detail(Reason::UnequalRaters, detail)).with_n(items);
    }
    if ratings.used_labels() == 1 {
        return Measured::undefined(Undefined::new(Reason::ChanceAgreementIsOne)).with_n(items);
    }
    let all = (most * items as u64) as f64;
    let chance: f64 = (0..ratings.labels().len())
        .map(|label| ratings.counts().iter().map(|row| row[label]).sum::<u64>() as f64 / all)
        .map(|share| share * share)
        .sum();
    Measured::new((observed - chance) / (1.0 - chance), items)
}
