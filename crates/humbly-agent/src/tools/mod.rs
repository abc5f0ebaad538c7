//! Tools that come with the agent: one that brings evidence, one that verifies.

mod arithmetic;
mod calculator;
mod search;

pub use calculator::Calculator;
pub use search::SearchTool;
