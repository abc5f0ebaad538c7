//! What a log says of the whole run: task, model, versions.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// The header of a log, or the journal's start record where the run died before writing one.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Header {
    #[serde(default)]
    pub(super) eval: Value,
    #[serde(default)]
    plan: Value,
}

/// A `.json` log: the header with its samples.
#[derive(Debug, Deserialize)]
pub(super) struct Document<'a> {
    #[serde(default)]
    pub(super) eval: Value,
    #[serde(default)]
    pub(super) plan: Value,
    #[serde(borrow, default)]
    pub(super) samples: Option<Vec<&'a RawValue>>,
}

impl Header {
    pub(super) fn new(eval: Value, plan: Value) -> Self {
        Self { eval, plan }
    }

    /// Task, without the package that registers it.
    pub(super) fn task(&self) -> Option<&str> {
        self.field("task").map(|task| task.rsplit('/').next().unwrap_or(task))
    }

    /// Model of the agent.
    pub(super) fn model(&self) -> Option<&str> {
        self.field("model")
    }

    /// Id of the run.
    pub(super) fn run(&self) -> Option<&str> {
        self.field("eval_id").or_else(|| self.field("run_id"))
    }

    /// The solver that the run named, else the last step of its plan.
    pub(super) fn agent(&self) -> Option<&str> {
        self.field("solver").or_else(|| {
            let steps = self.plan.get("steps")?.as_array()?;
            steps.last()?.get("solver")?.as_str()
        })
    }

    /// Version of Inspect.
    pub(super) fn version(&self) -> Option<&str> {
        self.eval.get("packages")?.get("inspect_ai")?.as_str()
    }

    fn field(&self, key: &str) -> Option<&str> {
        self.eval.get(key)?.as_str().filter(|text| !text.is_empty())
    }
}
