//! Trajectories and verdicts to Identify, Solve, Escalate, diagnostics, calibration and attribution.
//!
//! A judge says what one trajectory shows; this crate counts. Nothing undefined enters a rate: it is left
//! out of numerator and denominator and counted by reason.

pub mod attribution_study;
pub mod calibration_study;
mod calls;
mod correctness;
mod digest;
mod gates;
mod mentions;
mod report;
mod row;
mod score;
mod solve;
mod summarise;
mod summary;

pub use correctness::answer_is_right;
pub use digest::{Digest, Digests, GroupKey, Tri};
pub use gates::{Gate, GateError, GateOutcome};
pub use report::{CorrectnessBy, Matching, SCHEMA, ScoreReport, Settings, SolveOver};
pub use row::{
    AnswerRow, AttributionRow, BrokeAt, ConfidencePath, ConfidenceRow, Mentions, SimilarityRow, SourceRow,
    StatedConfidence, ToolType, TrajectoryRow, TypedCall,
};
pub use score::score_trajectory;
pub use summarise::{AccuracyPoint, ConditionChange, accuracy_points, condition_changes, summarise};
pub use summary::{
    Accuracy, AttributionSummary, Bin, CalibrationRow, Counts, Diagnostics, FirstMention, Identify,
    MentionSeries, RiskPoint, SolveBounds, SummaryRow, Test, Unlabelled, Utility,
};
