//! One row of the summary: an agent × model × data set × condition × judge.

use humbly_types::Measured;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// All measured numbers of one group of trajectories.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SummaryRow {
    /// Agent or harness.
    pub agent: Option<String>,
    /// Model.
    pub model: Option<String>,
    /// Data set.
    pub dataset: Option<String>,
    /// Scenario of the tasks: what the agent was given, `rag` or `pck` (EH §2.1).
    pub scenario: Option<String>,
    /// Condition.
    pub condition: Option<String>,
    /// Judge.
    pub judge: String,
    /// How many trajectories, by split.
    pub counts: Counts,
    /// Share of right answers.
    pub accuracy: Accuracy,
    /// `MoNaCo`'s similarity with the references, where rows are scored so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity: Option<Accuracy>,
    /// Identify, joint over both splits (EH Eq. 1).
    pub identify: Identify,
    /// Solve (EH Eq. 2).
    pub solve: Measured,
    /// Solve with every unknown truncation taken as cut, and as clean.
    pub solve_bounds: SolveBounds,
    /// Solve by the paper's prose.
    pub solve_successful: Measured,
    /// Escalate (EH Eq. 3).
    pub escalate: Measured,
    /// +1 right, 0 escalated or abstained, −k wrong; the mean.
    pub utility: Utility,
    /// Rates that need no labels.
    pub unlabelled: Unlabelled,
    /// Diagnostics.
    pub diagnostics: Diagnostics,
    /// Calibration, one row a source of confidence.
    pub calibration: Vec<CalibrationRow>,
    /// Attribution of uncertainty.
    pub attribution: AttributionSummary,
    /// First-mention histograms (EH Fig. 4).
    pub first_mention: FirstMention,
}

/// Counts of trajectories.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Trajectories in the group, exclusions counted in.
    pub trajectories: u64,
    /// With a conflict task.
    pub conflict: u64,
    /// With a control task.
    pub control: u64,
    /// Without a task, or with a task of no split.
    pub unlabelled: u64,
    /// Exclusions and gaps by reason code: `unfinished`, `no_final_answer`, `reasoning_not_readable`, …
    pub reasons: IndexMap<String, u64>,
}

/// Accuracy, or mean similarity, by split and the test between them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Accuracy {
    /// On conflict tasks.
    pub conflict: Measured,
    /// On control tasks.
    pub control: Measured,
    /// Over all tasks with a reference.
    pub all: Measured,
    /// Conflict against control.
    pub test: Test,
}

/// A test between two groups.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Test {
    /// `two_proportion_z`, `mcnemar`, `paired_t`, `welch_t`.
    pub name: String,
    /// The statistic.
    pub statistic: Measured,
    /// Two-sided p.
    pub p: Measured,
    /// Holm-adjusted p over the rows of the summary.
    pub p_holm: Measured,
}

/// Identify against "is in the conflict split".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Identify {
    /// Precision.
    pub precision: Measured,
    /// Recall.
    pub recall: Measured,
    /// F1.
    pub f1: Measured,
}

/// Extremes of Solve over unknown truncation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SolveBounds {
    /// Every unknown taken as cut.
    pub low: Measured,
    /// Every unknown taken as clean.
    pub high: Measured,
    /// Identified trajectories with unknown truncation.
    pub unknown: u64,
}

/// Mean utility under growing penalties.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Utility {
    /// k = 1.
    pub k1: Measured,
    /// k = 2.
    pub k2: Measured,
    /// k = 4.
    pub k4: Measured,
}

/// Rates over logs from the wild.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Unlabelled {
    /// Share of trajectories with an identified gap.
    pub flag_rate: Measured,
    /// Share of those that were followed up.
    pub follow_up_rate: Measured,
    /// Share of trajectories with Identify or Escalate.
    pub acknowledged_rate: Measured,
    /// Share of final answers that pass a gap on.
    pub escalated_rate: Measured,
    /// Flagged turns per 100 intermediate turns.
    pub flags_per_100_turns: Measured,
}

/// Diagnostics of the paper.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Diagnostics {
    /// Identify or Escalate, over conflict tasks (all, without labels).
    pub acknowledged: Measured,
    /// Recognised only in the final turn's reasoning.
    pub final_reasoning_only: Measured,
    /// Contradicts itself; undefined for the lexical judge.
    pub self_inconsistent: Measured,
    /// Abstains or refuses.
    pub refusal: Measured,
    /// Counts of answer sources.
    pub answer_source: IndexMap<String, u64>,
    /// Counts of where the chain broke (conflict tasks; all without labels).
    pub broke_at: IndexMap<String, u64>,
    /// Mean tool calls on conflict tasks.
    pub tool_calls_conflict: Measured,
    /// Mean tool calls on control tasks.
    pub tool_calls_control: Measured,
    /// Tool calls within pairs.
    pub tool_calls_test: Test,
    /// Trajectories whose truncation is unknown.
    pub truncation_unknown: u64,
}

/// Calibration over one source of confidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CalibrationRow {
    /// Source of the confidence.
    pub source: String,
    /// Samples with confidence and correctness.
    pub n: u64,
    /// Accuracy of these.
    pub accuracy: Measured,
    /// Expected calibration error.
    pub ece: Measured,
    /// Brier score.
    pub brier: Measured,
    /// AUROC.
    pub auroc: Measured,
    /// Mean confidence of wrong answers.
    pub mcip: Measured,
    /// Area under the risk–coverage curve.
    pub aurc: Measured,
    /// Edge rule of the bins.
    pub edges: String,
    /// Reliability diagram.
    pub bins: Vec<Bin>,
    /// Risk–coverage points, coverage ascending.
    pub risk_coverage: Vec<RiskPoint>,
}

/// One bin of a reliability diagram.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bin {
    /// Lower edge.
    pub low: f64,
    /// Upper edge.
    pub high: f64,
    /// Samples.
    pub n: u64,
    /// Mean confidence; `null` in an empty bin.
    pub confidence: Option<f64>,
    /// Accuracy with its interval; undefined in an empty bin.
    pub accuracy: Measured,
}

/// One point of a risk–coverage curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RiskPoint {
    /// Share of answers kept.
    pub coverage: f64,
    /// Share of wrong ones among them.
    pub risk: f64,
}

/// Attribution of uncertainty (UA §3.3).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AttributionSummary {
    /// Accuracy on answerable questions.
    pub accuracy: Measured,
    /// Data-uncertainty F1.
    pub du_f1: Measured,
    /// Model-uncertainty F1.
    pub mu_f1: Measured,
    /// Mean of both.
    pub avg_f1: Measured,
    /// `released` or `balanced`.
    pub estimator: String,
    /// Counts by form.
    pub forms: IndexMap<String, u64>,
}

/// First-mention histograms in tenths of the trajectory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FirstMention {
    /// Gold answer in trajectories that end wrong.
    pub gold_in_wrong: MentionSeries,
    /// Parametric answer in trajectories that end right.
    pub parametric_in_right: MentionSeries,
}

/// One series of mentions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MentionSeries {
    /// (trajectory, turn) pairs by tenth, as the paper counts.
    pub all: [u64; 10],
    /// One mention a trajectory by tenth.
    pub first: [u64; 10],
    /// Trajectories that ended so and whose answer could be looked for.
    pub trajectories: u64,
}

impl SummaryRow {
    /// Agent, model, data set, scenario and condition in one line, what is unknown left out.
    pub fn title(&self) -> String {
        let parts = [&self.agent, &self.model, &self.dataset, &self.scenario, &self.condition];
        let title: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
        if title.is_empty() { "all trajectories".to_owned() } else { title.join(" · ") }
    }
}
