//! Which bin a confidence falls into, and the reliability table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Measured, Reason, Result, StatsError, Undefined, input, intervals::wilson_proportion};

/// What happens to a confidence that lies on the edge of a bin; equal-mass bins have no fixed edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EdgeRule {
    /// `(low, high]`, with 0 in the first bin.
    #[default]
    RightClosed,
    /// `[low, high)`, with 1 in the last bin: `NumPy`'s `digitize` and `histogram`, RLCR's evaluation.
    LeftClosed,
    /// `(low, high]` and 0 in no bin: the released code of Guo et al. (2017). It still counts in `n`.
    Guo2017,
    /// Bins with about equal counts; equal confidences stay together, where their middle rank falls.
    EqualMass,
}

impl EdgeRule {
    /// The name used on the command line and in notes.
    pub fn name(self) -> &'static str {
        match self {
            Self::RightClosed => "right-closed",
            Self::LeftClosed => "left-closed",
            Self::Guo2017 => "guo2017",
            Self::EqualMass => "equal-mass",
        }
    }
}

/// A number of bins and an edge rule; 10 right-closed bins by default.
///
/// # Examples
/// ```
/// use humbly_stats::calibration::{Binning, EdgeRule};
/// assert_eq!(Binning::default().to_string(), "10 bins, right-closed");
/// assert_eq!(Binning::new(15, EdgeRule::Guo2017)?.bins(), 15);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Binning {
    bins: usize,
    edges: EdgeRule,
}

impl Default for Binning {
    fn default() -> Self {
        Self { bins: 10, edges: EdgeRule::RightClosed }
    }
}

impl std::fmt::Display for Binning {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} bins, {}", self.bins, self.edges.name())
    }
}

impl Binning {
    /// # Errors
    /// [`StatsError::NoBins`]; [`StatsError::Parameter`] above a million bins.
    pub fn new(bins: usize, edges: EdgeRule) -> Result<Self> {
        match bins {
            0 => Err(StatsError::NoBins),
            1..=1_000_000 => Ok(Self { bins, edges }),
            _ => {
                Err(StatsError::Parameter { name: "bins", value: bins as f64, expected: "at most 1,000,000" })
            }
        }
    }

    /// The number of bins.
    pub fn bins(&self) -> usize {
        self.bins
    }

    /// The edge rule.
    pub fn edges(&self) -> EdgeRule {
        self.edges
    }

    /// Edge `index` as `NumPy`'s `linspace(0, 1, bins + 1)` gives it: published numbers rest on its rounding.
    fn edge(&self, index: usize) -> f64 {
        if index == self.bins { 1.0 } else { index as f64 * (1.0 / self.bins as f64) }
    }

    /// The bin of each confidence; `None` for a confidence that the rule drops.
    pub(crate) fn assign(&self, confidences: &[f64]) -> Vec<Option<usize>> {
        match self.edges {
            EdgeRule::EqualMass => self.assign_by_rank(confidences),
            _ => confidences.iter().map(|&confidence| self.assign_one(confidence)).collect(),
        }
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the bins")]
    fn assign_one(&self, confidence: f64) -> Option<usize> {
        if confidence == 0.0 && self.edges == EdgeRule::Guo2017 {
            return None;
        }
        let last = self.bins - 1;
        // The guess is off by at most one, where a product rounds across an edge.
        let mut bin = ((confidence * self.bins as f64) as usize).min(last);
        if self.edges == EdgeRule::LeftClosed {
            while bin > 0 && confidence < self.edge(bin) {
                bin -= 1;
            }
            while bin < last && confidence >= self.edge(bin + 1) {
                bin += 1;
            }
        } else {
            while bin > 0 && confidence <= self.edge(bin) {
                bin -= 1;
            }
            while bin < last && confidence > self.edge(bin + 1) {
                bin += 1;
            }
        }
        Some(bin)
    }

    fn assign_by_rank(&self, confidences: &[f64]) -> Vec<Option<usize>> {
        let mut order: Vec<usize> = (0..confidences.len()).collect();
        order.sort_by(|&one, &two| confidences[one].total_cmp(&confidences[two]));
        let mut bins = vec![None; confidences.len()];
        let mut start = 0;
        #[expect(clippy::float_cmp, reason = "ties are exact")]
        for ties in order.chunk_by(|&one, &two| confidences[one] == confidences[two]) {
            let twice_middle = 2 * start + ties.len();
            for &row in ties {
                bins[row] = Some((twice_middle * self.bins / (2 * confidences.len())).min(self.bins - 1));
            }
            start += ties.len();
        }
        bins
    }

    /// The bin of each integer percent, by integer comparison.
    pub(crate) fn assign_percent(&self, percents: &[u8]) -> Vec<Option<usize>> {
        if self.edges == EdgeRule::EqualMass {
            let values: Vec<f64> = percents.iter().map(|&percent| f64::from(percent)).collect();
            return self.assign_by_rank(&values);
        }
        let one = |&percent: &u8| {
            let scaled = usize::from(percent) * self.bins;
            match self.edges {
                EdgeRule::LeftClosed => Some((scaled / 100).min(self.bins - 1)),
                EdgeRule::Guo2017 if percent == 0 => None,
                _ => Some(scaled.div_ceil(100).saturating_sub(1)),
            }
        };
        percents.iter().map(one).collect()
    }
}

/// Sums of one bin.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct BinSums {
    pub(crate) n: usize,
    pub(crate) confidence: f64,
    pub(crate) correct: usize,
}

