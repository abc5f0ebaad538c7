//! The HTTP client that the providers share.

use std::time::Duration;

use reqwest::header::{HeaderMap, RETRY_AFTER};

use crate::secret::shown_url;
use crate::{ChatError, Result};

/// Time to reach a host; the time of a reply is the layers' matter.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// Chooses ring for rustls in this process, where nothing is chosen yet.
///
/// The clients of this crate call it themselves; any other `reqwest` client in the process needs it before
/// it is built, for rustls comes without cryptography of its own here.
pub fn prepare_tls() {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // Another thread may have been first, which is as good.
        drop(rustls::crypto::ring::default_provider().install_default());
    }
}

/// A client with rustls on ring and the system's certificates.
pub(super) fn client(base_url: &str) -> Result<reqwest::Client> {
    let failed = |detail: String| ChatError::Connection { endpoint: shown_url(base_url), detail };
    prepare_tls();
    reqwest::Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .user_agent(concat!("humbly/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .map_err(|error| failed(causes(&error)))
}

/// An error with its causes, without the URL, whose query may hold a key.
pub(super) fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut texts: Vec<String> = Vec::new();
    let mut next = Some(error);
    while let Some(error) = next {
        let text = match error.downcast_ref::<reqwest::Error>() {
            Some(error) if error.is_connect() => "it cannot be reached".to_owned(),
            Some(error) if error.is_builder() => "the URL cannot be used".to_owned(),
            Some(_) => "the request failed".to_owned(),
            None => error.to_string(),
        };
        if texts.last() != Some(&text) {
            texts.push(text);
        }
        next = error.source();
    }
    texts.join(": ")
}

/// How long a provider asks to wait: `retry-after-ms`, else `retry-after` in seconds or as a date, which is
/// counted from the reply's own `date`.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let seconds = |text: &str, unit: f64| {
        text.parse::<f64>().ok().and_then(|number| Duration::try_from_secs_f64(number * unit).ok())
    };
    if let Some(wait) = text("retry-after-ms").and_then(|text| seconds(text, 1e-3)) {
        return Some(wait);
    }
    let asked = text(RETRY_AFTER.as_str())?;
    seconds(asked, 1.0).or_else(|| {
        let then = httpdate::parse_http_date(asked).ok()?;
        let now = httpdate::parse_http_date(text("date")?).ok()?;
        Some(then.duration_since(now).unwrap_or_default())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(pairs: &[(&'static str, &'static str)]) -> Option<Duration> {
        retry_after(
            &pairs
                .iter()
                .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
                .collect::<HeaderMap>(),
        )
    }

    #[test]
    fn waits_are_read_in_each_form() {
        assert_eq!(waits(&[("retry-after", "7")]), Some(Duration::from_secs(7)));
        assert_eq!(waits(&[("retry-after", "1.5")]), Some(Duration::from_millis(1500)));
        assert_eq!(
            waits(&[("retry-after-ms", "250"), ("retry-after", "1")]),
            Some(Duration::from_millis(250))
        );
        let date = ("date", "Mon, 30 Nov 2026 10:00:00 GMT");
        assert_eq!(
            waits(&[("retry-after", "Mon, 30 Nov 2026 10:01:29 GMT"), date]),
            Some(Duration::from_secs(89))
        );
        assert_eq!(waits(&[("retry-after", "Mon, 30 Nov 2026 09:00:00 GMT"), date]), Some(Duration::ZERO));
        for odd in ["soon", "-1", "NaN", "inf", ""] {
            assert_eq!(waits(&[("retry-after", odd)]), None, "{odd}");
        }
        assert_eq!(waits(&[]), None);
    }
}
