//! Everything that a judge says about one trajectory.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Undefined, Verdict};

/// The verdicts on one trajectory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// Name and version of the judge.
    pub judge: Arc<str>,
    /// Identify, for every intermediate turn in order.
    pub turns: Vec<TurnVerdict>,
    /// Escalate, from the final turn's visible text alone.
    pub escalate: Verdict,
    /// Whether the final answer refuses or abstains.
    pub refusal: Verdict,
    /// Whether the final turn's reasoning (not its visible text) recognises a gap.
    pub final_reasoning: Verdict,
    /// Whether the agent contradicts itself (needs a model judge).
    pub self_inconsistent: Verdict,
    /// Where the final answer comes from.
    pub answer_source: std::result::Result<AnswerSource, Undefined>,
    /// Whether the final answer is right, where a model judge was asked; its rule begins with the judge's code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correct: Option<Verdict>,
}

/// Identify for one turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnVerdict {
    /// The turn.
    pub turn: u32,
    /// The verdict.
    pub identify: Verdict,
}

/// Where a final answer comes from (EH, diagnostics).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerSource {
    /// Controlled: the parametric answer.
    Pk,
    /// Controlled: an answer of the context.
    Context,
    /// Controlled: both.
    Both,
    /// Controlled: neither.
    External,
    /// Natural: the ground truth.
    GroundTruth,
    /// Natural: the parametric answer.
    FollowsPk,
    /// Natural: both.
    FollowsBoth,
    /// Natural: neither.
    FollowsNeither,
    /// There is no answer.
    NoAnswer,
    /// The task names no candidates.
    NoCandidates,
}
