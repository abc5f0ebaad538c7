//! Our reply as one of the protocol.

use humbly_llm::{ChatReply, Finish};
use serde_json::{Value, json};

/// What all parts of an answer share.
pub(crate) struct Envelope {
    pub(crate) id: String,
    pub(crate) created: u64,
    pub(crate) model: String,
}

impl Envelope {
    pub(crate) fn whole(&self, replies: &[ChatReply]) -> Value {
        let choices: Vec<Value> = replies
            .iter()
            .enumerate()
            .map(|(index, reply)| {
                json!({
                    "index": index, "message": message(reply), "logprobs": logprobs(reply),
                    "finish_reason": finish(reply),
                })
            })
            .collect();
        json!({
            "id": self.id, "object": "chat.completion", "created": self.created, "model": self.model,
            "choices": choices, "usage": usage(replies),
        })
    }
}

fn message(reply: &ChatReply) -> Value {
    let content = (!reply.text.is_empty() || reply.calls.is_empty()).then_some(&reply.text);
    let mut message = json!({"role": "assistant", "content": content, "refusal": null});
    if let Some(reasoning) = &reply.reasoning {
        message["reasoning_content"] = json!(reasoning);
    }
    if !reply.calls.is_empty() {
        message["tool_calls"] = calls(reply).collect();
    }
    message
}

pub(crate) fn calls(reply: &ChatReply) -> impl Iterator<Item = Value> {
    reply.calls.iter().map(|call| {
        json!({"id": call.id, "type": "function", "function": {
            "name": call.name, "arguments": call.arguments,
        }})
    })
}

/// The protocol has no word for a reason that nobody said; `stop` is what its clients expect then.
pub(crate) fn finish(reply: &ChatReply) -> &'static str {
    match reply.finish {
        Finish::Length => "length",
        Finish::Calls => "tool_calls",
        Finish::Filtered => "content_filter",
        Finish::Stop | Finish::Other(_) | Finish::Unknown => "stop",
    }
}

pub(crate) fn logprobs(reply: &ChatReply) -> Value {
    let Some(tokens) = &reply.logprobs else { return Value::Null };
    let one =
        |token: &str, logprob: f64| json!({"token": token, "logprob": logprob, "bytes": token.as_bytes()});
    let content: Vec<Value> = tokens
        .iter()
        .map(|token| {
            let mut entry = one(&token.token, token.logprob);
            entry["top_logprobs"] = token.top.iter().map(|(token, logprob)| one(token, *logprob)).collect();
            entry
        })
        .collect();
    json!({"content": content, "refusal": null})
}

/// `null` where a count is not known; the prompt is counted once for all choices.
pub(crate) fn usage(replies: &[ChatReply]) -> Value {
    let input = replies.first().and_then(|reply| reply.usage.input);
    let output: Option<u64> = replies.iter().map(|reply| reply.usage.output).sum();
    let (Some(input), Some(output)) = (input, output) else { return Value::Null };
    let cached = replies.first().and_then(|reply| reply.usage.cached);
    let reasoning: Option<u64> = replies.iter().map(|reply| reply.usage.reasoning).sum();
    json!({
        "prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output,
        "prompt_tokens_details": cached.map(|cached| json!({"cached_tokens": cached})),
        "completion_tokens_details": reasoning.map(|count| json!({"reasoning_tokens": count})),
    })
}
