//! A reply as the protocol writes it, read with the liberties that servers take.

use humbly_types::Usage;
use serde_json::Value;

use crate::providers::failure::{Asked, message};
use crate::{ChatError, ChatReply, Finish, RequestedCall, Result, TokenLogprob};

pub(super) fn read(body: &str, asked: &Asked<'_>) -> Result<ChatReply> {
    if body.trim().is_empty() {
        return Err(ChatError::EmptyReply);
    }
    let value: Value = match serde_json::from_str(body) {
        Ok(value) => value,
        Err(error) if error.is_eof() && body.trim_start().starts_with('{') => {
            return Err(ChatError::BrokenOff { received: body.len() });
        }
        Err(_) => return Err(asked.not_a_reply(body)),
    };
    let Some(choice) = value.pointer("/choices/0") else {
        return Err(match (value.get("error").filter(|error| !error.is_null()), message(&value)) {
            (Some(_), Some(text)) => ChatError::Refused { status: 200, detail: asked.shown(&text) },
            _ => asked.not_a_reply(body),
        });
    };
    let Some(said) = choice.get("message").filter(|message| message.is_object()) else {
        return Err(asked.not_a_reply(body));
    };
    let reply = ChatReply {
        text: text(said.get("content")),
        reasoning: reasoning(said),
        calls: calls(said),
        finish: finish(choice),
        usage: usage(&value),
        cache_written: count(&value, "/usage/prompt_tokens_details/cache_write_tokens"),
        logprobs: logprobs(choice),
        model: string(value.get("model")),
        ..ChatReply::default()
    };
    let is_empty = reply.text.is_empty() && reply.calls.is_empty();
    if is_empty && !matches!(reply.finish, Finish::Length | Finish::Filtered) {
        return match string(said.get("refusal")) {
            Some(refusal) => Ok(ChatReply { text: refusal, finish: Finish::Filtered, ..reply }),
            None => Err(ChatError::EmptyReply),
        };
    }
    Ok(reply)
}

/// A string, or the text parts of a list.
fn text(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts.iter().filter_map(|part| part.get("text")?.as_str()).collect(),
        _ => String::new(),
    }
}

fn reasoning(said: &Value) -> Option<String> {
    ["reasoning_content", "reasoning", "thinking"].iter().find_map(|name| string(said.get(*name)))
}

fn calls(said: &Value) -> Vec<RequestedCall> {
    let calls = said.get("tool_calls").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    calls
        .iter()
        .enumerate()
        .filter_map(|(index, call)| {
            let function = call.get("function")?;
            let arguments = match function.get("arguments") {
                Some(Value::String(text)) => text.clone(),
                None | Some(Value::Null) => String::new(),
                Some(table) => table.to_string(),
            };
            Some(RequestedCall {
                id: string(call.get("id")).unwrap_or_else(|| format!("call_{index}")),
                name: string(function.get("name"))?,
                arguments,
            })
        })
        .collect()
}

fn finish(choice: &Value) -> Finish {
    match choice.get("finish_reason").and_then(Value::as_str) {
        None => Finish::Unknown,
        Some("stop" | "eos" | "end_turn") => Finish::Stop,
        Some("length" | "max_tokens") => Finish::Length,
        Some("tool_calls" | "function_call") => Finish::Calls,
        Some("content_filter") => Finish::Filtered,
        Some(other) => Finish::Other(other.to_owned()),
    }
}

fn usage(value: &Value) -> Usage {
    let cached = ["/usage/prompt_tokens_details/cached_tokens", "/usage/prompt_cache_hit_tokens"];
    Usage {
        input: count(value, "/usage/prompt_tokens"),
        cached: cached.iter().find_map(|path| count(value, path)),
        output: count(value, "/usage/completion_tokens"),
        reasoning: count(value, "/usage/completion_tokens_details/reasoning_tokens"),
    }
}

fn count(value: &Value, path: &str) -> Option<u64> {
    value.pointer(path)?.as_u64()
}

