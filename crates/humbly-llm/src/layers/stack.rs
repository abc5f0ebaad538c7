//! The layers in the order that a run needs.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use serde::Serialize;

use super::{AdaptiveLimit, Cached, Deadlines, LimitParams, Meter, MeterTotals, Metered, Retry, RetryParams};
use crate::{ChatClient, ChatReply, ChatRequest, Endpoint, Prices, Result};

/// What stands around a provider.
#[derive(Debug, Clone, Default)]
pub struct StackParams {
    /// File of the reply cache; `None` for none.
    pub cache: Option<PathBuf>,
    /// Retries.
    pub retry: RetryParams,
    /// Calls in flight.
    pub limit: LimitParams,
    /// Longest time of one call.
    pub request_deadline: Option<Duration>,
    /// Longest time of the run, from now.
    pub run_deadline: Option<Duration>,
}

type Limited = AdaptiveLimit<Deadlines<Arc<dyn ChatClient>>>;
type Metering = Metered<Deadlines<Retry<Limited>>>;

/// A provider with its layers, from outside to inside: cache, meter, deadline of the run, retry, limit of
/// calls in flight, deadline of one call.
///
/// So a hit in the cache costs nothing and waits for nothing, a cost is counted once for each reply, and a
/// call that waits to be asked again leaves its place to others.
pub struct Stack {
    layers: Layers,
}

enum Layers {
    Cached(Box<Cached<Metering>>),
    Plain(Box<Metering>),
}

/// How far a run is, readable at any time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Progress {
    /// Tokens, cost, failures.
    pub totals: MeterTotals,
    /// Replies from the cache.
    pub cache_hits: u64,
    /// Replies that could not be kept in the cache, with what was said of the last.
    pub cache_problems: (u64, Option<String>),
    /// Attempts beyond the first.
    pub retries: u64,
    /// Limit of calls in flight.
    pub limit: usize,
    /// Time that is left to the run.
    pub left: Option<Duration>,
}

impl Stack {
    /// Stacks the layers around `provider`; `meter` may be shared with other stacks.
    ///
    /// # Errors
    /// As [`Cached::open`].
    pub fn new(
        provider: Arc<dyn ChatClient>,
        endpoint: Endpoint,
        prices: Arc<Prices>,
        meter: Arc<Meter>,
        params: StackParams,
    ) -> Result<Self> {
        let timed = Deadlines::new(provider, params.request_deadline, None);
        let retried = Retry::new(AdaptiveLimit::new(timed, params.limit), endpoint.clone(), params.retry);
        let bounded = Deadlines::new(retried, None, params.run_deadline);
        let metered = Metered::new(bounded, endpoint.provider.clone(), prices, meter);
        let layers = match params.cache {
            Some(path) => Layers::Cached(Box::new(Cached::open(metered, endpoint, &path)?)),
            None => Layers::Plain(Box::new(metered)),
        };
        Ok(Self { layers })
    }

    /// How far the run is.
    pub fn progress(&self) -> Progress {
        let (metered, cache_hits, cache_problems) = match &self.layers {
            Layers::Cached(cached) => (cached.inner(), cached.hits(), cached.problems()),
            Layers::Plain(metered) => (metered.as_ref(), 0, (0, None)),
        };
        let bounded = metered.inner();
        Progress {
            totals: metered.meter().totals(),
            cache_hits,
            cache_problems,
            retries: bounded.inner().retries(),
            limit: bounded.inner().inner().limit(),
            left: bounded.left(),
        }
    }
}

impl ChatClient for Stack {
    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply>> {
        match &self.layers {
            Layers::Cached(cached) => cached.chat(request),
            Layers::Plain(metered) => metered.chat(request),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Slow, asks, busy, says};
    use super::*;
    use crate::ReplySource;

    fn stack(provider: Arc<Slow>, params: StackParams) -> Stack {
        let endpoint = Endpoint { provider: "scripted".to_owned(), base_url: None };
        let prices = Arc::new(Prices::built_in().unwrap());
        Stack::new(provider, endpoint, prices, Arc::new(Meter::new(Some(1.0))), params).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_busy_provider_is_asked_again_and_its_reply_kept() {
        let folder = tempfile::tempdir().unwrap();
        let params =
            StackParams { cache: Some(folder.path().join("cache.sqlite")), ..StackParams::default() };
        let provider =
            Arc::new(Slow::new(
                Duration::ZERO,
                |call, _| {
                    if call < 2 { Err(busy(Some(5))) } else { Ok(says("ok")) }
                },
            ));
        let client = stack(Arc::clone(&provider), params);
        for source in [ReplySource::Live, ReplySource::Cache] {
            let reply = client.chat(&asks("x")).await.unwrap();
            assert_eq!((reply.text.as_str(), reply.source, reply.cost_usd), ("ok", source, Some(0.0)));
        }
        let progress = client.progress();
        assert_eq!((progress.cache_hits, progress.retries, progress.totals.replies), (1, 2, 1));
        assert_eq!((progress.totals.failures(), progress.limit), (0, 2));
        assert_eq!(provider.calls(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn a_thousand_calls_wait_their_turn() {
        let provider = Arc::new(Slow::new(Duration::from_secs(1), |_, _| Ok(says("ok"))));
        let client = stack(Arc::clone(&provider), StackParams::default());
        let request = asks("x");
        let replies = futures::future::join_all((0..1_000).map(|_| client.chat(&request))).await;
        assert!(replies.iter().all(Result::is_ok));
        assert!(provider.most_open.load(std::sync::atomic::Ordering::SeqCst) <= 64);
    }

    #[tokio::test(start_paused = true)]
    async fn a_run_past_its_deadline_ends_with_a_reason() {
        let provider = Arc::new(Slow::new(Duration::from_secs(30), |_, _| Ok(says("ok"))));
        let params = StackParams {
            request_deadline: Some(Duration::from_secs(10)),
            run_deadline: Some(Duration::from_secs(25)),
            ..StackParams::default()
        };
        let client = stack(provider, params);
        assert_eq!(client.chat(&asks("x")).await.unwrap_err().code(), "deadline_passed");
        assert_eq!(client.progress().left, Some(Duration::ZERO));
    }
}
