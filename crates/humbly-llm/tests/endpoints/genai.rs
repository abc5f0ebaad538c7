//! Claude's and Gemini's protocols through `genai`.

use humbly_llm::{ChatClient, ChatMessage, Finish, RequestedCall, ToolSpec};
use serde_json::{Value, json};

use super::server::{Answer, Server};
use super::{asks, client};

fn body(asked: &str) -> Value {
    serde_json::from_str(asked.split_once("\r\n\r\n").unwrap().1).unwrap()
}

#[tokio::test]
async fn a_conversation_with_tools_goes_to_claude_and_back() {
    let answer = json!({
        "model": "claude-x", "role": "assistant", "type": "message", "stop_reason": "tool_use",
        "content": [
            {"type": "thinking", "thinking": "Look it up.", "signature": "s"},
            {"type": "text", "text": "One moment."},
            {"type": "tool_use", "id": "t2", "name": "search", "input": {"query": "who"}},
        ],
        "usage": {
            "input_tokens": 1200, "cache_read_input_tokens": 500, "cache_creation_input_tokens": 300,
            "output_tokens": 40,
        },
    });
    let answer = answer.to_string();
    let server = Server::start(move |_, _| Answer::Whole("200 OK", &[], answer.clone())).await;
    let mut request = asks("claude-x");
    request.sampling.max_tokens = Some(77);
    request.tools = vec![ToolSpec {
        name: "search".to_owned(),
        description: "finds".to_owned(),
        parameters: json!({"type": "object"}),
    }];
    let call = RequestedCall {
        id: "t1".to_owned(),
        name: "search".to_owned(),
        arguments: "{\"query\":\"x\"}".to_owned(),
    };
    request.messages.push(ChatMessage { calls: vec![call], ..ChatMessage::assistant("") });
    request.messages.push(ChatMessage::tool("t1", "nothing"));

    let reply = client("anthropic:claude-x", &server.base_url).chat(&request).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.finish), ("One moment.", Finish::Calls));
    assert_eq!(reply.reasoning.as_deref(), Some("Look it up."));
    let call = RequestedCall {
        id: "t2".to_owned(),
        name: "search".to_owned(),
        arguments: "{\"query\":\"who\"}".to_owned(),
    };
    assert_eq!(reply.calls, [call]);
    let usage = reply.usage;
    assert_eq!((usage.input, usage.cached, usage.output), (Some(2000), Some(500), Some(40)));
    assert_eq!(reply.cache_written, Some(300));

    let asked = &server.asked()[0];
    assert!(asked.starts_with("POST /v1/messages"), "{asked}");
    let body = body(asked);
    assert_eq!((&body["model"], &body["max_tokens"]), (&json!("claude-x"), &json!(77)));
    assert_eq!(body["tools"][0]["name"], "search");
    assert_eq!(body["messages"][1]["content"][0]["input"], json!({"query": "x"}));
    assert_eq!(body["messages"][2]["content"][0]["tool_use_id"], "t1");
}

#[tokio::test]
async fn gemini_answers() {
    let answer = json!({
        "candidates": [{"content": {"parts": [{"text": "Nobody."}], "role": "model"}, "finishReason": "STOP"}],
        "usageMetadata": {
            "promptTokenCount": 9, "candidatesTokenCount": 2, "thoughtsTokenCount": 5, "totalTokenCount": 16,
        },
        "modelVersion": "gemini-x",
    });
    let answer = answer.to_string();
    let server = Server::start(move |_, _| Answer::Whole("200 OK", &[], answer.clone())).await;
    let reply = client("gemini:gemini-x", &server.base_url).chat(&asks("gemini-x")).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.finish), ("Nobody.", Finish::Stop));
    let usage = reply.usage;
    assert_eq!((usage.input, usage.output, usage.reasoning), (Some(9), Some(7), Some(5)));
}

#[tokio::test]
async fn log_probabilities_are_refused_rather_than_left_out() {
    let server = Server::start(|_, _| Answer::Silence).await;
    let mut request = asks("m");
    request.sampling.logprobs = true;
    let error = client("anthropic:m", &server.base_url).chat(&request).await.unwrap_err();
    assert_eq!(error.to_string(), "`anthropic` cannot do this: log-probabilities");
    assert!(server.asked().is_empty());
}
