//! Counting concordant pairs by sorting, in parallel for large samples.
//!
//! A score becomes an integer that orders alike. In large samples the outcome goes into the lowest bit of a 63-bit
//! integer, and rows are first scattered into buckets by value, so that each bucket is sorted in the cache.

use std::ops::Range;

use rayon::prelude::*;

use crate::{Result, StatsError};

/// From here on a sample is worth splitting.
const LARGE: usize = 1 << 15;
/// Buckets of equal width over the range of the scores.
const BUCKETS: usize = 1 << 12;

/// Pairs of a wrong and a right answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Concordance {
    pub(super) right: u64,
    pub(super) wrong: u64,
    /// Twice the number of pairs in which the right answer scores higher, plus the tied ones.
    pub(super) twice_concordant: u128,
    pub(super) is_constant: bool,
}

impl Concordance {
    const NOTHING: Self = Self { right: 0, wrong: 0, twice_concordant: 0, is_constant: true };

    pub(super) fn of(scores: &[f64], outcomes: &[bool]) -> Result<Self> {
        if let Some(index) = first_not_finite(scores) {
            return Err(StatsError::NotFinite { index });
        }
        let is_constant = is_constant(scores);
        let packing = if scores.len() < LARGE { None } else { Packing::of(scores) };
        let mut counted = match packing {
            Some(packing) => of_many(scores, outcomes, packing),
            None => of_any(scores, outcomes),
        };
        counted.is_constant = is_constant;
        Ok(counted)
    }

    /// Appends answers that all score higher.
    fn then(self, above: Self) -> Self {
        Self {
            right: self.right + above.right,
            wrong: self.wrong + above.wrong,
            twice_concordant: self.twice_concordant
                + above.twice_concordant
                + 2 * u128::from(self.wrong) * u128::from(above.right),
            is_constant: false,
        }
    }

    /// Appends a group of ties, all scoring higher than what is there.
    fn push_ties(&mut self, wrong: u64, right: u64) {
        self.twice_concordant += u128::from(right) * u128::from(2 * self.wrong + wrong);
        self.wrong += wrong;
        self.right += right;
    }
}

#[expect(clippy::float_cmp, reason = "ties are exact")]
fn is_constant(scores: &[f64]) -> bool {
    scores.windows(2).all(|pair| pair[0] == pair[1])
}

fn first_not_finite(scores: &[f64]) -> Option<usize> {
    let chunk = LARGE.max(1);
    scores.par_chunks(chunk).enumerate().find_map_first(|(position, part)| {
        // Zero times a finite number is zero: one pass without a branch for the usual case.
        let total: f64 = part.iter().map(|score| score * 0.0).sum();
        if total == 0.0 {
            return None;
        }
        part.iter().position(|score| !score.is_finite()).map(|offset| position * chunk + offset)
    })
}

/// An integer that orders like a finite number; adding 0.0 makes −0.0 and 0.0 equal.
fn ordered(score: f64) -> u64 {
    let bits = (score + 0.0).to_bits();
    if bits >> 63 == 0 { bits | (1 << 63) } else { !bits }
}

fn of_any(scores: &[f64], outcomes: &[bool]) -> Concordance {
    let mut rows: Vec<(u64, bool)> =
        scores.iter().zip(outcomes).map(|(&score, &outcome)| (ordered(score), outcome)).collect();
    if rows.len() >= LARGE {
        rows.par_sort_unstable();
    } else {
        rows.sort_unstable();
    }
    let mut counted = Concordance::NOTHING;
    for ties in rows.chunk_by(|one, two| one.0 == two.0) {
        let right = ties.iter().filter(|&&(_, outcome)| outcome).count() as u64;
        counted.push_ties(ties.len() as u64 - right, right);
    }
    counted
}

/// How scores of a known range become packed keys and bucket numbers.
#[derive(Debug, Clone, Copy)]
struct Packing {
    lowest: f64,
    buckets_per_unit: f64,
}

