//! Requests and replies between the two crates' types.

use ::genai::chat::{
    ChatMessage as GenaiMessage, ChatOptions, ChatRequest as GenaiRequest, ChatResponse, ContentPart,
    MessageContent, ReasoningEffort as GenaiEffort, StopReason, Tool, ToolCall, ToolResponse,
};
use humbly_types::Usage;
use serde_json::{Map, Value, json};

use crate::{
    ChatError, ChatMessage, ChatReply, ChatRequest, ChatRole, Finish, ReasoningEffort, RequestedCall, Result,
    Sampling,
};

pub(super) fn request(request: &ChatRequest) -> GenaiRequest {
    let messages = request.messages.iter().map(|message| match message.role {
        ChatRole::System => GenaiMessage::system(message.content.as_str()),
        ChatRole::User => GenaiMessage::user(message.content.as_str()),
        ChatRole::Assistant => assistant(message),
        ChatRole::Tool => GenaiMessage::from(tool_response(message, &request.messages)),
    });
    let chat = GenaiRequest::from_messages(messages.collect());
    if request.tools.is_empty() {
        return chat;
    }
    chat.with_tools(request.tools.iter().map(|tool| {
        Tool::new(tool.name.as_str())
            .with_description(tool.description.as_str())
            .with_schema(tool.parameters.clone())
    }))
}

fn assistant(message: &ChatMessage) -> GenaiMessage {
    let text = (!message.content.is_empty()).then(|| ContentPart::from_text(message.content.as_str()));
    let calls = message.calls.iter().map(|call| {
        ContentPart::ToolCall(ToolCall {
            call_id: call.id.clone(),
            fn_name: call.name.clone(),
            fn_arguments: arguments(&call.arguments),
            thought_signatures: None,
        })
    });
    GenaiMessage::assistant(MessageContent::from_parts(text.into_iter().chain(calls).collect::<Vec<_>>()))
}

/// These protocols take objects alone: a text that is none is wrapped.
fn arguments(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => Value::Object(map),
        _ if text.trim().is_empty() => Value::Object(Map::new()),
        _ => json!({"unreadable_arguments": text}),
    }
}

fn tool_response(message: &ChatMessage, conversation: &[ChatMessage]) -> ToolResponse {
    let id = message.call_id.clone().unwrap_or_default();
    let name = conversation
        .iter()
        .flat_map(|message| &message.calls)
        .find(|call| call.id == id)
        .map(|call| call.name.clone());
    ToolResponse { call_id: id, fn_name: name, content: message.content.clone() }
}

pub(super) fn options(sampling: &Sampling) -> ChatOptions {
    ChatOptions {
        temperature: sampling.temperature,
        top_p: sampling.top_p,
        max_tokens: sampling.max_tokens,
        seed: sampling.seed,
        stop_sequences: sampling.stop.clone(),
        reasoning_effort: sampling.reasoning_effort.map(|effort| match effort {
            ReasoningEffort::Minimal => GenaiEffort::Minimal,
            ReasoningEffort::Low => GenaiEffort::Low,
            ReasoningEffort::Medium => GenaiEffort::Medium,
            ReasoningEffort::High => GenaiEffort::High,
        }),
        extra_body: (!sampling.provider.is_empty()).then(|| json!(sampling.provider)),
        ..ChatOptions::default()
    }
}

pub(super) fn reply(response: &ChatResponse) -> Result<ChatReply> {
    let finish = match &response.stop_reason {
        None => Finish::Unknown,
        Some(StopReason::Completed(_) | StopReason::StopSequence(_)) => Finish::Stop,
        Some(StopReason::MaxTokens(_)) => Finish::Length,
        Some(StopReason::ToolCall(_)) => Finish::Calls,
        Some(StopReason::ContentFilter(_)) => Finish::Filtered,
        Some(StopReason::Other(reason)) => Finish::Other(reason.clone()),
    };
    let count = |count: Option<i32>| count.and_then(|count| u64::try_from(count).ok());
    let prompt = response.usage.prompt_tokens_details.as_ref();
    let completion = response.usage.completion_tokens_details.as_ref();
    let calls = response.content.tool_calls().into_iter().map(|call| RequestedCall {
        id: call.call_id.clone(),
        name: call.fn_name.clone(),
        arguments: match &call.fn_arguments {
            Value::String(text) => text.clone(),
            arguments => arguments.to_string(),
        },
    });
    let reply = ChatReply {
        text: response.content.texts().concat(),
        reasoning: response.reasoning_content.clone().or_else(|| response.content.joined_reasoning_content()),
        calls: calls.collect(),
        finish,
        usage: Usage {
            input: count(response.usage.prompt_tokens),
            cached: count(prompt.and_then(|details| details.cached_tokens)),
            output: count(response.usage.completion_tokens),
            reasoning: count(completion.and_then(|details| details.reasoning_tokens)),
        },
        cache_written: count(prompt.and_then(|details| details.cache_creation_tokens)),
        model: Some(response.provider_model_iden.model_name.to_string()),
        ..ChatReply::default()
    };
    let is_empty = reply.text.is_empty() && reply.calls.is_empty();
    if is_empty && !matches!(reply.finish, Finish::Length | Finish::Filtered) {
        return Err(ChatError::EmptyReply);
    }
    Ok(reply)
}
