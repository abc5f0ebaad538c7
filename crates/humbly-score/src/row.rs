//! One trajectory, scored.

use humbly_types::{AnswerSource, Split, Undefined, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One scored trajectory. It refers to its log (path, hash, turn) and does not embed it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrajectoryRow {
    /// Unique id.
    pub id: String,
    /// Path of the log as the user named it.
    pub path: String,
    /// Hash (XXH3, 128 bits) of the log's bytes, where it was read from a file.
    pub hash: Option<String>,
    /// Format of the log.
    pub format: String,
    /// Agent or harness.
    pub agent: Option<String>,
    /// Model.
    pub model: Option<String>,
    /// Data set of the task or log.
    pub dataset: Option<String>,
    /// Scenario of the task.
    pub scenario: Option<String>,
    /// Condition of the run.
    pub condition: Option<String>,
    /// Id of the task that was joined.
    pub task: Option<String>,
    /// Split of the task.
    pub split: Option<Split>,
    /// Pair of the task.
    pub pair: Option<String>,
    /// Why the trajectory is left out of every rate, e.g. `unfinished`.
    pub excluded: Option<Undefined>,
    /// Assistant turns.
    pub turns: u32,
    /// Turns before the final one.
    pub intermediate_turns: u32,
    /// Of these, the turns in which the judge saw a gap recognised.
    pub flagged_turns: u32,
    /// Tool calls.
    pub tool_calls: u32,
    /// Results.
    pub tool_results: u32,
    /// Results known to be errors.
    pub tool_errors: u32,
    /// Results of which the log does not say whether they are errors.
    pub tool_errors_unknown: u32,
    /// Calls that repeat name and arguments of an earlier one.
    pub duplicate_calls: u32,
    /// Calls that repeat name and effective query or code of an earlier one.
    pub duplicate_effective_calls: u32,
    /// Calls without a result.
    pub unanswered_calls: u32,
    /// Calls by sub-agents, counted apart.
    pub sub_agent_calls: u32,
    /// `yes`, `no` or `unknown`.
    pub truncated: String,
    /// How it stopped.
    pub stop: String,
    /// The final answer, cut to 300 characters.
    pub final_answer: Option<AnswerRow>,
    /// Whether the final answer is right.
    pub correct: Verdict,
    /// `MoNaCo`'s similarity with the references, for trajectories of that data set or rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity: Option<SimilarityRow>,
    /// Whether an intermediate turn recognised a gap, and which first (t*).
    pub identify: Verdict,
    /// Whether a call followed the recognition (Eq. 2); undefined where nothing was identified.
    pub solve: Verdict,
    /// The paper's prose: a later call whose result is no error.
    pub solve_successful: Verdict,
    /// Whether the final answer passes the uncertainty on.
    pub escalate: Verdict,
    /// Identify or Escalate.
    pub acknowledged: Verdict,
    /// Whether the final turn's reasoning alone recognised a gap.
    pub final_reasoning: Verdict,
    /// Whether the final answer abstains or refuses.
    pub refusal: Verdict,
    /// Where the final answer comes from.
    pub answer_source: SourceRow,
    /// Where the chain from identified to escalated broke.
    pub broke_at: Option<BrokeAt>,
    /// Turns whose text names gold and parametric answer.
    pub mentions: Mentions,
    /// The stated confidence.
    pub confidence: ConfidenceRow,
    /// Confidences on the way to the answer, where any is stated or the log has the answer's log-probability.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence_path: Option<ConfidencePath>,
    /// The answer form of attribution tasks.
    pub attribution: AttributionRow,
}

/// How a confidence moves over the turns of a trajectory (CAR §3: evidence against verification).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConfidencePath {
    /// Marked confidences, by turn; of several in one turn the last.
    pub stated: Vec<StatedConfidence>,
    /// Tool calls, by turn.
    pub calls: Vec<TypedCall>,
    /// Turns in which the judge saw a contradiction recognised.
    pub contradictions: Vec<u32>,
    /// Geometric mean probability of the answer's tokens, where the log has it.
    pub answer_probability: Option<f64>,
}

