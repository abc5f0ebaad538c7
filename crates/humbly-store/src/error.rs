//! What can go wrong with a run file.

use std::path::{Path, PathBuf};

/// Result of this crate.
pub type Result<T> = std::result::Result<T, StoreError>;

/// Why a run file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file is not there.
    #[error("`{}` does not exist", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The file is there already.
    #[error("`{}` exists already", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Something else than a run file.
    #[error("`{}` is no run file of humbly", path.display())]
    NotARun {
        /// The file.
        path: PathBuf,
    },
    /// Written by a newer version.
    #[error("`{}` has version {found} of the run file, this program knows up to {known}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The newest that is known here.
        known: i64,
    },
    /// Another process writes to it.
    #[error("`{}` is in use by another process", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// The run was started with other settings.
    #[error("`{}` was started with another `{setting}`: {found} there, {expected} now", path.display())]
    SettingsDiffer {
        /// The file.
        path: PathBuf,
        /// Which setting.
        setting: String,
        /// In the file.
        found: String,
        /// Now.
        expected: String,
    },
    /// A sample that the run does not know.
    #[error("the run has no sample `{key}`")]
    UnknownSample {
        /// Its key.
        key: String,
    },
    /// A shard that does not exist.
    #[error("`{text}` is no shard: expected k/n with 1 <= k <= n, e.g. 2/4")]
    Shard {
        /// As given.
        text: String,
    },
    /// No room left.
    #[error("no room left on the disk of `{}`", path.display())]
    DiskFull {
        /// The file.
        path: PathBuf,
    },
    /// The system refused to read or write it: a full disk often shows so, and so does a quota.
    #[error("the system refuses to read or write `{}`", path.display())]
    Disk {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        #[source]
        source: rusqlite::Error,
    },
    /// The file is damaged.
    #[error("`{}` is damaged", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        #[source]
        source: rusqlite::Error,
    },
    /// A stored text is not what it should be.
    #[error("`{what}` of sample `{key}` cannot be read")]
    Content {
        /// Which column.
        what: &'static str,
        /// Sample.
        key: String,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// Something else that SQLite refused.
    #[error("cannot use `{}`", path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        #[source]
        source: rusqlite::Error,
    },
    /// The file cannot be opened or written.
    #[error("cannot use `{}`", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
}

impl StoreError {
    /// What may help, for the caller to print.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Newer { .. } => Some("read it with the version of humbly that wrote it, or a newer one"),
            Self::DiskFull { .. } => Some("make room and give the same command again: what was done is kept"),
            Self::Disk { .. } => Some(
                "see whether its disk has room, also within your quota; what was done is kept, the same command goes on",
            ),
            Self::SettingsDiffer { .. } => {
                Some("name another by --out, or give the settings that it was begun with")
            }
            Self::InUse { .. } => Some("wait for the other process, or run a shard elsewhere"),
            _ => None,
        }
    }

    pub(crate) fn sqlite(path: &Path, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match source.sqlite_error_code() {
            Some(rusqlite::ErrorCode::NotADatabase) => Self::NotARun { path },
            Some(rusqlite::ErrorCode::DatabaseCorrupt) => Self::Damaged { path, source },
            Some(rusqlite::ErrorCode::DiskFull) => Self::DiskFull { path },
            Some(rusqlite::ErrorCode::SystemIoFailure) => Self::Disk { path, source },
            Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => {
                Self::InUse { path }
            }
            _ => Self::Sqlite { path, source },
        }
    }
}
