//! Rows of a label file.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{JudgeError, Result};

/// A text that people have labelled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelledRow {
    /// Id.
    pub id: String,
    /// One turn, or one final answer.
    pub text: String,
    /// What people say.
    pub label: bool,
    /// Rows with one key belong together (a question, a trajectory) and are resampled together.
    pub fold: Option<String>,
}

/// What people were asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictKind {
    /// Identify on one intermediate turn.
    Identify,
    /// Escalate on one final answer.
    Escalate,
    /// Refusal or abstention in one final answer.
    Refusal,
}

impl VerdictKind {
    /// The name of the label's field.
    pub fn code(self) -> &'static str {
        match self {
            Self::Identify => "identify",
            Self::Escalate => "escalate",
            Self::Refusal => "refusal",
        }
    }
}

/// Fields that say which rows belong together, the first that a row has.
const FOLD_FIELDS: &[&str] = &["fold", "question", "trajectory"];

/// Reads label rows: `id`, `text`, the label (0, 1 or a boolean) under the verdict's name, and a fold
/// key in `fold`, `question` or `trajectory`. Blank lines and rows whose label is null are skipped.
///
/// # Errors
/// [`JudgeError::NotJson`], [`JudgeError::Field`], [`JudgeError::RepeatedId`], each with its line.
///
/// # Examples
/// ```
/// use humbly_judge::{VerdictKind, read_rows};
/// let rows = read_rows(r#"{"id": "a", "text": "1912", "escalate": 0, "question": "When?"}"#, VerdictKind::Escalate).unwrap();
/// assert_eq!((rows[0].label, rows[0].fold.as_deref()), (false, Some("When?")));
/// ```
pub fn read_rows(content: &str, verdict: VerdictKind) -> Result<Vec<LabelledRow>> {
    let mut rows = Vec::new();
    let mut seen = BTreeSet::new();
    for (index, line) in content.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let line_number = index + 1;
        let object: Map<String, Value> =
            serde_json::from_str(line).map_err(|source| JudgeError::NotJson { line: line_number, source })?;
        let field = |field: &str, expected| JudgeError::Field {
            line: line_number,
            field: field.to_owned(),
            expected,
        };
        let id = object.get("id").and_then(scalar).ok_or_else(|| field("id", "a string or number"))?;
        let text =
            object.get("text").and_then(Value::as_str).ok_or_else(|| field("text", "a string"))?.to_owned();
        let label = match object.get(verdict.code()) {
            Some(Value::Bool(label)) => *label,
            Some(Value::Number(number)) if number.as_u64() == Some(0) => false,
            Some(Value::Number(number)) if number.as_u64() == Some(1) => true,
            // A null says that nobody labelled the row.
            Some(Value::Null) => continue,
            _ => return Err(field(verdict.code(), "0, 1, true or false")),
        };
        if !seen.insert(id.clone()) {
            return Err(JudgeError::RepeatedId { line: line_number, id });
        }
        let fold = FOLD_FIELDS.iter().find_map(|name| object.get(*name).and_then(scalar));
        rows.push(LabelledRow { id, text, label, fold });
    }
    Ok(rows)
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_row_names_its_line_and_field() {
        let error = read_rows("\n{\"id\": 1, \"text\": \"a\"}", VerdictKind::Identify).unwrap_err();
        assert_eq!(error.to_string(), "line 2 has no usable field `identify`, expected 0, 1, true or false");
        assert!(matches!(read_rows("{", VerdictKind::Identify), Err(JudgeError::NotJson { line: 1, .. })));
        let twice = "{\"id\":1,\"text\":\"a\",\"refusal\":1}\n".repeat(2);
        assert!(matches!(
            read_rows(&twice, VerdictKind::Refusal),
            Err(JudgeError::RepeatedId { line: 2, .. })
        ));
    }
}
