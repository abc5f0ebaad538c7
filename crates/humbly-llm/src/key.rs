//! Which requests are the same.

use std::fmt;

use humbly_types::canonical_json;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::ChatRequest;

const HEXADECIMAL: &[u8; 16] = b"0123456789abcdef";

/// Where requests go, as far as it decides what comes back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoint {
    /// Provider, as in a model's name.
    pub provider: String,
    /// Base URL, where it is not the provider's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
}

/// SHA-256 (hexadecimal) of a whole request: endpoint, model, messages, tools, sampling, index of the draw.
///
/// Any changed field gives another key, the order of JSON keys does not.
///
/// # Examples
/// ```
/// use humbly_llm::{ChatRequest, Endpoint, RequestKey};
/// let endpoint = Endpoint { provider: "openai".to_owned(), base_url: None };
/// let first = ChatRequest::default();
/// let second = ChatRequest { sample_index: 1, ..ChatRequest::default() };
/// assert_ne!(RequestKey::of(&endpoint, &first), RequestKey::of(&endpoint, &second));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RequestKey(String);

impl RequestKey {
    /// Key of a request to an endpoint.
    ///
    /// # Panics
    /// Never: a request is plain data with string keys.
    pub fn of(endpoint: &Endpoint, request: &ChatRequest) -> Self {
        #[derive(Serialize)]
        struct Whole<'a> {
            endpoint: &'a Endpoint,
            request: &'a ChatRequest,
        }
        #[expect(clippy::expect_used, reason = "plain data with string keys")]
        let value = serde_json::to_value(Whole { endpoint, request })
            .expect("invariant: a request can be written as JSON");
        Self(hexadecimal(&sha256(&[canonical_json(&value).as_bytes()])))
    }

    /// The 64 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A number in `[0, 1)` that depends on seed, key and `draw` alone.
    pub(crate) fn fraction(&self, seed: u64, draw: u32) -> f64 {
        let hash = sha256(&[&seed.to_le_bytes(), self.0.as_bytes(), &draw.to_le_bytes()]);
        let bytes = hash.iter().take(4).fold(0_u32, |sum, byte| (sum << 8) | u32::from(*byte));
        f64::from(bytes) / (f64::from(u32::MAX) + 1.0)
    }
}

impl fmt::Display for RequestKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    let digits = |byte: &u8| [byte >> 4, byte & 15].map(|digit| char::from(HEXADECIMAL[usize::from(digit)]));
    bytes.iter().flat_map(digits).collect()
}

pub(crate) fn sha256(parts: &[&[u8]]) -> Vec<u8> {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ChatMessage, ReasoningEffort, Sampling, ToolSpec};

    #[test]
    fn every_field_of_a_request_is_in_its_key() {
        let endpoint = Endpoint { provider: "p".to_owned(), base_url: None };
        let base = ChatRequest { messages: vec![ChatMessage::user("x")], ..ChatRequest::default() };
        let key = |request: &ChatRequest| RequestKey::of(&endpoint, request);
        let with = |change: fn(&mut ChatRequest)| {
            let mut request = base.clone();
            change(&mut request);
            key(&request)
        };
        let mut keys = vec![
            key(&base),
            with(|request| request.model = "m".to_owned()),
            with(|request| request.messages[0].content = "y".to_owned()),
            with(|request| request.messages[0] = ChatMessage::system("x")),
            with(|request| request.sample_index = 1),
            with(|request| request.continuations = vec!["x".to_owned()]),
            with(|request| {
                request.tools = vec![ToolSpec {
                    name: "f".to_owned(),
                    description: String::new(),
                    parameters: serde_json::json!({}),
                }];
            }),
            with(|request| request.sampling.temperature = Some(1.0)),
            with(|request| request.sampling.temperature = Some(0.0)),
            with(|request| request.sampling.top_p = Some(1.0)),
            with(|request| request.sampling.max_tokens = Some(1)),
            with(|request| request.sampling.seed = Some(1)),
            with(|request| request.sampling.stop = vec!["x".to_owned()]),
            with(|request| request.sampling.logprobs = true),
            with(|request| request.sampling.reasoning_effort = Some(ReasoningEffort::Low)),
            with(|request| {
                request.sampling =
                    Sampling { provider: [("top_k".to_owned(), 1.into())].into(), ..Sampling::default() };
            }),
            RequestKey::of(&Endpoint { base_url: Some("http://x".to_owned()), ..endpoint.clone() }, &base),
            RequestKey::of(&Endpoint { provider: "q".to_owned(), base_url: None }, &base),
        ];
        let count = keys.len();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), count);
    }

    #[test]
    fn fractions_are_spread_and_repeatable() {
        let key = RequestKey::of(&Endpoint::default(), &ChatRequest::default());
        let draws: Vec<f64> = (0..1_000).map(|draw| key.fraction(7, draw)).collect();
        let mean = draws.iter().sum::<f64>() / 1_000.0;
        assert!((mean - 0.5).abs() < 0.05, "{mean}");
        assert!(draws.iter().all(|draw| (0.0..1.0).contains(draw)));
        assert_eq!(draws[3].to_bits(), key.fraction(7, 3).to_bits());
    }
}
