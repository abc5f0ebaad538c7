//! Tests of proportions and of paired outcomes.

use statrs::function::{beta::checked_beta_reg, factorial::ln_factorial};

use super::{TestKind, TestOutcome};
use crate::{
    Interval, IntervalMethod, Measured, Reason, Result, StatsError, Undefined, intervals::wilson,
    quantiles::normal_two_sided,
};

const LEVEL: f64 = 0.95;

/// Successes among trials.
///
/// # Examples
/// ```
/// use humbly_stats::hypothesis::Counts;
/// assert_eq!(Counts::new(39, 100)?.rate(), Some(0.39));
/// assert!(Counts::new(3, 2).is_err());
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    successes: usize,
    trials: usize,
}

impl Counts {
    /// `successes` of `trials`.
    ///
    /// # Errors
    /// [`StatsError::MoreSuccessesThanTrials`].
    pub fn new(successes: usize, trials: usize) -> Result<Self> {
        if successes > trials {
            return Err(StatsError::MoreSuccessesThanTrials { successes, trials });
        }
        Ok(Self { successes, trials })
    }

    /// Counts the true outcomes.
    pub fn of(outcomes: &[bool]) -> Self {
        Self { successes: outcomes.iter().filter(|&&outcome| outcome).count(), trials: outcomes.len() }
    }

    /// Successes over trials, `None` without trials.
    pub fn rate(&self) -> Option<f64> {
        (self.trials > 0).then(|| self.successes as f64 / self.trials as f64)
    }
}

/// Two-proportion z test with pooled variance, two-sided.
///
/// # Shapes and units
/// - `first`, `second`: independent counts.
/// - returns: z, p, and the difference of the rates (first minus second) with Newcombe's 95 % interval.
///
/// # Errors
/// Undefined: `no_samples` when an arm has no trials, `zero_variance` when no trial or every trial of both
/// arms succeeded.
///
/// # Source
/// The test of the EH paper's Table 1; equals `statsmodels` `proportions_ztest`. The interval is method 10 of
/// Newcombe (1998).
///
/// # Examples
/// ```
/// use humbly_stats::{Reason, hypothesis::{Counts, two_proportion_z}};
/// let test = two_proportion_z(Counts::new(0, 50)?, Counts::new(7, 50)?)?;
/// assert!((test.statistic.value().unwrap() + 2.7435).abs() < 1e-4);
/// let none = two_proportion_z(Counts::new(0, 50)?, Counts::new(0, 50)?)?;
/// assert_eq!(none.p.undefined_reason(), Some(Reason::ZeroVariance));
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn two_proportion_z(first: Counts, second: Counts) -> Result<TestOutcome> {
    let test = TestKind::TwoProportionZ;
    let n = first.trials + second.trials;
    let difference = newcombe(first, second)?;
    let (Some(one), Some(two)) = (first.rate(), second.rate()) else {
        return Ok(TestOutcome::undefined(test, &Undefined::new(Reason::NoSamples), n, difference));
    };
    let successes = first.successes + second.successes;
    if successes == 0 || successes == n {
        return Ok(TestOutcome::undefined(test, &Undefined::new(Reason::ZeroVariance), n, difference));
    }
    let pooled = successes as f64 / n as f64;
    let error = (pooled * (1.0 - pooled) * (1.0 / first.trials as f64 + 1.0 / second.trials as f64)).sqrt();
    let z = (one - two) / error;
    Ok(TestOutcome {
        test,
        statistic: Measured::new(z, n),
        p: Measured::new(normal_two_sided(z), n),
        degrees_of_freedom: None,
        difference,
    })
}

/// Difference of two rates with Newcombe's interval.
fn newcombe(first: Counts, second: Counts) -> Result<Measured> {
    let n = first.trials + second.trials;
    let (Some(one), Some(two)) = (first.rate(), second.rate()) else {
        return Ok(Measured::undefined(Undefined::new(Reason::NoSamples)).with_n(n));
    };
    let measured = Measured::new(one - two, n);
    let (Ok(of_one), Ok(of_two)) =
        (wilson(first.successes, first.trials, LEVEL)?, wilson(second.successes, second.trials, LEVEL)?)
    else {
        return Ok(measured);
    };
    Ok(measured.with_interval(Interval {
        low: one - two - (one - of_one.low).hypot(of_two.high - two),
        high: one - two + (of_one.high - one).hypot(two - of_two.low),
        level: LEVEL,
        method: IntervalMethod::Newcombe,
        resamples: None,
        seed: None,
        clusters: None,
    }))
}

