//! Counting concordant pairs by sorting, in parallel for large samples.
//!
//! A score becomes an integer that orders alike, with the outcome in its lowest bit where that is free. Large samples of probabilities are first
//! scattered into buckets by value, so that each bucket is sorted in the cache.

use std::ops::Range;

use rayon::prelude::*;

use crate::{Result, StatsError};

/// From here on a sample is worth splitting.
const LARGE: usize = 1 << 15;
/// Buckets of equal width over `[0, 1]`; a power of two, so that scaling is exact.
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
        let are_probabilities = scores.len() < LARGE || scores.par_chunks(LARGE).all(within_unit);
        let mut counted = if scores.len() >= LARGE && are_probabilities {
            of_many_probabilities(scores, outcomes)
        } else {
            of_any(scores, outcomes)
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

fn within_unit(scores: &[f64]) -> bool {
    scores.iter().all(|score| (0.0..=1.0).contains(score))
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

/// A probability's bits leave the two highest free: shifted, they make room for the outcome.
fn packed(score: f64, outcome: bool) -> u64 {
    ((score + 0.0).to_bits() << 1) | u64::from(outcome)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a probability times the buckets"
)]
fn bucket(score: f64) -> usize {
    ((score * BUCKETS as f64) as usize).min(BUCKETS - 1)
}

/// One part of the rows, ordered by bucket.
struct Scattered {
    keys: Vec<u64>,
    starts: Vec<usize>,
}

impl Scattered {
    fn new(scores: &[f64], outcomes: &[bool]) -> Self {
        let mut starts = vec![0; BUCKETS + 1];
        for &score in scores {
            starts[bucket(score) + 1] += 1;
        }
        for index in 1..=BUCKETS {
            starts[index] += starts[index - 1];
        }
        let mut next = starts.clone();
        let mut keys = vec![0; scores.len()];
        for (&score, &outcome) in scores.iter().zip(outcomes) {
            let position = &mut next[bucket(score)];
            keys[*position] = packed(score, outcome);
            *position += 1;
        }
        Self { keys, starts }
    }

    fn bucket(&self, index: usize) -> &[u64] {
        &self.keys[self.starts[index]..self.starts[index + 1]]
    }
}

fn of_many_probabilities(scores: &[f64], outcomes: &[bool]) -> Concordance {
    let threads = rayon::current_num_threads().max(1);
    let part = scores.len().div_ceil(threads);
    let parts: Vec<Scattered> = scores
        .par_chunks(part)
        .zip(outcomes.par_chunks(part))
        .map(|(scores, outcomes)| Scattered::new(scores, outcomes))
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
        let fast = of_many_probabilities(&scores, &outcomes);
        let plain = of_any(&scores, &outcomes);
        assert_eq!(
            (fast.twice_concordant, fast.right, fast.wrong),
            (plain.twice_concordant, plain.right, plain.wrong)
        );
    }

    #[test]
    fn a_score_that_is_not_finite_is_refused_with_its_index() {
        let mut scores = vec![0.5; 70_000];
        scores[69_000] = f64::NAN;
        let outcomes = vec![true; 70_000];
        assert_eq!(Concordance::of(&scores, &outcomes), Err(StatsError::NotFinite { index: 69_000 }));
    }
}
