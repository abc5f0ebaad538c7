//! The key is in the request's header and nowhere else.

use std::path::Path;
use std::sync::Arc;

use humbly_llm::layers::{Cached, Recording};
use humbly_llm::{ChatClient, Endpoint};

use super::server::{Answer, KEY, Server, says};
use super::{asks, client};

fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let holds = |path: &Path| {
        let bytes = std::fs::read(path).unwrap();
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    };
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| holds(path)).map(|path| path.display().to_string()).collect()
}

#[tokio::test]
async fn neither_cache_nor_recording_holds_the_key() {
    for model in ["openai:m", "anthropic:m"] {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::start(move |_, _| {
            let claude = serde_json::json!({
                "model": "m", "content": [{"type": "text", "text": "Nobody."}], "stop_reason": "end_turn",
                "usage": {"input_tokens": 1, "output_tokens": 1},
            });
            let body = if model == "openai:m" { says("Nobody.") } else { claude.to_string() };
            Answer::Whole("200 OK", &[], body)
        })
        .await;
        let endpoint = Endpoint { provider: "p".to_owned(), base_url: Some(server.base_url.clone()) };
        let recorded = Recording::append(
            client(model, &server.base_url),
            endpoint.clone(),
            &folder.path().join("replies.jsonl"),
        )
        .unwrap();
        let cached = Cached::open(recorded, endpoint, &folder.path().join("cache.sqlite")).unwrap();
        cached.chat(&asks("m")).await.unwrap();
        assert!(server.asked()[0].contains(KEY), "{model}: the server must have got the key");
        assert_eq!(files_with(folder.path(), "Nobody.").len(), 2);
        assert_eq!(files_with(folder.path(), KEY), Vec::<String>::new());
    }
}

#[tokio::test]
async fn no_error_repeats_a_key_that_the_endpoint_repeats() {
    let statuses = [
        "200 OK",
        "302 Found",
        "400 Bad Request",
        "401 Unauthorized",
        "404 Not Found",
        "418 Teapot",
        "429 Too Many Requests",
        "500 Internal Server Error",
    ];
    for model in ["openai:m", "anthropic:m", "gemini:m"] {
        for status in statuses {
            for body in [
                format!("{{\"error\": {{\"message\": \"wrong key {KEY}, sk-abcdefghijklmnop\"}}}}"),
                format!("<html>{KEY}"),
                format!("{{\"choices\": [{{\"message\": {{\"content\": [\"{KEY}\""),
                format!("{{\"error\": {{\"message\": \"maximum context length, {KEY}\"}}}}"),
            ] {
                let server = Server::start(move |_, _| Answer::Whole(status, &[], body.clone())).await;
                let client: Arc<dyn ChatClient> = client(model, &server.base_url);
                let error = client.chat(&asks("m")).await.unwrap_err();
                let shown = format!("{error} {error:?}");
                assert!(!shown.contains(KEY) && !shown.contains("sk-abc"), "{model} {status}: {shown}");
            }
        }
    }
}
