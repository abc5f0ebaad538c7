//! The JSON schema of `humbly score` is generated; this holds the file and the output to it.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

use std::path::Path;

use humbly_score::ScoreReport;

#[test]
fn the_schema_file_is_that_of_the_types() {
    let schema = serde_json::to_string_pretty(&schemars::schema_for!(ScoreReport)).unwrap() + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas/humbly.score.1.json");
    if std::env::var_os("HUMBLY_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &schema).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(schema == written, "docs/schemas is old; look at the difference, then run with HUMBLY_BLESS=1");
}
