//! Calibration of stated confidences: how far they are from how often the answers are right.
//!
//! All functions take probabilities in `[0, 1]` and refuse anything else with the index; percents are converted
//! by the caller or binned as integers. The rule that puts a confidence on an edge into a bin is part of the
//! result. Where we differ from the papers:
//! 1. CAR (§4.1.3) says ECE with 10 bins and no edge rule: ours is right-closed unless told otherwise.
//! 2. CAR compares MCIP of the same questions with independent t tests: [`mcip_common`] pairs them and shows
//!    the independent ones beside.

mod binning;
mod brier;
mod by_source;
mod collapse;
mod debiased;
mod error;
mod log_loss;
mod mcip;
mod mcip_common;
mod rms;
mod smooth;
mod summary;

pub use binning::{Bin, Binning, EdgeRule, reliability_bins, reliability_bins_percent};
pub use brier::{BrierDecomposition, brier_decomposition, brier_score};
pub use by_source::{BySource, calibration_by_source};
pub use collapse::{Collapse, confidence_collapse};
pub use debiased::{debiased_calibration_error, debiased_squared_calibration_error};
pub use error::{expected_calibration_error, expected_calibration_error_percent, maximum_calibration_error};
pub use log_loss::log_loss;
pub use mcip::mean_confidence_of_incorrect;
pub use mcip_common::{McipCommon, PairComparison, Setting, SettingMcip, mcip_common};
pub use rms::{rms_calibration_error, rms_calibration_error_last_bin_dropped};
pub use smooth::smooth_calibration_error;
pub use summary::{CalibrationSummary, SummaryParams, summarize_calibration};
