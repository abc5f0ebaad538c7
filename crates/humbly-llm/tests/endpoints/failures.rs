//! Each failure has its own error.

use std::time::Duration;

use humbly_llm::layers::{Deadlines, Retry, RetryParams};
use humbly_llm::{ChatClient, ChatError, Endpoint, Finish};

use super::server::{Answer, Server, says};
use super::{asks, client};

/// What a client says to one answer.
async fn told(model: &str, answer: impl Fn() -> Answer + Send + Sync + 'static) -> ChatError {
    let server = Server::start(move |_, _| answer()).await;
    client(model, &server.base_url).chat(&asks("m")).await.unwrap_err()
}

fn refuses(
    status: &'static str,
    headers: &'static [&'static str],
    body: &'static str,
) -> impl Fn() -> Answer + Send + Sync + 'static {
    move || Answer::Whole(status, headers, body.to_owned())
}

/// The same for the own client and for `genai`.
const MODELS: [&str; 2] = ["openai:m", "anthropic:m"];

#[tokio::test]
async fn refusals_have_their_own_errors() {
    const HTML: &[&str] = &["content-type: text/html"];
    for model in MODELS {
        let cases: [(ChatError, &str); 9] = [
            (
                told(model, refuses("401 Unauthorized", &[], r#"{"error": {"message": "no"}}"#)).await,
                "authentication",
            ),
            (
                told(
                    model,
                    refuses("404 Not Found", &[], r#"{"error": {"message": "the model m does not exist"}}"#),
                )
                .await,
                "unknown_model",
            ),
            (told(model, refuses("429 Too Many Requests", &[], "")).await, "rate_limited"),
            (told(model, refuses("500 Internal Server Error", &[], "oops")).await, "server"),
            (told(model, refuses("529 Overloaded", &[], "{}")).await, "server"),
            (
                told(
                    model,
                    refuses("400 Bad Request", &[], r#"{"error": {"message": "prompt is too long: 9 > 8"}}"#),
                )
                .await,
                "context_too_long",
            ),
            (
                told(model, refuses("200 OK", HTML, "<html><title>Sign in</title></html>")).await,
                "not_a_reply",
            ),
            (told(model, refuses("200 OK", &[], "{\"hello\": 1}")).await, "not_a_reply"),
            (told(model, || Answer::Half("{\"choices\": [{\"me".to_owned())).await, "broken_off"),
        ];
        for (error, code) in cases {
            assert_eq!(error.code(), code, "{model}: {error}");
        }
    }
}

#[tokio::test]
async fn an_empty_body_is_an_empty_reply() {
    for model in MODELS {
        let headers: &[&str] = &["content-type: text/plain"];
        assert_eq!(told(model, refuses("200 OK", headers, "")).await.code(), "empty_reply", "{model}");
    }
}

#[tokio::test]
async fn retry_after_reaches_the_error() {
    for model in MODELS {
        let error =
            told(model, refuses("429 Too Many Requests", &["retry-after: 7"], "{\"error\": {}}")).await;
        let ChatError::RateLimited { retry_after } = error else { panic!("{model}: {error}") };
        assert_eq!(retry_after, Some(Duration::from_secs(7)), "{model}");
    }
}

#[tokio::test]
async fn a_html_page_is_shown_by_its_beginning() {
    let error =
        told("openai:m", refuses("200 OK", &["content-type: text/html"], "<html>\n<body>Log in</body>"))
            .await;
    let expected = "expected a chat reply as JSON, found a page beginning `<html> <body>Log in</body>`";
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn half_a_body_says_how_much_came() {
    let error = told("openai:m", || Answer::Half("{\"choices\": [".to_owned())).await;
    assert_eq!(error.to_string(), "the reply broke off after 13 bytes");
    assert!(error.is_transient());
}

#[tokio::test]
async fn a_429_for_ever_is_given_up_and_a_passing_one_is_not() {
    let params = RetryParams { attempts: 3, first_wait: Duration::from_millis(1), ..RetryParams::default() };
    for (refusals, outcome) in [(usize::MAX, None), (2, Some("ok"))] {
        let server = Server::start(move |number, _| {
            if number < refusals {
                let headers: &[&str] = &["retry-after: 0.01"];
                Answer::Whole("429 Too Many Requests", headers, String::new())
            } else {
                Answer::Whole("200 OK", &[], says("ok"))
            }
        })
        .await;
        let retried = Retry::new(client("openai:m", &server.base_url), Endpoint::default(), params);
        let reply = retried.chat(&asks("m")).await;
        assert_eq!(reply.as_ref().ok().map(|reply| reply.text.as_str()), outcome);
        assert_eq!(server.asked().len(), 3);
        if let Err(error) = reply {
            assert_eq!(error.code(), "rate_limited");
        }
    }
}

#[tokio::test]
async fn a_silent_endpoint_times_out() {
    for model in MODELS {
        let server = Server::start(|_, _| Answer::Silence).await;
        let waiting = Deadlines::new(client(model, &server.base_url), Some(Duration::from_millis(80)), None);
        assert_eq!(waiting.chat(&asks("m")).await.unwrap_err().code(), "timed_out", "{model}");
    }
}

#[tokio::test]
async fn no_connection_names_the_endpoint() {
    for model in MODELS {
        let error =
            client(model, "http://127.0.0.1:9/v1?key=hidden-value").chat(&asks("m")).await.unwrap_err();
        assert_eq!(error.code(), "connection", "{model}");
        let text = error.to_string();
        assert!(text.contains("127.0.0.1:9") && !text.contains("hidden-value"), "{text}");
    }
    let error = client("openai:m", "http://no-such-host.invalid/v1").chat(&asks("m")).await.unwrap_err();
    assert_eq!(error.code(), "connection");
}

#[tokio::test]
async fn arguments_that_are_not_json_are_kept_as_they_came() {
    let body = serde_json::json!({"choices": [{
        "message": {"content": null, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "search", "arguments": "{'query': who"}},
        ]},
        "finish_reason": "tool_calls",
    }]})
    .to_string();
    let server = Server::start(move |_, _| Answer::Whole("200 OK", &[], body.clone())).await;
    let reply = client("openai:m", &server.base_url).chat(&asks("m")).await.unwrap();
    assert_eq!((reply.finish, reply.calls[0].arguments.as_str()), (Finish::Calls, "{'query': who"));
}

#[tokio::test]
async fn a_reply_is_read_and_the_key_is_sent() {
    let server = Server::start(|_, _| Answer::Whole("200 OK", &[], says("Nobody."))).await;
    let reply = client("gpt-oss", &server.base_url).chat(&asks("gpt-oss")).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.finish), ("Nobody.", Finish::Stop));
    assert_eq!((reply.usage.input, reply.usage.output, reply.usage.cached), (Some(12), Some(3), None));
    let asked = &server.asked()[0];
    assert!(asked.starts_with("POST /v1/chat/completions HTTP/1.1"), "{asked}");
    assert!(asked.contains("authorization: Bearer odd-looking-key-9f31"), "{asked}");
    assert!(asked.contains(r#""model":"gpt-oss""#), "{asked}");
}
