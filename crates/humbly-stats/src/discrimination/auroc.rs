//! Area under the ROC curve.

use super::concordance::Concordance;
use crate::{Measured, Reason, Result, Undefined, input};

/// Probability that a right answer carries a higher score than a wrong one, ties counting one half (AUROC).
///
/// # Shapes and units
/// - `scores`: `[n]`, finite, higher for more confident: probabilities, or anything that orders like them.
/// - `outcomes`: `[n]`, `true` where right.
/// - returns: a probability; 0.5 carries no information. A constant score gives exactly 0.5 with the note
///   `constant confidence`.
///
/// # Errors
/// [`StatsError::UnpairedLengths`](crate::StatsError), [`StatsError::NotFinite`](crate::StatsError).
/// Undefined: `no_samples` when `n` is 0, `one_class` when all answers are right or all are wrong.
///
/// # Source
/// Mann and Whitney (1947), mid-ranks for ties; equals `sklearn.metrics.roc_auc_score`; CAR §4.1.3. Pairs are counted in
/// integers, so the only rounding is that of one division.
///
/// # Examples
/// ```
/// use humbly_stats::discrimination::auroc;
/// assert_eq!(auroc(&[0.6, 0.6, 0.3], &[true, false, false])?.value(), Some(0.75));
/// assert_eq!(auroc(&[0.6, 0.6, 0.3], &[false, true, false])?.value(), Some(0.75));
/// assert_eq!(auroc(&[0.9, 0.9], &[true, false])?.note.as_deref(), Some("constant confidence"));
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn auroc(scores: &[f64], outcomes: &[bool]) -> Result<Measured> {
    input::paired(scores.len(), outcomes.len())?;
    let n = scores.len();
    let counted = Concordance::of(scores, outcomes)?;
    if n == 0 {
        return Ok(Measured::undefined(Undefined::new(Reason::NoSamples)));
    }
    if counted.right == 0 || counted.wrong == 0 {
        let detail = if counted.right == 0 { "every answer is wrong" } else { "every answer is right" };
        return Ok(Measured::undefined(Undefined::with_detail(Reason::OneClass, detail)).with_n(n));
    }
    let pairs = u128::from(counted.right) * u128::from(counted.wrong);
    let area = Measured::new(counted.twice_concordant as f64 / (2.0 * pairs as f64), n);
    Ok(if counted.is_constant { area.with_note("constant confidence") } else { area })
}
