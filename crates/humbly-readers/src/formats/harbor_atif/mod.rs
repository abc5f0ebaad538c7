//! Harbor's interchange format, ATIF 1.0 to 1.8.

mod files;
mod reader;
mod steps;
mod terminus;

pub(crate) use files::group_trajectories;
pub(crate) use reader::HarborAtif;
