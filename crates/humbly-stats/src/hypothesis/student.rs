//! The t tests.
//!
//! Values that are equal up to rounding count as equal: libraries return t near 10¹⁵ there, which is the
//! rounding error of the inputs and no evidence.

use super::{TestKind, TestOutcome};
use crate::{
    Interval, IntervalMethod, Measured, Reason, Result, Undefined, input,
    quantiles::{student_critical, student_two_sided},
};

const LEVEL: f64 = 0.95;

/// Size, mean and sum of squares about the mean of one sample.
struct Moments {
    n: f64,
    mean: f64,
    squares: f64,
}

impl Moments {
    /// `magnitude` is the size of the numbers whose rounding errors the values carry.
    fn of(values: &[f64], magnitude: f64) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let spread = values.iter().map(|value| (value - mean).abs()).fold(0.0, f64::max);
        let squares = if spread <= 8.0 * f64::EPSILON * magnitude {
            0.0
        } else {
            values.iter().map(|value| (value - mean).powi(2)).sum()
        };
        Self { n, mean, squares }
    }

    fn variance(&self) -> f64 {
        self.squares / (self.n - 1.0)
    }
}

fn magnitude(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()))
}

/// Closes a test: a t statistic with its p and the interval of the difference.
fn conclude(test: TestKind, difference: f64, error: f64, freedom: f64, n: usize) -> TestOutcome {
    let estimate = Measured::new(difference, n);
    if error <= 0.0 {
        let undefined = Undefined::new(Reason::ZeroVariance);
        return TestOutcome::undefined(test, &undefined, n, estimate);
    }
    let t = difference / error;
    let (Some(p), Some(critical)) = (student_two_sided(t, freedom), student_critical(LEVEL, freedom)) else {
        return TestOutcome::undefined(test, &Undefined::new(Reason::NotFinite), n, estimate);
    };
    let interval = Interval {
        low: difference - critical * error,
        high: difference + critical * error,
        level: LEVEL,
        method: IntervalMethod::Analytic,
        resamples: None,
        seed: None,
        clusters: None,
    };
    TestOutcome {
        test,
        statistic: Measured::new(t, n),
        p: Measured::new(p, n),
        degrees_of_freedom: Some(freedom),
        difference: estimate.with_interval(interval),
    }
}

/// Both samples, or the undefined outcome of a test that lacks observations.
fn samples(
    test: TestKind,
    first: &[f64],
    second: &[f64],
    enough: bool,
) -> Result<std::result::Result<(Moments, Moments), TestOutcome>> {
    input::finite(first)?;
    input::finite(second)?;
    let n = first.len() + second.len();
    if first.is_empty() || second.is_empty() {
        let undefined = Undefined::new(Reason::NoSamples);
        let difference = Measured::undefined(undefined.clone()).with_n(n);
        return Ok(Err(TestOutcome::undefined(test, &undefined, n, difference)));
    }
    let moments = (Moments::of(first, magnitude(first)), Moments::of(second, magnitude(second)));
    if !enough {
        let detail = format!("{} and {} observations", first.len(), second.len());
        let undefined = Undefined::with_detail(Reason::TooFewSamples, detail);
        let difference = Measured::new(moments.0.mean - moments.1.mean, n);
        return Ok(Err(TestOutcome::undefined(test, &undefined, n, difference)));
    }
    Ok(Ok(moments))
}

/// Welch's t test of two independent samples, two-sided.
///
/// # Shapes and units
/// - `first`, `second`: `[m]` and `[k]`, finite, in one unit.
/// - returns: t, p, Welch–Satterthwaite degrees of freedom, and the difference of means (first minus second)
///   with its 95 % interval.
///
/// # Errors
/// [`StatsError::NotFinite`](crate::StatsError). Undefined: `no_samples` when a sample is empty,
/// `too_few_samples` when one has a single observation, `zero_variance` when both are constant.
///
/// # Source
/// Welch (1947); equals `scipy.stats.ttest_ind(equal_var=False)`. The EH paper uses it for MoNaCo similarity.
///
/// # Examples
/// ```
/// use humbly_stats::hypothesis::welch_t;
/// let test = welch_t(&[0.91, 0.88, 0.95, 0.79, 0.86, 0.93], &[0.97, 0.96, 0.99, 0.95])?;
/// assert!((test.p.value().unwrap() - 0.016_865_901_07).abs() < 1e-10);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn welch_t(first: &[f64], second: &[f64]) -> Result<TestOutcome> {
    let enough = first.len() >= 2 && second.len() >= 2;
    let (one, two) = match samples(TestKind::Welch, first, second, enough)? {
        Ok(samples) => samples,
        Err(outcome) => return Ok(outcome),
    };
    let (of_one, of_two) = (one.variance() / one.n, two.variance() / two.n);
    let freedom =
        (of_one + of_two).powi(2) / (of_one.powi(2) / (one.n - 1.0) + of_two.powi(2) / (two.n - 1.0));
    let error = (of_one + of_two).sqrt();
    Ok(conclude(TestKind::Welch, one.mean - two.mean, error, freedom, first.len() + second.len()))
}

