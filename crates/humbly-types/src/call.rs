//! Tool calls and their results.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One tool call of an assistant turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Id by which a result names this call; made by the reader where the log has none.
    pub id: String,
    /// Whether the reader made the id.
    pub id_synthetic: bool,
    /// Tool name as the harness writes it.
    pub name: String,
    /// The arguments exactly as logged: a JSON text where the log holds an object.
    pub arguments: String,
    /// What the call really asked, where the log keeps it apart from the arguments (ToolOrchestra passes
    /// only the expert's name and writes the query or the code elsewhere).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effective_arguments: Option<String>,
    /// Whether the provider ran the tool itself (web search inside the API).
    pub server_side: bool,
    /// Whether the call ends the run (finish, submit, final answer): it is no follow-up.
    pub ends_run: bool,
}

impl ToolCall {
    /// The arguments as canonical JSON (sorted keys, `1.0` as `1`), `None` where they are not JSON.
    ///
    /// Two calls are exact duplicates when names and canonical arguments are equal; where a side is not
    /// JSON the raw text is compared.
    pub fn canonical_arguments(&self) -> Option<String> {
        serde_json::from_str::<Value>(&self.arguments).ok().map(|value| canonical_json(&value))
    }

    /// What the call effectively asks for: the query, code or command in it, white space folded and case
    /// kept; the canonical arguments where none stands out.
    pub fn effective_key(&self) -> String {
        if let Some(effective) = &self.effective_arguments {
            return fold_whitespace(effective);
        }
        let Ok(value) = serde_json::from_str::<Value>(&self.arguments) else {
            return fold_whitespace(&self.arguments);
        };
        let named = ["query", "q", "search_query", "code", "command", "cmd", "url", "question", "pattern"];
        named
            .iter()
            .find_map(|key| value.get(*key)?.as_str().map(fold_whitespace))
            .unwrap_or_else(|| canonical_json(&value))
    }
}

/// Canonical text of a JSON value: keys sorted, whole floats written as integers, no white space.
///
/// # Examples
/// ```
/// let a = serde_json::json!({"b": 1.0, "a": [2]});
/// assert_eq!(humbly_types::canonical_json(&a), r#"{"a":[2],"b":1}"#);
/// ```
pub fn canonical_json(value: &Value) -> String {
    let mut out = String::new();
    write_canonical(value, &mut out);
    out
}

fn fold_whitespace(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Number(number) => match number.as_f64() {
            #[expect(clippy::cast_possible_truncation, reason = "guarded: whole and below 2^53")]
            Some(float)
                if number.is_f64() && float.fract() == 0.0 && float.abs() < 9_007_199_254_740_992.0 =>
            {
                out.push_str(&(float as i64).to_string());
            }
            _ => out.push_str(&number.to_string()),
        },
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_canonical(item, out);
            }
            out.push(']');
        }
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort();
            out.push('{');
            for (index, key) in keys.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(&Value::String(key.clone()).to_string());
                out.push(':');
                write_canonical(&map[key], out);
            }
            out.push('}');
        }
        other => out.push_str(&other.to_string()),
    }
}

/// What came back from a tool call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// Id of the call it answers, where the log says so or order settles it.
    pub call_id: Option<String>,
    /// Tool name, where the log repeats it.
    pub name: Option<String>,
    /// Text of the result, harness reminders stripped.
    pub text: String,
    /// How many images (or other binary parts) it held.
    pub images: u32,
    /// Whether the call failed; `None` where the format does not say.
    pub is_error: Option<bool>,
    /// What `is_error` rests on.
    pub error_origin: ErrorOrigin,
    /// Whether the harness says that it cut the text.
    pub truncated: bool,
}

/// What [`ToolResult::is_error`] rests on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorOrigin {
    /// A boolean of the log.
    Flag,
    /// A status or exit code.
    Status,
    /// The text names a failure in the harness's own fixed form.
    TextHeuristic,
    /// Nothing.
    #[default]
    None,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(arguments: &str) -> ToolCall {
        ToolCall {
            id: "1".into(),
            id_synthetic: false,
            name: "search".into(),
            arguments: arguments.into(),
            ..ToolCall::default()
        }
    }

    #[test]
    fn key_order_and_whole_floats_do_not_matter() {
        assert_eq!(
            call(r#"{"b": 1.0, "a": "x"}"#).canonical_arguments(),
            call(r#"{"a":"x","b":1}"#).canonical_arguments()
        );
    }

    #[test]
    fn invalid_arguments_have_no_canonical_form() {
        assert_eq!(call("{\"a\": ").canonical_arguments(), None);
    }
}
