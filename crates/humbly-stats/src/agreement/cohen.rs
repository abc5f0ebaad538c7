//! Two raters who are not exchangeable.

use std::collections::BTreeMap;

use crate::{Measured, Reason, Result, Undefined, input};

/// Share of items to which both raters gave the same label.
///
/// # Shapes and units
/// - `first`, `second`: `[n]`; row `i` of both belongs to one item.
/// - returns: a rate in `[0, 1]` with its numerator.
///
/// # Errors
/// [`StatsError::UnpairedLengths`](crate::StatsError). Undefined (`no_samples`) when `n` is 0.
///
/// # Source
/// The `raw` column of the EH paper's Table 6.
///
/// # Examples
/// ```
/// use humbly_stats::agreement::raw_agreement;
/// assert_eq!(raw_agreement(&[1, 1, 0], &[1, 0, 0])?.numerator, Some(2));
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn raw_agreement<Label: Ord>(first: &[Label], second: &[Label]) -> Result<Measured> {
    input::paired(first.len(), second.len())?;
    let agreeing = first.iter().zip(second).filter(|(one, two)| one == two).count();
    Ok(Measured::proportion(agreeing, first.len()))
}

/// Cohen's κ: agreement of two raters beyond what their own label frequencies give by chance.
///
/// # Shapes and units
/// - `first`, `second`: `[n]`; row `i` of both belongs to one item.
/// - returns: at most 1; 0 is chance.
///
/// # Errors
/// [`StatsError::UnpairedLengths`](crate::StatsError). Undefined: `no_samples` when `n` is 0,
/// `chance_agreement_is_one` when both raters gave one and the same label throughout.
///
/// # Source
/// Cohen (1960); equals `sklearn.metrics.cohen_kappa_score`.
///
/// # Examples
/// ```
/// use humbly_stats::{Reason, agreement::cohen_kappa};
/// assert_eq!(cohen_kappa(&["a", "b"], &["a", "b"])?.value(), Some(1.0));
/// let constant = cohen_kappa(&[0, 0], &[0, 0])?;
/// assert_eq!(constant.undefined_reason(), Some(Reason::ChanceAgreementIsOne));
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn cohen_kappa<Label: Ord>(first: &[Label], second: &[Label]) -> Result<Measured> {
    let raw = raw_agreement(first, second)?;
    let (Some(observed), n) = (raw.value(), first.len()) else { return Ok(raw) };
    let mut frequencies: BTreeMap<&Label, (usize, usize)> = BTreeMap::new();
    for (one, two) in first.iter().zip(second) {
        frequencies.entry(one).or_default().0 += 1;
        frequencies.entry(two).or_default().1 += 1;
    }
    if frequencies.len() == 1 {
        let undefined = Undefined::new(Reason::ChanceAgreementIsOne);
        return Ok(Measured::undefined(undefined).with_n(n));
    }
    let size = n as f64;
    let chance: f64 = frequencies.values().map(|&(one, two)| one as f64 / size * (two as f64 / size)).sum();
    Ok(Measured::new((observed - chance) / (1.0 - chance), n))
}
