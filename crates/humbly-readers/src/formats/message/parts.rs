//! Content blocks and tool calls of a message.

use humbly_types::{ErrorOrigin, ReasoningOrigin, ToolResult};
use serde_json::Value;

use super::{Call, Message, Part};
use crate::content::{raw_text, str_field, text_of};

/// Adds the content of a message: a string, a block or a list of blocks.
///
/// Neighbouring text blocks are one text (providers split it around citations).
pub(super) fn add_content(message: &mut Message, content: &Value) {
    match content {
        Value::String(text) => add_text(message, text, false),
        Value::Array(blocks) => {
            let mut after_text = false;
            for block in blocks {
                after_text = add_block(message, block, after_text);
            }
        }
        Value::Object(_) => {
            add_block(message, content, false);
        }
        _ => {}
    }
}

/// Adds OpenTelemetry parts: each text stands for itself.
pub(super) fn add_parts(message: &mut Message, parts: &Value) {
    for part in parts.as_array().into_iter().flatten() {
        add_block(message, part, false);
    }
}

/// Adds one block and says whether it was text.
fn add_block(message: &mut Message, block: &Value, after_text: bool) -> bool {
    let block = block.get("message_content").unwrap_or(block);
    if let Value::String(text) = block {
        add_text(message, text, after_text);
        return true;
    }
    match str_field(block, "type") {
        Some("thinking" | "reasoning" | "thought") => add_reasoning(message, block),
        Some("redacted_thinking") => {
            message.parts.push(Part::Reasoning(String::new(), ReasoningOrigin::Redacted));
        }
        Some("tool_use" | "server_tool_use" | "tool_call" | "mcp_tool_use" | "server_tool_call") => {
            if let Some(call) = call_of(block) {
                message.add_call(call);
            }
        }
        Some("tool_result" | "tool_call_response" | "mcp_tool_result" | "server_tool_call_response") => {
            message.parts.push(Part::Result(result_of(block)));
        }
        _ => {
            let text = block.get("text").or_else(|| block.get("content")).or_else(|| block.get("refusal"));
            if let Some(Value::String(text)) = text {
                add_text(message, text, after_text);
                return true;
            }
        }
    }
    false
}

fn add_text(message: &mut Message, text: &str, after_text: bool) {
    if after_text && let Some(Part::Text(known)) = message.parts.last_mut() {
        known.push_str(text);
        return;
    }
    if !text.is_empty() {
        message.parts.push(Part::Text(text.to_owned()));
    }
}

fn add_reasoning(message: &mut Message, block: &Value) {
    let field = ["thinking", "reasoning", "text", "content"].iter().find_map(|key| str_field(block, key));
    if let Some(text) = field.filter(|text| !text.is_empty()) {
        message.parts.push(Part::Reasoning(text.to_owned(), ReasoningOrigin::Field));
        return;
    }
    let summary = block.get("summary").map(|summary| text_of(summary, "\n").0).unwrap_or_default();
    if summary.is_empty() {
        message.parts.push(Part::Reasoning(String::new(), ReasoningOrigin::Encrypted));
    } else {
        message.parts.push(Part::Reasoning(summary, ReasoningOrigin::Summary));
    }
}

/// A call in any encoding: `function{name, arguments}`, `name` with `args`, `input` or `arguments`, or all
/// of that as a JSON string.
pub(super) fn call_of(value: &Value) -> Option<Call> {
    let parsed;
    let value = match value {
        Value::String(text) => {
            parsed = serde_json::from_str::<Value>(text).ok()?;
            &parsed
        }
        other => other,
    };
    let value = value.get("tool_call").unwrap_or(value);
    let function = value.get("function").filter(|function| function.is_object()).unwrap_or(value);
    let name = str_field(function, "name")
        .or_else(|| str_field(value, "name"))
        .or_else(|| function.get("server_tool_call").and_then(|call| str_field(call, "name")))?;
    let arguments = ["arguments", "args", "input"].iter().find_map(|key| function.get(*key)).map(raw_text);
    let kind = str_field(value, "type").unwrap_or_default();
    Some(Call {
        id: ["id", "call_id", "tool_call_id"]
            .iter()
            .find_map(|key| str_field(value, key))
            .filter(|id| !id.is_empty())
            .map(str::to_owned),
        name: name.to_owned(),
        arguments: arguments.unwrap_or_else(|| "{}".to_owned()),
        server_side: kind.starts_with("server_") || kind == "mcp_tool_use",
    })
}

/// A tool result in any encoding.
pub(crate) fn result_of(value: &Value) -> ToolResult {
    let id = ["tool_call_id", "tool_use_id", "call_id", "id"].iter().find_map(|key| str_field(value, key));
    let body = ["content", "response", "result", "output"].iter().find_map(|key| value.get(*key));
    let (text, images) = result_text(body.unwrap_or(&Value::Null));
    let (is_error, error_origin) = error_of(value);
    ToolResult {
        call_id: id.map(str::to_owned),
        name: str_field(value, "name").map(str::to_owned),
        text,
        images,
        is_error,
        error_origin,
        truncated: false,
    }
}

/// Text of a result: content parts where it has them, else its JSON.
pub(crate) fn result_text(body: &Value) -> (String, u32) {
    match body {
        Value::Object(fields) => match fields.get("content") {
            Some(content @ (Value::Array(_) | Value::String(_))) => text_of(content, "\n"),
            _ => text_of(body, "\n"),
        },
        Value::Array(parts) if !parts.iter().any(|part| part.get("type").is_some() || part.is_string()) => {
            (body.to_string(), 0)
        }
        other => text_of(other, "\n"),
    }
}

fn error_of(value: &Value) -> (Option<bool>, ErrorOrigin) {
    let flag = ["is_error", "isError"].iter().find_map(|key| value.get(*key)?.as_bool());
    if let Some(flag) = flag {
        return (Some(flag), ErrorOrigin::Flag);
    }
    match str_field(value, "status") {
        Some("error") => (Some(true), ErrorOrigin::Status),
        Some("success") => (Some(false), ErrorOrigin::Status),
        _ => (None, ErrorOrigin::None),
    }
}
