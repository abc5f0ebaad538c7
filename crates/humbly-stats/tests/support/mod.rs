//! Reading of the reference material beside the project.
#![expect(clippy::expect_used, clippy::print_stderr, reason = "a test")]

use std::path::PathBuf;

/// A file of the reference material; `None` (with a message) where it is absent and not required.
pub(crate) fn shared(path: &str) -> Option<String> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(path);
    match std::fs::read_to_string(&file) {
        Ok(text) => Some(text),
        Err(error) => {
            let required = std::env::var("HUMBLY_REQUIRE").is_ok_and(|value| value == "all");
            assert!(!required, "{} is required: {error}", file.display());
            eprintln!("skipped: {} is not there", file.display());
            None
        }
    }
}

pub(crate) fn json(path: &str) -> Option<serde_json::Value> {
    shared(path).map(|text| serde_json::from_str(&text).expect("reference material is JSON"))
}
