//! Tokens, cost and failures of a run, and the limit on its cost.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt;
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};

use crate::{ChatClient, ChatError, ChatReply, ChatRequest, Price, Prices, Result};

/// Output that is assumed of a request without a limit, until a longer one was seen.
const ASSUMED_OUTPUT_TOKENS: u64 = 2_048;

/// Sums over the calls of a run; a meter may be shared by several clients, as a run's agent and judge are.
#[derive(Debug, Default)]
pub struct Meter {
    limit_usd: Option<f64>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    totals: MeterTotals,
    /// Cost for the limit: known costs, and the estimate where a cost is not known.
    charged_usd: f64,
    reserved_usd: f64,
    longest_output: u64,
}

/// What a meter has counted so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MeterTotals {
    /// Calls that ended with a reply.
    pub replies: u64,
    /// Calls in flight.
    pub in_flight: u64,
    /// Calls that failed, by [`ChatError::code`].
    pub failed: BTreeMap<String, u64>,
    /// Prompt tokens, as far as known, cached ones included.
    pub input_tokens: u64,
    /// Prompt tokens that the provider's cache gave, as far as known.
    pub cached_tokens: u64,
    /// Completion tokens, as far as known, reasoning included.
    pub output_tokens: u64,
    /// Reasoning tokens, as far as known.
    pub reasoning_tokens: u64,
    /// Replies whose input or output tokens are not known.
    pub replies_without_usage: u64,
    /// Known cost in US dollars.
    pub known_cost_usd: f64,
    /// Replies whose cost is not known.
    pub replies_without_cost: u64,
}

impl MeterTotals {
    /// The whole cost in US dollars, `None` where the cost of a reply is not known.
    pub fn cost_usd(&self) -> Option<f64> {
        (self.replies_without_cost == 0).then_some(self.known_cost_usd)
    }

    /// Failed calls of every kind.
    pub fn failures(&self) -> u64 {
        self.failed.values().sum()
    }
}

impl Meter {
    /// A meter; with `limit_usd` it refuses the call that could take the cost over it.
    pub fn new(limit_usd: Option<f64>) -> Self {
        Self { limit_usd, state: Mutex::default() }
    }

    /// A meter that goes on from an earlier part of the run.
    pub fn resumed(limit_usd: Option<f64>, totals: MeterTotals) -> Self {
        let charged_usd = totals.known_cost_usd;
        let state = State { totals: MeterTotals { in_flight: 0, ..totals }, charged_usd, ..State::default() };
        Self { limit_usd, state: Mutex::new(state) }
    }

    /// What was counted so far; readable at any time.
    pub fn totals(&self) -> MeterTotals {
        self.state().totals.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the estimate aside, or refuses.
    fn begin(&self, price: Option<Price>, request: &ChatRequest) -> Result<Call<'_>> {
        let mut state = self.state();
        let output =
            request.sampling.max_tokens.map_or(ASSUMED_OUTPUT_TOKENS.max(state.longest_output), u64::from);
        let estimate = price.map(|price| price.estimate(request, output));
        if let Some(limit_usd) = self.limit_usd {
            let Some(estimate) = estimate else {
                return Err(ChatError::NoPrice { model: request.model.clone() });
            };
            let spent_usd = state.charged_usd;
            if estimate > 0.0 && spent_usd + state.reserved_usd + estimate > limit_usd {
                return Err(ChatError::CostLimit { limit_usd, spent_usd });
            }
        }
        let reserved = estimate.unwrap_or(0.0);
        state.reserved_usd += reserved;
        state.totals.in_flight += 1;
        Ok(Call { meter: self, reserved })
    }
}

/// A call in flight; what was set aside for it is free again when it ends or is dropped.
struct Call<'a> {
    meter: &'a Meter,
    reserved: f64,
}

impl Call<'_> {
    fn count(&self, outcome: &Result<ChatReply>) {
        let mut state = self.meter.state();
        let reply = match outcome {
            Ok(reply) => reply,
            Err(error) => {
                *state.totals.failed.entry(error.code().to_owned()).or_default() += 1;
                return;
            }
        };
        state.longest_output = state.longest_output.max(reply.usage.output.unwrap_or(0));
        state.charged_usd += reply.cost_usd.unwrap_or(self.reserved);
        let totals = &mut state.totals;
        totals.replies += 1;
        totals.input_tokens += reply.usage.input.unwrap_or(0);
        totals.cached_tokens += reply.usage.cached.unwrap_or(0);
        totals.output_tokens += reply.usage.output.unwrap_or(0);
        totals.reasoning_tokens += reply.usage.reasoning.unwrap_or(0);
        if reply.usage.input.is_none() || reply.usage.output.is_none() {
            totals.replies_without_usage += 1;
        }
        match reply.cost_usd {
            Some(cost) => totals.known_cost_usd += cost,
            None => totals.replies_without_cost += 1,
        }
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        let mut state = self.meter.state();
        state.reserved_usd = (state.reserved_usd - self.reserved).max(0.0);
        state.totals.in_flight -= 1;
    }
}

/// Gives each reply its cost and counts it in a [`Meter`].
///
/// The limit on cost is kept by setting aside what a call may cost before it begins: its prompt, and its
/// output at `max_tokens`, or at the longest output seen where the request has no limit. A model without a
/// price cannot be limited ([`ChatError::NoPrice`]).
pub struct Metered<C> {
    inner: C,
    provider: String,
    prices: Arc<Prices>,
    meter: Arc<Meter>,
}

