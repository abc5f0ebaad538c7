//! Many calls at once.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::join_all;
use humbly_llm::layers::{LimitParams, Meter, Stack, StackParams};
use humbly_llm::{ChatClient, ChatRequest, Endpoint, Prices};

use super::server::{Answer, Server, says};
use super::{asks, client};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_hundred_calls_wait_on_a_slow_server_together() {
    let server = Server::start(|_, _| Answer::Late(400, says("ok"))).await;
    let endpoint = Endpoint { provider: "openai".to_owned(), base_url: Some(server.base_url.clone()) };
    let params = StackParams { limit: LimitParams { start: 300, most: 300 }, ..StackParams::default() };
    let stack = Stack::new(
        client("openai:gpt-5-mini", &server.base_url),
        endpoint,
        Arc::new(Prices::built_in().unwrap()),
        Arc::new(Meter::new(None)),
        params,
    )
    .unwrap();
    let requests: Vec<ChatRequest> =
        (0..300).map(|sample_index| ChatRequest { sample_index, ..asks("gpt-5-mini") }).collect();
    let start = Instant::now();
    let replies = join_all(requests.iter().map(|request| stack.chat(request))).await;
    assert!(replies.iter().all(Result::is_ok));
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    let totals = stack.progress().totals;
    assert_eq!((totals.replies, totals.input_tokens), (300, 3_600));
    let expected = 300.0 * (12.0 * 0.25 + 3.0 * 2.0) / 1e6;
    assert!((totals.cost_usd().unwrap() - expected).abs() < 1e-9);
}
