//! The calibration study of tool-use agents: settings compared on data sets, by source of the confidence (CAR §3, §5).
//!
//! Scored rows in, numbers out. Where we differ from the paper:
//! 1. Confidences of different sources (tag, number, words, log-probability, agreement) are rows of their own.
//! 2. An abstention is no prediction: it counts as not right in the accuracy and enters no calibration number,
//!    whatever confidence stands with it; both are counted.
//! 3. A setting that hardly called its tools says nothing about tools: it is in no comparison.
//! 4. Samples of one question are one cluster of every interval.

mod agreement;
mod build;
mod cells;
mod comparisons;
mod paths;
mod sample;
mod study;

pub use agreement::{agreement_confidences, answer_key};
pub use build::calibration_study;
pub use sample::{Distribution, StudyParams, StudySample};
pub use study::{
    CalibrationStudy, PathCell, PathContrast, PathEvent, SourceCell, StudyCell, StudyComparison, ToolUse,
};
