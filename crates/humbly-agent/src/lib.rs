//! The built-in agent: a plan–act–observe loop over any [`humbly_llm::ChatClient`], and its tools.
//!
//! A run always gives a whole record: also when a call fails, a tool fails or the limit of turns cuts it.
//! What comes from passages and tools is data: it is stripped of control characters, cut at a stated length
//! and its tags are made harmless before a model or the parser of a protocol sees it.

mod agent;
mod clause;
mod conversation;
mod error;
mod fence;
pub mod index;
mod options;
mod prompts;
mod protocol;
mod run;
#[cfg(feature = "serve")]
pub mod serve;
mod task;
mod tool;
mod toolbox;
pub mod tools;

pub use agent::Agent;
pub use clause::Clause;
pub use error::{AgentError, Result};
pub use fence::{Fence, clean};
pub use options::{AgentOptions, ConfidenceForm, ConfidenceScale, MAX_TURNS, ObservationStyle, Protocol};
pub use prompts::Prompts;
pub use protocol::{TaggedAction, TaggedTurn, parse_tagged};
pub use run::{ReplyCounts, Run, RunOutcome};
pub use task::{AgentTask, Passage, Scenario};
pub use tool::{TextForm, Tool, ToolError, ToolKind, ToolOutput};
