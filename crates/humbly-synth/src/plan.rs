//! What a set should hold.

use std::str::FromStr;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Kind, Result, SynthError};

/// Shares of kept, insufficient and hard rows, as parts of any sum.
///
/// # Source
/// The default of 70/15/15 is ours: the paper's Table 11 is not in our copy.
///
/// # Examples
/// ```
/// let composition: humbly_synth::Composition = "2/1/1".parse()?;
/// assert_eq!(composition.of(10), [5, 3, 2]);
/// assert!("70/30".parse::<humbly_synth::Composition>().is_err());
/// # Ok::<(), humbly_synth::SynthError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Composition {
    /// Problems as they are.
    pub kept: u32,
    /// Variants whose data do not determine an answer.
    pub insufficient: u32,
    /// Variants beyond a model.
    pub hard: u32,
}

impl Default for Composition {
    fn default() -> Self {
        Self { kept: 70, insufficient: 15, hard: 15 }
    }
}

impl Composition {
    /// Kept, insufficient and hard rows among `rows`, by largest remainder.
    pub fn of(self, rows: usize) -> [usize; 3] {
        apportion(rows, [self.kept, self.insufficient, self.hard].map(|part| part as usize))
    }
}

impl FromStr for Composition {
    type Err = SynthError;

    fn from_str(text: &str) -> Result<Self> {
        let parts: Option<Vec<u32>> = text.split('/').map(|part| part.trim().parse().ok()).collect();
        match parts.as_deref() {
            Some([kept, insufficient, hard]) if [kept, insufficient, hard].iter().any(|part| **part > 0) => {
                Ok(Self { kept: *kept, insufficient: *insufficient, hard: *hard })
            }
            _ => Err(SynthError::Setting {
                name: "composition",
                found: text.to_owned(),
                expected: "kept/insufficient/hard as whole numbers, e.g. 70/15/15",
            }),
        }
    }
}

/// Kinds of variant that are asked for from one original; at most one of them enters the set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KindsAsked {
    /// One.
    #[default]
    One,
    /// Both: the rarer one is taken where both are verified. Twice the calls, for sets of few problems.
    Both,
}

/// What a set should hold and how it is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// Rows of the training split.
    pub train: usize,
    /// Rows of the validation split.
    pub validation: usize,
    /// Shares, the same in both splits.
    pub composition: Composition,
    /// Attempts at one variant, at most.
    pub tries: u32,
    /// Kinds asked for from one original.
    pub kinds: KindsAsked,
    /// Whether the validator is also asked whether a variant keeps field and style of its original.
    pub compares: bool,
    /// Seed of every draw.
    pub seed: u64,
}

/// 5,000 and 500 rows, five attempts (UA §5.1, C); shares and comparison are ours.
impl Default for Plan {
    fn default() -> Self {
        Self {
            train: 5_000,
            validation: 500,
            composition: Composition::default(),
            tries: 5,
            kinds: KindsAsked::One,
            compares: true,
            seed: 0,
        }
    }
}

impl Plan {
    /// Rows of both splits.
    pub fn rows(&self) -> usize {
        self.train.saturating_add(self.validation)
    }

    /// Kept, insufficient and hard rows of both splits.
    pub fn targets(&self) -> [usize; 3] {
        self.composition.of(self.rows())
    }

    /// Variants of a kind that are wanted.
    pub fn wanted(&self, kind: Kind) -> usize {
        let [_, insufficient, hard] = self.targets();
        match kind {
            Kind::Insufficient => insufficient,
            Kind::Hard => hard,
        }
    }

    /// Refuses a plan that cannot be kept with so many originals.
    ///
    /// # Errors
    /// [`SynthError::Setting`], [`SynthError::TooFewOriginals`].
    pub fn check(&self, originals: usize) -> Result<()> {
        let setting = |name, found: usize, expected| {
            Err(SynthError::Setting { name, found: found.to_string(), expected })
        };
        if self.rows() == 0 {
            return setting("train", 0, "at least one row in train and validation together");
        }
        if !(1..=100).contains(&self.tries) {
            return setting("tries", self.tries as usize, "1 to 100");
        }
        if originals < self.rows() {
            return Err(SynthError::TooFewOriginals { found: originals, wanted: self.rows() });
        }
        Ok(())
    }

    /// The originals in the order in which they are drawn.
    pub(crate) fn order(&self, originals: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..originals).collect();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(self.seed));
        order
    }

    /// How many of the rows that were made go to validation, by kept, insufficient and hard.
    pub(crate) fn validation_of(&self, made: [usize; 3]) -> [usize; 3] {
        let total: usize = made.iter().sum();
        let [validation, _] = apportion(total, [self.validation, self.train]);
        apportion(validation, made)
    }
}

/// `total` divided in the proportion of `weights`, by largest remainder; of equal ones the earlier.
fn apportion<const N: usize>(total: usize, weights: [usize; N]) -> [usize; N] {
    let sum: u128 = weights.iter().map(|weight| *weight as u128).sum();
    if sum == 0 {
        return [0; N];
    }
    let mut shares = [0; N];
    let mut remainders = Vec::with_capacity(N);
    for (index, (share, weight)) in shares.iter_mut().zip(weights).enumerate() {
        let product = total as u128 * weight as u128;
        // At most `total`.
        *share = usize::try_from(product / sum).unwrap_or(total);
        remainders.push((std::cmp::Reverse(product % sum), index));
    }
    remainders.sort_unstable();
    let missing = total - shares.iter().sum::<usize>();
    for (_, index) in remainders.into_iter().take(missing) {
        if let Some(share) = shares.get_mut(index) {
            *share += 1;
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_default_is_what_the_docs_say() {
        let plan = Plan::default();
        assert_eq!(plan.targets(), [3850, 825, 825]);
        assert_eq!(plan.validation_of(plan.targets()), [350, 75, 75]);
        assert_eq!(plan.validation_of([700, 0, 3]), [64, 0, 0]);
        assert_eq!(plan.validation_of([0, 0, 0]), [0, 0, 0]);
        assert!(plan.check(5_500).is_ok());
    }

    #[test]
    fn too_few_problems_are_refused_with_numbers() {
        let error = Plan::default().check(1_100).unwrap_err();
        assert_eq!(
            error.to_string(),
            "1100 problems can be used, expected at least 5500: an original gives one row at most"
        );
        assert!(error.hint().unwrap().contains("--train 780 --validation 100"), "{:?}", error.hint());
        for text in ["", "70", "a/b/c", "0/0/0", "70/15/15/0", "-1/1/1"] {
            assert!(text.parse::<Composition>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn shares_add_up_and_are_near(total in 0_usize..10_000, weights in [0_usize..90, 0_usize..90, 1_usize..90]) {
            let shares = apportion(total, weights);
            prop_assert_eq!(shares.iter().sum::<usize>(), total);
            let sum = weights.iter().sum::<usize>() as f64;
            for (share, weight) in shares.iter().zip(weights) {
                prop_assert!((*share as f64 - total as f64 * weight as f64 / sum).abs() < 1.0);
            }
        }
    }
}
