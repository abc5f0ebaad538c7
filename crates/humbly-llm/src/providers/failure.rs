//! What a provider's refusal means.

use reqwest::header::HeaderMap;
use serde_json::Value;

use super::http::retry_after;
use crate::secret::redact_keys;
use crate::{ChatError, Secret};

/// Longest part of a foreign text in an error, in characters.
const SHOWN: usize = 300;

/// Phrases by which providers say that a prompt is too long.
const TOO_LONG: &[&str] = &[
    "context_length_exceeded",
    "context length",
    "maximum context",
    "context window",
    "context size",
    "prompt is too long",
    "input is too long",
    "too many tokens",
    "exceeds the maximum number of tokens",
    "input token count",
];

/// A chat endpoint scores its own replies alone, if anything.
pub(super) fn no_likelihoods(provider: &str) -> ChatError {
    ChatError::Unsupported {
        provider: provider.to_owned(),
        what: "likelihoods of given texts; ask for replies instead".to_owned(),
    }
}

/// Whom a refusal answers.
pub(super) struct Asked<'a> {
    pub(super) provider: &'a str,
    pub(super) model: &'a str,
    pub(super) key: Option<&'a Secret>,
}

impl Asked<'_> {
    /// The error of a status that is no success.
    pub(super) fn refusal(&self, status: u16, headers: &HeaderMap, body: &str) -> ChatError {
        let told = Told::read(body);
        let detail = || self.shown(&told.text);
        let model = || self.model.to_owned();
        let provider = || self.provider.to_owned();
        match status {
            401 | 403 => ChatError::Authentication { provider: provider(), status },
            400 if told.has(&["api key not valid", "invalid_api_key", "api_key_invalid"]) => {
                ChatError::Authentication { provider: provider(), status }
            }
            400 | 413 | 422 if told.has(TOO_LONG) => {
                ChatError::ContextTooLong { model: model(), detail: detail() }
            }
            404 if told.is_json && told.has(&["model", "not_found", "not found"]) => {
                ChatError::UnknownModel { provider: provider(), model: model() }
            }
            400 if told.has(&["model_not_found", "unknown model", "invalid model"]) => {
                ChatError::UnknownModel { provider: provider(), model: model() }
            }
            // A quota that is used up does not come back by waiting.
            429 if told.has(&["insufficient_quota"]) => ChatError::Refused { status, detail: detail() },
            429 => ChatError::RateLimited { retry_after: retry_after(headers) },
            408 | 500..=599 => ChatError::Server { status, retry_after: retry_after(headers) },
            _ => ChatError::Refused { status, detail: detail() },
        }
    }

    /// The error of a body that is no chat reply.
    pub(super) fn not_a_reply(&self, body: &str) -> ChatError {
        let body = body.trim_start();
        if ["data:", "event:"].iter().any(|field| body.starts_with(field)) {
            // Nobody asked for a stream; one that is cut tells more by being cut.
            if !["[DONE]", "message_stop"].iter().any(|end| body.contains(end)) {
                return ChatError::BrokenOff { received: body.len() };
            }
            return ChatError::NotAReply { found: "an event stream, which was not asked for".to_owned() };
        }
        let kind = match body.chars().next() {
            None => return ChatError::EmptyReply,
            Some('<') => "a page beginning",
            Some('{' | '[') => "JSON of another form beginning",
            Some(_) => "text beginning",
        };
        ChatError::NotAReply { found: format!("{kind} `{}`", self.shown(body)) }
    }

    /// A foreign text for an error: on one line, cut, without keys.
    pub(super) fn shown(&self, text: &str) -> String {
        let text = self.key.map_or_else(|| redact_keys(text), |key| key.redact(text));
        let mut words = text.split_whitespace().flat_map(|word| [" ", word]).skip(1).flat_map(str::chars);
        let mut shown: String = words.by_ref().take(SHOWN).collect();
        if words.next().is_some() {
            shown.push('…');
        }
        shown
    }
}

/// What an error body says.
struct Told {
    text: String,
    folded: String,
    is_json: bool,
}

impl Told {
    fn read(body: &str) -> Self {
        let value: Option<Value> = serde_json::from_str(body).ok();
        let text = value.as_ref().and_then(message).unwrap_or_else(|| body.to_owned());
        Self { folded: format!("{text} {body}").to_lowercase(), text, is_json: value.is_some() }
    }

    fn has(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| self.folded.contains(phrase))
    }
}

/// The message of `{"error": {"message"}}`, `{"error": "…"}`, `{"message"}`, `{"detail"}`, or of the first
/// element, as Gemini's lists have it.
pub(super) fn message(value: &Value) -> Option<String> {
    let value = value.get(0).unwrap_or(value);
    let error = value.get("error").unwrap_or(value);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    text(error)
        .or_else(|| error.get("message").and_then(text))
        .or_else(|| value.get("message").and_then(text))
        .or_else(|| value.get("detail").and_then(text))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn code(status: u16, body: &str) -> &'static str {
        let asked = Asked { provider: "p", model: "m", key: None };
        asked.refusal(status, &HeaderMap::new(), body).code()
    }

    #[test]
    fn refusals_are_told_apart() {
        for (status, body, expected) in [
            (401, "", "authentication"),
            (403, "<html>", "authentication"),
            (400, r#"[{"error": {"message": "API key not valid."}}]"#, "authentication"),
            (404, r#"{"error": {"code": "model_not_found"}}"#, "unknown_model"),
            (404, "<html>404", "refused"),
            (400, r#"{"error": {"code": "context_length_exceeded", "message": "x"}}"#, "context_too_long"),
            (400, r#"{"message": "This model's maximum context length is 8192"}"#, "context_too_long"),
            (400, r#"{"error": {"message": "prompt is too long: 9 > 8"}}"#, "context_too_long"),
            (400, r#"{"error": "temperature must be below 2"}"#, "refused"),
            (429, r#"{"error": {"code": "insufficient_quota"}}"#, "refused"),
            (429, "", "rate_limited"),
            (500, "", "server"),
            (529, "", "server"),
            (302, "", "refused"),
        ] {
            assert_eq!(code(status, body), expected, "{status} {body}");
        }
    }

    #[test]
    fn half_a_stream_is_broken_off_and_a_whole_one_is_no_reply() {
        let asked = Asked { provider: "p", model: "m", key: None };
        let half = "data: {\"choices\": [{\"delta\": {\"content\": \"am\"}}]}\n\ndata: {\"cho";
        assert_eq!(asked.not_a_reply(half).code(), "broken_off");
        assert_eq!(asked.not_a_reply("event: message_start\ndata: {").code(), "broken_off");
        let whole = asked.not_a_reply("data: {}\n\ndata: [DONE]\n\n").to_string();
        assert_eq!(whole, "expected a chat reply as JSON, found an event stream, which was not asked for");
    }

    #[test]
    fn a_key_that_a_provider_repeats_is_hidden() {
        let key = Secret::new("odd-key-1");
        let asked = Asked { provider: "p", model: "m", key: Some(&key) };
        let error = asked.refusal(400, &HeaderMap::new(), r#"{"error": "bad odd-key-1 in\n header"}"#);
        assert_eq!(error.to_string(), "the request was refused (status 400): bad [hidden] in header");
    }

    proptest! {
        #[test]
        fn any_body_is_told_in_a_line(status in 300_u16..600, body in ".{0,900}") {
            let asked = Asked { provider: "p", model: "m", key: None };
            let text = asked.refusal(status, &HeaderMap::new(), &body).to_string();
            prop_assert!(text.chars().count() < SHOWN + 100);
            asked.not_a_reply(&body);
        }
    }
}
