//! Providers with a protocol of their own, through `genai`.
//!
//! What it does not give is refused or left unknown, never made up: log-probabilities are
//! [`ChatError::Unsupported`]; a token count that the provider gives as 0 comes back as unknown, for `genai`
//! takes the two for one. The signatures that Gemini 3 and Claude's extended thinking put on tool calls are
//! not kept, so a conversation with tools cannot be continued with those two settings.

mod convert;

use std::sync::Arc;

use ::genai::adapter::AdapterKind;
use ::genai::resolver::{AuthData, Endpoint as GenaiEndpoint, ProviderConfig};
use ::genai::webc::Error as WebError;
use ::genai::{Client, Error, ModelIden};
use futures::FutureExt;
use futures::future::BoxFuture;

use super::failure::{Asked, no_likelihoods};
use super::http;
use super::registry::{ConnectParams, Connected, ModelSpec, Provider};
use crate::secret::shown_url;
use crate::{ChatClient, ChatError, ChatReply, ChatRequest, Endpoint, Result, Secret};

pub(super) const ANTHROPIC: Provider = Provider {
    name: "anthropic",
    example: "claude-haiku-4-5",
    connect: |spec, params| connect(AdapterKind::Anthropic, "ANTHROPIC_API_KEY", spec, params),
};
pub(super) const GEMINI: Provider = Provider {
    name: "gemini",
    example: "gemini-2.5-flash",
    connect: |spec, params| connect(AdapterKind::Gemini, "GEMINI_API_KEY", spec, params),
};
pub(super) const COHERE: Provider = Provider {
    name: "cohere",
    example: "command-r-08-2024",
    connect: |spec, params| connect(AdapterKind::Cohere, "COHERE_API_KEY", spec, params),
};

fn connect(kind: AdapterKind, variable: &str, spec: &ModelSpec, params: &ConnectParams) -> Result<Connected> {
    let Some(key) = params.find_key(variable) else {
        return Err(ChatError::MissingKey { provider: spec.provider.clone(), variable: variable.to_owned() });
    };
    Ok(Connected {
        client: Arc::new(GenaiClient::new(kind, &spec.provider, params.base_url.as_deref(), key)?),
        endpoint: Endpoint { provider: spec.provider.clone(), base_url: params.base_url.clone() },
        model: spec.model.clone(),
    })
}

/// A client of one provider through `genai`.
pub struct GenaiClient {
    client: Client,
    kind: AdapterKind,
    provider: String,
    /// For error texts.
    shown: String,
    key: Secret,
}

impl GenaiClient {
    /// A client; `base_url` without the endpoint's path, `provider` stands in error texts.
    ///
    /// # Errors
    /// [`ChatError::Connection`] where the client cannot be built.
    pub fn new(kind: AdapterKind, provider: &str, base_url: Option<&str>, key: Secret) -> Result<Self> {
        let shown = shown_url(base_url.unwrap_or(provider));
        let mut config = ProviderConfig::from_auth(AuthData::from_single(key.expose()));
        if let Some(base_url) = base_url {
            let base_url = format!("{}/", base_url.trim().trim_end_matches('/'));
            config = config.with_endpoint(GenaiEndpoint::from_owned(base_url));
        }
        let client = Client::builder()
            .with_reqwest(http::client(&shown)?)
            .append_provider_config(kind, config)
            .build()
            .map_err(|_| ChatError::Connection {
                endpoint: shown.clone(),
                detail: "the client cannot be built".to_owned(),
            })?;
        Ok(Self { client, kind, provider: provider.to_owned(), shown, key })
    }

    async fn ask(&self, request: &ChatRequest) -> Result<ChatReply> {
        if request.sampling.logprobs {
            return Err(ChatError::Unsupported {
                provider: self.provider.clone(),
                what: "log-probabilities".to_owned(),
            });
        }
        if !request.continuations.is_empty() {
            return Err(no_likelihoods(&self.provider));
        }
        let model = ModelIden::new(self.kind, request.model.as_str());
        let (chat, options) = (convert::request(request), convert::options(&request.sampling));
        match self.client.exec_chat(model, chat, Some(&options)).await {
            Ok(response) => convert::reply(&response),
            Err(error) => Err(self.failure(&request.model, &error)),
        }
    }

    /// None of the texts that `genai` builds is shown: they may hold the whole request.
    fn failure(&self, model: &str, error: &Error) -> ChatError {
        let asked = Asked { provider: &self.provider, model, key: Some(&self.key) };
        match error {
            Error::HttpError { status, body, headers, .. } => asked.refusal(status.as_u16(), headers, body),
            Error::WebModelCall { webc_error, .. } | Error::WebAdapterCall { webc_error, .. } => {
                self.web_failure(&asked, webc_error)
            }
            Error::AdapterNotSupported { feature, .. } => {
                ChatError::Unsupported { provider: self.provider.clone(), what: feature.clone() }
            }
            Error::MessageRoleNotSupported { role, .. } => ChatError::Unsupported {
                provider: self.provider.clone(),
                what: format!("a message of the role `{role}`"),
            },
            Error::RequiresApiKey { .. } | Error::NoAuthData { .. } | Error::NoAuthResolver { .. } => {
                ChatError::Authentication { provider: self.provider.clone(), status: 401 }
            }
            Error::NoChatResponse { .. } => ChatError::EmptyReply,
            Error::ChatResponseGeneration { cause, .. } => {
                ChatError::NotAReply { found: format!("JSON of another form: {}", asked.shown(cause)) }
            }
            _ => ChatError::NotAReply { found: "JSON of another form".to_owned() },
        }
    }

    fn web_failure(&self, asked: &Asked<'_>, error: &WebError) -> ChatError {
        match error {
            WebError::ResponseFailedStatus { status, body, headers } => {
                asked.refusal(status.as_u16(), headers, body)
            }
            WebError::ResponseFailedInvalidJson { body, .. } if body.trim_start().starts_with('{') => {
                ChatError::BrokenOff { received: body.len() }
            }
            WebError::ResponseFailedNotJson { body, .. }
            | WebError::ResponseFailedInvalidJson { body, .. } => asked.not_a_reply(body),
            WebError::Reqwest(error) if error.is_body() || error.is_decode() => {
                ChatError::BrokenOff { received: 0 }
            }
            WebError::Reqwest(error) => ChatError::Connection {
                endpoint: self.shown.clone(),
                detail: asked.shown(&http::causes(error)),
            },
            WebError::JsonValueExt(_) => ChatError::NotAReply { found: "JSON of another form".to_owned() },
        }
    }
}

impl ChatClient for GenaiClient {
    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply>> {
        self.ask(request).boxed()
    }
}