impl BinSums {
    /// Mean confidence minus accuracy times the count.
    pub(crate) fn gap(&self) -> f64 {
        self.confidence - self.correct as f64
    }

    pub(crate) fn accuracy(&self) -> f64 {
        self.correct as f64 / self.n as f64
    }
}

pub(crate) fn sums(
    bins: usize,
    assignment: &[Option<usize>],
    confidences: &[f64],
    outcomes: &[bool],
) -> Vec<BinSums> {
    let mut sums = vec![BinSums::default(); bins];
    for ((&bin, &confidence), &outcome) in assignment.iter().zip(confidences).zip(outcomes) {
        if let Some(bin) = bin {
            sums[bin].n += 1;
            sums[bin].confidence += confidence;
            sums[bin].correct += usize::from(outcome);
        }
    }
    sums
}

/// One row of the reliability table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bin {
    /// Lower edge; the lowest confidence for equal-mass bins (`null` when such a bin is empty).
    pub low: Option<f64>,
    /// Upper edge; the highest confidence for equal-mass bins.
    pub high: Option<f64>,
    /// Confidences in the bin.
    pub n: u64,
    /// Their mean.
    pub confidence: Measured,
    /// The share of right answers, with Wilson's 95 % interval.
    pub accuracy: Measured,
}

/// The reliability table: mean confidence against accuracy for each bin.
///
/// # Shapes and units
/// - `confidences`: `[n]`, probabilities in `[0, 1]`, not percent; `outcomes`: `[n]`.
/// - returns: one row a bin, empty bins included, in ascending order.
///
/// # Errors
/// [`StatsError::UnpairedLengths`], [`StatsError::NotAProbability`]. Confidence and accuracy of an empty bin are
/// undefined (`no_samples`).
///
/// # Source
/// Guo et al. (2017), arXiv:1706.04599, §2; intervals: Wilson.
///
/// # Examples
/// ```
/// use humbly_stats::calibration::{Binning, reliability_bins};
/// let bins = reliability_bins(&[0.93, 1.0], &[true, false], &Binning::default())?;
/// assert_eq!(bins[9].accuracy.value(), Some(0.5));
/// assert_eq!((bins[0].n, bins[0].accuracy.value()), (0, None));
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn reliability_bins(confidences: &[f64], outcomes: &[bool], binning: &Binning) -> Result<Vec<Bin>> {
    input::forecasts(confidences, outcomes)?;
    rows(&binning.assign(confidences), confidences, outcomes, binning)
}

