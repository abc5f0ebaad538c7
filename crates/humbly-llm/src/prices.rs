//! Prices of models from a file that people can edit.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use humbly_types::Usage;
use serde::{Deserialize, Serialize};

use crate::{ChatError, ChatReply, ChatRequest, Result};

/// The file that comes with this crate.
const DEFAULT: &str = include_str!("prices.toml");

/// Bytes of text to a token: less than English has (about 4), so that estimates err upwards.
const BYTES_PER_TOKEN: u64 = 3;

/// US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Prompt tokens that no cache gave.
    pub input: f64,
    /// Prompt tokens read from the provider's cache; without it as `input`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_input: Option<f64>,
    /// Prompt tokens written into the provider's cache; without it as `input`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<f64>,
    /// Completion tokens, reasoning included.
    pub output: f64,
}

impl Price {
    /// Cost of a reply in US dollars.
    ///
    /// Cached tokens are part of the input and reasoning tokens part of the output: neither is charged
    /// twice. Where the provider does not say how many tokens a cache gave, all are charged as input.
    ///
    /// `None` where input or output tokens are not known, or fewer than the parts they should hold.
    ///
    /// # Examples
    /// ```
    /// use humbly_llm::{ChatReply, Price};
    /// use humbly_types::Usage;
    /// let price = Price { input: 3.0, cached_input: Some(0.3), cache_write: Some(3.75), output: 15.0 };
    /// let usage = Usage { input: Some(2000), cached: Some(500), output: Some(400), reasoning: Some(250) };
    /// let reply = ChatReply { usage, cache_written: Some(300), ..ChatReply::default() };
    /// assert!((price.cost(&reply).unwrap() - 0.010875).abs() < 1e-12);
    /// ```
    pub fn cost(&self, reply: &ChatReply) -> Option<f64> {
        let Usage { input, cached, output, .. } = reply.usage;
        if self.is_free() {
            return Some(0.0);
        }
        let (cached, written) = (cached.unwrap_or(0), reply.cache_written.unwrap_or(0));
        let fresh = input?.checked_sub(cached)?.checked_sub(written)?;
        let dollars = fresh as f64 * self.input
            + cached as f64 * self.cached_input.unwrap_or(self.input)
            + written as f64 * self.cache_write.unwrap_or(self.input)
            + output? as f64 * self.output;
        Some(dollars / 1e6)
    }

    /// What a request may cost in US dollars, if its reply has `output_tokens`.
    ///
    /// The prompt is estimated at three bytes a token, which errs upwards for English; no discount is
    /// assumed.
    pub fn estimate(&self, request: &ChatRequest, output_tokens: u64) -> f64 {
        let input = self.input.max(self.cache_write.unwrap_or(0.0));
        (estimated_tokens(request) as f64 * input + output_tokens as f64 * self.output) / 1e6
    }

    /// Whether nothing is charged.
    pub fn is_free(&self) -> bool {
        let parts =
            [self.input, self.output, self.cached_input.unwrap_or(0.0), self.cache_write.unwrap_or(0.0)];
        parts.iter().all(|part| *part == 0.0)
    }

    fn is_usable(&self) -> bool {
        let parts = [Some(self.input), Some(self.output), self.cached_input, self.cache_write];
        parts.into_iter().flatten().all(|part| part.is_finite() && part >= 0.0)
    }
}

/// Tokens of a request's prompt, estimated from its bytes.
pub fn estimated_tokens(request: &ChatRequest) -> u64 {
    let messages = request.messages.iter().map(|message| {
        let calls: usize = message.calls.iter().map(|call| call.name.len() + call.arguments.len()).sum();
        message.content.len() + message.reasoning.as_ref().map_or(0, String::len) + calls
    });
    let tools = request
        .tools
        .iter()
        .map(|tool| tool.name.len() + tool.description.len() + tool.parameters.to_string().len());
    let bytes: usize = messages.chain(tools).sum();
    bytes as u64 / BYTES_PER_TOKEN + 8 * request.messages.len() as u64 + 1
}

/// Prices by provider and model. A model that is not in it has no price, which is not a price of 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prices {
    as_of: Option<String>,
    table: BTreeMap<String, BTreeMap<String, Price>>,
}

/// The form of the file: when the prices were looked up, and one table a provider.
#[derive(Deserialize)]
struct PriceFile {
    #[serde(default)]
    as_of: Option<String>,
    #[serde(flatten)]
    table: BTreeMap<String, BTreeMap<String, Price>>,
}

impl Prices {
    /// The file that comes with this crate.
    ///
    /// # Errors
    /// None that a test of this crate would let pass.
    pub fn built_in() -> Result<Self> {
        Self::parse(DEFAULT, Path::new("prices.toml"))
    }

