//! Intervals: Wilson for proportions, seeded percentile bootstrap for everything else.
//!
//! One question asked several times is one cluster: whole clusters are resampled, and the interval
//! says how many there were. An interval that does not exist is an [`Undefined`](crate::Undefined), not a
//! degenerate pair of numbers.

mod bootstrap;
mod clusters;
mod estimates;
mod params;
mod wilson;

pub use bootstrap::{Resampled, bootstrap_mean, bootstrap_statistic};
pub use clusters::Clusters;
pub(crate) use estimates::plain_mean;
pub use estimates::{ProportionInterval, mean, proportion};
pub use params::BootstrapParams;
pub use wilson::{IntervalOutcome, wilson, wilson_proportion};
