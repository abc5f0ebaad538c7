//! Asking again after a failure that may pass.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::time::Instant;

use crate::{ChatClient, ChatError, ChatReply, ChatRequest, Endpoint, RequestKey, Result};

/// How often and how long to ask again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RetryParams {
    /// Most attempts, the first included; at least 1.
    pub attempts: u32,
    /// Wait before the second attempt; it doubles with each.
    pub first_wait: Duration,
    /// Longest wait of our own; what a provider asks for may be longer.
    pub longest_wait: Duration,
    /// Time after which no new attempt begins; `None` for no limit.
    pub total: Option<Duration>,
    /// Seed of the jitter.
    pub seed: u64,
}

impl Default for RetryParams {
    fn default() -> Self {
        Self {
            attempts: 8,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_mins(1),
            total: Some(Duration::from_mins(10)),
            seed: 0,
        }
    }
}

impl RetryParams {
    /// Wait before attempt `next` (from 1).
    ///
    /// Our own wait doubles up to the longest and is then drawn from its upper half. What the provider asks
    /// for is obeyed and stretched by up to a tenth, so that those who were turned away together do not come
    /// back together.
    fn wait(&self, key: &RequestKey, next: u32, asked: Option<Duration>) -> Duration {
        let fraction = key.fraction(self.seed, next);
        let doubled = self.first_wait.saturating_mul(2_u32.saturating_pow(next.saturating_sub(1)));
        let own = doubled.min(self.longest_wait).mul_f64(0.5 + fraction / 2.0);
        match asked {
            Some(asked) => {
                own.max(asked.saturating_add(asked.min(self.longest_wait).mul_f64(fraction / 10.0)))
            }
            None => own,
        }
    }
}

/// Asks again after transient failures ([`ChatError::is_transient`]); others are returned at once.
///
/// Gives up with the last error after the attempts are used up, or where the next wait would end after the
/// total time. The wait depends on seed, request and attempt alone.
pub struct Retry<C> {
    inner: C,
    endpoint: Endpoint,
    params: RetryParams,
    retries: AtomicU64,
}

impl<C: ChatClient> Retry<C> {
    /// Asks `inner` again as `params` say.
    pub fn new(inner: C, endpoint: Endpoint, params: RetryParams) -> Self {
        Self { inner, endpoint, params, retries: AtomicU64::new(0) }
    }

    /// Attempts beyond the first, over all requests.
    pub fn retries(&self) -> u64 {
        self.retries.load(Ordering::Relaxed)
    }

    /// The client behind.
    pub fn inner(&self) -> &C {
        &self.inner
    }
}

fn asked_wait(error: &ChatError) -> Option<Duration> {
    match error {
        ChatError::RateLimited { retry_after } | ChatError::Server { retry_after, .. } => *retry_after,
        _ => None,
    }
}

impl<C: ChatClient> ChatClient for Retry<C> {
    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply>> {
        async move {
            let start = Instant::now();
            let mut key = None;
            let mut attempt = 1;
            loop {
                let error = match self.inner.chat(request).await {
                    Ok(reply) => return Ok(reply),
                    Err(error) => error,
                };
                if !error.is_transient() || attempt >= self.params.attempts {
                    return Err(error);
                }
                let key = key.get_or_insert_with(|| RequestKey::of(&self.endpoint, request));
                let wait = self.params.wait(key, attempt, asked_wait(&error));
                if self.params.total.is_some_and(|total| start.elapsed().saturating_add(wait) > total) {
                    return Err(error);
                }
                tokio::time::sleep(wait).await;
                attempt += 1;
                self.retries.fetch_add(1, Ordering::Relaxed);
            }
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::{Slow, asks, busy, says};
    use super::*;

    fn retry(inner: Slow, params: RetryParams) -> Retry<Slow> {
        Retry::new(inner, Endpoint::default(), params)
    }

    fn waits(client: &Slow) -> Vec<f64> {
        let times = client.times.lock().unwrap();
        times.windows(2).map(|pair| (pair[1] - pair[0]).as_secs_f64()).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn waits_double_within_their_upper_half() {
        let inner =
            Slow::new(Duration::ZERO, |call, _| if call < 4 { Err(busy(None)) } else { Ok(says("ok")) });
        let client = retry(inner, RetryParams::default());
        assert_eq!(client.chat(&asks("x")).await.unwrap().text, "ok");
        assert_eq!(client.retries(), 4);
        for (wait, longest) in waits(client.inner()).iter().zip([0.5, 1.0, 2.0, 4.0]) {
            assert!((longest / 2.0..=longest + 0.01).contains(wait), "{wait} of {longest}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn retry_after_is_obeyed() {
        let inner =
            Slow::new(Duration::ZERO, |call, _| if call == 0 { Err(busy(Some(89))) } else { Ok(says("ok")) });
        let client = retry(inner, RetryParams::default());
        client.chat(&asks("x")).await.unwrap();
        let wait = waits(client.inner())[0];
        assert!((89.0..=98.0).contains(&wait), "{wait}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_429_for_ever_ends_by_attempts_or_by_time() {
        let for_ever = |seconds| Slow::new(Duration::ZERO, move |_, _| Err(busy(seconds)));
        let by_attempts = retry(for_ever(None), RetryParams { attempts: 3, ..RetryParams::default() });
        assert_eq!(by_attempts.chat(&asks("x")).await.unwrap_err().code(), "rate_limited");
        assert_eq!(by_attempts.inner().calls(), 3);

        let by_time = retry(for_ever(Some(400)), RetryParams::default());
        let start = Instant::now();
        assert_eq!(by_time.chat(&asks("x")).await.unwrap_err().code(), "rate_limited");
        assert_eq!(by_time.inner().calls(), 2);
        assert!(start.elapsed() <= Duration::from_mins(10));
    }

    #[tokio::test(start_paused = true)]
    async fn what_will_not_pass_is_not_asked_again() {
        let inner = Slow::new(Duration::ZERO, |_, _| {
            Err(ChatError::Authentication { provider: "p".to_owned(), status: 401 })
        });
        let client = retry(inner, RetryParams::default());
        assert_eq!(client.chat(&asks("x")).await.unwrap_err().code(), "authentication");
        assert_eq!(client.inner().calls(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn seeds_decide_the_waits() {
        let mut seen = Vec::new();
        for seed in [1, 1, 2] {
            let inner =
                Slow::new(
                    Duration::ZERO,
                    |call, _| {
                        if call < 3 { Err(ChatError::EmptyReply) } else { Ok(says("ok")) }
                    },
                );
            let client = retry(inner, RetryParams { seed, ..RetryParams::default() });
            client.chat(&asks("x")).await.unwrap();
            seen.push(waits(client.inner()));
        }
        assert_eq!(seen[0], seen[1]);
        assert_ne!(seen[0], seen[2]);
    }

    proptest! {
        #[test]
        fn no_wait_overflows(next in 1_u32..=u32::MAX, asked in proptest::option::of(any::<u64>())) {
            let key = RequestKey::of(&Endpoint::default(), &asks("x"));
            let wait = RetryParams::default().wait(&key, next, asked.map(Duration::from_secs));
            prop_assert!(wait >= asked.map_or(Duration::from_millis(250), Duration::from_secs));
        }
    }
}