/// A confidence and the turn that states it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatedConfidence {
    /// Turn, from 0.
    pub turn: u32,
    /// Probability in `[0, 1]`.
    pub value: f64,
    /// `tag`, `number` or `words`.
    pub source: String,
}

/// A tool call with the type of its tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TypedCall {
    /// Turn, from 0.
    pub turn: u32,
    /// Name of the tool.
    pub tool: String,
    /// Whether it brings evidence or verifies; `null` for a tool of another or unknown type.
    pub tool_type: Option<ToolType>,
}

/// Types of tools (CAR §3.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolType {
    /// Brings text from outside, which may be wrong.
    Evidence,
    /// Computes or checks by fixed rules.
    Verification,
}

impl ToolType {
    /// The name in JSON and tables.
    pub fn code(self) -> &'static str {
        match self {
            Self::Evidence => "evidence",
            Self::Verification => "verification",
        }
    }

    /// The type with this code.
    pub fn from_code(code: &str) -> Option<Self> {
        [Self::Evidence, Self::Verification].into_iter().find(|tool| tool.code() == code)
    }

    /// The type of a tool by its name; `None` where the name says nothing.
    ///
    /// # Examples
    /// ```
    /// use humbly_score::ToolType;
    /// assert_eq!(ToolType::of_tool("web_search"), Some(ToolType::Evidence));
    /// assert_eq!(ToolType::of_tool("calculator"), Some(ToolType::Verification));
    /// assert_eq!(ToolType::of_tool("send_mail"), None);
    /// ```
    pub fn of_tool(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
        if has(&["search", "retriev", "browse", "fetch", "wiki", "visit", "google", "lookup", "look_up"]) {
            Some(Self::Evidence)
        } else if has(&["calculat", "python", "interpreter", "execute", "run_code", "sympy", "sql", "solver"])
        {
            Some(Self::Verification)
        } else {
            None
        }
    }
}

/// A final answer in the output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AnswerRow {
    /// First 300 characters.
    pub text: String,
    /// Where it was found.
    pub origin: String,
    /// The turn that gave it.
    pub turn: Option<u32>,
}

/// Similarity of a final answer with the references, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimilarityRow {
    /// At most 1; negative where the signs of two numbers differ.
    pub value: Option<f64>,
    /// Why there is none.
    pub undefined: Option<Undefined>,
}

/// Where a final answer comes from, or why that is undefined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceRow {
    /// The source.
    pub value: Option<AnswerSource>,
    /// Why there is none.
    pub undefined: Option<Undefined>,
}

/// Where the chain broke.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BrokeAt {
    /// No turn recognised the gap.
    NotIdentified,
    /// Recognised, and no call followed.
    IdentifiedNoFollowUp,
    /// A call followed, and the answer does not say it.
    FollowedUpNotEscalated,
    /// The answer says it.
    Escalated,
}

/// Turn positions at which an answer is named (EH Fig. 4).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Mentions {
    /// Turns (0-based within the trajectory) that name the gold answer.
    pub gold: Vec<u32>,
    /// Turns that name the parametric answer.
    pub parametric: Vec<u32>,
    /// Why it could not be looked for.
    pub undefined: Option<Undefined>,
}

/// A stated confidence, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConfidenceRow {
    /// Probability in `[0, 1]`.
    pub value: Option<f64>,
    /// `tag`, `number`, `words`, …; sources are never mixed in one number.
    pub source: Option<String>,
    /// Why there is none.
    pub undefined: Option<Undefined>,
}

/// Answer form of an attribution task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AttributionRow {
    /// `answer`, `data_uncertain`, `model_uncertain`, `dont_know`, `unparsable`.
    pub form: Option<String>,
    /// Why there is none.
    pub undefined: Option<Undefined>,
}
