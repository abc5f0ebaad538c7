//! A trajectory: what one agent did for one prompt.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Location, Role, Step, ToolCall, ToolResult, Usage};

/// What one agent did, from a log or one episode of it.
///
/// Steps of the whole log are shared between its episodes; [`Trajectory::steps`] is the episode,
/// [`Trajectory::context`] what came before and is never judged.
#[derive(Debug, Clone, Default)]
pub struct Trajectory {
    /// Unique id; `ID#k` for the k-th episode (from 1) of a log with several prompts.
    pub id: String,
    /// Path as the user named it.
    pub path: Arc<str>,
    /// Name of the format, as `humbly formats` prints it.
    pub format: &'static str,
    /// Version of the format or harness.
    pub format_version: Option<String>,
    /// Id of the run that the log names.
    pub run_id: Option<String>,
    /// Id of sample, instance or task that the log names.
    pub sample_id: Option<String>,
    /// Model of the agent.
    pub model: Option<String>,
    /// Name of the agent or harness.
    pub agent: Option<String>,
    /// Version of the agent or harness.
    pub agent_version: Option<String>,
    /// Data set that the log names.
    pub dataset: Option<String>,
    /// Condition that the log names (e.g. `default`, `prompted`).
    pub condition: Option<String>,
    /// The question or task of the first prompt.
    pub question: Option<String>,
    /// Reference answers found in the log.
    pub references: References,
    /// The final answer.
    pub final_answer: Option<FinalAnswer>,
    /// How it ended.
    pub stop: Stop,
    /// Whether a limit cut it.
    pub truncated: Truncation,
    /// Token counts of the whole.
    pub usage: Usage,
    /// Cost as the log states it.
    pub cost_usd: Option<f64>,
    /// How probable the tokens of the final answer were, where the log says so.
    pub answer_log_probability: Option<AnswerLogProbability>,
    /// Sub-agents; their calls are counted apart.
    pub children: Vec<Trajectory>,
    /// Unknown and malformed records, counted.
    pub warnings: Vec<Warning>,
    /// Whether the format records turns at all (a submission file does not).
    pub has_turns: bool,
    log: Arc<Vec<Step>>,
    range: Range<usize>,
}

impl Trajectory {
    /// An empty trajectory of a format that records turns.
    pub fn new(format: &'static str, path: &Arc<str>, id: impl Into<String>) -> Self {
        Self { id: id.into(), path: Arc::clone(path), format, has_turns: true, ..Self::default() }
    }

    /// Sets the steps of the whole log; the episode is all of it.
    pub fn set_log(&mut self, steps: Vec<Step>) {
        self.range = 0..steps.len();
        self.log = Arc::new(steps);
    }

    /// A copy of the metadata that shares the log and covers `range` of it (clamped to the log).
    #[must_use]
    pub fn episode(&self, range: Range<usize>) -> Self {
        let end = range.end.min(self.log.len());
        Self { range: range.start.min(end)..end, ..self.clone() }
    }

    /// The steps of this episode.
    pub fn steps(&self) -> &[Step] {
        self.log.get(self.range.clone()).unwrap_or_default()
    }

    /// The steps before this episode: context, never judged.
    pub fn context(&self) -> &[Step] {
        self.log.get(..self.range.start).unwrap_or_default()
    }

    /// Assistant turns of this episode, copies of earlier turns left out.
    pub fn turns(&self) -> impl DoubleEndedIterator<Item = &Step> {
        self.steps().iter().filter(|step| step.role == Role::Assistant && step.turn.is_some())
    }

    /// Assistant turns before the final one; all of them where there is no final turn.
    pub fn intermediate_turns(&self) -> impl DoubleEndedIterator<Item = &Step> {
        let last = self.final_turn();
        self.turns().filter(move |step| last.is_none_or(|last| step.turn.is_some_and(|turn| turn < last)))
    }

    /// Number of the final turn, where there is one.
    pub fn final_turn(&self) -> Option<u32> {
        self.final_answer.as_ref().and_then(|answer| answer.turn)
    }

    /// The step of the final turn.
    pub fn final_step(&self) -> Option<&Step> {
        let last = self.final_turn()?;
        self.turns().find(|step| step.turn == Some(last))
    }

    /// All calls with the turn that made them.
    pub fn calls(&self) -> impl Iterator<Item = (u32, &ToolCall)> {
        self.turns().flat_map(|step| step.calls.iter().map(move |call| (step.turn.unwrap_or_default(), call)))
    }

    /// All results, in order.
    pub fn results(&self) -> impl Iterator<Item = &ToolResult> {
        self.steps().iter().filter(|step| !step.flags.copied).flat_map(|step| &step.results)
    }

