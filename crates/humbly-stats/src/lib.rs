//! Measured values with reasons, and the statistics of Humbly on plain slices.
//!
//! Layer 0: no files, no network, no clock. A value, undefined with a reason, and an error stay apart:
//! `Err` is a caller's mistake, [`Measured::undefined`] is data that do not determine the number.
//! Every random draw takes its seed from the caller, and no result depends on the number of threads.

pub mod abstention;
pub mod agreement;
pub mod attribution;
pub mod calibration;
pub mod classification;
pub mod comparison;
pub mod discrimination;
mod error;
pub mod hypothesis;
mod input;
pub mod intervals;
pub mod logistic;
mod measured;
mod quantiles;
mod random;
pub mod rank_correlation;
mod ranking;
pub mod recalibration;
pub mod selective;
pub mod utility;

pub use error::{Result, StatsError};
pub use input::outcomes_from_numbers;
pub use measured::{Interval, IntervalMethod, Measured, Reason, Undefined};
