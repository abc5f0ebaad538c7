//! Logs to scores: find, read, join, judge, score; and tables to statistics.
//!
//! The one path that the command line and the Python package share. Memory stays flat: trajectories are
//! handed on in input order and dropped.

mod compare_runs;
mod discover;
mod gather;
mod hash;
mod join;
mod judge;
pub mod rewards;
mod run;
mod run_files;
mod sample_table;
mod scored_runs;
pub mod tables;
mod tasks;

pub use compare_runs::{Difference, MeasureComparison, RunComparison, compare_runs};
pub use discover::{Found, discover};
pub use gather::{Part, gather};
pub use hash::hex as content_hash;
pub use join::{Joiner, Unjoined};
pub use judge::{StoredJudgements, TrajectoryJudge};
pub use run::{Observer, Request, RunCounts, Scored, score_logs, visit_logs};
pub use run_files::{LOG_TASKS, failed_samples, is_run_file, tasks_of_runs};
pub use sample_table::{SampleTableError, write_sample_table};
pub use scored_runs::{
    JudgeLabels, RowJudge, ScoredRun, confidence_scale_of_runs, is_run_or_scores, scored_run,
};
pub use tasks::Tasks;