/// [`reliability_bins`] of integer percents, which are compared with the edges as integers.
///
/// # Shapes and units
/// - `percents`: `[n]`, integers in `0..=100`; `outcomes`: `[n]`.
/// - returns: as [`reliability_bins`], in probabilities.
///
/// # Errors
/// As [`reliability_bins`]; an integer above 100 is [`StatsError::NotAProbability`].
///
/// # Source
/// A convention of this crate: 70 is on the edge of 70, whatever 0.7 × 10 rounds to.
///
/// # Examples
/// ```
/// use humbly_stats::calibration::{Binning, reliability_bins_percent};
/// let bins = reliability_bins_percent(&[70, 71], &[true, false], &Binning::default())?;
/// assert_eq!((bins[6].n, bins[7].n), (1, 1));
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn reliability_bins_percent(percents: &[u8], outcomes: &[bool], binning: &Binning) -> Result<Vec<Bin>> {
    let confidences = from_percents(percents)?;
    input::paired(percents.len(), outcomes.len())?;
    rows(&binning.assign_percent(percents), &confidences, outcomes, binning)
}

pub(crate) fn from_percents(percents: &[u8]) -> Result<Vec<f64>> {
    let confidences: Vec<f64> = percents.iter().map(|&percent| f64::from(percent) / 100.0).collect();
    input::probabilities(&confidences)?;
    Ok(confidences)
}

fn rows(
    assignment: &[Option<usize>],
    confidences: &[f64],
    outcomes: &[bool],
    binning: &Binning,
) -> Result<Vec<Bin>> {
    let sums = sums(binning.bins, assignment, confidences, outcomes);
    let mut ranges: Vec<Option<(f64, f64)>> =
        (0..binning.bins).map(|bin| Some((binning.edge(bin), binning.edge(bin + 1)))).collect();
    if binning.edges == EdgeRule::EqualMass {
        ranges.fill(None);
        for (&bin, &confidence) in assignment.iter().zip(confidences) {
            let Some(bin) = bin else { continue };
            let (low, high) = ranges[bin].unwrap_or((confidence, confidence));
            ranges[bin] = Some((low.min(confidence), high.max(confidence)));
        }
    }
    let row = |(sums, range): (&BinSums, Option<(f64, f64)>)| {
        let confidence = if sums.n == 0 {
            Measured::undefined(Undefined::new(Reason::NoSamples))
        } else {
            Measured::new(sums.confidence / sums.n as f64, sums.n)
        };
        Ok(Bin {
            low: range.map(|(low, _)| low),
            high: range.map(|(_, high)| high),
            n: sums.n as u64,
            confidence,
            accuracy: wilson_proportion(sums.correct, sums.n, 0.95)?,
        })
    };
    sums.iter().zip(ranges).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rounded_products_do_not_cross_edges() {
        let right = Binning::default();
        let left = Binning::new(10, EdgeRule::LeftClosed).unwrap();
        // 0.3 lies below NumPy's edge 0.30000000000000004, which is what 3 × 0.1 is.
        assert_eq!((right.assign_one(0.3), left.assign_one(0.3)), (Some(2), Some(2)));
        assert_eq!((right.assign_one(0.1), left.assign_one(0.1)), (Some(0), Some(1)));
        assert_eq!((right.assign_one(1.0), left.assign_one(1.0)), (Some(9), Some(9)));
    }

    #[test]
    fn equal_mass_bins_share_rows_evenly_and_keep_ties() {
        let binning = Binning::new(2, EdgeRule::EqualMass).unwrap();
        assert_eq!(binning.assign(&[0.4, 0.1, 0.3, 0.2]), [Some(1), Some(0), Some(1), Some(0)]);
        assert_eq!(binning.assign(&[0.5, 0.5, 0.5]), [Some(1); 3]);
    }

    #[test]
    fn no_bins_is_an_error() {
        assert_eq!(Binning::new(0, EdgeRule::RightClosed), Err(StatsError::NoBins));
    }

    proptest! {
        #[test]
        fn each_confidence_lies_within_its_bin(confidence in 0.0..=1.0_f64, bins in 1..50_usize) {
            for edges in [EdgeRule::RightClosed, EdgeRule::LeftClosed] {
                let binning = Binning::new(bins, edges).unwrap();
                let bin = binning.assign_one(confidence).unwrap();
                prop_assert!(binning.edge(bin) <= confidence && confidence <= binning.edge(bin + 1));
            }
        }

        #[test]
        fn percents_and_fractions_agree_off_the_edges(percent in 0..=100_u8) {
            prop_assume!(percent % 10 != 0);
            let binning = Binning::default();
            prop_assert_eq!(
                binning.assign_percent(&[percent]),
                binning.assign(&[f64::from(percent) / 100.0])
            );
        }
    }
}
