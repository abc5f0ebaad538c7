//! Adjusted p values for a family of tests.

use crate::{Measured, Result, input};

/// Positions of `p` in ascending order; equal values keep their order.
fn ascending(p: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&one, &two| p[one].total_cmp(&p[two]));
    order
}

/// Holm's adjusted p values: control of the chance of any false rejection, under any dependence.
///
/// # Shapes and units
/// - `p`: `[m]`, raw p values in `[0, 1]`.
/// - returns: `[m]`, adjusted p values in the order of `p`, at least the raw ones and at most 1.
///
/// # Errors
/// [`StatsError::NotAProbability`](crate::StatsError). An empty family has no adjusted values.
///
/// # Source
/// Holm (1979); equals `statsmodels` `multipletests(method="holm")`.
///
/// # Examples
/// ```
/// use humbly_stats::hypothesis::holm;
/// assert_eq!(holm(&[0.02, 0.01])?, [0.02, 0.02]);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn holm(p: &[f64]) -> Result<Vec<f64>> {
    input::probabilities(p)?;
    let mut adjusted = vec![0.0; p.len()];
    let mut floor: f64 = 0.0;
    for (rank, position) in ascending(p).into_iter().enumerate() {
        floor = floor.max(p[position] * (p.len() - rank) as f64).min(1.0);
        adjusted[position] = floor;
    }
    Ok(adjusted)
}

/// [`holm`] over the tests that have a p; the others stay undefined and do not count as members of the family.
///
/// # Shapes and units
/// - `p`: `[m]`, measured p values.
/// - returns: `[m]`, adjusted where there was a value, with the family's size in the note.
///
/// # Errors
/// [`StatsError::NotAProbability`](crate::StatsError) with the index among the defined values.
///
/// # Source
/// As [`holm`].
///
/// # Examples
/// ```
/// use humbly_stats::{Measured, Reason, Undefined, hypothesis::holm_measured};
/// let raw = [Measured::new(0.02, 9), Measured::undefined(Undefined::new(Reason::ZeroVariance))];
/// let adjusted = holm_measured(&raw)?;
/// assert_eq!((adjusted[0].value(), adjusted[1].value()), (Some(0.02), None));
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn holm_measured(p: &[Measured]) -> Result<Vec<Measured>> {
    let defined: Vec<f64> = p.iter().filter_map(Measured::value).collect();
    let note = format!("Holm over {} tests", defined.len());
    let mut adjusted = holm(&defined)?.into_iter();
    let one = |raw: &Measured| match raw.value().and_then(|_| adjusted.next()) {
        Some(value) => {
            Measured::new(value, usize::try_from(raw.n).unwrap_or(usize::MAX)).with_note(note.clone())
        }
        None => raw.clone(),
    };
    Ok(p.iter().map(one).collect())
}

/// Benjamini and Hochberg's adjusted p values: control of the false discovery rate.
///
/// # Shapes and units
/// As [`holm`].
///
/// # Errors
/// As [`holm`].
///
/// # Source
/// Benjamini and Hochberg (1995); equals `statsmodels` `multipletests(method="fdr_bh")`.
///
/// # Examples
/// ```
/// use humbly_stats::hypothesis::benjamini_hochberg;
/// assert_eq!(benjamini_hochberg(&[0.02, 0.01])?, [0.02, 0.02]);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn benjamini_hochberg(p: &[f64]) -> Result<Vec<f64>> {
    input::probabilities(p)?;
    let mut adjusted = vec![0.0; p.len()];
    let mut ceiling: f64 = 1.0;
    for (rank, position) in ascending(p).into_iter().enumerate().rev() {
        ceiling = ceiling.min(p[position] * p.len() as f64 / (rank + 1) as f64);
        adjusted[position] = ceiling;
    }
    Ok(adjusted)
}
