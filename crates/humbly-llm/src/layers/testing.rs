//! Clients and requests that the layers' tests share.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use humbly_types::Usage;

use crate::{ChatClient, ChatError, ChatMessage, ChatReply, ChatRequest, Result};

type Answer = Box<dyn Fn(usize, &ChatRequest) -> Result<ChatReply> + Send + Sync>;

/// Answers by the number of the call after a delay, and knows how many calls stood open at once.
pub(super) struct Slow {
    delay: Duration,
    answer: Answer,
    pub(super) calls: AtomicUsize,
    open: AtomicUsize,
    pub(super) most_open: AtomicUsize,
    pub(super) times: Mutex<Vec<tokio::time::Instant>>,
}

impl Slow {
    pub(super) fn new(
        delay: Duration,
        answer: impl Fn(usize, &ChatRequest) -> Result<ChatReply> + Send + Sync + 'static,
    ) -> Self {
        Self {
            delay,
            answer: Box::new(answer),
            calls: AtomicUsize::new(0),
            open: AtomicUsize::new(0),
            most_open: AtomicUsize::new(0),
            times: Mutex::new(Vec::new()),
        }
    }

    pub(super) fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

impl ChatClient for Slow {
    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply>> {
        async move {
            let call = self.calls.fetch_add(1, Ordering::SeqCst);
            let open = self.open.fetch_add(1, Ordering::SeqCst) + 1;
            self.most_open.fetch_max(open, Ordering::SeqCst);
            self.times.lock().unwrap().push(tokio::time::Instant::now());
            tokio::time::sleep(self.delay).await;
            self.open.fetch_sub(1, Ordering::SeqCst);
            (self.answer)(call, request)
        }
        .boxed()
    }
}

pub(super) fn asks(user: &str) -> ChatRequest {
    ChatRequest { model: "m".to_owned(), messages: vec![ChatMessage::user(user)], ..ChatRequest::default() }
}

pub(super) fn says(text: impl Into<String>) -> ChatReply {
    ChatReply {
        text: text.into(),
        usage: Usage { input: Some(10), cached: None, output: Some(5), reasoning: None },
        ..ChatReply::default()
    }
}

pub(super) fn busy(seconds: Option<u64>) -> ChatError {
    ChatError::RateLimited { retry_after: seconds.map(Duration::from_secs) }
}