impl<C: ChatClient> Metered<C> {
    /// Counts the calls of `inner`, whose prices stand under `provider`.
    pub fn new(inner: C, provider: impl Into<String>, prices: Arc<Prices>, meter: Arc<Meter>) -> Self {
        Self { inner, provider: provider.into(), prices, meter }
    }

    /// The client behind.
    pub fn inner(&self) -> &C {
        &self.inner
    }

    /// The meter.
    pub fn meter(&self) -> &Arc<Meter> {
        &self.meter
    }
}

impl<C: ChatClient> ChatClient for Metered<C> {
    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply>> {
        async move {
            let price = self.prices.find(&self.provider, &request.model);
            let call = self.meter.begin(price, request).inspect_err(|error| {
                *self.meter.state().totals.failed.entry(error.code().to_owned()).or_default() += 1;
            })?;
            let outcome = self.inner.chat(request).await.map(|reply| {
                let cost_usd = reply.cost_usd.or_else(|| price?.cost(&reply));
                ChatReply { cost_usd, ..reply }
            });
            call.count(&outcome);
            outcome
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::testing::{Slow, asks, busy, says};
    use super::*;

    /// 10 input and 5 output tokens cost 60 dollars.
    fn prices() -> Arc<Prices> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("prices.toml");
        std::fs::write(&path, "[p]\nm = { input = 1e6, output = 10e6 }").unwrap();
        Arc::new(Prices::with_file(&path).unwrap())
    }

    fn metered(inner: Slow, limit: Option<f64>) -> Metered<Slow> {
        Metered::new(inner, "p", prices(), Arc::new(Meter::new(limit)))
    }

    fn saying() -> Slow {
        Slow::new(Duration::from_secs(1), |_, _| Ok(says("ok")))
    }

    #[tokio::test(start_paused = true)]
    async fn tokens_cost_and_failures_are_counted() {
        let inner = Slow::new(Duration::ZERO, |call, _| match call {
            0 => Err(busy(None)),
            1 => Ok(ChatReply::default()),
            _ => Ok(says("ok")),
        });
        let client = metered(inner, None);
        let request = asks("x");
        assert!(client.chat(&request).await.is_err());
        assert_eq!(client.chat(&request).await.unwrap().cost_usd, None);
        assert_eq!(client.chat(&request).await.unwrap().cost_usd, Some(60.0));
        let totals = client.meter().totals();
        assert_eq!((totals.replies, totals.failures(), totals.in_flight), (2, 1, 0));
        assert_eq!(totals.failed["rate_limited"], 1);
        assert_eq!((totals.input_tokens, totals.output_tokens), (10, 5));
        assert_eq!((totals.replies_without_usage, totals.replies_without_cost), (1, 1));
        assert_eq!((totals.known_cost_usd.to_bits(), totals.cost_usd()), (60.0_f64.to_bits(), None));
    }

    #[tokio::test]
    async fn a_model_without_a_price_has_no_cost() {
        let client = metered(saying(), None);
        let request = ChatRequest { model: "other".to_owned(), ..asks("x") };
        assert_eq!(client.chat(&request).await.unwrap().cost_usd, None);
        assert_eq!(client.meter().totals().cost_usd(), None);
        let limited = metered(saying(), Some(1.0));
        assert_eq!(limited.chat(&request).await.unwrap_err().code(), "no_price");
    }

    #[tokio::test(start_paused = true)]
    async fn the_call_that_could_exceed_the_limit_is_refused() {
        let mut request = asks("x");
        request.sampling.max_tokens = Some(5);
        let client = metered(saying(), Some(200.0));
        let (first, second) = tokio::join!(client.chat(&request), client.chat(&request));
        assert!(first.is_ok() && second.is_ok());
        assert_eq!(client.meter().totals().known_cost_usd.to_bits(), 120.0_f64.to_bits());
        assert!(client.chat(&request).await.is_ok());
        let error = client.chat(&request).await.unwrap_err();
        assert!(
            matches!(error, ChatError::CostLimit { spent_usd, .. } if (spent_usd - 180.0).abs() < 1e-9),
            "{error}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn calls_in_flight_are_set_aside_and_freed_when_dropped() {
        let mut request = asks("x");
        request.sampling.max_tokens = Some(5);
        let client = metered(saying(), Some(70.0));
        let (first, second) = tokio::join!(client.chat(&request), client.chat(&request));
        assert!(first.is_ok());
        assert_eq!(second.unwrap_err().code(), "cost_limit");

        let client = metered(saying(), Some(70.0));
        assert!(tokio::time::timeout(Duration::from_millis(1), client.chat(&request)).await.is_err());
        assert_eq!(client.meter().totals().in_flight, 0);
        assert!(client.chat(&request).await.is_ok());
    }

    #[tokio::test]
    async fn a_resumed_meter_goes_on() {
        let totals = MeterTotals { replies: 3, known_cost_usd: 180.0, ..MeterTotals::default() };
        let meter = Arc::new(Meter::resumed(Some(200.0), totals));
        let client = Metered::new(saying(), "p", prices(), Arc::clone(&meter));
        assert_eq!(client.chat(&asks("x")).await.unwrap_err().code(), "cost_limit");
        assert_eq!(meter.totals().replies, 3);
    }
}
