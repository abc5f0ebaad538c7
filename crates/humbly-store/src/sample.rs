//! Samples of a run, as planned and as they ended.

use std::collections::BTreeMap;

use humbly_types::Usage;
use serde::Serialize;
use serde_json::Value;

/// A sample that is to be run.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedSample {
    /// Unique within the run: model, harness, condition, task, seed and repeat.
    pub key: String,
    /// What the runner needs to run it.
    pub plan: Value,
}

/// How a finished sample ended.
#[derive(Debug, Clone, Default)]
pub struct Finished {
    /// The trajectory in Humbly's own JSONL form, as far as it got.
    pub record: Option<String>,
    /// Code and text of what failed; `None` for a sample that ran to its end.
    pub error: Option<(String, String)>,
    /// Tokens.
    pub usage: Usage,
    /// Cost in US dollars; `None` where no price is known.
    pub cost_usd: Option<f64>,
    /// Wall-clock seconds.
    pub seconds: Option<f64>,
}

/// State of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SampleState {
    /// Not run, or lost in flight.
    Waiting,
    /// Ran to its end.
    Done,
    /// Failed with a reason.
    Failed,
}

impl SampleState {
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }

    pub(crate) fn from_code(code: &str) -> Self {
        match code {
            "done" => Self::Done,
            "failed" => Self::Failed,
            _ => Self::Waiting,
        }
    }
}

/// A sample as the run file holds it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSample {
    /// Place in the plan, from 0.
    pub position: u64,
    /// Key.
    pub key: String,
    /// Plan.
    pub plan: Value,
    /// State.
    pub state: SampleState,
    /// How often it was run to an end or failure.
    pub attempts: u32,
    /// The trajectory in own JSONL form.
    pub record: Option<String>,
    /// Code and text of the failure.
    pub error: Option<(String, String)>,
    /// Tokens.
    pub usage: Usage,
    /// Cost.
    pub cost_usd: Option<f64>,
    /// Wall-clock seconds.
    pub seconds: Option<f64>,
}

/// What one judge said of one sample.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredVerdict {
    /// Sample.
    pub key: String,
    /// Judge, with its version.
    pub judge: String,
    /// The judgement as JSON.
    pub judgement: String,
    /// The judge's raw replies as JSON, where it is a model.
    pub raw: Option<String>,
}

/// Sums over the whole run, earlier sittings included.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Totals {
    /// Samples in the plan.
    pub planned: u64,
    /// Ran to their end.
    pub done: u64,
    /// Failed, by code.
    pub failed: BTreeMap<String, u64>,
    /// Tokens, over the samples that state them.
    pub usage: Usage,
    /// Cost over the samples that have one; `None` where none has.
    pub cost_usd: Option<f64>,
    /// Finished samples without a known cost.
    pub without_cost: u64,
}

impl Totals {
    /// Failed samples of any code.
    pub fn failures(&self) -> u64 {
        self.failed.values().sum()
    }

    /// Samples still to be run.
    pub fn waiting(&self) -> u64 {
        self.planned.saturating_sub(self.done + self.failures())
    }
}
