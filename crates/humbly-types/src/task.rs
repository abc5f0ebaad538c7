//! What is known of a question: split, references, candidates.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// A question asked of an agent and what is known of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Task {
    /// Id; joins to trajectory id or sample id.
    #[serde(deserialize_with = "text_or_number")]
    pub id: String,
    /// Data set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dataset: Option<String>,
    /// Conflict or matched control.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<Split>,
    /// Id shared by a conflict task and its control.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair: Option<String>,
    /// Condition of the run, e.g. `default` or `prompted`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// Kind of conflict, e.g. `controlled` or `natural`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scenario: Option<String>,
    /// Kind of control, e.g. `consistent_passages`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control_kind: Option<String>,
    /// The question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// Reference answers.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<String>,
    /// Whether one reference suffices or all are asked for.
    #[serde(default)]
    pub reference_mode: ReferenceMode,
    /// The answers that compete (controlled conflict).
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
    /// What the model believes without evidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parametric_answer: Option<String>,
    /// Numbers that count as right beside the references.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acceptable: Option<NumberRange>,
    /// Whether the question has an answer (attribution tasks).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answerable: Option<bool>,
}

/// Numbers from a least to a greatest one, both included.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NumberRange {
    /// Least.
    pub low: f64,
    /// Greatest.
    pub high: f64,
}

// JSON has no NaN, so that every range equals itself.
impl Eq for NumberRange {}

/// The two sets of the evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Split {
    /// D+: evidence conflicts.
    Conflict,
    /// D−: matched, no conflict.
    Control,
}

/// How several references count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReferenceMode {
    /// One of them suffices.
    #[default]
    Any,
    /// All must be named.
    All,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Scalar {
    Text(String),
    Number(serde_json::Number),
    Flag(bool),
}

impl Scalar {
    fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Number(number) => number.to_string(),
            Self::Flag(flag) => flag.to_string(),
        }
    }
}

fn text_or_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(Scalar::deserialize(deserializer)?.into_text())
}

fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMany {
        Many(Vec<Scalar>),
        One(Scalar),
        None,
    }
    Ok(match OneOrMany::deserialize(deserializer)? {
        OneOrMany::Many(many) => many.into_iter().map(Scalar::into_text).collect(),
        OneOrMany::One(one) => vec![one.into_text()],
        OneOrMany::None => Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_reference_and_a_numeric_id_are_accepted() {
        let task: Task = serde_json::from_str(r#"{"id": 7, "references": 1931}"#).unwrap();
        assert_eq!((task.id.as_str(), task.references.as_slice()), ("7", &["1931".to_owned()][..]));
    }

    #[test]
    fn an_unknown_split_is_refused() {
        assert!(serde_json::from_str::<Task>(r#"{"id": "a", "split": "clash"}"#).is_err());
    }
}
