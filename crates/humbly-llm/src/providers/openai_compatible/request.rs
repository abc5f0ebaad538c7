//! A request as the protocol writes it.

use serde_json::{Map, Value, json};

use super::super::failure::no_likelihoods;
use crate::{ChatError, ChatMessage, ChatRequest, ChatRole, ReasoningEffort, Result};

/// Likeliest tokens asked for beside each token.
const TOP_LOGPROBS: u32 = 5;

/// What the request decides itself.
const OWN: &[&str] = &["model", "messages", "tools", "stream"];

pub(super) fn body(request: &ChatRequest, provider: &str) -> Result<Value> {
    let sampling = &request.sampling;
    let mut body = Map::new();
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            body.insert(name.to_owned(), value);
        }
    };
    set("model", Some(json!(request.model)));
    set("messages", Some(request.messages.iter().map(message).collect()));
    set("temperature", sampling.temperature.map(Value::from));
    set("top_p", sampling.top_p.map(Value::from));
    // OpenAI's reasoning models refuse the old name, most other hosts do not know the new one.
    let longest = if provider == "openai" { "max_completion_tokens" } else { "max_tokens" };
    set(longest, sampling.max_tokens.map(Value::from));
    set("seed", sampling.seed.map(Value::from));
    set("stop", (!sampling.stop.is_empty()).then(|| json!(sampling.stop)));
    set("reasoning_effort", sampling.reasoning_effort.map(|effort| json!(effort_name(effort))));
    if sampling.logprobs {
        set("logprobs", Some(Value::Bool(true)));
        set("top_logprobs", Some(TOP_LOGPROBS.into()));
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            json!({"type": "function", "function": {
                "name": tool.name, "description": tool.description, "parameters": tool.parameters,
            }})
        });
        set("tools", Some(tools.collect()));
    }
    if !request.continuations.is_empty() {
        return Err(no_likelihoods(provider));
    }
    for (name, value) in &sampling.provider {
        if OWN.contains(&name.as_str()) {
            return Err(ChatError::Unsupported {
                provider: provider.to_owned(),
                what: format!("a provider option named `{name}`, which the request sets itself"),
            });
        }
        body.insert(name.clone(), value.clone());
    }
    Ok(Value::Object(body))
}

/// Reasoning is not sent back: hosts refuse it or count it twice.
fn message(message: &ChatMessage) -> Value {
    match message.role {
        ChatRole::System => json!({"role": "system", "content": message.content}),
        ChatRole::User => json!({"role": "user", "content": message.content}),
        ChatRole::Tool => {
            json!({"role": "tool", "content": message.content, "tool_call_id": message.call_id})
        }
        ChatRole::Assistant if message.calls.is_empty() => {
            json!({"role": "assistant", "content": message.content})
        }
        ChatRole::Assistant => {
            let calls = message.calls.iter().map(|call| {
                json!({"id": call.id, "type": "function", "function": {
                    "name": call.name, "arguments": call.arguments,
                }})
            });
            let content = (!message.content.is_empty()).then_some(&message.content);
            json!({"role": "assistant", "content": content, "tool_calls": calls.collect::<Vec<_>>()})
        }
    }
}

fn effort_name(effort: ReasoningEffort) -> &'static str {
    match effort {
        ReasoningEffort::Minimal => "minimal",
        ReasoningEffort::Low => "low",
        ReasoningEffort::Medium => "medium",
        ReasoningEffort::High => "high",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RequestedCall, Sampling, ToolSpec};

    #[test]
    fn a_whole_request_is_written() {
        let call =
            RequestedCall { id: "c1".to_owned(), name: "f".to_owned(), arguments: "{\"q\":1}".to_owned() };
        let request = ChatRequest {
            model: "m".to_owned(),
            messages: vec![
                ChatMessage::system("s"),
                ChatMessage::user("u"),
                ChatMessage {
                    calls: vec![call],
                    reasoning: Some("r".to_owned()),
                    ..ChatMessage::assistant("")
                },
                ChatMessage::tool("c1", "result"),
            ],
            tools: vec![ToolSpec {
                name: "f".to_owned(),
                description: "d".to_owned(),
                parameters: json!({"type": "object"}),
            }],
            sampling: Sampling {
                temperature: Some(0.5),
                max_tokens: Some(9),
                seed: Some(3),
                stop: vec!["END".to_owned()],
                logprobs: true,
                reasoning_effort: Some(ReasoningEffort::Low),
                provider: [("top_k".to_owned(), json!(4))].into(),
                ..Sampling::default()
            },
            sample_index: 2,
            continuations: Vec::new(),
        };
        let expected = json!({
            "model": "m",
            "messages": [
                {"role": "system", "content": "s"},
                {"role": "user", "content": "u"},
                {"role": "assistant", "content": null, "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{\"q\":1}"}}
                ]},
                {"role": "tool", "content": "result", "tool_call_id": "c1"},
            ],
            "tools": [{"type": "function", "function": {
                "name": "f", "description": "d", "parameters": {"type": "object"}
            }}],
            "temperature": 0.5, "max_tokens": 9, "seed": 3, "stop": ["END"], "logprobs": true,
            "top_logprobs": 5, "reasoning_effort": "low", "top_k": 4,
        });
        assert_eq!(body(&request, "groq").unwrap(), expected);
        assert_eq!(body(&request, "openai").unwrap()["max_completion_tokens"], 9);
    }

    #[test]
    fn an_option_cannot_replace_the_conversation() {
        let mut request = ChatRequest::default();
        request.sampling.provider = [("messages".to_owned(), json!([]))].into();
        assert_eq!(body(&request, "p").unwrap_err().code(), "unsupported");
    }
}
