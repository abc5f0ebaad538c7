//! Conflict suites and imports of released outputs.
//!
//! An import turns a released file into the forms that the other commands read: tasks, trajectories in
//! Humbly's own JSONL, or rows for `humbly stats`. Same input, same bytes.

pub mod calibration;
mod cells;
pub mod conflict;
mod demo;
pub mod experiment;
mod imports;
mod summary;
pub mod ua_bench;
mod write;

pub use cells::{Needed, missing_cells};
pub use demo::{Behaviour, ScriptedAgent};
pub use imports::{IMPORTS, Import, import};
pub use summary::{Count, ImportSummary, WrittenFile};
