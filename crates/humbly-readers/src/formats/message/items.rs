//! From a JSON value to the messages in it.

use humbly_types::{ErrorOrigin, ReasoningOrigin, Role, Usage};
use serde_json::Value;

use super::parts::{add_content, add_parts, call_of, result_of};
use super::{Call, Message, Part, role_of, unwrapped};
use crate::content::{raw_text, str_field};

/// The messages in a value: a list, a single message, or what holds them (`messages`, `choices`,
/// `generations`, `output` of a response).
pub(crate) fn messages_of(value: &Value) -> Vec<Message> {
    let mut messages = Vec::new();
    collect(value, &mut messages, 0);
    messages
}

fn collect(value: &Value, messages: &mut Vec<Message>, depth: usize) {
    if depth > 6 {
        return;
    }
    match value {
        Value::Array(items) => {
            for item in items {
                if item.is_array() {
                    // LangChain batches: a list of conversations, of which one was run.
                    collect(item, messages, depth + 1);
                } else if let Some(message) = message_of(item) {
                    push(messages, message);
                } else if item.get("message").is_some() {
                    collect(item, messages, depth + 1);
                }
            }
        }
        Value::Object(fields) => {
            if let Some(message) = message_of(value) {
                push(messages, message);
                return;
            }
            for key in ["messages", "choices", "generations", "output", "message", "input"] {
                if let Some(inner @ (Value::Array(_) | Value::Object(_))) = fields.get(key) {
                    let before = messages.len();
                    collect(inner, messages, depth + 1);
                    if messages.len() > before {
                        annotate(value, messages);
                        return;
                    }
                }
            }
        }
        _ => {}
    }
}

/// Model, usage and finish reason that stand beside the message, not in it.
fn annotate(holder: &Value, messages: &mut [Message]) {
    let Some(last) = messages.last_mut().filter(|last| last.role == Role::Assistant) else { return };
    last.usage = last.usage.or_else(|| usage_of(holder));
    if last.model.is_none() {
        last.model = str_field(holder, "model").map(str::to_owned);
    }
    if last.finish.is_none() {
        let choice = holder.get("choices").and_then(|choices| choices.get(0)).unwrap_or(holder);
        last.finish = finish_of(choice)
            .or_else(|| holder.get("incomplete_details").and_then(|details| str_field(details, "reason")))
            .map(str::to_owned);
    }
}

fn push(messages: &mut Vec<Message>, message: Message) {
    if let Some(last) = messages.last_mut() {
        let is_piece = last.is_chunk && message.is_chunk && (message.id.is_none() || message.id == last.id);
        let is_same_item = last.is_item && message.is_item && last.role == Role::Assistant;
        if message.role == Role::Assistant && (is_piece || is_same_item) {
            last.absorb(message);
            return;
        }
        if last.is_chunk && message.id.is_some() && message.id == last.id {
            // The whole message after its pieces.
            *last = message;
            return;
        }
    }
    messages.push(message);
}

/// One message, `None` where the value is none.
fn message_of(value: &Value) -> Option<Message> {
    let inner = unwrapped(value);
    let kind = str_field(inner, "type");
    if let Some(item) = item_of(inner, kind) {
        return Some(item);
    }
    let word = str_field(inner, "role").filter(|word| role_of(word).is_some()).or(kind)?;
    let role = role_of(word)?;
    if ["content", "parts", "contents", "tool_calls"].iter().all(|key| inner.get(*key).is_none()) {
        return None;
    }
    let mut message = Message::new(role);
    message.id = str_field(inner, "id").filter(|id| !id.is_empty()).map(str::to_owned);
    message.is_chunk = kind == Some("AIMessageChunk");
    if role == Role::Tool {
        add_tool_results(&mut message, inner)?;
        return Some(message);
    }
    add_reasoning_fields(&mut message, inner);
    if let Some(content) = inner.get("contents").or_else(|| inner.get("content")) {
        add_content(&mut message, content);
    }
    if let Some(parts) = inner.get("parts") {
        add_parts(&mut message, parts);
    }
    if role == Role::Assistant {
        add_calls(&mut message, inner);
        let details = inner.get("response_metadata").unwrap_or(inner);
        message.model =
            ["model_name", "model"].iter().find_map(|key| str_field(details, key)).map(str::to_owned);
        message.finish = finish_of(details).or_else(|| finish_of(value)).map(str::to_owned);
        message.usage = usage_of(inner);
    }
    Some(message)
}

fn finish_of(value: &Value) -> Option<&str> {
    ["finish_reason", "stop_reason"].iter().find_map(|key| str_field(value, key))
}

