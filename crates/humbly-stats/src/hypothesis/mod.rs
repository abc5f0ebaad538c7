//! Hypothesis tests of differences, with adjustment for many of them.
//!
//! A test whose statistic has no value (no variance, too few observations) is undefined with a reason, and
//! so is its p; nothing is patched by a small constant.

mod multiple;
mod outcome;
mod proportions;
mod student;

pub use multiple::{benjamini_hochberg, holm, holm_measured};
pub use outcome::{TestKind, TestOutcome};
pub use proportions::{Counts, McNemar, fisher_exact, mcnemar, two_proportion_z};
pub use student::{paired_t, student_t, welch_t};
