//! A small counter-based generator: each resample has its own stream, so threads cannot change a result.
//!
//! The state advances by a constant and each output is the folded 128-bit product of two affine images of
//! it (the construction of Wang Yi's `wyrand`, which passes `BigCrush` and `PractRand`). One multiplication
//! gives two 32-bit draws; a cryptographic stream would take most of the time of a bootstrap.

const STEP: u64 = 0xa076_1d64_78bd_642f;
const FOLD: u64 = 0xe703_7ed1_a0b4_28db;
/// Up to here 32-bit draws are uniform to better than one part in four thousand.
const LARGEST_NARROW: usize = 1 << 20;

/// Draws of one stream.
#[derive(Debug, Clone)]
pub(crate) struct Stream {
    state: u64,
}

impl Stream {
    /// Stream `index` of a seed; streams of one seed start at unrelated places.
    pub(crate) fn new(seed: u64, index: u64) -> Self {
        Self { state: scramble(scramble(seed).wrapping_add(index.wrapping_mul(0x9e37_79b9_7f4a_7c15))) }
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the halves of a product")]
    pub(crate) fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        let product = u128::from(self.state) * u128::from(self.state ^ FOLD);
        (product >> 64) as u64 ^ product as u64
    }

    /// Calls `visit` with `n` indices drawn with replacement from `0..n`.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a draw scaled to n is below n")]
    pub(crate) fn resample(&mut self, n: usize, mut visit: impl FnMut(usize)) {
        if n > LARGEST_NARROW {
            for _ in 0..n {
                visit(((u128::from(self.next_u64()) * n as u128) >> 64) as usize);
            }
            return;
        }
        for _ in 0..n / 2 {
            let [one, two] = self.pair_below(n as u64);
            visit(one);
            visit(two);
        }
        if n % 2 == 1 {
            visit(self.pair_below(n as u64)[0]);
        }
    }

    /// The sum of as many values as there are, drawn with replacement.
    #[inline]
    pub(crate) fn sum_of_resample(&mut self, values: &[f64]) -> f64 {
        let n = values.len();
        // Four sums: an addition need not wait for the one before it.
        let mut sums = [0.0; 4];
        if n > LARGEST_NARROW {
            self.resample(n, |index| sums[0] += values[index]);
            return sums[0];
        }
        for _ in 0..n / 4 {
            let [one, two] = self.pair_below(n as u64);
            let [three, four] = self.pair_below(n as u64);
            sums[0] += values[one];
            sums[1] += values[two];
            sums[2] += values[three];
            sums[3] += values[four];
        }
        for _ in 0..n % 4 {
            sums[0] += values[self.pair_below(n as u64)[0]];
        }
        (sums[0] + sums[1]) + (sums[2] + sums[3])
    }

    /// Two independent draws below `n`, which is small.
    #[inline]
    fn pair_below(&mut self, n: u64) -> [usize; 2] {
        let bits = self.next_u64();
        [(((bits & 0xffff_ffff) * n) >> 32) as usize, (((bits >> 32) * n) >> 32) as usize]
    }
}

/// The finaliser of `SplitMix64`.
fn scramble(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_uniform_over_odd_sizes() {
        for n in [3_usize, 7, 101] {
            let mut counts = vec![0_u32; n];
            let rounds = 200_000 / n;
            for round in 0..rounds {
                Stream::new(5, round as u64).resample(n, |index| counts[index] += 1);
            }
            let expected = rounds as f64;
            let chi_square: f64 =
                counts.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum();
            let freedom = (n - 1) as f64;
            assert!((chi_square - freedom).abs() < 4.0 * (2.0 * freedom).sqrt(), "n {n}: {chi_square}");
        }
    }

    #[test]
    fn wide_draws_stay_in_range() {
        let n = LARGEST_NARROW + 1;
        let mut largest = 0;
        Stream::new(1, 1).resample(n, |index| largest = largest.max(index));
        assert!(largest < n && largest > n - n / 1000);
    }

    #[test]
    fn streams_and_seeds_differ() {
        let first = |seed, index| Stream::new(seed, index).next_u64();
        assert_ne!(first(1, 0), first(1, 1));
        assert_ne!(first(1, 0), first(2, 0));
        assert_eq!(first(1, 0), first(1, 0));
    }
}
