//! Calibration suites: questions for evidence tools and for verification tools (CAR §3.2, §4.1.3, §5.3).

mod build;
mod sets;

pub use build::{CalibrationParams, CalibrationSet, build_calibration};
pub use sets::{CALIBRATION_SETS, CalibrationSource, arithmetic_questions, calibration_source, starter_set};
