//! Langfuse exports: one trace with its observations, attributes inside a JSON string.

use humbly_types::Usage;
use serde_json::{Map, Value};

use super::otlp::base_span;
use super::span::{Attributes, Span, SpanKind, ToolRun};
use super::truncated_json::{Parsed, parse_attribute};
use crate::content::{raw_text, str_field};
use crate::formats::message::{Message, Part, messages_of, result_of};
use humbly_types::{ErrorOrigin, Role, ToolResult};

/// Whether a record is such an export.
pub(crate) fn is_langfuse(record: &Value) -> bool {
    record.get("trace").is_some_and(Value::is_object)
        && record.get("observations").is_some_and(Value::is_array)
}

/// Whether the metadata of an observation mentions one of these words.
pub(crate) fn metadata_mentions(record: &Value, words: &[&str]) -> bool {
    let observations = record.get("observations").and_then(Value::as_array);
    observations.into_iter().flatten().take(50).any(|observation| match observation.get("metadata") {
        Some(Value::String(text)) => words.iter().any(|word| text.contains(word)),
        Some(other) => {
            let text = other.to_string();
            words.iter().any(|word| text.contains(word))
        }
        None => false,
    })
}

/// The spans of an export. `read_attributes` takes what its format knows from the attributes; input and
/// output columns of the export fill what is missing.
pub(crate) fn langfuse_spans(
    record: &Value,
    read_attributes: &dyn Fn(&mut Span, &Attributes<'_>),
) -> Vec<Span> {
    let trace = record.get("trace").and_then(|trace| str_field(trace, "id")).unwrap_or_default();
    let session = record.get("trace").and_then(|trace| str_field(trace, "sessionId"));
    let observations = record.get("observations").and_then(Value::as_array);
    let mut spans = Vec::new();
    for (index, observation) in observations.into_iter().flatten().enumerate() {
        let mut span = base_span(observation, index as u64 + 1);
        trace.clone_into(&mut span.trace);
        span.conversation = session.map(str::to_owned);
        let attributes = attributes_of(observation);
        read_attributes(&mut span, &Attributes(&attributes));
        match str_field(observation, "type") {
            Some("GENERATION") => span.kind = SpanKind::Model,
            Some("TOOL") => span.kind = SpanKind::Tool,
            Some("AGENT") => span.kind = SpanKind::Agent,
            _ => {}
        }
        fill(&mut span, observation);
        spans.push(span);
    }
    spans
}

fn attributes_of(observation: &Value) -> Map<String, Value> {
    let parsed = observation.get("metadata").map(parse_attribute);
    let Some(Parsed::Whole(metadata) | Parsed::Cut(metadata)) = parsed else { return Map::new() };
    match metadata.get("attributes").or(Some(&metadata)) {
        Some(Value::Object(fields)) => fields.clone(),
        _ => Map::new(),
    }
}

fn fill(span: &mut Span, observation: &Value) {
    let column = |name: &str| match observation.get(name).map(parse_attribute) {
        Some(Parsed::Whole(value)) => (value, false),
        Some(Parsed::Cut(value)) => (value, true),
        Some(Parsed::Lost) => (Value::Null, true),
        None => (Value::Null, false),
    };
    let (input, _) = column("input");
    let (output, is_cut) = column("output");
    if span.kind == SpanKind::Tool {
        fill_tool(span, &input, &output);
        return;
    }
    if span.input.is_empty() {
        span.input = column_messages(&input, Role::User, span.kind);
    }
    if span.output.is_empty() {
        span.output = column_messages(&output, Role::Assistant, span.kind);
        span.is_output_cut = is_cut;
    }
    if span.kind == SpanKind::Model {
        span.model = str_field(observation, "model").map(str::to_owned).or_else(|| span.model.take());
        span.usage = span.usage.or_else(|| usage_details(observation.get("usageDetails")?));
    }
}

/// Messages of a column; a bare text of a model span is its prompt or its answer.
fn column_messages(value: &Value, role: Role, kind: SpanKind) -> Vec<Message> {
    let messages = messages_of(value);
    match value {
        Value::String(text) if messages.is_empty() && kind == SpanKind::Model && !text.is_empty() => {
            let mut message = Message::new(role);
            message.parts.push(Part::Text(text.clone()));
            vec![message]
        }
        _ => messages,
    }
}

fn fill_tool(span: &mut Span, input: &Value, output: &Value) {
    let name = span.name.clone();
    let run = span.tool.get_or_insert_with(|| ToolRun { name, ..ToolRun::default() });
    if run.arguments.is_none() && !input.is_null() {
        // Some tracers wrap the arguments once more.
        let wrapped =
            input.as_object().filter(|fields| fields.len() == 1).and_then(|fields| fields.get("input"));
        run.arguments = Some(raw_text(wrapped.unwrap_or(input)));
    }
    if run.result.is_none() && !output.is_null() {
        run.result = Some(tool_output(&run.name, output));
    }
}

/// What a tool span returned. An MCP result without `isError` is no error (MCP 2025-06-18, `CallToolResult`).
pub(crate) fn tool_output(name: &str, output: &Value) -> ToolResult {
    let is_result = output.get("content").is_some();
    let mut result = if is_result {
        result_of(output)
    } else {
        ToolResult { text: raw_text(output), ..ToolResult::default() }
    };
    if result.is_error.is_none() && is_result && name.starts_with("mcp__") {
        (result.is_error, result.error_origin) = (Some(false), ErrorOrigin::Flag);
    }
    result.name = Some(name.to_owned());
    result
}

fn usage_details(details: &Value) -> Option<Usage> {
    let count = |keys: &[&str]| keys.iter().find_map(|key| details.get(*key)?.as_u64());
    let usage = Usage {
        input: count(&["input", "prompt_tokens"]),
        cached: count(&["prompt_details.cache_read", "input_cache_read", "cache_read_input_tokens"]),
        output: count(&["output", "completion_tokens"]),
        reasoning: count(&["completion_details.reasoning", "output_reasoning"]),
    };
    (usage != Usage::default()).then_some(usage)
}