/// Fisher's exact test of two independent proportions, two-sided.
///
/// # Shapes and units
/// - `first`, `second`: independent counts.
/// - returns: p in `[0, 1]`, the probability of all tables with these margins that are no likelier than this one.
///
/// # Undefined
/// Undefined (`no_samples`) when neither arm has trials. A table whose margins allow one outcome only has p = 1.
///
/// # Source
/// Fisher (1922); equals `scipy.stats.fisher_exact`.
///
/// # Examples
/// ```
/// use humbly_stats::hypothesis::{Counts, fisher_exact};
/// let p = fisher_exact(Counts::new(39, 100)?, Counts::new(58, 100)?);
/// assert!((p.value().unwrap() - 0.010_692_029_71).abs() < 1e-10);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn fisher_exact(first: Counts, second: Counts) -> Measured {
    let n = first.trials + second.trials;
    if n == 0 {
        return Measured::undefined(Undefined::new(Reason::NoSamples));
    }
    let successes = first.successes + second.successes;
    let lowest = successes.saturating_sub(second.trials);
    let highest = successes.min(first.trials);
    let log_probability = |count: usize| {
        log_choose(first.trials, count) + log_choose(second.trials, successes - count)
            - log_choose(n, successes)
    };
    // Equal probabilities differ by rounding: SciPy's slack.
    let limit = log_probability(first.successes) + 1e-7;
    let p: f64 = (lowest..=highest)
        .map(log_probability)
        .filter(|&probability| probability <= limit)
        .map(f64::exp)
        .sum();
    Measured::new(p.min(1.0), n)
}

fn log_choose(n: usize, k: usize) -> f64 {
    ln_factorial(n as u64) - ln_factorial(k as u64) - ln_factorial((n - k) as u64)
}

/// Both forms of `McNemar`'s test, and the discordant pairs they rest on.
#[derive(Debug, Clone, PartialEq)]
pub struct McNemar {
    /// By the binomial distribution: for every n.
    pub exact: TestOutcome,
    /// By χ² with continuity correction: for comparison.
    pub chi_square: TestOutcome,
    /// Pairs in which only the first is true.
    pub only_first: usize,
    /// Pairs in which only the second is true.
    pub only_second: usize,
}

/// `McNemar`'s test of paired outcomes.
///
/// # Shapes and units
/// - `first`, `second`: `[n]`; row `i` of both belongs to one question.
/// - returns: the exact test (statistic: the smaller discordant count) and χ² with continuity correction; the
///   difference is the rate of the first minus that of the second.
///
/// # Errors
/// [`StatsError::UnpairedLengths`]. Undefined (`no_samples`) when `n` is 0. Without discordant pairs the exact p
/// is 1, with a note, and χ² is undefined (`zero_variance`).
///
/// # Source
/// `McNemar` (1947); equals `statsmodels` `mcnemar`.
///
/// # Examples
/// ```
/// use humbly_stats::hypothesis::mcnemar;
/// let test = mcnemar(&[true, true, false, true], &[false, false, false, true])?;
/// assert_eq!((test.only_first, test.only_second), (2, 0));
/// assert!((test.exact.p.value().unwrap() - 0.5).abs() < 1e-12);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn mcnemar(first: &[bool], second: &[bool]) -> Result<McNemar> {
    crate::input::paired(first.len(), second.len())?;
    let count =
        |wanted: (bool, bool)| first.iter().zip(second).filter(|&(&one, &two)| (one, two) == wanted).count();
    let (only_first, only_second) = (count((true, false)), count((false, true)));
    let n = first.len();
    let difference = if n == 0 {
        Measured::undefined(Undefined::new(Reason::NoSamples))
    } else {
        let gap = Counts::of(first).successes as f64 - Counts::of(second).successes as f64;
        Measured::new(gap / n as f64, n)
    };
    Ok(McNemar {
        exact: mcnemar_exact(only_first, only_second, n, difference.clone()),
        chi_square: mcnemar_chi_square(only_first, only_second, n, difference),
        only_first,
        only_second,
    })
}

fn mcnemar_exact(only_first: usize, only_second: usize, n: usize, difference: Measured) -> TestOutcome {
    let test = TestKind::McNemarExact;
    if n == 0 {
        return TestOutcome::undefined(test, &Undefined::new(Reason::NoSamples), n, difference);
    }
    let smaller = only_first.min(only_second) as f64;
    let discordant = (only_first + only_second) as f64;
    let statistic = Measured::new(smaller, n);
    let p = if discordant > 0.0 {
        // The binomial distribution function at one half is an incomplete beta function.
        let tail = checked_beta_reg(discordant - smaller, smaller + 1.0, 0.5).unwrap_or(f64::NAN);
        Measured::new((2.0 * tail).min(1.0), n)
    } else {
        Measured::new(1.0, n).with_note("no discordant pairs")
    };
    TestOutcome { test, statistic, p, degrees_of_freedom: None, difference }
}

fn mcnemar_chi_square(only_first: usize, only_second: usize, n: usize, difference: Measured) -> TestOutcome {
    let test = TestKind::McNemarChiSquare;
    let discordant = only_first + only_second;
    if discordant == 0 {
        let reason = if n == 0 { Reason::NoSamples } else { Reason::ZeroVariance };
        let undefined = Undefined::with_detail(reason, "no discordant pairs");
        return TestOutcome::undefined(test, &undefined, n, difference);
    }
    let gap = (only_first.abs_diff(only_second) as f64 - 1.0).abs();
    let statistic = gap * gap / discordant as f64;
    TestOutcome {
        test,
        statistic: Measured::new(statistic, n),
        p: Measured::new(normal_two_sided(statistic.sqrt()), n),
        degrees_of_freedom: Some(1.0),
        difference,
    }
}