/// Student's t test of two independent samples with one variance, two-sided.
///
/// # Shapes and units
/// As [`welch_t`]; degrees of freedom are `m + k − 2`.
///
/// # Errors
/// As [`welch_t`], but `too_few_samples` only when both samples together have two observations.
///
/// # Source
/// Student (1908); equals `scipy.stats.ttest_ind`. The CAR paper compares MCIP with it although its questions
/// are paired: prefer [`paired_t`].
///
/// # Examples
/// ```
/// use humbly_stats::hypothesis::student_t;
/// let test = student_t(&[1.0, 2.0, 3.0], &[2.0, 3.0, 4.0])?;
/// assert!((test.statistic.value().unwrap() + 1.224_744_871).abs() < 1e-9);
/// assert_eq!(test.degrees_of_freedom, Some(4.0));
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn student_t(first: &[f64], second: &[f64]) -> Result<TestOutcome> {
    let enough = first.len() + second.len() >= 3;
    let (one, two) = match samples(TestKind::Student, first, second, enough)? {
        Ok(samples) => samples,
        Err(outcome) => return Ok(outcome),
    };
    let freedom = one.n + two.n - 2.0;
    let pooled = (one.squares + two.squares) / freedom;
    let error = (pooled * (1.0 / one.n + 1.0 / two.n)).sqrt();
    Ok(conclude(TestKind::Student, one.mean - two.mean, error, freedom, first.len() + second.len()))
}

/// Student's t test of paired differences, two-sided.
///
/// # Shapes and units
/// - `first`, `second`: `[n]`, finite, in one unit; row `i` of both belongs to one question.
/// - returns: t, p, `n − 1` degrees of freedom, and the mean difference with its 95 % interval.
///
/// # Errors
/// [`StatsError::UnpairedLengths`](crate::StatsError), [`StatsError::NotFinite`](crate::StatsError).
/// Undefined: `no_samples`, `too_few_samples` (one pair), `zero_variance` (all differences equal up to rounding).
///
/// # Source
/// Student (1908); equals `scipy.stats.ttest_rel`.
///
/// # Examples
/// ```
/// use humbly_stats::{Reason, hypothesis::paired_t};
/// let test = paired_t(&[0.9, 0.8, 0.95, 0.7, 0.88], &[0.85, 0.82, 0.9, 0.72, 0.7])?;
/// assert!((test.p.value().unwrap() - 0.259_072_678_8).abs() < 1e-9);
/// let same = paired_t(&[0.9, 0.8], &[0.9, 0.8])?;
/// assert_eq!(same.p.undefined_reason(), Some(Reason::ZeroVariance));
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn paired_t(first: &[f64], second: &[f64]) -> Result<TestOutcome> {
    input::paired(first.len(), second.len())?;
    input::finite(first)?;
    input::finite(second)?;
    let n = first.len();
    if n == 0 {
        let undefined = Undefined::new(Reason::NoSamples);
        let difference = Measured::undefined(undefined.clone());
        return Ok(TestOutcome::undefined(TestKind::PairedT, &undefined, 0, difference));
    }
    let differences: Vec<f64> = first.iter().zip(second).map(|(one, two)| one - two).collect();
    let moments = Moments::of(&differences, magnitude(first).max(magnitude(second)));
    if n == 1 {
        let undefined = Undefined::with_detail(Reason::TooFewSamples, "one pair");
        let difference = Measured::new(moments.mean, 1);
        return Ok(TestOutcome::undefined(TestKind::PairedT, &undefined, 1, difference));
    }
    let error = (moments.variance() / moments.n).sqrt();
    Ok(conclude(TestKind::PairedT, moments.mean, error, moments.n - 1.0, n))
}
