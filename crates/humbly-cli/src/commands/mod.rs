//! One file a command.

pub(crate) mod completions;
pub(crate) mod data;
pub(crate) mod formats;
mod report;
pub(crate) mod score;
pub(crate) mod sheet;
pub(crate) mod stats;
pub(crate) mod validate;
