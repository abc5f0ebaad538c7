//! Spans as JSON: OTLP `resourceSpans`, one span a line, or a bare object of attributes.

use serde_json::{Map, Value, json};

use super::span::Span;
use crate::content::str_field;

/// Whether a record is a span (or holds spans) whose attributes a test accepts.
pub(crate) fn is_span(record: &Value, accepts: impl Fn(&str) -> bool) -> bool {
    span_values(record).iter().take(50).any(|span| {
        let has = |value: Option<&Value>| {
            value.and_then(Value::as_object).is_some_and(|fields| fields.keys().any(|key| accepts(key)))
        };
        has(span.get("attributes"))
            || span.get("events").and_then(Value::as_array).is_some_and(|events| {
                events.iter().any(|event| {
                    str_field(event, "name").is_some_and(&accepts) || has(event.get("attributes"))
                })
            })
    })
}

/// The spans in a record, each as an object with `attributes` (names to plain values) and `events`.
pub(crate) fn span_values(record: &Value) -> Vec<Value> {
    if let Some(items) = record.as_array() {
        return items.iter().flat_map(span_values_of_item).collect();
    }
    span_values_of_item(record)
}

fn span_values_of_item(record: &Value) -> Vec<Value> {
    if let Some(resources) = field(record, &["resourceSpans", "resource_spans"]).and_then(Value::as_array) {
        return resources.iter().flat_map(resource_spans).collect();
    }
    let Some(fields) = record.as_object() else { return Vec::new() };
    if let Some(spans) = fields.get("spans").and_then(Value::as_array) {
        return spans.iter().filter(|span| span.is_object()).map(plain_span).collect();
    }
    let is_bare = !fields.contains_key("attributes")
        && fields.keys().any(|key| key.starts_with("gen_ai.") || key.starts_with("llm."));
    if is_bare {
        return vec![json!({ "attributes": Value::Object(fields.clone()) })];
    }
    if fields.contains_key("attributes") { vec![plain_span(record)] } else { Vec::new() }
}

fn resource_spans(resource: &Value) -> Vec<Value> {
    let scopes = field(resource, &["scopeSpans", "scope_spans", "instrumentationLibrarySpans"]);
    let mut spans = Vec::new();
    for scope in scopes.and_then(Value::as_array).into_iter().flatten() {
        spans.extend(scope.get("spans").and_then(Value::as_array).into_iter().flatten().map(plain_span));
    }
    spans
}

/// A span with attributes as a plain object, whatever its exporter.
fn plain_span(span: &Value) -> Value {
    let mut plain = span.clone();
    if let Some(fields) = plain.as_object_mut() {
        let attributes = plain_attributes(span.get("attributes"));
        fields.insert("attributes".to_owned(), Value::Object(attributes));
        let events = span.get("events").and_then(Value::as_array).into_iter().flatten().map(|event| {
            let name = str_field(event, "name").unwrap_or_default();
            json!({"name": name, "attributes": plain_attributes(event.get("attributes"))})
        });
        fields.insert("events".to_owned(), events.collect());
    }
    plain
}

fn plain_attributes(attributes: Option<&Value>) -> Map<String, Value> {
    match attributes {
        Some(Value::Object(fields)) => fields.clone(),
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_default(),
        Some(Value::Array(pairs)) => pairs
            .iter()
            .filter_map(|pair| Some((str_field(pair, "key")?.to_owned(), any_value(pair.get("value")?, 0))))
            .collect(),
        _ => Map::new(),
    }
}

/// OTLP's tagged value as plain JSON; 64-bit numbers are strings there.
fn any_value(value: &Value, depth: usize) -> Value {
    let Some(fields) = value.as_object().filter(|_| depth < 32) else { return value.clone() };
    let Some((tag, inner)) = fields.iter().next() else { return Value::Null };
    match tag.as_str() {
        "stringValue" | "boolValue" | "doubleValue" | "bytesValue" => inner.clone(),
        "intValue" => inner
            .as_str()
            .and_then(|text| text.parse::<i64>().ok())
            .map_or_else(|| inner.clone(), Value::from),
        "arrayValue" => inner
            .get("values")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .map(|item| any_value(item, depth + 1))
            .collect(),
        "kvlistValue" => {
            let pairs = inner.get("values").and_then(Value::as_array).into_iter().flatten();
            let fields: Map<String, Value> = pairs
                .filter_map(|pair| {
                    Some((str_field(pair, "key")?.to_owned(), any_value(pair.get("value")?, depth + 1)))
                })
                .collect();
            Value::Object(fields)
        }
        _ => value.clone(),
    }
}

pub(super) fn field<'a>(value: &'a Value, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|name| value.get(*name))
}

/// Ids, order, name and status of a span; what it says is left to the reader.
pub(crate) fn base_span(span: &Value, line: u64) -> Span {
    let context = span.get("context").unwrap_or(span);
    let text = |names: &[&str]| {
        field(span, names).or_else(|| field(context, names)).and_then(|value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        })
    };
    let id = text(&["spanId", "span_id", "context.span_id", "id"]).unwrap_or_else(|| format!("span-{line}"));
    let parent = text(&["parentSpanId", "parent_span_id", "parent_id", "parentId", "parentObservationId"])
        .filter(|parent| parent.bytes().any(|byte| byte != b'0'));
    let timestamp = text(&["startTimeUnixNano", "start_time_unix_nano", "startTime", "start_time"]);
    Span {
        id,
        parent,
        trace: text(&["traceId", "trace_id", "context.trace_id"]).unwrap_or_default(),
        start: sortable(timestamp.as_deref().unwrap_or_default()),
        timestamp,
        name: text(&["name"]).unwrap_or_default(),
        line,
        error: status_error(span),
        ..Span::default()
    }
}

/// Times that are numbers sort as numbers; dates sort as they are.
fn sortable(time: &str) -> String {
    if !time.is_empty() && time.bytes().all(|byte| byte.is_ascii_digit()) {
        format!("{time:0>24}")
    } else {
        time.to_owned()
    }
}

fn status_error(span: &Value) -> Option<String> {
    let status = span.get("status").filter(|status| !status.is_null());
    let code = status.map(|status| field(status, &["code", "status_code"]).unwrap_or(status));
    let code = code.or_else(|| field(span, &["status_code", "level"]))?;
    let is_error = match code {
        Value::Number(number) => number.as_u64() == Some(2),
        Value::String(text) => text == "ERROR" || text.ends_with("_ERROR") || text == "error",
        _ => false,
    };
    let message = status
        .and_then(|status| field(status, &["message", "description"]))
        .or_else(|| field(span, &["statusMessage", "status_message"]));
    is_error.then(|| message.and_then(Value::as_str).unwrap_or("error").to_owned())
}
