//! UA-Bench's tables: accuracy, attribution of uncertainty, abstention and failure modes (UA §3.3, §4).
//!
//! An answer that no rule decides and no judge was asked about makes the numbers that need it undefined: rules decide
//! right answers more often than wrong ones, so that leaving the others out would flatter every model. Bounds are given.

mod answer;
mod cell;
mod failures;
mod sample;
mod thinking;

pub use answer::rule_decides;
pub use cell::{AttributionCell, attribution_cell};
pub use failures::{FailureMode, Labels, failures, labels};
pub use sample::{AttributionSample, Extraction};
pub use thinking::{Compared, ThinkingCell, thinking_cell};
