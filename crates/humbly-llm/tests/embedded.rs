//! The embedded model as a provider: the real one, where it was fetched.

#![cfg(feature = "embedded")]
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::allow_attributes,
    reason = "a test fails by panicking, and says what it skips"
)]

use humbly_llm::providers::{ConnectParams, Connected, connect};
use humbly_llm::{ChatMessage, ChatRequest, Finish, Sampling, ToolSpec};

/// The provider; `None` where the model is not here and nobody requires it.
fn connected() -> Option<Connected> {
    match connect(&"embedded:smollm2-135m".parse().unwrap(), &ConnectParams::default()) {
        Ok(connected) => Some(connected),
        Err(error) => {
            assert!(std::env::var("HUMBLY_REQUIRE").as_deref() != Ok("all"), "{error}");
            eprintln!("skipped: {error}");
            None
        }
    }
}

fn asks(connected: &Connected, text: &str, change: impl FnOnce(&mut Sampling)) -> ChatRequest {
    let mut sampling = Sampling { temperature: Some(0.0), max_tokens: Some(8), ..Sampling::default() };
    change(&mut sampling);
    ChatRequest {
        model: connected.model.clone(),
        messages: vec![ChatMessage::user(text)],
        sampling,
        ..ChatRequest::default()
    }
}

#[tokio::test]
async fn it_answers_counts_and_gives_log_probabilities() {
    let Some(connected) = connected() else { return };
    let request = asks(&connected, "What is the capital of France?", |sampling| {
        sampling.logprobs = true;
        sampling.max_tokens = Some(16);
    });
    let reply = connected.client.chat(&request).await.unwrap();
    assert!(reply.text.contains("Paris"), "{}", reply.text);
    assert_eq!(reply.cost_usd, Some(0.0));
    let tokens = reply.logprobs.unwrap();
    assert!(reply.usage.input.unwrap() > 10 && reply.usage.output.unwrap() >= tokens.len() as u64);
    for token in &tokens {
        assert!(token.logprob <= 0.0, "{token:?}");
        // Greedy: the chosen token is the likeliest.
        assert!((token.top[0].1 - token.logprob).abs() < 1e-3, "{token:?}");
    }
    // Asked beside others, it says the same.
    let other = asks(&connected, "Name a colour.", |_| ());
    let (alone, _) = futures::join!(connected.client.chat(&request), connected.client.chat(&other));
    assert_eq!(alone.unwrap().text, reply.text);
}

#[tokio::test]
async fn draws_depend_on_their_seed_and_index_alone() {
    let Some(connected) = connected() else { return };
    let draw = |seed: u64, index: u32| {
        let request = asks(&connected, "Write a line about the sea.", |sampling| {
            sampling.temperature = Some(1.0);
            sampling.seed = Some(seed);
            sampling.max_tokens = Some(12);
        });
        ChatRequest { sample_index: index, ..request }
    };
    let mut texts = Vec::new();
    for (seed, index) in [(1, 0), (1, 1), (2, 0), (1, 0)] {
        texts.push(connected.client.chat(&draw(seed, index)).await.unwrap().text);
    }
    assert_eq!(texts[0], texts[3]);
    assert!(texts[0] != texts[1] || texts[0] != texts[2], "{texts:?}");
}

#[tokio::test]
async fn limits_are_told_and_tools_are_taken() {
    let Some(connected) = connected() else { return };
    let cut = connected.client.chat(&asks(&connected, "Count to a hundred.", |_| ())).await.unwrap();
    assert_eq!(cut.finish, Finish::Length);
    let long = "word ".repeat(9_000);
    let error = connected.client.chat(&asks(&connected, &long, |_| ())).await.unwrap_err();
    assert_eq!(error.code(), "context_too_long", "{error}");
    let mut with_tool = asks(&connected, "Which city?", |_| ());
    with_tool.tools = vec![ToolSpec {
        name: "search".into(),
        description: "Searches.".into(),
        parameters: serde_json::json!({"type": "object"}),
    }];
    let plain = asks(&connected, "Which city?", |_| ());
    let with_tool = connected.client.chat(&with_tool).await.unwrap();
    let plain = connected.client.chat(&plain).await.unwrap();
    assert!(with_tool.usage.input > plain.usage.input, "the tools stand in the prompt");
}

#[test]
fn a_model_that_is_not_here_says_how_to_fetch_it() {
    for (name, said) in
        [("no-such-model", "neither a file nor a known model"), ("some/model:a.gguf", "humbly model pull")]
    {
        let spec = format!("embedded:{name}").parse().unwrap();
        let error = connect(&spec, &ConnectParams::default()).err().unwrap();
        assert_eq!(error.code(), "embedded");
        assert!(error.to_string().contains(said), "{error}");
    }
}

#[tokio::test]
async fn it_says_how_likely_given_replies_are() {
    let Some(connected) = connected() else { return };
    let mut request = asks(&connected, "What is the capital of France? One word.", |_| ());
    let greedy = connected.client.chat(&request).await.unwrap();
    request.continuations = ["Paris", "Lyon", "Oslo and Bergen"].map(String::from).into();
    let reply = connected.client.chat(&request).await.unwrap();
    let [paris, lyon, oslo] = reply.likelihoods[..] else { panic!("{reply:?}") };
    assert!(paris < 0.0 && lyon < paris && oslo < paris, "{paris} {lyon} {oslo}");
    assert_eq!((reply.text.as_str(), greedy.likelihoods.len()), ("", 0));
    // Beside others it is the same.
    let client = &connected.client;
    let (one, two) = futures::join!(client.chat(&request), client.chat(&request));
    assert_eq!(
        (one.unwrap().likelihoods, two.unwrap().likelihoods),
        (vec![paris, lyon, oslo], vec![paris, lyon, oslo])
    );
    request.continuations = vec![String::new()];
    assert!(connected.client.chat(&request).await.is_err());
}
