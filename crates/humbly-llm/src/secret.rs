//! Keys that never reach a log, a file or an error text.

use std::fmt;

use regex::Regex;
use serde_json::Value;
use std::sync::LazyLock;

use crate::ChatRequest;

/// What stands in place of a secret.
const HIDDEN: &str = "[hidden]";

/// A provider's key; neither `Debug` nor JSON shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Holds a key, without the white space around it that copying leaves.
    pub fn new(key: impl AsRef<str>) -> Self {
        Self(key.as_ref().trim().to_owned())
    }

    /// The key itself, for a request's header.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// A foreign text without this key and without what looks like a key.
    pub fn redact(&self, text: &str) -> String {
        if self.0.is_empty() { redact_keys(text) } else { redact_keys(&text.replace(&self.0, HIDDEN)) }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(HIDDEN)
    }
}

/// A foreign text without what looks like a provider's key.
pub(crate) fn redact_keys(text: &str) -> String {
    #[expect(clippy::expect_used, reason = "a literal that a test compiles")]
    static KEYS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?i)\b(?:sk|pk|rk|gsk|xai|hf|ghp|AIza)[-_A-Za-z0-9*]{12,}|\bBearer\s+[-._~+/A-Za-z0-9]{8,}=*|([?&](?:key|api[_-]?key|token)=)[^&\s]+",
        )
        .expect("invariant: the pattern is a regex")
    });
    KEYS.replace_all(text, |captures: &regex::Captures<'_>| {
        format!("{}{HIDDEN}", captures.get(1).map_or("", |prefix| prefix.as_str()))
    })
    .into_owned()
}

/// A URL as it may be shown: without user, password, query and fragment.
#[cfg(any(test, feature = "network"))]
pub(crate) fn shown_url(url: &str) -> String {
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let url = url.get(..end).unwrap_or_default();
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let authority = rest.split('/').next().unwrap_or_default();
    match authority.rsplit_once('@') {
        None => url.to_owned(),
        Some((user, _)) => {
            format!("{scheme}://{}", rest.get(user.len() + 1..).unwrap_or_default())
        }
    }
}

/// The request as it may be written down: an option that is named like a secret is left out.
pub(crate) fn without_secret_options(request: &ChatRequest) -> ChatRequest {
    let mut request = request.clone();
    request.sampling.provider.retain(|name, _| !is_secret_name(name));
    for value in request.sampling.provider.values_mut() {
        drop_secrets(value);
    }
    request
}

fn drop_secrets(value: &mut Value) {
    match value {
        Value::Object(map) => {
            let secret: Vec<String> = map.keys().filter(|name| is_secret_name(name)).cloned().collect();
            for name in secret {
                map.remove(&name);
            }
            map.values_mut().for_each(drop_secrets);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_secrets),
        _ => {}
    }
}

fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace(['-', '_'], "");
    ["apikey", "authorization", "secret", "password", "accesstoken", "authtoken", "bearer", "credential"]
        .iter()
        .any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_key_is_shown_nowhere() {
        let key = Secret::new(" my-odd-key\n");
        assert_eq!(key.expose(), "my-odd-key");
        assert_eq!(format!("{key:?}"), "[hidden]");
        assert_eq!(key.redact("bad key my-odd-key!"), "bad key [hidden]!");
    }

    #[test]
    fn what_looks_like_a_key_is_hidden() {
        let text = "Incorrect API key provided: sk-proj-abcdefghijkl1234. Header Bearer abc.def-ghi_jkl=";
        assert_eq!(redact_keys(text), "Incorrect API key provided: [hidden]. Header [hidden]");
        assert_eq!(redact_keys("https://x/y?key=abc&alt=sse"), "https://x/y?key=[hidden]&alt=sse");
        assert_eq!(redact_keys("skip the skeleton"), "skip the skeleton");
    }

    #[test]
    fn a_url_is_shown_without_its_secrets() {
        assert_eq!(shown_url("https://me:pw@host:1/v1?key=x"), "https://host:1/v1");
        assert_eq!(shown_url("http://host/v1@x"), "http://host/v1@x");
        assert_eq!(shown_url("nonsense"), "nonsense");
    }

    proptest! {
        #[test]
        fn no_text_makes_it_fail(text in ".{0,60}") {
            shown_url(&text);
            Secret::new("k").redact(&text);
        }
    }
}
