//! How many calls are in flight at once.

use std::sync::{Mutex, MutexGuard, PoisonError};

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::Notify;

use crate::{ChatClient, ChatError, ChatReply, ChatRequest, Result};

/// Bounds of the calls in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitParams {
    /// Where it begins; at least 1.
    pub start: usize,
    /// The most.
    pub most: usize,
}

impl Default for LimitParams {
    fn default() -> Self {
        Self { start: 8, most: 64 }
    }
}

/// Keeps calls in flight under a limit that halves on 429 and on timeouts and grows by one for each limit of
/// successes (additive increase, multiplicative decrease).
///
/// Calls that were already in flight when it halved do not halve it again, so one burst of refusals is one
/// step, and it never falls under 1. Time has no part in it: a long Retry-After holds back the request that
/// got it, not the limit, which climbs with the next successes.
pub struct AdaptiveLimit<C> {
    inner: C,
    most: f64,
    state: Mutex<State>,
    freed: Notify,
}

struct State {
    limit: f64,
    in_flight: usize,
    /// Times it halved.
    halved: u64,
}

impl State {
    fn has_room(&self) -> bool {
        (self.in_flight as f64) < self.limit.floor()
    }
}

impl<C: ChatClient> AdaptiveLimit<C> {
    /// A limit around `inner`.
    pub fn new(inner: C, params: LimitParams) -> Self {
        let most = params.most.max(1) as f64;
        let limit = (params.start.max(1) as f64).min(most);
        Self {
            inner,
            most,
            state: Mutex::new(State { limit, in_flight: 0, halved: 0 }),
            freed: Notify::new(),
        }
    }

    /// The limit now.
    pub fn limit(&self) -> usize {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 1 and a count of calls"
        )]
        let limit = self.state().limit.floor() as usize;
        limit
    }

    /// Calls in flight now.
    pub fn in_flight(&self) -> usize {
        self.state().in_flight
    }

    /// The client behind.
    pub fn inner(&self) -> &C {
        &self.inner
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn place(&self) -> Place<'_, C> {
        loop {
            let freed = self.freed.notified();
            {
                let mut state = self.state();
                if state.has_room() {
                    state.in_flight += 1;
                    let place = Place { of: self, halved: state.halved };
                    if state.has_room() {
                        self.freed.notify_one();
                    }
                    return place;
                }
            }
            freed.await;
        }
    }

    fn learn(&self, outcome: &Result<ChatReply>, begun_after: u64) {
        let mut state = self.state();
        match outcome {
            Ok(_) => state.limit = (state.limit + 1.0 / state.limit).min(self.most),
            Err(ChatError::RateLimited { .. } | ChatError::TimedOut { .. })
                if state.halved == begun_after =>
            {
                state.limit = (state.limit / 2.0).max(1.0);
                state.halved += 1;
            }
            Err(_) => {}
        }
    }
}

/// A call's place; it is free again when the call ends or is dropped.
struct Place<'a, C: ChatClient> {
    of: &'a AdaptiveLimit<C>,
    halved: u64,
}

impl<C: ChatClient> Drop for Place<'_, C> {
    fn drop(&mut self) {
        self.of.state().in_flight -= 1;
        self.of.freed.notify_one();
    }
}

impl<C: ChatClient> ChatClient for AdaptiveLimit<C> {
    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply>> {
        async move {
            let place = self.place().await;
            let outcome = self.inner.chat(request).await;
            self.learn(&outcome, place.halved);
            outcome
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use futures::future::join_all;

    use super::super::testing::{Slow, asks, busy, says};
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn no_more_than_the_limit_are_in_flight_and_all_are_answered() {
        let client =
            AdaptiveLimit::new(Slow::new(SECOND, |_, _| Ok(says("ok"))), LimitParams { start: 4, most: 10 });
        let request = asks("x");
        let replies = join_all((0..200).map(|_| client.chat(&request))).await;
        assert!(replies.iter().all(Result::is_ok));
        assert_eq!(client.inner().most_open.load(Ordering::SeqCst), 10);
        assert_eq!((client.limit(), client.in_flight()), (10, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn one_burst_of_refusals_is_one_step() {
        let client = AdaptiveLimit::new(
            Slow::new(SECOND, |_, _| Err(busy(None))),
            LimitParams { start: 16, most: 16 },
        );
        let request = asks("x");
        join_all((0..16).map(|_| client.chat(&request))).await;
        assert_eq!(client.limit(), 8);
        join_all((0..8).map(|_| client.chat(&request))).await;
        assert_eq!(client.limit(), 4);
    }

    /// 429 with Retry-After of 89 s each 20 s, then successes. Case run-06.
    #[tokio::test(start_paused = true)]
    async fn it_steps_down_while_failing_and_climbs_again() {
        let failing = Arc::new(AtomicBool::new(true));
        let asked = Arc::clone(&failing);
        let inner = Slow::new(SECOND, move |_, _| {
            if asked.load(Ordering::SeqCst) { Err(busy(Some(89))) } else { Ok(says("ok")) }
        });
        let client = AdaptiveLimit::new(inner, LimitParams { start: 32, most: 64 });
        let request = asks("x");
        let mut limits = Vec::new();
        for _ in 0..7 {
            client.chat(&request).await.unwrap_err();
            limits.push(client.limit());
            tokio::time::sleep(19 * SECOND).await;
        }
        assert_eq!(limits, [16, 8, 4, 2, 1, 1, 1]);
        failing.store(false, Ordering::SeqCst);
        join_all((0..300).map(|_| client.chat(&request))).await;
        assert!(client.limit() > 15, "{}", client.limit());
    }

    #[tokio::test(start_paused = true)]
    async fn timeouts_count_and_other_failures_do_not() {
        let inner = Slow::new(Duration::ZERO, |call, _| match call {
            0 => Err(ChatError::TimedOut { after: SECOND }),
            _ => Err(ChatError::EmptyReply),
        });
        let client = AdaptiveLimit::new(inner, LimitParams { start: 8, most: 8 });
        for _ in 0..3 {
            client.chat(&asks("x")).await.unwrap_err();
        }
        assert_eq!(client.limit(), 4);
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_is_dropped_frees_its_place() {
        let client = AdaptiveLimit::new(
            Slow::new(10 * SECOND, |_, _| Ok(says("ok"))),
            LimitParams { start: 1, most: 1 },
        );
        let request = asks("x");
        assert!(tokio::time::timeout(SECOND, client.chat(&request)).await.is_err());
        let waiting = client.chat(&request);
        let dropped = client.chat(&request);
        let (first, second) = tokio::join!(waiting, tokio::time::timeout(SECOND, dropped));
        assert!(first.is_ok() && second.is_err());
        assert!(client.chat(&request).await.is_ok());
        assert_eq!(client.in_flight(), 0);
    }
}
