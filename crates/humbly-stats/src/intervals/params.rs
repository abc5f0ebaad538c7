//! How to resample; checked once, when built.

use crate::{Result, StatsError, input};

/// Resamples, level and seed of a bootstrap.
///
/// # Examples
/// ```
/// use humbly_stats::intervals::BootstrapParams;
/// let params = BootstrapParams::seeded(7);
/// assert_eq!((params.resamples(), params.level(), params.seed()), (10_000, 0.95, 7));
/// assert!(BootstrapParams::new(0, 0.95, 7).is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BootstrapParams {
    resamples: u32,
    level: f64,
    seed: u64,
}

impl BootstrapParams {
    /// 10,000 resamples and a 95 % interval, as in the EH paper; the seed is the caller's.
    pub fn seeded(seed: u64) -> Self {
        Self { resamples: 10_000, level: 0.95, seed }
    }

    /// Other numbers than the defaults.
    ///
    /// # Errors
    /// [`StatsError::Parameter`] when `resamples` is 0 or `level` is not inside `(0, 1)`.
    pub fn new(resamples: u32, level: f64, seed: u64) -> Result<Self> {
        if resamples == 0 {
            return Err(StatsError::Parameter { name: "resamples", value: 0.0, expected: "at least 1" });
        }
        Ok(Self { resamples, level: input::open_unit("level", level)?, seed })
    }

    /// How many resamples are drawn.
    pub fn resamples(&self) -> u32 {
        self.resamples
    }

    /// The nominal level of the interval.
    pub fn level(&self) -> f64 {
        self.level
    }

    /// The seed, recorded in every interval.
    pub fn seed(&self) -> u64 {
        self.seed
    }
}
