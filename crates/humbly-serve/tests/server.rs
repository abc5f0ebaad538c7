//! The server over a real socket, with a script as its model.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

use std::sync::Arc;

use humbly_llm::ScriptedClient;
use humbly_serve::{Served, serve};
use serde_json::{Value, json};
use tokio::net::TcpListener;

const RULES: &str = r#"
[[rule]]
when.user = "busy"
error = { kind = "rate_limited" }
[[rule]]
when.user = "long"
error = { kind = "context_too_long" }
[[rule]]
when.offers = "search"
reply.calls = [{ name = "search", arguments = { q = "x" } }]
[[rule]]
reply.text = "Draw ${sample} of  an answer."
reply.usage = { input = 9, output = 4 }
reply.logprobs = [{ token = "Draw", logprob = -0.25, top = [["Draw", -0.25], ["No", -1.5]] }]
"#;

async fn start() -> String {
    humbly_llm::providers::prepare_tls();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let client = Arc::new(ScriptedClient::from_toml(RULES, "rules.toml").unwrap());
    let served = Served { body_limit: 2_000, clock: || 7, ..Served::new(client, "tiny") };
    tokio::spawn(serve(listener, served, std::future::pending()));
    url
}

async fn ask(url: &str, change: impl FnOnce(&mut Value)) -> (u16, String) {
    let mut body = json!({"model": "tiny", "messages": [{"role": "user", "content": "Who?"}]});
    change(&mut body);
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let response = http.post(format!("{url}/chat/completions")).json(&body).send().await.unwrap();
    (response.status().as_u16(), response.text().await.unwrap())
}

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[tokio::test]
async fn a_whole_answer_has_choices_usage_and_log_probabilities() {
    let url = start().await;
    let (status, text) = ask(&url, |body| {
        body["n"] = json!(2);
        body["logprobs"] = json!(true);
    })
    .await;
    let answer = json_of(&text);
    assert_eq!((status, &answer["object"], &answer["created"]), (200, &json!("chat.completion"), &json!(7)));
    assert_eq!(answer["choices"][1]["message"]["content"], "Draw 1 of  an answer.");
    assert_eq!(answer["choices"][0]["finish_reason"], "stop");
    let token = &answer["choices"][0]["logprobs"]["content"][0];
    assert_eq!((&token["logprob"], &token["top_logprobs"][1]["token"]), (&json!(-0.25), &json!("No")));
    let usage = &answer["usage"];
    assert_eq!((&usage["prompt_tokens"], &usage["completion_tokens"]), (&json!(9), &json!(8)));
}

#[tokio::test]
async fn a_streamed_answer_is_the_same_text_in_pieces() {
    let url = start().await;
    let (status, text) = ask(&url, |body| {
        body["stream"] = json!(true);
        body["stream_options"] = json!({"include_usage": true});
    })
    .await;
    let data: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
    let (done, events) = data.split_last().unwrap();
    assert_eq!((status, *done), (200, "[DONE]"));
    let events: Vec<Value> = events.iter().map(|event| json_of(event)).collect();
    let said: String =
        events.iter().filter_map(|event| event["choices"][0]["delta"]["content"].as_str()).collect();
    assert_eq!(said, "Draw 0 of  an answer.");
    assert!(events.len() > 5, "{text}");
    assert_eq!(events.last().unwrap()["usage"]["total_tokens"], 13);
    assert!(events.iter().any(|event| event["choices"][0]["finish_reason"] == "stop"));
}

#[tokio::test]
async fn calls_are_answered_whole_and_streamed() {
    let url = start().await;
    for streams in [false, true] {
        let (_, text) = ask(&url, |body| {
            body["tools"] = json!([{"type": "function", "function": {"name": "search"}}]);
            body["stream"] = json!(streams);
        })
        .await;
        assert!(text.contains(r#""arguments":"{\"q\":\"x\"}""#), "{text}");
        assert!(text.contains(r#""finish_reason":"tool_calls""#), "{text}");
    }
}

#[tokio::test]
async fn failures_have_openais_form() {
    let url = start().await;
    let user = |text: &'static str| {
        move |body: &mut Value| body["messages"] = json!([{"role": "user", "content": text}])
    };
    for (answer, status, code) in [
        (ask(&url, user("busy")).await, 429, json!("rate_limited")),
        (ask(&url, user("long")).await, 400, json!("context_length_exceeded")),
        (ask(&url, |body| body["model"] = json!("other")).await, 404, json!("model_not_found")),
        (ask(&url, |body| body["messages"] = json!([])).await, 400, Value::Null),
        (ask(&url, |body| body["pad"] = json!("x".repeat(3_000))).await, 413, Value::Null),
    ] {
        let error = json_of(&answer.1);
        assert_eq!((answer.0, &error["error"]["code"]), (status, &code), "{error}");
        assert!(error["error"]["message"].as_str().unwrap().len() > 5);
    }
}

#[tokio::test]
async fn models_are_listed_and_other_paths_told() {
    let url = start().await;
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let models = http.get(format!("{url}/models")).send().await.unwrap().text().await.unwrap();
    assert_eq!(json_of(&models)["data"][0]["id"], "tiny");
    let response = http.get(format!("{url}/embeddings")).send().await.unwrap();
    assert_eq!(response.status(), 404);
    let plain = http.post(format!("{url}/chat/completions")).body("{}").send().await.unwrap();
    assert_eq!(plain.status(), 415);
}
