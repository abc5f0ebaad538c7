//! One request over HTTP.

use futures::FutureExt;
use futures::future::BoxFuture;
use reqwest::Response;

use super::{reply, request};
use crate::providers::failure::Asked;
use crate::providers::http;
use crate::secret::shown_url;
use crate::{ChatClient, ChatError, ChatReply, ChatRequest, Result, Secret};

/// Longest body that is read.
const BODY_LIMIT: usize = 64 << 20;

/// A client of an endpoint that speaks OpenAI's chat completions.
pub struct OpenAiCompatible {
    http: reqwest::Client,
    provider: String,
    url: String,
    key: Option<Secret>,
}

impl OpenAiCompatible {
    /// A client; `base_url` is what `/chat/completions` is put behind, `provider` stands in error texts.
    ///
    /// # Errors
    /// [`ChatError::Connection`] where the URL or the system's certificates cannot be used.
    pub fn new(provider: &str, base_url: &str, key: Option<Secret>) -> Result<Self> {
        let base = base_url.trim().trim_end_matches('/');
        if !(base.starts_with("http://") || base.starts_with("https://")) {
            return Err(ChatError::Connection {
                endpoint: shown_url(base_url),
                detail: "the base URL has no scheme: expected it to begin with http:// or https://"
                    .to_owned(),
            });
        }
        Ok(Self {
            http: http::client(base)?,
            provider: provider.to_owned(),
            url: format!("{base}/chat/completions"),
            key,
        })
    }

    async fn ask(&self, request: &ChatRequest) -> Result<ChatReply> {
        let asked = Asked { provider: &self.provider, model: &request.model, key: self.key.as_ref() };
        let body = request::body(request, &self.provider)?;
        let mut post = self.http.post(&self.url).json(&body);
        if let Some(key) = &self.key {
            post = post.bearer_auth(key.expose());
        }
        let response = post.send().await.map_err(|error| self.lost(&asked, &error))?;
        let (status, headers) = (response.status(), response.headers().clone());
        let body = self.read(response).await;
        if status.is_success() {
            return reply::read(&body?, &asked);
        }
        Err(asked.refusal(status.as_u16(), &headers, &body.unwrap_or_default()))
    }

    async fn read(&self, mut response: Response) -> Result<String> {
        let mut body: Vec<u8> = Vec::new();
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) if body.len() + chunk.len() <= BODY_LIMIT => body.extend_from_slice(&chunk),
                Ok(Some(_)) => {
                    let found = format!("a body of more than {BODY_LIMIT} bytes");
                    return Err(ChatError::NotAReply { found });
                }
                Ok(None) => return Ok(String::from_utf8_lossy(&body).into_owned()),
                Err(_) => return Err(ChatError::BrokenOff { received: body.len() }),
            }
        }
    }

    fn lost(&self, asked: &Asked<'_>, error: &reqwest::Error) -> ChatError {
        ChatError::Connection { endpoint: shown_url(&self.url), detail: asked.shown(&http::causes(error)) }
    }
}

impl ChatClient for OpenAiCompatible {
    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply>> {
        self.ask(request).boxed()
    }
}
