//! A span of a trace, whoever wrote it.

use std::collections::BTreeMap;

use humbly_types::{ToolResult, Usage};
use serde_json::{Map, Value};

use crate::formats::message::Message;

/// A deeper path of a dotted attribute is no attribute that any tracer writes.
const DEEPEST_PATH: usize = 24;

/// What a span stands for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum SpanKind {
    /// A call of a model: one turn.
    Model,
    /// A run of a tool.
    Tool,
    /// An agent: what stands below is its work.
    Agent,
    /// Anything else.
    #[default]
    Other,
}

/// A run of a tool.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ToolRun {
    pub(crate) call_id: Option<String>,
    pub(crate) name: String,
    pub(crate) arguments: Option<String>,
    pub(crate) result: Option<ToolResult>,
}

/// A span of a trace.
#[derive(Debug, Clone, Default)]
pub(crate) struct Span {
    pub(crate) id: String,
    pub(crate) parent: Option<String>,
    pub(crate) trace: String,
    /// Sorts as the start times do.
    pub(crate) start: String,
    /// The start time as the log writes it.
    pub(crate) timestamp: Option<String>,
    pub(crate) kind: SpanKind,
    pub(crate) name: String,
    /// Line, or index of the span in a document, from 1.
    pub(crate) line: u64,
    pub(crate) input: Vec<Message>,
    pub(crate) output: Vec<Message>,
    /// The output was cut by a length limit.
    pub(crate) is_output_cut: bool,
    pub(crate) response_id: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) finish: Option<String>,
    pub(crate) usage: Option<Usage>,
    pub(crate) error: Option<String>,
    pub(crate) tool: Option<ToolRun>,
    pub(crate) agent: Option<String>,
    pub(crate) conversation: Option<String>,
}

/// Attributes of a span, flat (`a.0.b`) or nested.
pub(crate) struct Attributes<'a>(pub(crate) &'a Map<String, Value>);

impl<'a> Attributes<'a> {
    /// An attribute by its dotted name.
    pub(crate) fn value(&self, name: &str) -> Option<&'a Value> {
        if let Some(value) = self.0.get(name) {
            return Some(value);
        }
        let mut parts = name.split('.');
        let mut value = self.0.get(parts.next()?)?;
        for part in parts {
            value = value.get(part)?;
        }
        Some(value)
    }

    /// A text attribute.
    pub(crate) fn text(&self, name: &str) -> Option<&'a str> {
        self.value(name)?.as_str().filter(|text| !text.is_empty())
    }

    /// The first of several text attributes.
    pub(crate) fn first_text(&self, names: &[&str]) -> Option<&'a str> {
        names.iter().find_map(|name| self.text(name))
    }

    /// A count, which some exporters write as a string.
    pub(crate) fn count(&self, names: &[&str]) -> Option<u64> {
        names.iter().find_map(|name| {
            let value = self.value(name)?;
            value.as_u64().or_else(|| value.as_str()?.parse().ok())
        })
    }

    /// The list under `prefix`: nested, or gathered from `prefix.0.…`, `prefix.1.…`.
    pub(crate) fn list(&self, prefix: &str) -> Vec<Value> {
        if let Some(Value::Array(items)) = self.value(prefix) {
            return items.clone();
        }
        let dotted = format!("{prefix}.");
        let mut items: BTreeMap<u64, Value> = BTreeMap::new();
        for (key, value) in self.0 {
            let Some((index, path)) = key.strip_prefix(&dotted).and_then(|rest| rest.split_once('.')) else {
                continue;
            };
            let Ok(index) = index.parse() else { continue };
            let path: Vec<&str> = path.split('.').collect();
            if path.len() <= DEEPEST_PATH {
                insert(items.entry(index).or_insert(Value::Null), &path, value);
            }
        }
        items.into_values().map(lists).collect()
    }
}

fn insert(target: &mut Value, path: &[&str], value: &Value) {
    let Some((key, rest)) = path.split_first() else {
        *target = value.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    if let Value::Object(fields) = target {
        insert(fields.entry((*key).to_owned()).or_insert(Value::Null), rest, value);
    }
}

/// Objects whose keys are all numbers become lists, in the order of the numbers.
fn lists(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let is_list = !fields.is_empty() && fields.keys().all(|key| key.parse::<u64>().is_ok());
            let mut fields: Vec<(String, Value)> =
                fields.into_iter().map(|(key, value)| (key, lists(value))).collect();
            if is_list {
                fields.sort_by_key(|(key, _)| key.parse::<u64>().unwrap_or(u64::MAX));
                return Value::Array(fields.into_iter().map(|(_, value)| value).collect());
            }
            Value::Object(fields.into_iter().collect())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn dotted_keys_become_a_list_in_the_order_of_numbers() {
        let value =
            json!({"m.10.role": "c", "m.2.role": "b", "m.0.calls.0.name": "f", "m.x.role": "-", "n": 1});
        let attributes = Attributes(value.as_object().unwrap());
        assert_eq!(
            attributes.list("m"),
            [json!({"calls": [{"name": "f"}]}), json!({"role": "b"}), json!({"role": "c"})]
        );
    }

    #[test]
    fn a_very_long_path_is_passed_over() {
        let key = format!("m.0{}", ".a".repeat(100_000));
        let value = json!({ key: 1 });
        assert!(Attributes(value.as_object().unwrap()).list("m").is_empty());
    }
}
