//! Humbly's own JSONL: one trajectory a line, written by the built-in agent and by any harness that likes.
//!
//! The reader of `humbly-readers` and the writers share these types, so that what is written is what is read.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{AnswerLogProbability, LogRecord, StopKind, Usage};

/// One trajectory in Humbly's own form.
///
/// # Examples
/// ```
/// use humbly_types::{Record, TurnRecord};
/// let record = Record {
///     turns: vec![TurnRecord { text: "Paris.".into(), ..TurnRecord::default() }],
///     ..Record::new("t1")
/// };
/// let line = serde_json::to_string(&record)?;
/// assert_eq!(line, r#"{"humbly":1,"id":"t1","turns":[{"text":"Paris."}]}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Version of the form: 1.
    #[serde(default = "version")]
    pub humbly: u32,
    /// Id of the trajectory.
    pub id: String,
    /// Id of the task it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// Model of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Name of the agent or harness.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Data set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dataset: Option<String>,
    /// Condition of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The first prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// Reference answers: for correctness, never for a judge.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<String>,
    /// The generations of the agent, in order.
    pub turns: Vec<TurnRecord>,
    /// The answer, where it stands apart from the last turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_answer: Option<String>,
    /// `completed`, `limit`, `error`, `interrupted`, `refused`; another word is kept and counts as unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<String>,
    /// What went wrong, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Tokens of the whole; unknown ones are absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Cost in US dollars, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// How probable the tokens of the answer were to the model, where its endpoint says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_log_probability: Option<AnswerLogProbability>,
    /// The trajectory whole, where the record was made from a log; then the other fields repeat parts of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<Box<LogRecord>>,
}

/// One generation of the agent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TurnRecord {
    /// A prompt that came before this turn (a second question, a reminder).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Reasoning, where it is apart from the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Visible text; may be empty.
    #[serde(default)]
    pub text: String,
    /// Tool calls with their results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallRecord>,
}

/// One tool call with its result.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CallRecord {
    /// Id; made by the reader where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Name of the tool.
    pub name: String,
    /// Arguments: an object, or the raw text where the model wrote no JSON.
    #[serde(default)]
    pub arguments: Value,
    /// What the tool returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Whether the call failed; absent where unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
}

impl Record {
    /// A record without turns.
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            humbly: version(),
            id: id.into(),
            task_id: None,
            model: None,
            agent: None,
            dataset: None,
            condition: None,
            question: None,
            references: Vec::new(),
            turns: Vec::new(),
            final_answer: None,
            stop: None,
            error: None,
            usage: None,
            cost_usd: None,
            answer_log_probability: None,
            log: None,
        }
    }

    /// The kind of end that [`Record::stop`] names; `None` where it says nothing.
    pub fn stop_kind(&self) -> Option<StopKind> {
        self.stop.as_deref().map(|raw| match raw {
            "completed" => StopKind::Completed,
            "limit" => StopKind::Limit,
            "error" => StopKind::Error,
            "interrupted" => StopKind::Interrupted,
            "refused" => StopKind::Refused,
            _ => StopKind::Unknown,
        })
    }
}

fn version() -> u32 {
    1
}
