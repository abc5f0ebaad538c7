//! One file a command.

pub(crate) mod completions;
pub(crate) mod data;
pub(crate) mod formats;
pub(crate) mod model;
pub(crate) mod quickstart;
pub(crate) mod guard;
mod report;
pub(crate) mod run;
pub(crate) mod reward;
pub(crate) mod score;
pub(crate) mod sheet;
pub(crate) mod stats;
pub(crate) mod suite;
pub(crate) mod validate;
