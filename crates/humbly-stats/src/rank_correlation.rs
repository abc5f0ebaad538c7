//! Spearman's ρ and Kendall's τ-b: is the accurate model also the humble one?

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::intervals::{BootstrapParams, Clusters, bootstrap_statistic};
use crate::{Measured, Reason, Result, Undefined, input};

/// Fewer models say nothing about an order.
pub const FEWEST_RANKED: usize = 5;

/// Two measures of how far two orders agree, each in `[-1, 1]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RankCorrelation {
    /// Spearman's ρ, ties by mid-rank.
    pub spearman: Measured,
    /// Kendall's τ-b.
    pub kendall: Measured,
}

/// Rank correlation of two columns of numbers, with percentile-bootstrap intervals over the rows.
///
/// # Shapes and units
/// - `first`, `second`: `[n]`, finite, in any unit: only their order counts.
///
/// # Errors
/// [`crate::StatsError::UnpairedLengths`], [`crate::StatsError::NotFinite`].
///
/// # Undefined
/// `too_few_samples` below [`FEWEST_RANKED`] rows; `zero_variance` where a column is constant. Resamples without an order
/// are left out of the interval.
///
/// # Source
/// Spearman (1904); Kendall (1945) for the correction of ties.
///
/// # Examples
/// ```
/// use humbly_stats::intervals::BootstrapParams;
/// use humbly_stats::rank_correlation::rank_correlation;
/// let found =
///     rank_correlation(&[1.0, 2.0, 3.0, 4.0, 5.0], &[1.0, 2.0, 4.0, 3.0, 5.0], &BootstrapParams::seeded(1))?;
/// assert!((found.spearman.value().unwrap() - 0.9).abs() < 1e-12);
/// assert!((found.kendall.value().unwrap() - 0.8).abs() < 1e-12);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn rank_correlation(first: &[f64], second: &[f64], params: &BootstrapParams) -> Result<RankCorrelation> {
    input::paired(first.len(), second.len())?;
    input::finite(first)?;
    input::finite(second)?;
    let n = first.len();
    let undefined = |reason: Undefined| {
        let number = Measured::undefined(reason).with_n(n);
        RankCorrelation { spearman: number.clone(), kendall: number }
    };
    if n < FEWEST_RANKED {
        let detail = format!("{n} rows, {FEWEST_RANKED} needed");
        return Ok(undefined(Undefined::with_detail(Reason::TooFewSamples, detail)));
    }
    let (Some(rho), Some(tau)) = (spearman(first, second), kendall(first, second)) else {
        return Ok(undefined(Undefined::new(Reason::ZeroVariance)));
    };
    let clusters = Clusters::independent(n)?;
    let resampled = |statistic: fn(&[f64], &[f64]) -> Option<f64>, value: f64| {
        let drawn = bootstrap_statistic(
            &clusters,
            params,
            || (Vec::new(), Vec::new()),
            |(one, two): &mut (Vec<f64>, Vec<f64>), rows| {
                one.clear();
                two.clear();
                one.extend(rows.iter().map(|&row| first[row as usize]));
                two.extend(rows.iter().map(|&row| second[row as usize]));
                statistic(one, two)
            },
        );
        drawn.attach(Measured::new(value, n))
    };
    Ok(RankCorrelation { spearman: resampled(spearman, rho), kendall: resampled(kendall, tau) })
}

/// Pearson's correlation of mid-ranks; `None` where a column is constant.
fn spearman(first: &[f64], second: &[f64]) -> Option<f64> {
    let (one, two) = (ranks(first), ranks(second));
    let middle = f64::midpoint(first.len() as f64, 1.0);
    let (mut both, mut ones, mut twos) = (0.0, 0.0, 0.0);
    for (one, two) in one.iter().zip(&two) {
        let (one, two) = (one - middle, two - middle);
        both += one * two;
        ones += one * one;
        twos += two * two;
    }
    (ones > 0.0 && twos > 0.0).then(|| (both / (ones * twos).sqrt()).clamp(-1.0, 1.0))
}

/// Ranks from 1, ties by their mean.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&one, &two| values[one].total_cmp(&values[two]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    #[expect(clippy::float_cmp, reason = "ties are exact")]
    for ties in order.chunk_by(|&one, &two| values[one] == values[two]) {
        let rank = start as f64 + f64::midpoint(ties.len() as f64, 1.0);
        for &row in ties {
            ranks[row] = rank;
        }
        start += ties.len();
    }
    ranks
}

/// τ-b; `None` where a column is constant.
fn kendall(first: &[f64], second: &[f64]) -> Option<f64> {
    let (mut agreeing, mut first_differ, mut second_differ) = (0_i64, 0_i64, 0_i64);
    let order = |a: f64, b: f64| a.partial_cmp(&b).map_or(0, |order| order as i64);
    for (row, (&one, &two)) in first.iter().zip(second).enumerate() {
        for (&other_one, &other_two) in first.iter().zip(second).skip(row + 1) {
            let (one, two) = (order(one, other_one), order(two, other_two));
            agreeing += one * two;
            first_differ += one.abs();
            second_differ += two.abs();
        }
    }
    let most = (first_differ as f64 * second_differ as f64).sqrt();
    (most > 0.0).then(|| agreeing as f64 / most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn both(first: &[f64], second: &[f64]) -> RankCorrelation {
        rank_correlation(first, second, &BootstrapParams::new(200, 0.95, 1).unwrap()).unwrap()
    }

    /// By hand: mid-ranks 1, 2.5, 2.5, 4, 5, 6 and 2, 1, 3.5, 3.5, 6, 5; 11 pairs agree and 2 do not, 14 differ in each column.
    #[test]
    fn ties_are_corrected() {
        let found = both(&[1.0, 2.0, 2.0, 3.0, 4.0, 5.0], &[2.0, 1.0, 3.0, 3.0, 5.0, 4.0]);
        assert!((found.spearman.value().unwrap() - 55.0 / 68.0).abs() < 1e-12);
        assert!((found.kendall.value().unwrap() - 9.0 / 14.0).abs() < 1e-12);
        assert!(found.spearman.interval.is_some());
    }

    #[test]
    fn four_models_have_no_order_and_a_constant_none_at_all() {
        let few = both(&[1.0, 2.0, 3.0, 4.0], &[1.0, 2.0, 3.0, 4.0]);
        assert_eq!(few.spearman.undefined_reason(), Some(Reason::TooFewSamples));
        let constant = both(&[1.0; 6], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(constant.kendall.undefined_reason(), Some(Reason::ZeroVariance));
    }

    #[test]
    fn columns_that_do_not_fit_are_errors() {
        let params = BootstrapParams::seeded(1);
        assert!(rank_correlation(&[1.0], &[], &params).is_err());
        assert!(rank_correlation(&[f64::NAN], &[1.0], &params).is_err());
    }

    proptest! {
        #[test]
        fn only_the_order_counts(values in prop::collection::vec(-9_i32..9, 5..12)) {
            let values: Vec<f64> = values.into_iter().map(f64::from).collect();
            let grown: Vec<f64> = values.iter().map(|value| value.exp()).collect();
            let second: Vec<f64> = (0..values.len()).map(|place| (place % 4) as f64).collect();
            let (one, two) = (both(&values, &second), both(&grown, &second));
            prop_assert_eq!(one.kendall.value(), two.kendall.value());
            prop_assert_eq!(one.spearman.value(), two.spearman.value());
        }
    }
}
