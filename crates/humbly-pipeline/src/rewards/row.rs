//! One line of a file of rollouts.

use humbly_rewards::ItemLabel;
use serde_json::Value;

/// Names of the columns; a dot goes into an object (`reward_model.ground_truth`).
#[derive(Debug, Clone, Default)]
pub struct RewardColumns {
    /// Responses; without it `response`, `output` or `completion`.
    pub response: Option<String>,
    /// Reference answers; without it `references`, `reference`, `ground_truth` or `reward_model.ground_truth`.
    pub references: Option<String>,
    /// Prompts; without it `prompt`, where that is a text.
    pub prompt: Option<String>,
    /// Question ids; without it `question_id` or `uid`.
    pub question: Option<String>,
    /// Labels of questions; without it `label`.
    pub label: Option<String>,
}

/// What a line holds.
#[derive(Debug, Clone)]
pub(super) struct Rollout {
    pub(super) line: u64,
    pub(super) id: Option<String>,
    pub(super) response: String,
    pub(super) references: Vec<String>,
    pub(super) prompt: Option<String>,
    pub(super) question: Option<String>,
    pub(super) label: Option<ItemLabel>,
}

impl RewardColumns {
    /// Reads a line; the error says what was found and what was expected.
    pub(super) fn read(&self, line: u64, text: &str) -> Result<Rollout, String> {
        let row: Value = serde_json::from_str(text).map_err(|error| format!("no JSON object: {error}"))?;
        if !row.is_object() {
            return Err("a JSON value that is no object, expected one rollout a line".to_owned());
        }
        let response = match find(&row, self.response.as_deref(), &["response", "output", "completion"]) {
            Some(Value::String(response)) => response.clone(),
            Some(other) => return Err(format!("the response is {}, expected a text", kind(other))),
            None => {
                let name = self.response.as_deref().unwrap_or("response");
                return Err(format!("no column `{name}`, expected the response as a text"));
            }
        };
        let known = ["references", "reference", "ground_truth", "reward_model.ground_truth"];
        let mut references = Vec::new();
        if let Some(value) = find(&row, self.references.as_deref(), &known) {
            answers(value, &mut references);
        }
        let label = match find(&row, self.label.as_deref(), &["label"]) {
            None | Some(Value::Null) => None,
            Some(Value::String(label)) => Some(label.parse().map_err(|error| format!("{error}"))?),
            Some(other) => return Err(format!("the label is {}, expected a text", kind(other))),
        };
        let text_of = |name: &Option<String>, known: &[&str]| match find(&row, name.as_deref(), known) {
            Some(Value::String(text)) => Some(text.clone()),
            Some(Value::Number(number)) => Some(number.to_string()),
            _ => None,
        };
        Ok(Rollout {
            line,
            id: text_of(&None, &["id"]),
            prompt: text_of(&self.prompt, &["prompt"]),
            question: text_of(&self.question, &["question_id", "uid"]),
            response,
            references,
            label,
        })
    }
}

/// The value under a name, or under the first of the known names.
fn find<'a>(row: &'a Value, name: Option<&str>, known: &[&str]) -> Option<&'a Value> {
    let at = |name: &str| name.split('.').try_fold(row, |value, part| value.get(part));
    match name {
        // A name with dots of its own comes first.
        Some(name) => row.get(name).or_else(|| at(name)),
        None => known.iter().find_map(|name| at(name)),
    }
}

/// Texts and numbers, alone, in lists, or under `target` as Search-R1 has them.
fn answers(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => into.push(text.clone()),
        Value::Number(number) => into.push(number.to_string()),
        Value::Bool(flag) => into.push(flag.to_string()),
        Value::Array(values) => {
            for value in values {
                answers(value, into);
            }
        }
        Value::Object(fields) => {
            if let Some(target) = fields.get("target") {
                answers(target, into);
            }
        }
        Value::Null => {}
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a flag",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
