//! Isotonic regression.

use crate::{Reason, Result, Undefined, input};

/// A rising map through the points of an isotonic fit.
///
/// Between two fitted confidences it interpolates, below the lowest and above the highest it is flat. It may give
/// exactly 0 or 1, as confidences at the ends of small samples often do: log loss is then infinite.
#[derive(Debug, Clone, PartialEq)]
pub struct IsotonicMap {
    /// Confidence and fitted probability, both ascending.
    points: Vec<(f64, f64)>,
}

impl IsotonicMap {
    /// Confidence and fitted probability at each distinct confidence, ascending.
    pub fn points(&self) -> &[(f64, f64)] {
        &self.points
    }

    /// The recalibrated confidences.
    ///
    /// # Shapes and units
    /// - `confidences`: `[n]`, probabilities; returns `[n]`, probabilities, in the same order.
    ///
    /// # Errors
    /// [`StatsError::NotAProbability`](crate::StatsError).
    ///
    /// # Source
    /// As [`fit_isotonic`].
    ///
    /// # Examples
    /// See [`fit_isotonic`].
    pub fn apply(&self, confidences: &[f64]) -> Result<Vec<f64>> {
        input::probabilities(confidences)?;
        Ok(confidences.iter().map(|&confidence| self.at(confidence)).collect())
    }

    fn at(&self, confidence: f64) -> f64 {
        let above = self.points.partition_point(|point| point.0 < confidence);
        let right = self.points.get(above).or(self.points.last());
        let left = above.checked_sub(1).and_then(|index| self.points.get(index)).or(right);
        match (left, right) {
            (Some(&(x0, y0)), Some(&(x1, y1))) if x1 > x0 => y0 + (y1 - y0) * (confidence - x0) / (x1 - x0),
            (_, Some(&(_, y))) => y,
            // A map is never built without points.
            _ => confidence,
        }
    }
}

/// The rising step function of confidence with the smallest squared error (pool adjacent violators).
///
/// # Shapes and units
/// - `confidences`: `[n]`, probabilities; `outcomes`: `[n]`.
/// - returns: the map, or why there is none; time is that of sorting.
///
/// # Errors
/// [`StatsError::UnpairedLengths`](crate::StatsError), [`StatsError::NotAProbability`](crate::StatsError).
/// Undefined (`no_samples`) when `n` is 0.
///
/// # Source
/// Zadrozny and Elkan (2002); equals `sklearn.isotonic.IsotonicRegression(out_of_bounds="clip")`.
///
/// # Examples
/// ```
/// use humbly_stats::recalibration::fit_isotonic;
/// let map = fit_isotonic(&[0.2, 0.5, 0.6, 0.9], &[false, true, false, true])?.unwrap();
/// assert_eq!(map.apply(&[0.1, 0.55, 1.0])?, [0.0, 0.5, 1.0]);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn fit_isotonic(
    confidences: &[f64],
    outcomes: &[bool],
) -> Result<std::result::Result<IsotonicMap, Undefined>> {
    input::forecasts(confidences, outcomes)?;
    if confidences.is_empty() {
        return Ok(Err(Undefined::new(Reason::NoSamples)));
    }
    let mut rows: Vec<(f64, bool)> = confidences.iter().copied().zip(outcomes.iter().copied()).collect();
    rows.sort_by(|one, two| one.0.total_cmp(&two.0));
    let mut blocks: Vec<Block> = Vec::new();
    #[expect(clippy::float_cmp, reason = "ties are exact")]
    for ties in rows.chunk_by(|one, two| one.0 == two.0) {
        let right = ties.iter().filter(|row| row.1).count() as f64;
        let mut block = Block { confidences: vec![ties[0].0], right, n: ties.len() as f64 };
        while let Some(before) = blocks.pop_if(|before| before.mean() >= block.mean()) {
            block = before.pool(block);
        }
        blocks.push(block);
    }
    let points = blocks
        .iter()
        .flat_map(|block| block.confidences.iter().map(|&confidence| (confidence, block.mean())))
        .collect();
    Ok(Ok(IsotonicMap { points }))
}

/// Neighbouring confidences with one fitted value.
struct Block {
    confidences: Vec<f64>,
    right: f64,
    n: f64,
}

impl Block {
    fn mean(&self) -> f64 {
        self.right / self.n
    }

    fn pool(mut self, above: Self) -> Self {
        self.confidences.extend(above.confidences);
        self.right += above.right;
        self.n += above.n;
        self
    }
}
