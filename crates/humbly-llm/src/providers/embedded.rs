//! `embedded:NAME`: a model of this machine, without a key and without a network.

use std::sync::{Arc, Mutex};

use futures::FutureExt;
use futures::channel::oneshot;
use futures::future::BoxFuture;
use humbly_model::{
    BatchOptions, Engine, FinishReason, Generation, GenerationRequest, Message, Model, ModelError, Prompt,
};
use humbly_types::Usage;
use serde_json::Value;

use super::registry::{ConnectParams, Connected, ModelSpec, Provider};
use crate::tool_text::{read_tool_text, with_tools_as_text};
use crate::{
    ChatClient, ChatError, ChatMessage, ChatReply, ChatRequest, ChatRole, Endpoint, Finish, Result,
    TokenLogprob,
};

pub(super) const PROVIDER: Provider = Provider { name: "embedded", example: "smollm2-135m", connect };

/// Rows that decode together.
const ROWS: usize = 16;
/// Longest reply where the request names none: a small model that repeats itself would fill its context.
const MOST_TOKENS: u32 = 512;
/// Drawn so where the request says nothing: whole distributions of small models are noise.
const TEMPERATURE: f64 = 0.2;
const TOP_P: f64 = 0.9;
/// Likeliest tokens beside each chosen one, where log-probabilities are asked for.
const TOP: usize = 5;

fn connect(spec: &ModelSpec, _: &ConnectParams) -> Result<Connected> {
    let embedded = |error: ModelError| failed(&error);
    let path = humbly_model::fetch::resolve(&spec.model).map_err(embedded)?;
    let model = Model::load(&path).map_err(embedded)?;
    let engine = Engine::start(model, BatchOptions::default().with_rows(ROWS)).map_err(embedded)?;
    Ok(Connected {
        client: Arc::new(EmbeddedClient { engine, scoring: Arc::default() }),
        endpoint: Endpoint { provider: spec.provider.clone(), base_url: None },
        model: spec.model.clone(),
    })
}

/// A client over the engine of an embedded model.
struct EmbeddedClient {
    engine: Engine,
    /// Held while likelihoods are computed: two at a time take twice as long each.
    scoring: Arc<Mutex<()>>,
}

impl ChatClient for EmbeddedClient {
    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply>> {
        async move {
            if !request.continuations.is_empty() {
                return self.likelihoods(request).await;
            }
            let written = with_tools_as_text(request);
            let refused = |error: ModelError| refused(&request.model, &error);
            let generated = self.engine.submit(generation(&written)).await.map_err(refused)?;
            let reply = reply(request, generated);
            Ok(if request.tools.is_empty() { reply } else { read_tool_text(reply) })
        }
        .boxed()
    }
}

impl EmbeddedClient {
    async fn likelihoods(&self, request: &ChatRequest) -> Result<ChatReply> {
        let prompt = Prompt::Chat(request.messages.iter().map(message).collect::<Vec<_>>().into());
        let (model, continuations) = (self.engine.model().clone(), request.continuations.clone());
        let (sender, scored) = oneshot::channel();
        let turn = Arc::clone(&self.scoring);
        // Not on a thread of the caller's runtime: it computes for some hundredths of a second.
        std::thread::spawn(move || {
            let _one_at_a_time = turn.lock();
            // The caller may have gone.
            let _ = sender.send(model.score_continuations(&prompt, &continuations));
        });
        let likelihoods = scored
            .await
            .map_err(|_| failed(&ModelError::EngineStopped))?
            .map_err(|error| refused(&request.model, &error))?;
        Ok(ChatReply {
            finish: Finish::Stop,
            likelihoods,
            model: Some(request.model.clone()),
            cost_usd: Some(0.0),
            ..ChatReply::default()
        })
    }
}

fn refused(model: &str, error: &ModelError) -> ChatError {
    match error {
        ModelError::PromptTooLong { .. } => {
            ChatError::ContextTooLong { model: model.to_owned(), detail: error.to_string() }
        }
        other => failed(other),
    }
}

fn failed(error: &ModelError) -> ChatError {
    let cause = std::error::Error::source(error).map(|cause| format!(": {cause}")).unwrap_or_default();
    let hint = error.hint().map(|hint| format!("; hint: {hint}")).unwrap_or_default();
    ChatError::Embedded { detail: format!("{error}{cause}{hint}") }
}

fn generation(request: &ChatRequest) -> GenerationRequest {
    let sampling = &request.sampling;
    let seed = sampling.seed.unwrap_or_default().wrapping_add(u64::from(request.sample_index));
    let top_p = sampling.top_p.or(sampling.temperature.is_none().then_some(TOP_P));
    let mut drawn = humbly_model::Sampling::at(sampling.temperature.unwrap_or(TEMPERATURE), seed)
        .with_top_p(top_p.unwrap_or(1.0));
    let option = |name: &str| sampling.provider.get(name);
    if let Some(penalty) = option("repetition_penalty").and_then(Value::as_f64) {
        drawn = drawn.with_repetition_penalty(penalty);
    }
    if let Some(top_k) = option("top_k").and_then(Value::as_u64) {
        drawn = drawn.with_top_k(usize::try_from(top_k).unwrap_or(usize::MAX));
    }
    let messages = request.messages.iter().map(message).collect();
    let mut generation = GenerationRequest::chat(messages)
        .with_sampling(drawn)
        .with_stop(sampling.stop.iter().cloned())
        .with_max_tokens(sampling.max_tokens.unwrap_or(MOST_TOKENS) as usize);
    if sampling.logprobs {
        generation = generation.with_top_logprobs(TOP);
    }
    generation
}

/// The chat templates of small models know no tool messages: a result is told by the user.
fn message(message: &ChatMessage) -> Message {
    let role = match message.role {
        ChatRole::System => "system",
        ChatRole::User | ChatRole::Tool => "user",
        ChatRole::Assistant => "assistant",
    };
    Message::new(role, message.content.clone())
}

fn reply(request: &ChatRequest, generated: Generation) -> ChatReply {
    ChatReply {
        finish: match generated.finish {
            FinishReason::Length | FinishReason::Context => Finish::Length,
            _ => Finish::Stop,
        },
        usage: Usage {
            input: Some(generated.prompt_tokens as u64),
            cached: Some(generated.reused_tokens as u64),
            output: Some(generated.tokens.len() as u64),
            reasoning: None,
        },
        logprobs: generated.logprobs.map(|tokens| {
            tokens
                .into_iter()
                .map(|token| TokenLogprob {
                    token: token.text,
                    logprob: token.logprob,
                    top: token.top.into_iter().map(|(_, text, logprob)| (text, logprob)).collect(),
                })
                .collect()
        }),
        text: generated.text,
        model: Some(request.model.clone()),
        cost_usd: Some(0.0),
        ..ChatReply::default()
    }
}
