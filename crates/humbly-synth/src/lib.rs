//! Training sets for attribution of uncertainty, after RL-UA: problems of mathematics are kept, rewritten so that
//! their data do not determine an answer, or rewritten so that they are beyond a model.
//!
//! A rewriter writes a variant; a validator, which is given the text alone and never what it is meant to be, says
//! whether it is consistent, self-contained and has one answer. What does not match is written again, at most five
//! times, and then discarded. An original gives at most one row. A reply that cannot be read is no verdict: it is
//! counted as such and never as a yes or no.
//!
//! Every finished item is committed to a run file and every reply to the cache, so that a kill loses the calls in
//! flight; the same plan and the same replies give the same set, whatever the order in which they came.
//!
//! # Source
//! UA §5 and appendix C. Shares, sizes and prompts are ours: the paper's Table 11 is not in our copy.

mod attempt;
mod error;
mod estimate;
mod item;
mod kind;
mod original;
mod outcome;
mod plan;
mod prompts;
mod reply;
mod rows;
mod selection;
mod sitting;
mod statistics;
mod writer;

pub use error::{Result, SynthError};
pub use estimate::{CallEstimate, Estimate};
pub use item::{Attempt, Call, Item};
pub use kind::Kind;
pub use original::{Original, Originals, originals};
pub use outcome::Outcome;
pub use plan::{Composition, KindsAsked, Plan};
pub use prompts::Prompts;
pub use rows::{SynthRow, rows};
pub use selection::{Choice, Selection};
pub use sitting::{Progress, Seat, Settings, Sitting, Stopped, Synth};
pub use statistics::{Bill, KindStatistics, SplitStatistics, Statistics};
pub use writer::{FileError, write_json, write_rows};
