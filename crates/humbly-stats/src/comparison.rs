//! Two systems on questions: paired by id where ids match, never by looking at overlapping intervals.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Measured, Reason, Result, Undefined,
    hypothesis::{Counts, TestOutcome, mcnemar, paired_t, two_proportion_z, welch_t},
    input,
    intervals::{BootstrapParams, Clusters, mean, plain_mean},
};

/// How the two sets of scores were compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Design {
    /// By question, over the questions that both have.
    Paired,
    /// As independent samples: no question is shared.
    Independent,
}

/// Questions whose outcome differs, for scores that are outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Flips {
    /// Wrong in the first, right in the second.
    pub gained: u64,
    /// Right in the first, wrong in the second.
    pub lost: u64,
}

/// Scores of one system, one row an answer.
#[derive(Debug, Clone, Copy)]
pub struct Scores<'a, Id> {
    /// Question of each row; several rows of one question are averaged first.
    pub ids: &'a [Id],
    /// Score of each row; 0 and 1 throughout makes them outcomes.
    pub values: &'a [f64],
}

/// Two systems compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// Paired or independent.
    pub design: Design,
    /// Questions that both have.
    pub shared: u64,
    /// Questions of the first alone, left out of a paired comparison.
    pub only_first: u64,
    /// Questions of the second alone.
    pub only_second: u64,
    /// Mean of the first over the questions compared.
    pub first: Measured,
    /// Mean of the second.
    pub second: Measured,
    /// The effect: mean of second minus first, with the paired bootstrap interval (the test's own when independent).
    pub difference: Measured,
    /// `McNemar`'s exact test of paired outcomes, the paired t test of other paired scores, the two-proportion z or
    /// Welch's t test of independent ones; its own difference is first minus second.
    pub test: TestOutcome,
    /// Changed outcomes; `null` unless paired outcomes.
    pub flips: Option<Flips>,
}

/// Compares two systems by question where ids match, as independent samples where none does.
///
/// # Shapes and units
/// - `first`, `second`: ids `[n]` and scores `[n]`, finite, in one unit; the systems may have different questions.
/// - returns: means over the compared questions and their difference, second minus first, in that unit.
///
/// # Errors
/// [`StatsError::UnpairedLengths`](crate::StatsError), [`StatsError::NotFinite`](crate::StatsError). Undefined:
/// `no_samples` when a system has no rows; the tests as in [`crate::hypothesis`].
///
/// # Source
/// `McNemar` (1947); Efron and Tibshirani (1993) for the paired bootstrap.
///
/// # Examples
/// ```
/// use humbly_stats::comparison::{Scores, compare};
/// use humbly_stats::intervals::BootstrapParams;
/// let before = Scores { ids: &["a", "b", "c"], values: &[0.0, 1.0, 0.0] };
/// let after = Scores { ids: &["c", "a", "b"], values: &[1.0, 1.0, 1.0] };
/// let comparison = compare(&before, &after, &BootstrapParams::seeded(1))?;
/// assert_eq!(comparison.flips.map(|flips| (flips.gained, flips.lost)), Some((2, 0)));
/// assert!((comparison.difference.value().unwrap() - 2.0 / 3.0).abs() < 1e-12);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn compare<Id: Ord>(
    first: &Scores<'_, Id>,
    second: &Scores<'_, Id>,
    params: &BootstrapParams,
) -> Result<Comparison> {
    let (one, two) = (by_question(first)?, by_question(second)?);
    let shared: Vec<(f64, f64)> =
        one.iter().filter_map(|(id, &value)| two.get(id).map(|&other| (value, other))).collect();
    let (only_first, only_second) = (one.len() - shared.len(), two.len() - shared.len());
    let design = if shared.is_empty() { Design::Independent } else { Design::Paired };
    let (before, after): (Vec<f64>, Vec<f64>) = match design {
        Design::Paired => shared.iter().copied().unzip(),
        Design::Independent => (one.into_values().collect(), two.into_values().collect()),
    };
    let outcomes =
        (input::outcomes_from_numbers(&before).ok()).zip(input::outcomes_from_numbers(&after).ok());
    let measure = |values: &[f64]| mean(values, &Clusters::independent(values.len())?, params);
    let (test, flips) = match (design, &outcomes) {
        (Design::Paired, Some((one, two))) => {
            let test = mcnemar(one, two)?;
            let flips = Flips { gained: test.only_second as u64, lost: test.only_first as u64 };
            (test.exact, Some(flips))
        }
        (Design::Paired, None) => (paired_t(&before, &after)?, None),
        (Design::Independent, Some((one, two))) => {
            (two_proportion_z(Counts::of(one), Counts::of(two))?, None)
        }
        (Design::Independent, None) => (welch_t(&before, &after)?, None),
    };
    let difference = match design {
        Design::Paired => {
            let differences: Vec<f64> = shared.iter().map(|(one, two)| two - one).collect();
            plain_mean(&differences, &Clusters::independent(differences.len())?, params)?
        }
        Design::Independent => reversed(&test.difference),
    };
    Ok(Comparison {
        design,
        shared: shared.len() as u64,
        only_first: only_first as u64,
        only_second: only_second as u64,
        first: measure(&before)?,
        second: measure(&after)?,
        difference,
        test,
        flips,
    })
}

/// Mean score of each question.
fn by_question<'a, Id: Ord>(scores: &Scores<'a, Id>) -> Result<BTreeMap<&'a Id, f64>> {
    input::paired(scores.ids.len(), scores.values.len())?;
    input::finite(scores.values)?;
    let mut sums: BTreeMap<&Id, (f64, f64)> = BTreeMap::new();
    for (id, value) in scores.ids.iter().zip(scores.values) {
        let entry = sums.entry(id).or_default();
        entry.0 += value;
        entry.1 += 1.0;
    }
    Ok(sums.into_iter().map(|(id, (sum, n))| (id, sum / n)).collect())
}

/// The same difference with the samples exchanged.
fn reversed(difference: &Measured) -> Measured {
    let n = usize::try_from(difference.n).unwrap_or(usize::MAX);
    let Some(value) = difference.value() else {
        let undefined =
            difference.undefined_because().cloned().unwrap_or_else(|| Undefined::new(Reason::NoSamples));
        return Measured::undefined(undefined).with_n(n);
    };
    let mut reversed = Measured::new(-value, n);
    reversed.interval = difference.interval.clone().map(|mut interval| {
        (interval.low, interval.high) = (-interval.high, -interval.low);
        interval
    });
    reversed
}
