//! The machine output of `humbly score`: a contract, versioned by [`SCHEMA`].

use humbly_types::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::row::TrajectoryRow;
use crate::summary::SummaryRow;

/// Name and version of the schema.
pub const SCHEMA: &str = "humbly.score/1";

/// What `humbly score` found: the same input gives the same bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScoreReport {
    /// [`SCHEMA`].
    pub schema: String,
    /// How it was measured.
    pub settings: Settings,
    /// One row for each agent × model × data set × condition × judge.
    pub summary: Vec<SummaryRow>,
    /// One row for each trajectory.
    pub trajectories: Vec<TrajectoryRow>,
    /// What could not be read, joined or scored.
    pub problems: Vec<Problem>,
}

/// How a report was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Settings {
    /// Version of Humbly.
    pub humbly: String,
    /// Name and version of the judge.
    pub judge: String,
    /// Hash of the judge's rules or prompts.
    pub judge_hash: String,
    /// How correctness was decided by rules.
    pub matching: Matching,
    /// Who decided correctness.
    #[serde(default)]
    pub correctness: CorrectnessBy,
    /// Seed of every resampling.
    pub seed: u64,
    /// Bootstrap resamples.
    pub resamples: u32,
    /// Level of the intervals.
    pub level: f64,
    /// `each` or `whole`.
    pub episodes: String,
    /// Set over which Solve is measured.
    pub solve_over: SolveOver,
    /// Whether a call in the turn of recognition counts as follow-up.
    pub solve_same_turn: bool,
    /// The paper's estimators throughout (no error condition in Solve, bootstrap intervals).
    pub paper: bool,
    /// Bins of the reliability diagram.
    pub bins: u32,
    /// Scale of stated confidences: `unit`, `percent`.
    pub confidence_scale: String,
    /// Estimator of the attribution F1: `released` or `balanced`.
    pub attribution_f1: String,
    /// Hash of the tasks file.
    pub tasks_hash: Option<String>,
}

/// Set over which Solve is measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SolveOver {
    /// Identified trajectories of the conflict split.
    #[default]
    Conflict,
    /// Identified trajectories of both splits.
    All,
}

/// Who decides whether a final answer is right. The judges are never mixed: a row counts one of them alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CorrectnessBy {
    /// The rules of [`Matching`].
    #[default]
    Rules,
    /// A model that sees prediction and references, never the question, and asks for all of them (EH).
    Eh,
    /// A model that sees question, prediction and references, and asks for any of them (UA).
    Ua,
}

impl CorrectnessBy {
    /// What the rule of such a verdict begins with; `None` for the rules, which have several.
    pub fn code(self) -> Option<&'static str> {
        match self {
            Self::Rules => None,
            Self::Eh => Some("correctness-eh"),
            Self::Ua => Some("correctness-ua"),
        }
    }
}

/// How a final answer is matched with the references.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Matching {
    /// A short or marked answer is matched exactly, prose by containment.
    #[default]
    Auto,
    /// Exact match after normalisation.
    Exact,
    /// A reference stands in the answer as whole words.
    Contains,
    /// GAIA's quasi-exact match.
    Gaia,
    /// `MoNaCo` similarity of at least 0.95 counts as right.
    Monaco,
    /// Equivalence of LaTeX answers.
    Latex,
}
