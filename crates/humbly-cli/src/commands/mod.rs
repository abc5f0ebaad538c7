//! One file a command.

pub(crate) mod completions;
pub(crate) mod data;
pub(crate) mod formats;
pub(crate) mod guard;
pub(crate) mod judge;
mod judging;
pub(crate) mod model;
mod model_table;
pub(crate) mod quickstart;
mod report;
pub(crate) mod report_runs;
pub(crate) mod reward;
pub(crate) mod run;
pub(crate) mod score;
pub(crate) mod serve;
pub(crate) mod sheet;
pub(crate) mod stats;
pub(crate) mod suite;
mod suite_calibration;
mod suite_rows;
mod suite_ua_bench;
pub(crate) mod synth;
mod ua;
pub(crate) mod validate;
mod verdict_source;
