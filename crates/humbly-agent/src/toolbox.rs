//! The tools of one agent, and what happens to a call that does not fit.

use std::sync::Arc;

use humbly_llm::ToolSpec;
use serde_json::{Map, Value};

use crate::{AgentError, Fence, Result, TextForm, Tool, ToolKind};

/// Longest arguments of a call, in bytes.
const ARGUMENTS_LIMIT: usize = 100_000;

/// The tools of one agent.
pub(crate) struct Toolbox {
    entries: Vec<Entry>,
}

/// A tool with what it says of itself.
pub(crate) struct Entry {
    tool: Arc<dyn Tool>,
    pub(crate) spec: ToolSpec,
    pub(crate) kind: ToolKind,
    pub(crate) form: TextForm,
}

/// What the model reads after a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Observation {
    /// Clean, harmless and cut.
    pub text: String,
    pub is_error: bool,
    /// Kind of the tool; `None` where there is no such tool.
    pub kind: Option<ToolKind>,
}

impl Toolbox {
    pub(crate) fn new(tools: Vec<Arc<dyn Tool>>) -> Result<Self> {
        let mut entries: Vec<Entry> = Vec::with_capacity(tools.len());
        for tool in tools {
            let (spec, kind, form) = (tool.spec(), tool.kind(), tool.text_form());
            let is_word = |name: &str| {
                !name.is_empty()
                    && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
            };
            let reserved = ["think", "information", "answer", "confidence"];
            if !is_word(&form.tag) || reserved.contains(&form.tag.as_str()) {
                return Err(AgentError::Setting {
                    setting: "tag of a tool",
                    found: format!("`{}`", form.tag),
                    expected: format!("letters, digits, `_` or `-`, and none of {}", reserved.join(", ")),
                });
            }
            if let Some(known) = entries
                .iter()
                .find(|known| known.spec.name == spec.name || known.form.tag.eq_ignore_ascii_case(&form.tag))
            {
                return Err(AgentError::DuplicateTool { name: known.spec.name.clone() });
            }
            entries.push(Entry { tool, spec, kind, form });
        }
        Ok(Self { entries })
    }

    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(crate) fn specs(&self) -> Vec<ToolSpec> {
        self.entries.iter().map(|entry| entry.spec.clone()).collect()
    }

    pub(crate) fn tags(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.form.tag.as_str())
    }

    pub(crate) fn by_tag(&self, tag: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.form.tag.eq_ignore_ascii_case(tag))
    }

    pub(crate) fn first_evidence(&self) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.kind == ToolKind::Evidence)
    }

    /// The tool that fixed stages offer: one that brings evidence, else one that verifies.
    pub(crate) fn first_offered(&self) -> Option<&Entry> {
        self.first_evidence().or_else(|| self.entries.first())
    }

    /// Calls a tool with the arguments that the model wrote.
    pub(crate) async fn call(&self, name: &str, arguments: &str, fence: &Fence, limit: usize) -> Observation {
        let Some(entry) = self.entries.iter().find(|entry| entry.spec.name == name) else {
            let known: Vec<&str> = self.entries.iter().map(|entry| entry.spec.name.as_str()).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            let text = format!("there is no tool `{}` (tools: {known})", fence.line(name, 60));
            return Observation { text, is_error: true, kind: None };
        };
        let outcome = match object(arguments) {
            Ok(arguments) => entry.tool.call(&arguments).await.map_err(|error| error.to_string()),
            Err(detail) => Err(detail),
        };
        let (text, is_error) = match outcome {
            Ok(output) if output.text.trim().is_empty() => ("(no output)".to_owned(), false),
            Ok(output) => (output.text, false),
            Err(detail) => (format!("error: {detail}"), true),
        };
        Observation { text: fence.data(&text, limit), is_error, kind: Some(entry.kind) }
    }
}

/// The arguments as an object; no arguments are an empty one, and a JSON text inside a JSON string (some
/// models quote twice) is read.
fn object(arguments: &str) -> std::result::Result<Map<String, Value>, String> {
    if arguments.len() > ARGUMENTS_LIMIT {
        return Err(format!(
            "wrong arguments: {} bytes, expected at most {ARGUMENTS_LIMIT}",
            arguments.len()
        ));
    }
    if arguments.trim().is_empty() {
        return Ok(Map::new());
    }
    let mut value: Value = serde_json::from_str(arguments)
        .map_err(|error| format!("wrong arguments: not JSON ({error}), expected an object"))?;
    if let Value::String(inner) = &value
        && let Ok(again @ Value::Object(_)) = serde_json::from_str(inner)
    {
        value = again;
    }
    match value {
        Value::Object(fields) => Ok(fields),
        Value::Null => Ok(Map::new()),
        other => Err(format!("wrong arguments: {}, expected an object", kind_of(&other))),
    }
}

/// The arguments as a record keeps them: the object, else the raw text.
pub(crate) fn recorded(arguments: &str) -> Value {
    match serde_json::from_str(arguments) {
        Ok(value @ Value::Object(_)) => value,
        _ => Value::String(arguments.to_owned()),
    }
}

/// What a JSON value is, for a message.
pub(crate) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_are_no_object_are_named() {
        assert_eq!(object(" ").unwrap().len(), 0);
        assert_eq!(object(r#""{\"query\":\"x\"}""#).unwrap()["query"], "x");
        assert_eq!(object("[1]").unwrap_err(), "wrong arguments: a list, expected an object");
        assert!(object("{query: x}").unwrap_err().starts_with("wrong arguments: not JSON"));
        assert!(object(&"[".repeat(200_000)).unwrap_err().contains("bytes"));
        assert!(object(&"[".repeat(50_000)).is_err());
    }

    #[test]
    fn a_record_keeps_what_is_no_json_as_it_was_written() {
        assert_eq!(recorded("{query: x}"), Value::String("{query: x}".into()));
        assert_eq!(recorded(r#"{"query":"x"}"#)["query"], "x");
    }
}
