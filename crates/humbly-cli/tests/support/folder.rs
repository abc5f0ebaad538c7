//! A folder as a user has one, in which the command runs.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

use super::{Run, collect, humbly};

/// Gone with the test.
pub(crate) struct Folder(TempDir);

impl Folder {
    /// A folder with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    pub(crate) fn root(&self) -> &Path {
        self.0.path()
    }

    /// A path in the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// The command in this folder, which reaches servers of the test past any proxy.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = humbly(arguments);
        command.current_dir(self.root()).env("NO_PROXY", "127.0.0.1").env("OPENAI_API_KEY", "sk-test");
        command
    }

    pub(crate) fn humbly(&self, arguments: &[&str]) -> Run {
        collect(&mut self.command(arguments))
    }

    /// What the command prints with `--output json`.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let run = self.humbly(&[arguments, &["--output", "json"]].concat());
        serde_json::from_str(&run.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}{}", run.stdout, run.stderr))
    }
}
