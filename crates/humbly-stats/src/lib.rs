//! Measured values with reasons, and the statistics of Humbly on plain slices.
//!
//! Layer 0: no files, no network, no clock. A value, undefined with a reason, and an error stay apart:
//! `Err` is a caller's mistake, [`Measured::undefined`] is data that do not determine the number.

mod error;
mod measured;

pub use error::{Result, StatsError};
pub use measured::{Interval, IntervalMethod, Measured, Reason, Undefined};
