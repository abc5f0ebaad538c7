//! What the tests share: truth tables and responses of every kind.

#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::allow_attributes,
    reason = "each test file uses a part"
)]

use std::path::Path;

use humbly_rewards::{Sample, Scored, Settings, build};
use serde_json::Value;

/// A table of the shared material, or `None` where it is absent (an error where it is required).
pub(crate) fn shared(path: &str) -> Option<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(path);
    match std::fs::read_to_string(&file) {
        Ok(text) => Some(text),
        Err(error) if std::env::var_os("HUMBLY_REQUIRE").is_some() => panic!("{path}: {error}"),
        Err(_) => {
            eprintln!("skipped: no {path}");
            None
        }
    }
}

/// The same, parsed.
pub(crate) fn truth(name: &str) -> Option<Value> {
    shared(&format!("truth/{name}")).map(|text| serde_json::from_str(&text).unwrap())
}

/// Scores one response by a reward with settings.
pub(crate) fn score(reward: &str, settings: &[(&str, &str)], response: &str, references: &[&str]) -> Scored {
    let settings: Settings = settings.iter().copied().collect();
    build(reward, &settings).unwrap().score(&Sample::new(response, references))
}

/// A response in CAR's format; `None` leaves the confidence out.
pub(crate) fn car(answer: &str, confidence: Option<&str>) -> String {
    let tag = confidence.map(|value| format!("<confidence>{value}</confidence>")).unwrap_or_default();
    format!("<think>a</think>{tag}<answer>{answer}</answer>")
}

pub(crate) fn assert_close(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() < 1e-12, "{what}: {found}, expected {expected}");
}
