//! Deadlines of one request and of the whole run.

use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::time::Instant;

use crate::{ChatClient, ChatError, ChatReply, ChatRequest, Result};

/// Gives up a request after its time ([`ChatError::TimedOut`], which may be asked again) and every request
/// after the run's ([`ChatError::DeadlinePassed`], which may not).
///
/// A request that is given up is dropped, which closes its connection.
pub struct Deadlines<C> {
    inner: C,
    request: Option<Duration>,
    run: Option<Instant>,
}

impl<C: ChatClient> Deadlines<C> {
    /// `request`: longest time of one request; `run`: time from now after which nothing is asked.
    pub fn new(inner: C, request: Option<Duration>, run: Option<Duration>) -> Self {
        let run = run.and_then(|run| Instant::now().checked_add(run));
        Self { inner, request, run }
    }

    /// The client behind.
    pub fn inner(&self) -> &C {
        &self.inner
    }

    /// Time that is left to the run; `None` without a deadline.
    pub fn left(&self) -> Option<Duration> {
        self.run.map(|run| run.saturating_duration_since(Instant::now()))
    }
}

impl<C: ChatClient> ChatClient for Deadlines<C> {
    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply>> {
        async move {
            let now = Instant::now();
            if self.run.is_some_and(|run| run <= now) {
                return Err(ChatError::DeadlinePassed);
            }
            let own = self.request.and_then(|after| Some((now.checked_add(after)?, after)));
            let (at, error) = match (own, self.run) {
                (Some((own, after)), run) if run.is_none_or(|run| own <= run) => {
                    (own, ChatError::TimedOut { after })
                }
                (_, Some(run)) => (run, ChatError::DeadlinePassed),
                (_, None) => return self.inner.chat(request).await,
            };
            tokio::time::timeout_at(at, self.inner.chat(request)).await.unwrap_or(Err(error))
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Slow, asks, says};
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn slow(delay: Duration) -> Slow {
        Slow::new(delay, |_, _| Ok(says("ok")))
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_request_times_out() {
        let client = Deadlines::new(slow(10 * SECOND), Some(3 * SECOND), Some(100 * SECOND));
        let start = Instant::now();
        let error = client.chat(&asks("x")).await.unwrap_err();
        assert!(matches!(error, ChatError::TimedOut { after } if after == 3 * SECOND));
        assert_eq!(start.elapsed(), 3 * SECOND);
        assert_eq!(client.left(), Some(97 * SECOND));
    }

    #[tokio::test(start_paused = true)]
    async fn the_run_ends_calls_in_flight_and_begins_no_more() {
        let client = Deadlines::new(slow(10 * SECOND), None, Some(15 * SECOND));
        assert!(client.chat(&asks("x")).await.is_ok());
        let error = client.chat(&asks("x")).await.unwrap_err();
        assert_eq!(error.code(), "deadline_passed");
        assert_eq!(client.inner.calls(), 2);
        assert_eq!(client.chat(&asks("x")).await.unwrap_err().code(), "deadline_passed");
        assert_eq!(client.inner.calls(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn without_deadlines_it_waits() {
        let client = Deadlines::new(slow(10_000 * SECOND), None, None);
        assert!(client.chat(&asks("x")).await.is_ok());
        assert_eq!(client.left(), None);
    }
}