fn string(value: Option<&Value>) -> Option<String> {
    value?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

fn logprobs(choice: &Value) -> Option<Vec<TokenLogprob>> {
    let tokens = choice.pointer("/logprobs/content")?.as_array()?;
    let pair =
        |value: &Value| Some((value.get("token")?.as_str()?.to_owned(), value.get("logprob")?.as_f64()?));
    tokens
        .iter()
        .map(|entry| {
            let (token, logprob) = pair(entry)?;
            let top = entry.get("top_logprobs").and_then(Value::as_array);
            let top = top.map(|top| top.iter().filter_map(pair).collect()).unwrap_or_default();
            Some(TokenLogprob { token, logprob, top })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(body: &str) -> Result<ChatReply> {
        super::read(body, &Asked { provider: "p", model: "m", key: None })
    }

    #[test]
    fn a_whole_reply_is_read() {
        let body = json!({
            "model": "m-2", "choices": [{
                "finish_reason": "tool_calls",
                "message": {
                    "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
                    "reasoning_content": "why",
                    "tool_calls": [
                        {"id": "c9", "function": {"name": "f", "arguments": "{'q': "}},
                        {"function": {"name": "g", "arguments": {"q": 1}}},
                    ],
                },
                "logprobs": {"content": [
                    {"token": "a", "logprob": -0.5, "top_logprobs": [{"token": "b", "logprob": -1.5}]},
                ]},
            }],
            "usage": {
                "prompt_tokens": 20, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 0},
                "completion_tokens_details": {"reasoning_tokens": 3},
            },
        });
        let reply = read(&body.to_string()).unwrap();
        assert_eq!((reply.text.as_str(), reply.reasoning.as_deref()), ("ab", Some("why")));
        let calls: Vec<_> =
            reply.calls.iter().map(|call| (call.id.as_str(), call.arguments.as_str())).collect();
        assert_eq!(calls, [("c9", "{'q': "), ("call_1", "{\"q\":1}")]);
        assert_eq!(reply.finish, Finish::Calls);
        let usage = Usage { input: Some(20), cached: Some(0), output: Some(7), reasoning: Some(3) };
        assert_eq!((reply.usage, reply.model.as_deref()), (usage, Some("m-2")));
        let token = TokenLogprob { token: "a".to_owned(), logprob: -0.5, top: vec![("b".to_owned(), -1.5)] };
        assert_eq!(reply.logprobs, Some(vec![token]));
    }

    #[test]
    fn what_is_no_reply_is_told_apart() {
        let choice = |message: Value, finish: &str| {
            json!({"choices": [{"message": message, "finish_reason": finish}]}).to_string()
        };
        for (body, code) in [
            (String::new(), "empty_reply"),
            (" \n".to_owned(), "empty_reply"),
            ("<!doctype html><title>Sign in</title>".to_owned(), "not_a_reply"),
            ("hello".to_owned(), "not_a_reply"),
            ("{}".to_owned(), "not_a_reply"),
            ("[1]".to_owned(), "not_a_reply"),
            ("{\"choices\": [{\"mess".to_owned(), "broken_off"),
            ("{\"error\": {\"message\": \"no\"}}".to_owned(), "refused"),
            (choice(json!({"content": null}), "stop"), "empty_reply"),
            (choice(json!(null), "stop"), "not_a_reply"),
        ] {
            assert_eq!(read(&body).unwrap_err().code(), code, "{body}");
        }
        let cut = read(&choice(json!({"content": "", "reasoning": "long"}), "length")).unwrap();
        assert_eq!((cut.finish, cut.reasoning.as_deref()), (Finish::Length, Some("long")));
        let refused = read(&choice(json!({"content": null, "refusal": "I will not."}), "stop")).unwrap();
        assert_eq!((refused.finish, refused.text.as_str()), (Finish::Filtered, "I will not."));
    }

    #[test]
    fn an_unknown_count_stays_unknown() {
        let body = json!({"choices": [{"message": {"content": "x"}}]}).to_string();
        let reply = read(&body).unwrap();
        assert_eq!((reply.usage, reply.finish, reply.logprobs), (Usage::default(), Finish::Unknown, None));
    }

    proptest! {
        #[test]
        fn any_body_is_read_or_refused(body in ".{0,200}") {
            let _ = read(&body);
        }

        #[test]
        fn any_json_in_place_of_a_choice_is_read_or_refused(inner in "[\\[\\]{}\",:a-z0-9 ]{0,60}") {
            let _ = read(&format!("{{\"choices\": [{inner}]}}"));
            let _ = read(&format!("{{\"choices\": [{{\"message\": {{{inner}}}}}]}}"));
        }
    }
}
