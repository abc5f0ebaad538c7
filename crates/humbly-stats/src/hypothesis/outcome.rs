//! What a test returns.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Measured, Undefined};

/// Statistic, p value and estimated difference of one test; statistic and p are undefined together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestOutcome {
    /// Which test.
    pub test: TestKind,
    /// t, z, χ² or the smaller discordant count.
    pub statistic: Measured,
    /// Two-sided p.
    pub p: Measured,
    /// Degrees of freedom, for t tests.
    pub degrees_of_freedom: Option<f64>,
    /// The effect: first minus second, with its interval.
    pub difference: Measured,
}

/// The tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TestKind {
    /// Two proportions, pooled variance.
    TwoProportionZ,
    /// Fisher's exact test of a 2 × 2 table.
    FisherExact,
    /// Student's t of two independent samples with one variance.
    Student,
    /// Welch's t of two independent samples.
    Welch,
    /// Student's t of paired differences.
    PairedT,
    /// `McNemar`'s test by the binomial distribution.
    McNemarExact,
    /// `McNemar`'s test by χ² with continuity correction.
    McNemarChiSquare,
}

impl TestOutcome {
    /// A test without a value; the difference may still have one.
    pub(crate) fn undefined(test: TestKind, undefined: &Undefined, n: usize, difference: Measured) -> Self {
        let nothing = Measured::undefined(undefined.clone()).with_n(n);
        Self { test, statistic: nothing.clone(), p: nothing, degrees_of_freedom: None, difference }
    }

    /// Whether p is below `threshold`; `None` when there is no p.
    pub fn is_significant(&self, threshold: f64) -> Option<bool> {
        self.p.value().map(|p| p < threshold)
    }
}
