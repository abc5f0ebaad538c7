//! Where things lie on this machine; made by the caller from the environment.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Folders that the guard may use.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// The user's home.
    pub home: Option<PathBuf>,
    /// The working folder of the process.
    pub cwd: PathBuf,
    /// The guard's own folder: state and log.
    pub cache: Option<PathBuf>,
    /// Claude Code's folder.
    pub claude: Option<PathBuf>,
    /// Codex's folder.
    pub codex: Option<PathBuf>,
    /// `OpenHands`' folder.
    pub openhands: Option<PathBuf>,
    /// `OpenHands`' conversations, where they lie elsewhere.
    pub openhands_conversations: Option<PathBuf>,
    /// Gemini CLI's folder.
    pub gemini: Option<PathBuf>,
    /// Further folders with transcripts, named by the user.
    pub extra: Vec<PathBuf>,
}

impl Places {
    /// Reads the environment through `variable`: `XDG_CACHE_HOME`, `CLAUDE_CONFIG_DIR`, `CODEX_HOME`,
    /// `OPENHANDS_CONVERSATIONS_DIR`, `GEMINI_CLI_HOME`, and `HUMBLY_GUARD_ROOTS` (folders with transcripts
    /// beside those of the harnesses).
    pub fn from_environment(
        variable: impl Fn(&str) -> Option<OsString>,
        home: Option<PathBuf>,
        cwd: PathBuf,
    ) -> Self {
        let folder = |name: &str| {
            variable(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let in_home = |name: &str| home.as_deref().map(|home| home.join(name));
        let cache = folder("XDG_CACHE_HOME").or_else(|| in_home(".cache"));
        let extra = variable("HUMBLY_GUARD_ROOTS").map_or_else(Vec::new, |roots| {
            std::env::split_paths(&roots).filter(|path| path.is_absolute()).collect()
        });
        Self {
            cache: cache.map(|cache| cache.join("humbly/guard")),
            claude: folder("CLAUDE_CONFIG_DIR").or_else(|| in_home(".claude")),
            codex: folder("CODEX_HOME").or_else(|| in_home(".codex")),
            openhands: in_home(".openhands"),
            openhands_conversations: folder("OPENHANDS_CONVERSATIONS_DIR"),
            gemini: folder("GEMINI_CLI_HOME").map(|home| home.join(".gemini")).or_else(|| in_home(".gemini")),
            extra,
            home,
            cwd,
        }
    }

    /// `~/x` as an absolute path.
    pub(crate) fn expand(&self, path: &Path) -> PathBuf {
        match (path.strip_prefix("~"), &self.home) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => path.to_owned(),
        }
    }
}