impl Packing {
    /// Scores are scaled by this power of two, exactly, so that the highest exponent bit is free.
    const SHRINK: f64 = 1.0 / (1_u64 << 60) as f64;
    const LARGEST: f64 = (1_u64 << 60) as f64;
    /// Smaller numbers than this might lose bits when shrunk.
    const SMALLEST: f64 = 1e-250;

    /// `None` for scores whose magnitude leaves no bit free, or that are all equal.
    fn of(scores: &[f64]) -> Option<Self> {
        let start = (f64::INFINITY, f64::NEG_INFINITY, true);
        let join = |one: (f64, f64, bool), two: (f64, f64, bool)| {
            (one.0.min(two.0), one.1.max(two.1), one.2 && two.2)
        };
        let (lowest, highest, is_exact) = scores
            .par_chunks(LARGE)
            .map(|part| {
                part.iter().fold(start, |range, &score| {
                    let size = score.abs();
                    let is_exact = (Self::SMALLEST..Self::LARGEST).contains(&size) || size == 0.0;
                    join(range, (score, score, is_exact))
                })
            })
            .reduce(|| start, join);
        let buckets_per_unit = BUCKETS as f64 / (highest - lowest);
        (is_exact && buckets_per_unit.is_finite()).then_some(Self { lowest, buckets_per_unit })
    }

    /// Rising in the score, with the outcome in the lowest bit.
    fn key(score: f64, outcome: bool) -> u64 {
        const MIDDLE: u64 = 1 << 62;
        let magnitude = (score.abs() * Self::SHRINK).to_bits();
        let ordered = if score < 0.0 { MIDDLE - magnitude } else { MIDDLE + magnitude };
        (ordered << 1) | u64::from(outcome)
    }

    /// Rising in the score: a difference and a product keep order when they are rounded.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to the buckets")]
    fn bucket(self, score: f64) -> usize {
        (((score - self.lowest) * self.buckets_per_unit) as usize).min(BUCKETS - 1)
    }
}

/// One part of the rows, ordered by bucket.
struct Scattered {
    keys: Vec<u64>,
    starts: Vec<usize>,
}

impl Scattered {
    fn new(scores: &[f64], outcomes: &[bool], packing: Packing) -> Self {
        let mut starts = vec![0; BUCKETS + 1];
        for &score in scores {
            starts[packing.bucket(score) + 1] += 1;
        }
        for index in 1..=BUCKETS {
            starts[index] += starts[index - 1];
        }
        let mut next = starts.clone();
        let mut keys = vec![0; scores.len()];
        for (&score, &outcome) in scores.iter().zip(outcomes) {
            let position = &mut next[packing.bucket(score)];
            keys[*position] = Packing::key(score, outcome);
            *position += 1;
        }
        Self { keys, starts }
    }

    fn bucket(&self, index: usize) -> &[u64] {
        &self.keys[self.starts[index]..self.starts[index + 1]]
    }
}

fn of_many(scores: &[f64], outcomes: &[bool], packing: Packing) -> Concordance {
    let threads = rayon::current_num_threads().max(1);
    let part = scores.len().div_ceil(threads);
    let parts: Vec<Scattered> = scores
        .par_chunks(part)
        .zip(outcomes.par_chunks(part))
        .map(|(scores, outcomes)| Scattered::new(scores, outcomes, packing))
        .collect();
    let range = BUCKETS.div_ceil(8 * threads);
    let ranges: Vec<Range<usize>> =
        (0..BUCKETS).step_by(range).map(|start| start..(start + range).min(BUCKETS)).collect();
    ranges
        .into_par_iter()
        .map(|range| sorted_range(&parts, range))
        .collect::<Vec<_>>()
        .into_iter()
        .fold(Concordance::NOTHING, Concordance::then)
}

