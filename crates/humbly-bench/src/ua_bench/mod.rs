//! UA-Bench (UA §3.2): questions of six sources, some of which nobody can answer.

mod build;
mod coverage;
mod prompts;
mod sources;

pub use build::{UaParams, UaRows, build_ua_bench, draw_rank};
pub use coverage::{Coverage, SourceCount};
pub use prompts::{UA_PROMPTS, UaPrompt, ua_conditions};
pub use sources::{Category, UA_SOURCES, UaSource};

/// Name of the suite.
pub const UA_BENCH: &str = "ua-bench";
