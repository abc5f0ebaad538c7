//! Abstention: who refuses everything finds every unanswerable question, so recall never stands alone.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Measured, Reason, Result, Undefined, input, intervals::wilson_proportion};

/// What abstaining gained and what it cost, each a proportion with Wilson's 95 % interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Abstention {
    /// Share of the unanswerable questions that were abstained from.
    pub recall: Measured,
    /// Share of the abstentions that met an unanswerable question.
    pub precision: Measured,
    /// Share of the answerable questions that were abstained from: the price.
    pub false_abstention_rate: Measured,
    /// Share of all questions that were answered.
    pub coverage: Measured,
}

/// Recall, precision, false-abstention rate and coverage of abstentions.
///
/// # Shapes and units
/// - `abstained`, `answerable`: `[n]`, one row a question.
/// - returns: rates in `[0, 1]` with numerators.
///
/// # Errors
/// [`StatsError::UnpairedLengths`](crate::StatsError). Undefined: `no_samples` when `n` is 0; recall with
/// `no_unanswerable`; precision with `no_positives` when nobody abstained; false-abstention rate with `one_class`
/// when no question is answerable.
///
/// # Source
/// Wen et al. (2025), survey of abstention; the false-abstention rate is what a refusal of everything shows.
///
/// # Examples
/// ```
/// use humbly_stats::abstention::abstention;
/// let rates = abstention(&[true, true, true], &[true, true, false])?;
/// assert_eq!((rates.recall.value(), rates.coverage.value()), (Some(1.0), Some(0.0)));
/// assert_eq!(rates.false_abstention_rate.value(), Some(1.0));
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn abstention(abstained: &[bool], answerable: &[bool]) -> Result<Abstention> {
    input::paired(abstained.len(), answerable.len())?;
    let count = |wanted: (bool, bool)| {
        abstained.iter().zip(answerable).filter(|&(&one, &two)| (one, two) == wanted).count()
    };
    let (found, lost) = (count((true, false)), count((true, true)));
    let (missed, answered) = (count((false, false)), count((false, true)));
    let n = abstained.len();
    let rate = |numerator, denominator, reason| {
        if denominator == 0 {
            let reason = if n == 0 { Reason::NoSamples } else { reason };
            return Ok(Measured::undefined(Undefined::new(reason)));
        }
        wilson_proportion(numerator, denominator, 0.95)
    };
    Ok(Abstention {
        recall: rate(found, found + missed, Reason::NoUnanswerable)?,
        precision: rate(found, found + lost, Reason::NoPositives)?,
        false_abstention_rate: rate(lost, lost + answered, Reason::OneClass)?,
        coverage: rate(missed + answered, n, Reason::NoSamples)?,
    })
}
