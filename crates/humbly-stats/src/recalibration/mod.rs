//! Maps from a stated confidence to a better calibrated one.
//!
//! Fit on one part of the questions and apply to another: a map looks calibrated on the answers that it was
//! fitted to. No map of this module but the isotonic one can change AUROC, and that one only by making ties.

mod held_out;
mod isotonic;
mod platt;
mod temperature;

pub use held_out::{
    HalfScores, HeldOut, HeldOutParams, Recalibrated, RecalibrationMethod, recalibrate_held_out,
};
pub use isotonic::{IsotonicMap, fit_isotonic};
pub use platt::{PlattMap, fit_platt};
pub use temperature::{Temperature, fit_temperature};
