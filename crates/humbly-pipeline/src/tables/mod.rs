//! Tables to statistics: `humbly stats`.
//!
//! Rows that lack a value are counted by reason and left out; nothing is guessed and nothing is clamped.

mod agreement;
mod attribution;
mod calibration;
mod compare;
mod groups;

pub use agreement::{AgreementColumns, AgreementResult, agreement};
pub use attribution::{AttributionColumns, AttributionGroup, attribution};
pub use calibration::{
    CalibrationColumns, CalibrationGroup, CalibrationOptions, CalibrationResult, ConfidenceScale, calibration,
};
pub use compare::{CompareColumns, Comparison, compare};
