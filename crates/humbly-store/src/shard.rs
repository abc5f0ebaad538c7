//! One part of a run, for several machines.

use std::str::FromStr;

use crate::{Result, StoreError};

/// Part `index` of `count`, by the position of a sample in the plan.
///
/// # Examples
/// ```
/// use humbly_store::Shard;
/// let second: Shard = "2/4".parse()?;
/// assert!(second.holds(1) && second.holds(5) && !second.holds(0));
/// assert!("5/4".parse::<Shard>().is_err());
/// # Ok::<(), humbly_store::StoreError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    index: u64,
    count: u64,
}

impl Shard {
    /// The whole run.
    pub const WHOLE: Self = Self { index: 0, count: 1 };

    /// Whether the sample at this position (from 0) belongs to the shard.
    pub fn holds(self, position: u64) -> bool {
        position % self.count == self.index
    }
}

impl FromStr for Shard {
    type Err = StoreError;

    fn from_str(text: &str) -> Result<Self> {
        let parse = || {
            let (index, count) = text.split_once('/')?;
            let (index, count): (u64, u64) = (index.trim().parse().ok()?, count.trim().parse().ok()?);
            (index >= 1 && index <= count).then_some(Self { index: index - 1, count })
        };
        parse().ok_or_else(|| StoreError::Shard { text: text.to_owned() })
    }
}