    /// Calls that no result answers.
    pub fn unanswered_calls(&self) -> Vec<&ToolCall> {
        let mut answered: Vec<&str> = self.results().filter_map(|result| result.call_id.as_deref()).collect();
        answered.sort_unstable();
        self.calls()
            .map(|(_, call)| call)
            .filter(|call| !call.server_side && answered.binary_search(&call.id.as_str()).is_err())
            .collect()
    }

    /// How the trajectory ended, as the definitions need it.
    pub fn outcome(&self) -> Outcome {
        if self.truncated == Truncation::Yes {
            Outcome::CutByLimit
        } else if self.final_answer.is_some() {
            Outcome::Answered
        } else if matches!(self.stop.kind, StopKind::Completed | StopKind::Error | StopKind::Refused) {
            Outcome::NoFinalAnswer
        } else {
            Outcome::Unfinished
        }
    }
}

/// How a trajectory ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It has a final answer.
    Answered,
    /// A limit cut it: no final turn counts, every turn is intermediate.
    CutByLimit,
    /// The run ended by itself without an answer (an error, a refusal without text).
    NoFinalAnswer,
    /// The log stops while the agent is running: left out.
    Unfinished,
}

/// Log-probability of an answer's tokens under the model that wrote them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct AnswerLogProbability {
    /// Sum over the tokens, in nats; at most 0.
    pub sum: f64,
    /// How many tokens there are.
    pub tokens: u32,
}

impl AnswerLogProbability {
    /// The geometric mean of the tokens' probabilities; `None` for no tokens or a sum that is none.
    ///
    /// # Examples
    /// ```
    /// use humbly_types::AnswerLogProbability;
    /// let answer = AnswerLogProbability { sum: -1.0, tokens: 2 };
    /// assert!((answer.per_token().unwrap() - (-0.5_f64).exp()).abs() < 1e-12);
    /// ```
    pub fn per_token(&self) -> Option<f64> {
        (self.tokens > 0 && self.sum.is_finite() && self.sum <= 0.0)
            .then(|| (self.sum / f64::from(self.tokens)).exp())
    }
}

/// The answer that the trajectory ends with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinalAnswer {
    /// Its visible text, reasoning stripped.
    pub text: String,
    /// Where it was found.
    pub origin: AnswerOrigin,
    /// The turn that gave it; `None` where only a field holds it.
    pub turn: Option<u32>,
    /// Where it stands.
    pub at: Location,
}

/// Where a final answer was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerOrigin {
    /// Text of the last assistant turn.
    LastText,
    /// Argument of a finish tool.
    FinishTool,
    /// Argument of a submit tool.
    SubmitTool,
    /// The harness's result event.
    ResultEvent,
    /// A field of the record.
    Field,
}

impl AnswerOrigin {
    /// The name in JSON.
    pub fn code(self) -> &'static str {
        match self {
            Self::LastText => "last_text",
            Self::FinishTool => "finish_tool",
            Self::SubmitTool => "submit_tool",
            Self::ResultEvent => "result_event",
            Self::Field => "field",
        }
    }
}

/// Reference answers that a log carries: for correctness only, never for a judge.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct References(Vec<String>);

impl References {
    /// Wraps the answers.
    pub fn new(answers: Vec<String>) -> Self {
        Self(answers)
    }

    /// The answers, for a correctness check.
    pub fn for_correctness(&self) -> &[String] {
        &self.0
    }
}

/// How and why the run ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stop {
    /// The kind.
    pub kind: StopKind,
    /// The log's own word for it.
    pub raw: Option<String>,
}

/// Kinds of end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopKind {
    /// It ended by itself.
    Completed,
    /// A limit of turns, tokens, time or money.
    Limit,
    /// A failure of harness or model.
    Error,
    /// Somebody broke it off.
    Interrupted,
    /// The model refused.
    Refused,
    /// The log does not say.
    #[default]
    Unknown,
}

impl StopKind {
    /// The name in JSON.
    pub fn code(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Limit => "limit",
            Self::Error => "error",
            Self::Interrupted => "interrupted",
            Self::Refused => "refused",
            Self::Unknown => "unknown",
        }
    }
}

/// Whether a limit cut the trajectory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Truncation {
    /// It was cut.
    Yes,
    /// It was not.
    No,
    /// The log does not say.
    #[default]
    Unknown,
}

impl Truncation {
    /// The name in JSON.
    pub fn code(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Unknown => "unknown",
        }
    }
}

/// A record of the log that was passed over or read with a guess.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// What kind, e.g. `unknown record type foo`.
    pub message: String,
    /// The first line (or index) where it was seen.
    pub line: u64,
    /// How often.
    pub count: u64,
}
