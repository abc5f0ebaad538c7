//! What the study finds.

use std::collections::BTreeMap;

use humbly_stats::calibration::{CalibrationSummary, McipCommon};
use humbly_stats::hypothesis::TestOutcome;
use humbly_stats::recalibration::HeldOut;
use humbly_stats::selective::SelectiveAccuracy;
use humbly_types::Measured;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Distribution;
use crate::row::ToolType;

/// The whole study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CalibrationStudy {
    /// Bins and edge rule of every ECE.
    pub binning: String,
    /// Calls a sample below which a tool counts as not used.
    pub least_calls: f64,
    /// One entry for each data set, base model and setting.
    pub cells: Vec<StudyCell>,
    /// Settings compared on the questions that all got wrong, for each data set and source.
    pub comparisons: Vec<StudyComparison>,
    /// Confidence before and after an event, by type of tool.
    pub paths: Vec<PathCell>,
    /// Evidence against verification.
    pub contrasts: Vec<PathContrast>,
}

/// One setting on one data set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StudyCell {
    /// Data set.
    pub dataset: String,
    /// Corpus of the search tool, where the setting has one of its own.
    pub corpus: Option<String>,
    /// Whether a trained model saw this data set.
    pub distribution: Option<Distribution>,
    /// Type of the tools that help here.
    pub tool_type: Option<ToolType>,
    /// The model that it is compared under.
    pub base_model: String,
    /// The model that was run.
    pub model: String,
    /// Setting.
    pub setting: String,
    /// Tools that were offered, by name; those that were called where the input does not say.
    pub tools: Vec<String>,
    /// Samples that ended, right, wrong or without a label.
    pub samples: u64,
    /// Questions among them.
    pub questions: u64,
    /// Samples without a verdict of correctness or unfinished, by reason: in no number.
    pub without_label: BTreeMap<String, u64>,
    /// Samples that abstain: not right, and in no calibration number.
    pub abstained: u64,
    /// Of these, samples that state a confidence all the same.
    pub abstained_with_confidence: u64,
    /// Share of right answers among all samples with a label.
    pub accuracy: Measured,
    /// Mean number of tool calls.
    pub calls_per_sample: Measured,
    /// Whether the tools were used.
    pub tool_use: ToolUse,
    /// One entry for each source of confidence; one named `none` where no confidence is there.
    pub sources: Vec<SourceCell>,
    /// What a reader must know, e.g. confidences that look like those of another scale.
    pub notes: Vec<String>,
}

/// Whether a setting used its tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolUse {
    /// It was offered none.
    NoneOffered,
    /// It called them too rarely for a comparison.
    NotUsed,
    /// It used them.
    Used,
    /// It called none, and the input does not say whether any were offered.
    Unknown,
}

/// Calibration of one source of confidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SourceCell {
    /// `tag`, `number`, `words`, `log_probability`, `agreement` or `none`.
    pub source: String,
    /// Labelled answers without a usable confidence of this source, by reason.
    pub left_out: BTreeMap<String, u64>,
    /// All numbers over the answers with one.
    pub summary: CalibrationSummary,
    /// The same confidences after the fixed temperature, which nothing is fitted for: over all answers, as CAR has it.
    pub scaled: CalibrationSummary,
    /// Accuracy among the most confident answers.
    pub selective: Vec<SelectiveAccuracy>,
    /// Maps fitted on one half of the questions and judged on the other.
    pub held_out: HeldOut,
}

/// Settings compared on one data set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StudyComparison {
    /// Data set.
    pub dataset: String,
    /// Corpus of the search tool, where the settings have one of their own.
    pub corpus: Option<String>,
    /// Type of the tools.
    pub tool_type: Option<ToolType>,
    /// Base model.
    pub base_model: String,
    /// Source of the confidences.
    pub source: String,
    /// Settings that did not use their tools and are not compared.
    pub not_used: Vec<String>,
    /// MCIP on the common wrong questions with its tests.
    pub common: McipCommon,
}

/// What a confidence is looked at before and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PathEvent {
    /// The first tool call: before its result, and in the first turn after it.
    FirstCall,
    /// Each turn that recognises a contradiction: before it, and from it on.
    Contradiction,
}

impl PathEvent {
    /// The name in JSON.
    pub fn code(self) -> &'static str {
        match self {
            Self::FirstCall => "first_call",
            Self::Contradiction => "contradiction",
        }
    }
}

/// Confidence before and after an event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PathCell {
    /// The event.
    pub event: PathEvent,
    /// Type of the tool that was called first.
    pub tool_type: ToolType,
    /// Base model.
    pub base_model: String,
    /// Setting.
    pub setting: String,
    /// Source of the confidences.
    pub source: String,
    /// Events with a confidence on both sides.
    pub events: u64,
    /// Events without one on a side: in no number.
    pub without_confidence: u64,
    /// Mean confidence before, over questions.
    pub before: Measured,
    /// Mean confidence after, over questions.
    pub after: Measured,
    /// After minus before, by question.
    pub change: Measured,
    /// Paired t test by question.
    pub test: TestOutcome,
}

/// The change after evidence tools against that after verification tools.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PathContrast {
    /// The event.
    pub event: PathEvent,
    /// Base model.
    pub base_model: String,
    /// Setting.
    pub setting: String,
    /// Source of the confidences.
    pub source: String,
    /// Change after evidence minus change after verification, Welch's t over questions.
    pub test: TestOutcome,
}
