//! Experiments: a suite under conditions, models, protocols, seeds and repeats, run into one file.

mod config;
mod estimate;
mod line;
mod plan;
mod runner;
mod tools;

pub use config::{Condition, Experiment, ExperimentError};
pub use estimate::{Estimate, ModelEstimate, Range};
pub use line::StoppedModel;
pub use plan::{SamplePlan, plan};
pub use runner::{Cancel, ClientOf, RunProgress, Runner, RunnerError, Sitting};
pub use tools::corpus_of;
