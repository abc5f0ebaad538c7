//! Hosts that speak this protocol.

use std::sync::Arc;

use super::client::OpenAiCompatible;
use crate::providers::registry::{ConnectParams, Connected, ModelSpec, Provider};
use crate::{ChatError, Endpoint, Result};

struct Host {
    base_url: Option<&'static str>,
    variable: &'static str,
    needs_key: bool,
}

pub(in super::super) const OPENAI: Provider = Provider {
    name: "openai",
    example: "gpt-5-mini",
    connect: |spec, params| Host::keyed("https://api.openai.com/v1", "OPENAI_API_KEY").connect(spec, params),
};
pub(in super::super) const OPENROUTER: Provider = Provider {
    name: "openrouter",
    example: "qwen/qwen3-32b",
    connect: |spec, params| {
        Host::keyed("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY").connect(spec, params)
    },
};
pub(in super::super) const DEEPSEEK: Provider = Provider {
    name: "deepseek",
    example: "deepseek-reasoner",
    connect: |spec, params| {
        Host::keyed("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY").connect(spec, params)
    },
};
pub(in super::super) const GROQ: Provider = Provider {
    name: "groq",
    example: "llama-3.3-70b-versatile",
    connect: |spec, params| {
        Host::keyed("https://api.groq.com/openai/v1", "GROQ_API_KEY").connect(spec, params)
    },
};
pub(in super::super) const MISTRAL: Provider = Provider {
    name: "mistral",
    example: "mistral-small-latest",
    connect: |spec, params| Host::keyed("https://api.mistral.ai/v1", "MISTRAL_API_KEY").connect(spec, params),
};
pub(in super::super) const TOGETHER: Provider = Provider {
    name: "together",
    example: "Qwen/Qwen2.5-7B-Instruct-Turbo",
    connect: |spec, params| {
        Host::keyed("https://api.together.xyz/v1", "TOGETHER_API_KEY").connect(spec, params)
    },
};
pub(in super::super) const XAI: Provider = Provider {
    name: "xai",
    example: "grok-4",
    connect: |spec, params| Host::keyed("https://api.x.ai/v1", "XAI_API_KEY").connect(spec, params),
};
pub(in super::super) const OLLAMA: Provider = Provider {
    name: "ollama",
    example: "llama3.2:3b",
    connect: |spec, params| {
        let host = Host::keyed("http://localhost:11434/v1", "OLLAMA_API_KEY");
        Host { needs_key: false, ..host }.connect(spec, params)
    },
};
/// Its own variable: the key of one host is never sent to another.
pub(in super::super) const COMPATIBLE: Provider = Provider {
    name: "openai-compatible",
    example: "MODEL (with a base URL)",
    connect: |spec, params| {
        Host { base_url: None, variable: "OPENAI_COMPATIBLE_API_KEY", needs_key: false }.connect(spec, params)
    },
};

impl Host {
    fn keyed(base_url: &'static str, variable: &'static str) -> Self {
        Self { base_url: Some(base_url), variable, needs_key: true }
    }

    fn connect(&self, spec: &ModelSpec, params: &ConnectParams) -> Result<Connected> {
        let Some(base_url) = params.base_url.as_deref().or(self.base_url) else {
            return Err(ChatError::Unsupported {
                provider: spec.provider.clone(),
                what: "a model without a base URL; give one, as in `--base-url http://localhost:8000/v1`"
                    .to_owned(),
            });
        };
        let key = params.find_key(self.variable);
        if self.needs_key && key.is_none() {
            return Err(ChatError::MissingKey {
                provider: spec.provider.clone(),
                variable: self.variable.to_owned(),
            });
        }
        Ok(Connected {
            client: Arc::new(OpenAiCompatible::new(&spec.provider, base_url, key)?),
            endpoint: Endpoint { provider: spec.provider.clone(), base_url: params.base_url.clone() },
            model: spec.model.clone(),
        })
    }
}
