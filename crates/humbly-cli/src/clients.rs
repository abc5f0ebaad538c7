//! Clients of models, with the layers that a command line asks for.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use humbly_llm::layers::{LimitParams, Meter, RetryParams, Stack, StackParams};
use humbly_llm::providers::{ConnectParams, ModelSpec, connect};
use humbly_llm::{ChatClient, ChatError, Price, Prices};

use crate::args::ModelArguments;

/// One stack of layers for each model of a command; cost is counted over all of them.
pub(crate) struct Clients {
    arguments: ModelArguments,
    prices: Arc<Prices>,
    meter: Arc<Meter>,
    stacks: HashMap<String, (Arc<dyn ChatClient>, String)>,
    /// Provider of each model, under which its price stands.
    providers: HashMap<String, String>,
    limit: LimitParams,
}

impl Clients {
    pub(crate) fn new(arguments: &ModelArguments) -> anyhow::Result<Self> {
        let prices = match &arguments.prices {
            Some(path) => Prices::with_file(path),
            None => Prices::built_in(),
        };
        Ok(Self {
            arguments: arguments.clone(),
            prices: Arc::new(prices.context("cannot read the prices")?),
            meter: Arc::new(Meter::new(arguments.max_cost)),
            stacks: HashMap::new(),
            providers: HashMap::new(),
            limit: LimitParams::default(),
        })
    }

    /// Lets so many calls be in flight from the start; a provider that is busy still brings it down.
    pub(crate) fn allow(&mut self, concurrency: usize) {
        let LimitParams { start, most } = LimitParams::default();
        self.limit = LimitParams { start: start.max(concurrency), most: most.max(concurrency) };
    }

    /// The price of a model that was asked for by [`Clients::client`]; `None` where no file has one.
    pub(crate) fn price(&self, name: &str) -> Option<Price> {
        let (_, model) = self.stacks.get(name)?;
        self.prices.find(self.providers.get(name)?, model)
    }

    /// When the prices were looked up.
    pub(crate) fn prices_as_of(&self) -> &str {
        self.prices.as_of().unwrap_or("an unknown date")
    }

    /// The limit on cost.
    pub(crate) fn max_cost(&self) -> Option<f64> {
        self.arguments.max_cost
    }

    /// Puts a client in the place of a model's provider.
    pub(crate) fn insert(&mut self, name: &str, client: Arc<dyn ChatClient>) {
        // Such a client is of this machine.
        self.providers.insert(name.to_owned(), "scripted".to_owned());
        self.stacks.insert(name.to_owned(), (client, name.to_owned()));
    }

    /// The client of a model, and the model's name as its provider knows it.
    pub(crate) fn client(&mut self, name: &str) -> Result<(Arc<dyn ChatClient>, String), ChatError> {
        if let Some((stack, model)) = self.stacks.get(name) {
            return Ok((Arc::clone(stack), model.clone()));
        }
        let spec = ModelSpec::parse(name, self.arguments.base_url.as_deref())?;
        let params = ConnectParams { base_url: self.arguments.base_url.clone(), ..ConnectParams::default() };
        let connected = connect(&spec, &params)?;
        let layers = StackParams {
            cache: self.arguments.cache.clone(),
            retry: RetryParams { attempts: self.arguments.attempts, ..RetryParams::default() },
            limit: self.limit,
            request_deadline: Some(Duration::from_secs(self.arguments.request_timeout)),
            run_deadline: self.arguments.deadline.map(Duration::from_secs),
        };
        self.providers.insert(name.to_owned(), connected.endpoint.provider.clone());
        let stack: Arc<dyn ChatClient> = Arc::new(Stack::new(
            connected.client,
            connected.endpoint,
            Arc::clone(&self.prices),
            Arc::clone(&self.meter),
            layers,
        )?);
        self.stacks.insert(name.to_owned(), (Arc::clone(&stack), connected.model.clone()));
        Ok((stack, connected.model))
    }
}

/// Waits for a future on a runtime of its own.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> anyhow::Result<T> {
    Ok(runtime()?.block_on(future))
}

/// A runtime for clients.
pub(crate) fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().context("cannot start the runtime")
}
