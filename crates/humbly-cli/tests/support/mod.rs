//! Runs the command as a user would.

#![allow(
    dead_code,
    clippy::allow_attributes,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "each test binary uses its own part, and a test fails by panicking"
)]

pub(crate) mod exact;
mod folder;
pub(crate) mod http;
pub(crate) mod schema;
pub(crate) mod scripted;
pub(crate) mod study;

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

pub(crate) use folder::Folder;

/// The workspace's root.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The command, run in the workspace's root.
pub(crate) fn humbly(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_humbly"));
    command.current_dir(root()).args(arguments);
    command
}

/// What a run gave.
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs and collects.
pub(crate) fn run(arguments: &[&str]) -> Run {
    collect(&mut humbly(arguments))
}

/// Runs a prepared command and collects.
pub(crate) fn collect(command: &mut Command) -> Run {
    let output = command.output().unwrap();
    Run {
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs with `--output json` and parses.
pub(crate) fn json(arguments: &[&str]) -> Value {
    let run = run(&[arguments, &["--output", "json"]].concat());
    serde_json::from_str(&run.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}\n{}", run.stdout, run.stderr))
}

/// A folder with one file.
pub(crate) fn file(name: &str, content: impl AsRef<[u8]>) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    let shown = path.to_str().unwrap().to_owned();
    (folder, shown)
}

/// The folder of shared samples, where it is; a failure where CI asks for it.
pub(crate) fn shared() -> Option<PathBuf> {
    let folder = root().join("../shared");
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(std::env::var("HUMBLY_REQUIRE").as_deref() != Ok("all"), "{} is missing", folder.display());
    eprintln!("skipped: {} is not here", folder.display());
    None
}

/// The file of the embedded model, where it was fetched; a failure where CI asks for it.
pub(crate) fn embedded_model() -> Option<PathBuf> {
    let found = humbly_model::fetch::resolve("smollm2-135m");
    if let Err(error) = &found {
        assert!(std::env::var("HUMBLY_REQUIRE").as_deref() != Ok("all"), "{error}");
        eprintln!("skipped: {error}");
    }
    found.ok()
}
