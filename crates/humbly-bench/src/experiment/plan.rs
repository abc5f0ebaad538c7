//! The samples of an experiment, in a fixed order.

use humbly_agent::Protocol;
use humbly_store::PlannedSample;
use serde::{Deserialize, Serialize};

use super::Experiment;
use crate::conflict::Suite;

/// What one sample is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SamplePlan {
    /// Id of the task in the suite.
    pub task: String,
    /// Model.
    pub model: String,
    /// Protocol.
    pub protocol: Protocol,
    /// Name of the condition.
    pub condition: String,
    /// Seed.
    pub seed: u64,
    /// Which draw, from 0.
    pub repeat: u32,
}

impl SamplePlan {
    /// Unique within the run.
    pub fn key(&self) -> String {
        let Self { task, model, protocol, condition, seed, repeat } = self;
        let protocol = match protocol {
            Protocol::Native => "native",
            Protocol::Tagged => "tagged",
            Protocol::Plain => "plain",
            Protocol::Guided => "guided",
            Protocol::Direct => "direct",
        };
        format!("{task}|{model}|{protocol}|{condition}|{seed}|{repeat}")
    }
}

/// All samples: tasks outermost, so that conflict and control of a pair, and the conditions, run side by side
/// and a run that is broken off has whole comparisons.
pub fn plan(experiment: &Experiment, suite: &Suite) -> Vec<PlannedSample> {
    let mut samples = Vec::with_capacity(suite.tasks.len() * experiment.cells());
    for task in &suite.tasks {
        for model in &experiment.models {
            for protocol in &experiment.protocols {
                for condition in &experiment.conditions {
                    let Some(model) = condition.model_for(model) else { continue };
                    for seed in &experiment.seeds {
                        for repeat in 0..task.samples.unwrap_or(experiment.repeats) {
                            let plan = SamplePlan {
                                task: task.task.id.clone(),
                                model: model.to_owned(),
                                protocol: *protocol,
                                condition: condition.name.clone(),
                                seed: *seed,
                                repeat,
                            };
                            let key = plan.key();
                            let plan = serde_json::to_value(plan).unwrap_or_default();
                            samples.push(PlannedSample { key, plan });
                        }
                    }
                }
            }
        }
    }
    samples
}