fn sorted_range(parts: &[Scattered], range: Range<usize>) -> Concordance {
    let mut counted = Concordance::NOTHING;
    let mut keys = Vec::new();
    for index in range {
        keys.clear();
        for part in parts {
            keys.extend_from_slice(part.bucket(index));
        }
        keys.sort_unstable();
        for ties in keys.chunk_by(|one, two| one >> 1 == two >> 1) {
            // Wrong answers sort before right ones of the same score.
            let wrong = ties.partition_point(|key| key & 1 == 0) as u64;
            counted.push_ties(wrong, ties.len() as u64 - wrong);
        }
    }
    counted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;
    use proptest::prelude::*;

    #[expect(clippy::float_cmp, reason = "ties are exact")]
    /// By definition, over all pairs.
    fn by_pairs(scores: &[f64], outcomes: &[bool]) -> u128 {
        let mut twice = 0;
        for (one, &right) in scores.iter().zip(outcomes) {
            for (two, &other) in scores.iter().zip(outcomes) {
                if right && !other {
                    twice += if one > two { 2 } else { u128::from(one == two) };
                }
            }
        }
        twice
    }

    proptest! {
        #[test]
        fn sorting_counts_what_the_definition_counts(
            rows in prop::collection::vec((0..12_i32, any::<bool>()), 0..60)
        ) {
            let scores: Vec<f64> = rows.iter().map(|row| f64::from(row.0 - 4) / 7.0).collect();
            let outcomes: Vec<bool> = rows.iter().map(|row| row.1).collect();
            let counted = Concordance::of(&scores, &outcomes).unwrap();
            prop_assert_eq!(counted.twice_concordant, by_pairs(&scores, &outcomes));
        }
    }

    #[test]
    fn both_paths_agree_on_a_large_sample_with_ties() {
        let mut stream = Stream::new(3, 0);
        let mut scores = Vec::new();
        let mut outcomes = Vec::new();
        for index in 0..100_000 {
            let bits = stream.next_u64();
            let unit = (bits >> 11) as f64 / (1_u64 << 53) as f64;
            scores.push(if index % 3 == 0 { (unit * 20.0).round() / 20.0 } else { unit });
            outcomes.push(bits.is_multiple_of(3));
        }
        scores[7] = -0.0;
        let log_odds: Vec<f64> = scores.iter().map(|score| 30.0 * (score - 0.6).powi(3)).collect();
        for scores in [scores, log_odds] {
            let packing = Packing::of(&scores).expect("ordinary magnitudes");
            let fast = of_many(&scores, &outcomes, packing);
            let plain = of_any(&scores, &outcomes);
            assert_eq!(
                (fast.twice_concordant, fast.right, fast.wrong),
                (plain.twice_concordant, plain.right, plain.wrong)
            );
        }
    }

    #[test]
    fn extreme_magnitudes_take_the_plain_path() {
        assert!(Packing::of(&[1e300, 0.5]).is_none());
        assert!(Packing::of(&[1e-300, 0.5]).is_none());
        assert!(Packing::of(&[0.5, 0.5]).is_none());
        assert!(Packing::of(&[-1e6, 0.0, 0.5]).is_some());
    }

    proptest! {
        #[test]
        fn keys_and_buckets_order_like_scores(one in -1e9..1e9_f64, two in -1e9..1e9_f64) {
            prop_assume!(one < two);
            prop_assert!(Packing::key(one, true) < Packing::key(two, false));
            let packing = Packing::of(&[-1e9, 1e9, one, two]).expect("ordinary magnitudes");
            prop_assert!(packing.bucket(one) <= packing.bucket(two));
        }
    }

    #[test]
    fn a_score_that_is_not_finite_is_refused_with_its_index() {
        let mut scores = vec![0.5; 70_000];
        scores[69_000] = f64::NAN;
        let outcomes = vec![true; 70_000];
        assert_eq!(Concordance::of(&scores, &outcomes), Err(StatsError::NotFinite { index: 69_000 }));
    }
}