    /// The built-in prices with those of a file laid over them.
    ///
    /// # Errors
    /// [`ChatError::File`] where the file cannot be read, has another form, or holds a price that is
    /// negative or no number.
    pub fn with_file(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| ChatError::File { path: path.to_owned(), detail: error.to_string() })?;
        let mut prices = Self::built_in()?;
        let own = Self::parse(&text, path)?;
        let own_date = own.as_of.map_or_else(|| "no date".to_owned(), |date| format!("of {date}"));
        let built_in = prices.as_of.as_deref().unwrap_or("no date");
        prices.as_of = Some(format!("{built_in}, and `{}` {own_date}", path.display()));
        for (provider, models) in own.table {
            prices.table.entry(provider).or_default().extend(models);
        }
        Ok(prices)
    }

    /// When the prices were looked up, as the file says.
    pub fn as_of(&self) -> Option<&str> {
        self.as_of.as_deref()
    }

    /// Text of the built-in file, for a user who wants one to edit.
    pub fn template() -> &'static str {
        DEFAULT
    }

    /// The price of a model: its own, else that of the longest entry of which it is a dated or tagged form
    /// (`gpt-5-2025-08-07`, `llama3:8b`), else the provider's `*`.
    pub fn find(&self, provider: &str, model: &str) -> Option<Price> {
        let models = self.table.get(provider)?;
        let longest = models
            .iter()
            .filter(|(name, _)| is_form_of(model, name))
            .max_by_key(|(name, _)| name.len())
            .or_else(|| models.get_key_value("*"));
        longest.map(|(_, price)| *price)
    }

    fn parse(text: &str, path: &Path) -> Result<Self> {
        let wrong = |detail: String| ChatError::File { path: PathBuf::from(path), detail };
        let PriceFile { as_of, table } =
            toml::from_str(text).map_err(|error| wrong(error.to_string().trim_end().to_owned()))?;
        for (provider, models) in &table {
            if let Some((model, _)) = models.iter().find(|(_, price)| !price.is_usable()) {
                return Err(wrong(format!(
                    "the price of `{provider}:{model}` is no amount: expected dollars per million tokens"
                )));
            }
        }
        Ok(Self { as_of, table })
    }
}

/// `gpt-5-mini` is another model than `gpt-5`, `gpt-5-2025-08-07` and `claude-x-latest` are forms of one.
fn is_form_of(model: &str, name: &str) -> bool {
    let Some(rest) = model.strip_prefix(name) else { return false };
    let Some(rest) = rest.strip_prefix(['-', '@', ':']) else { return rest.is_empty() };
    rest == "latest" || rest.starts_with(|first: char| first.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ChatMessage;

    /// Case run-11.
    #[test]
    fn cached_and_reasoning_tokens_are_charged_once() {
        let price = Price { input: 3.0, cached_input: Some(0.3), cache_write: Some(3.75), output: 15.0 };
        let usage = Usage { input: Some(2000), cached: Some(500), output: Some(400), reasoning: Some(250) };
        let reply = ChatReply { usage, cache_written: Some(300), ..ChatReply::default() };
        let expected = 0.0036 + 0.000_15 + 0.001_125 + 0.006;
        assert!((price.cost(&reply).unwrap() - expected).abs() < 1e-12);
        let bare = Price { cached_input: None, cache_write: None, ..price };
        assert!((bare.cost(&reply).unwrap() - 0.012).abs() < 1e-12);
    }

    #[test]
    fn unknown_tokens_have_no_cost() {
        let price = Price { input: 3.0, cached_input: None, cache_write: None, output: 15.0 };
        assert_eq!(price.cost(&ChatReply::default()), None);
        let usage = Usage { input: Some(1), cached: Some(5), output: Some(1), reasoning: None };
        assert_eq!(price.cost(&ChatReply { usage, ..ChatReply::default() }), None);
        let free = Price { input: 0.0, output: 0.0, ..price };
        assert_eq!(free.cost(&ChatReply::default()), Some(0.0));
    }

    #[test]
    fn models_are_found_by_name_and_date() {
        let prices = Prices::built_in().unwrap();
        let input = |model: &str| prices.find("openai", model).map(|price| price.input);
        assert_eq!(input("gpt-5"), Some(1.25));
        assert_eq!(input("gpt-5-2025-08-07"), Some(1.25));
        assert_eq!(input("gpt-5-mini-2025-08-07"), Some(0.25));
        assert_eq!(input("gpt-5-chat"), None);
        assert_eq!(input("gpt-55"), None);
        assert_eq!(prices.find("nobody", "gpt-5"), None);
        assert!(prices.find("embedded", "smollm2-135m").unwrap().is_free());
    }

    #[test]
    fn a_file_is_laid_over_the_built_in_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("prices.toml");
        std::fs::write(&path, "[openai]\n\"gpt-5\" = { input = 9, output = 9 }\n").unwrap();
        let prices = Prices::with_file(&path).unwrap();
        assert_eq!(prices.find("openai", "gpt-5").unwrap().input.to_bits(), 9.0_f64.to_bits());
        assert!(prices.find("openai", "gpt-4o").is_some());
        assert!(prices.as_of().is_some_and(|date| date.ends_with("prices.toml` no date")));
        for wrong in ["[openai]\n\"x\" = { input = -1, output = 1 }", "[openai]\nx = { in = 1 }", "["] {
            std::fs::write(&path, wrong).unwrap();
            assert_eq!(Prices::with_file(&path).unwrap_err().code(), "file");
        }
    }

    #[test]
    fn an_estimate_grows_with_prompt_and_output() {
        let price = Price { input: 1.0, cached_input: None, cache_write: None, output: 10.0 };
        let mut request =
            ChatRequest { messages: vec![ChatMessage::user("x".repeat(300))], ..ChatRequest::default() };
        assert!((price.estimate(&request, 100) - (109.0 + 1000.0) / 1e6).abs() < 1e-12);
        request.messages.push(ChatMessage::user("more"));
        assert!(price.estimate(&request, 100) > 1109.0 / 1e6);
    }
}
