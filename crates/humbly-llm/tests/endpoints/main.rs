//! Providers against a local server that plays what endpoints do wrong.

#![cfg(feature = "network")]
#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

mod failures;
mod genai;
mod many;
mod secrets;
mod server;

use humbly_llm::providers::{ConnectParams, ModelSpec, connect};
use humbly_llm::{ChatClient, ChatMessage, ChatRequest, Secret};
use std::sync::Arc;

/// A client of `model` at `base_url`, with a key that must be seen nowhere.
fn client(model: &str, base_url: &str) -> Arc<dyn ChatClient> {
    let spec = ModelSpec::parse(model, Some(base_url)).unwrap();
    let params = ConnectParams {
        base_url: Some(base_url.to_owned()),
        key: Some(Secret::new(server::KEY)),
        environment: |_| None,
    };
    connect(&spec, &params).unwrap().client
}

fn asks(model: &str) -> ChatRequest {
    ChatRequest {
        model: model.to_owned(),
        messages: vec![ChatMessage::system("Be brief."), ChatMessage::user("Who?")],
        ..ChatRequest::default()
    }
}