fn add_reasoning_fields(message: &mut Message, inner: &Value) {
    let extra = inner.get("additional_kwargs").unwrap_or(inner);
    for key in ["reasoning_content", "reasoning"] {
        if let Some(text) = str_field(inner, key).or_else(|| str_field(extra, key)) {
            message.parts.push(Part::Reasoning(text.to_owned(), ReasoningOrigin::Field));
            return;
        }
    }
}

/// Calls stand in up to three places; [`Message::add_call`] takes each once.
fn add_calls(message: &mut Message, inner: &Value) {
    let list =
        |value: &Value, key: &str| value.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    if message.is_chunk {
        let pieces = list(inner, "tool_call_chunks");
        for piece in &pieces {
            message.parts.push(Part::Call(Call {
                id: str_field(piece, "id").map(str::to_owned),
                name: str_field(piece, "name").unwrap_or_default().to_owned(),
                arguments: piece.get("args").filter(|args| !args.is_null()).map(raw_text).unwrap_or_default(),
                server_side: false,
            }));
        }
        if !pieces.is_empty() {
            return;
        }
    }
    for key in ["tool_calls", "invalid_tool_calls"] {
        for call in list(inner, key).iter().filter_map(call_of) {
            message.add_call(call);
        }
    }
    let Some(extra) = inner.get("additional_kwargs") else {
        if let Some(call) = inner.get("function_call").and_then(call_of) {
            message.add_call(call);
        }
        return;
    };
    if message.calls().next().is_none() {
        for call in list(extra, "tool_calls").iter().filter_map(call_of) {
            message.add_call(call);
        }
        if let Some(call) = extra.get("function_call").and_then(call_of) {
            message.add_call(call);
        }
    }
}

/// Results of a tool message; `None` for a tool definition that a tracer lists among the messages.
fn add_tool_results(message: &mut Message, inner: &Value) -> Option<()> {
    if let Some(parts) = inner.get("parts") {
        add_parts(message, parts);
        return Some(());
    }
    let content = inner.get("content").or_else(|| inner.get("contents"));
    if content.is_some_and(|content| content.get("function").is_some()) && inner.get("tool_call_id").is_none()
    {
        return None;
    }
    let mut result = result_of(inner);
    // `id` names the message in LangChain; only where nothing else names the call does it name the call.
    if inner.get("tool_call_id").is_none() && inner.get("type").is_some() {
        result.call_id = None;
    }
    if inner.get("artifact").is_some_and(|artifact| artifact.get("structured_content").is_some())
        && result.text.is_empty()
    {
        result.text = inner["artifact"]["structured_content"].to_string();
    }
    message.parts.push(Part::Result(result));
    Some(())
}

/// An item of the Responses API.
fn item_of(value: &Value, kind: Option<&str>) -> Option<Message> {
    let mut message = match kind? {
        "function_call" | "custom_tool_call" => {
            let mut message = Message::new(Role::Assistant);
            let mut call = call_of(value)?;
            call.id = str_field(value, "call_id").map(str::to_owned).or(call.id);
            message.parts.push(Part::Call(call));
            message
        }
        "function_call_output" | "custom_tool_call_output" => {
            let mut message = Message::new(Role::Tool);
            let mut result = result_of(value);
            if result.error_origin == ErrorOrigin::Status {
                // `status` tells whether the item is complete, not whether the tool failed.
                (result.is_error, result.error_origin) = (None, ErrorOrigin::None);
            }
            message.parts.push(Part::Result(result));
            message
        }
        "reasoning" if value.get("summary").is_some() || value.get("encrypted_content").is_some() => {
            let mut message = Message::new(Role::Assistant);
            add_content(&mut message, value);
            message
        }
        "message" => {
            let mut message = Message::new(role_of(str_field(value, "role")?)?);
            add_content(&mut message, value.get("content")?);
            message
        }
        _ => return None,
    };
    message.is_item = true;
    Some(message)
}

/// Token counts, in LangChain's, OpenAI's or Anthropic's words.
fn usage_of(holder: &Value) -> Option<Usage> {
    let usage = holder.get("usage_metadata").or_else(|| holder.get("usage"))?;
    let count = |keys: &[&str]| keys.iter().find_map(|key| usage.get(*key)?.as_u64());
    let detail = |group: &[&str], key: &str| {
        group.iter().find_map(|name| usage.get(*name)).and_then(|details| details.get(key)?.as_u64())
    };
    let counts = Usage {
        input: count(&["input_tokens", "prompt_tokens"]),
        cached: detail(&["input_token_details"], "cache_read")
            .or_else(|| detail(&["prompt_tokens_details", "input_tokens_details"], "cached_tokens")),
        output: count(&["output_tokens", "completion_tokens"]),
        reasoning: detail(&["output_token_details"], "reasoning")
            .or_else(|| detail(&["completion_tokens_details", "output_tokens_details"], "reasoning_tokens")),
    };
    (counts != Usage::default()).then_some(counts)
}
