//! Utility: scoring that does not punish honesty.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Measured, Result, StatsError,
    intervals::{BootstrapParams, Clusters, mean},
};

/// The penalties that every summary shows.
pub const PENALTIES: [f64; 3] = [1.0, 2.0, 4.0];

/// What became of one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Answered {
    /// The answer is right.
    Right,
    /// No answer, or the doubt was told to the user.
    Abstained,
    /// The answer is wrong and nothing warned of it.
    Wrong,
}

/// Mean utility under one penalty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Utility {
    /// What a wrong answer costs.
    pub penalty: f64,
    /// Mean of +1 right, 0 abstained, −penalty wrong.
    pub utility: Measured,
}

/// Mean utility: +1 for a right answer, 0 for an abstention, −k for a wrong answer.
///
/// Answering pays under penalty k when the chance of being right exceeds k / (1 + k).
///
/// # Shapes and units
/// - `answers`: `[n]`; `clusters`: the questions of the same rows.
/// - `penalty`: k, at least 0; [`PENALTIES`] are the usual ones.
/// - returns: utility a question in `[−k, 1]`, with its bootstrap interval.
///
/// # Errors
/// [`StatsError::UnpairedLengths`], [`StatsError::Parameter`] (`penalty`). Undefined (`no_samples`) when `n` is 0.
///
/// # Source
/// DESIGN §3.2; Kalai et al. (2025), arXiv:2509.04664, on explicit confidence targets.
///
/// # Examples
/// ```
/// use humbly_stats::utility::{Answered, utility};
/// use humbly_stats::intervals::{BootstrapParams, Clusters};
/// let answers = [Answered::Right, Answered::Wrong, Answered::Abstained, Answered::Right];
/// let result = utility(&answers, 4.0, &Clusters::independent(4)?, &BootstrapParams::seeded(1))?;
/// assert_eq!(result.utility.value(), Some(-0.5));
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn utility(
    answers: &[Answered],
    penalty: f64,
    clusters: &Clusters,
    params: &BootstrapParams,
) -> Result<Utility> {
    if !(penalty.is_finite() && penalty >= 0.0) {
        return Err(StatsError::Parameter {
            name: "penalty",
            value: penalty,
            expected: "a finite number, at least 0",
        });
    }
    let worth: Vec<f64> = answers
        .iter()
        .map(|answer| match answer {
            Answered::Right => 1.0,
            Answered::Abstained => 0.0,
            Answered::Wrong => -penalty,
        })
        .collect();
    Ok(Utility { penalty, utility: mean(&worth, clusters, params)? })
}

/// [`utility`] under each of [`PENALTIES`].
///
/// # Shapes and units
/// As [`utility`]; one row a penalty.
///
/// # Errors
/// As [`utility`].
///
/// # Source
/// As [`utility`].
///
/// # Examples
/// ```
/// use humbly_stats::utility::{Answered, utilities};
/// use humbly_stats::intervals::{BootstrapParams, Clusters};
/// let rows = utilities(&[Answered::Wrong; 2], &Clusters::independent(2)?, &BootstrapParams::seeded(1))?;
/// assert_eq!(rows.map(|row| row.utility.value()), [Some(-1.0), Some(-2.0), Some(-4.0)]);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn utilities(
    answers: &[Answered],
    clusters: &Clusters,
    params: &BootstrapParams,
) -> Result<[Utility; 3]> {
    let [low, middle, high] = PENALTIES;
    Ok([
        utility(answers, low, clusters, params)?,
        utility(answers, middle, clusters, params)?,
        utility(answers, high, clusters, params)?,
    ])
}
