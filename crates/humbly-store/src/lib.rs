//! The run file: one SQLite file a run, with its settings, samples and verdicts.
//!
//! Each finished sample is committed at once, so that a kill loses only what was in flight. One process
//! writes at a time (a lock of the operating system, which a killed process gives back); any number reads.

mod error;
mod export;
mod merge;
mod run_file;
mod sample;
mod schema;
mod shard;

pub use error::{Result, StoreError};
pub use export::{inspect_log, write_jsonl};
pub use merge::{Merged, merge};
pub use run_file::RunFile;
pub use sample::{Finished, PlannedSample, SampleState, StoredSample, StoredVerdict, Totals};
pub use shard::Shard;
