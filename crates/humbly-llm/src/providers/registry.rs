//! The names of models and what stands behind them.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::scripted;
use crate::{ChatClient, ChatError, Endpoint, Result, Secret};

/// A model by provider and name, written `provider:model`.
///
/// # Examples
/// ```
/// use humbly_llm::providers::ModelSpec;
/// let spec: ModelSpec = "ollama:llama3:8b".parse()?;
/// assert_eq!((spec.provider.as_str(), spec.model.as_str()), ("ollama", "llama3:8b"));
/// assert!("gpt-5".parse::<ModelSpec>().is_err());
/// # Ok::<(), humbly_llm::ChatError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelSpec {
    /// Provider, as [`providers`] lists them.
    pub provider: String,
    /// Model as the provider names it; a path for `scripted` and for an embedded model by file.
    pub model: String,
}

impl ModelSpec {
    /// Reads a name; without a known provider before the colon it is a model behind `base_url`, where one
    /// is given.
    ///
    /// # Errors
    /// [`ChatError::UnknownProvider`].
    pub fn parse(name: &str, base_url: Option<&str>) -> Result<Self> {
        let known = name.split_once(':').filter(|(provider, _)| find(provider).is_some());
        match (known, base_url) {
            (Some((provider, model)), _) if !model.trim().is_empty() => {
                Ok(Self { provider: provider.to_owned(), model: model.trim().to_owned() })
            }
            (None, Some(_)) if !name.trim().is_empty() => {
                Ok(Self { provider: "openai-compatible".to_owned(), model: name.trim().to_owned() })
            }
            _ => Err(unknown(name)),
        }
    }
}

impl FromStr for ModelSpec {
    type Err = ChatError;

    fn from_str(name: &str) -> Result<Self> {
        Self::parse(name, None)
    }
}

impl fmt::Display for ModelSpec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.provider, self.model)
    }
}

/// How to reach a provider.
#[derive(Clone)]
pub struct ConnectParams {
    /// Base URL in place of the provider's own.
    pub base_url: Option<String>,
    /// The key; without it the provider's environment variable is asked.
    pub key: Option<Secret>,
    /// Looks up an environment variable.
    pub environment: fn(&str) -> Option<String>,
}

impl Default for ConnectParams {
    fn default() -> Self {
        Self { base_url: None, key: None, environment: |name| std::env::var(name).ok() }
    }
}

impl ConnectParams {
    /// The key that was given, else that of the environment.
    #[cfg(feature = "network")]
    pub(super) fn find_key(&self, variable: &str) -> Option<Secret> {
        let found = || (self.environment)(variable).filter(|key| !key.trim().is_empty()).map(Secret::new);
        self.key.clone().or_else(found)
    }
}

/// A provider that is ready to answer.
#[derive(Clone)]
pub struct Connected {
    /// Answers.
    pub client: Arc<dyn ChatClient>,
    /// Where requests go: part of the key of cache and recording.
    pub endpoint: Endpoint,
    /// Model as requests must name it.
    pub model: String,
}

/// A provider's line in the registry.
pub(super) struct Provider {
    pub(super) name: &'static str,
    /// A model's name, for help and errors.
    pub(super) example: &'static str,
    pub(super) connect: fn(&ModelSpec, &ConnectParams) -> Result<Connected>,
}

const PROVIDERS: &[Provider] = &[
    scripted::PROVIDER,
    #[cfg(feature = "embedded")]
    super::embedded::PROVIDER,
    #[cfg(feature = "network")]
    super::openai_compatible::OPENAI,
    #[cfg(feature = "network")]
    super::genai::ANTHROPIC,
    #[cfg(feature = "network")]
    super::genai::GEMINI,
    #[cfg(feature = "network")]
    super::genai::COHERE,
    #[cfg(feature = "network")]
    super::openai_compatible::OLLAMA,
    #[cfg(feature = "network")]
    super::openai_compatible::OPENROUTER,
    #[cfg(feature = "network")]
    super::openai_compatible::DEEPSEEK,
    #[cfg(feature = "network")]
    super::openai_compatible::GROQ,
    #[cfg(feature = "network")]
    super::openai_compatible::MISTRAL,
    #[cfg(feature = "network")]
    super::openai_compatible::TOGETHER,
    #[cfg(feature = "network")]
    super::openai_compatible::XAI,
    #[cfg(feature = "network")]
    super::openai_compatible::COMPATIBLE,
];

/// Names of the providers, each with an example of a model.
pub fn providers() -> impl Iterator<Item = (&'static str, &'static str)> {
    PROVIDERS.iter().map(|provider| (provider.name, provider.example))
}

/// Makes a client for a model. Nothing is sent yet.
///
/// # Errors
/// [`ChatError::UnknownProvider`], [`ChatError::MissingKey`], [`ChatError::File`] for a script that cannot
/// be used, [`ChatError::Unsupported`] where the base URL is missing or has no use.
pub fn connect(spec: &ModelSpec, params: &ConnectParams) -> Result<Connected> {
    let provider = find(&spec.provider).ok_or_else(|| unknown(&spec.to_string()))?;
    (provider.connect)(spec, params)
}

fn find(name: &str) -> Option<&'static Provider> {
    PROVIDERS.iter().find(|provider| provider.name == name)
}

fn unknown(name: &str) -> ChatError {
    let examples: Vec<String> = providers().map(|(name, example)| format!("{name}:{example}")).collect();
    ChatError::UnknownProvider { name: name.to_owned(), expected: examples.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_at_the_first_colon() {
        for (name, base_url, provider, model) in [
            ("openai:gpt-5", None, "openai", "gpt-5"),
            ("ollama:llama3:8b", None, "ollama", "llama3:8b"),
            ("openai:gpt-5", Some("http://x"), "openai", "gpt-5"),
            ("Qwen/Qwen3-8B", Some("http://x"), "openai-compatible", "Qwen/Qwen3-8B"),
            ("llama3:8b", Some("http://x"), "openai-compatible", "llama3:8b"),
        ] {
            let spec = ModelSpec::parse(name, base_url).unwrap();
            assert_eq!((spec.provider.as_str(), spec.model.as_str()), (provider, model), "{name}");
        }
    }

    #[test]
    fn an_unknown_provider_is_told_what_is_known() {
        for name in ["gpt-5", "nobody:x", "openai:", ""] {
            let error = name.parse::<ModelSpec>().unwrap_err();
            assert_eq!(error.code(), "unknown_provider");
            assert!(error.to_string().contains("scripted:"), "{error}");
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<&str> = providers().map(|(name, _)| name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), PROVIDERS.len());
    }

    #[cfg(feature = "network")]
    #[test]
    fn a_missing_key_names_its_variable() {
        let params = ConnectParams { environment: |_| None, ..ConnectParams::default() };
        for (name, variable) in [
            ("openai:gpt-5", "OPENAI_API_KEY"),
            ("anthropic:claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
            ("gemini:gemini-2.5-flash", "GEMINI_API_KEY"),
        ] {
            let error = connect(&name.parse().unwrap(), &params).err().unwrap();
            assert_eq!(error.code(), "missing_key");
            assert!(error.to_string().contains(variable), "{error}");
        }
        assert!(connect(&"ollama:llama3".parse().unwrap(), &params).is_ok());
        let error = connect(&"openai-compatible:x".parse().unwrap(), &params).err().unwrap();
        assert!(error.to_string().contains("base URL"), "{error}");
    }
}
