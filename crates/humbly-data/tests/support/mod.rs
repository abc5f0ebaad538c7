//! What the tests share.

#![allow(
    dead_code,
    clippy::allow_attributes,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "each test binary uses its own part, and a test fails by panicking"
)]

use std::path::{Path, PathBuf};

use humbly_data::{Loaded, data_set, load_all};

/// A file of the real data, in place; `None` (said aloud) where the folder is missing.
pub(crate) fn real(path: &str) -> Option<PathBuf> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(path);
    if file.exists() {
        return Some(file);
    }
    assert!(std::env::var("HUMBLY_REQUIRE").as_deref() != Ok("all"), "{} is missing", file.display());
    eprintln!("skipped: {} is missing", file.display());
    None
}

pub(crate) fn golden(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(path)
}

/// Everything in a file.
pub(crate) fn loaded(set: &str, path: &Path) -> Loaded {
    load_all(data_set(set).unwrap(), path).unwrap()
}

/// Loads text as a file of a data set.
pub(crate) fn loaded_text(set: &str, name: &str, text: impl AsRef<[u8]>) -> Loaded {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    loaded(set, &path)
}
