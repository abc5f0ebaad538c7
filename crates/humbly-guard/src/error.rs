//! What can go wrong in a hook call or in writing settings.

use std::path::PathBuf;

/// A result of the guard.
pub type Result<T> = std::result::Result<T, GuardError>;

/// Why a hook call saw nothing, or settings were not written.
///
/// The hook itself fails open: it lets the agent stop and writes the error into its log.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GuardError {
    /// The payload is no JSON.
    #[error("the payload is not JSON, expected one object")]
    NotJson {
        /// What the parser found.
        #[source]
        source: serde_json::Error,
    },
    /// The payload is JSON and no object.
    #[error("the payload is no JSON object")]
    NotAnObject,
    /// The payload is longer than any harness writes.
    #[error("a payload of more than {limit} bytes")]
    PayloadTooLong {
        /// The longest that is read.
        limit: u64,
    },
    /// No harness of this name.
    #[error("no harness is called `{name}`, expected one of {known}")]
    UnknownHarness {
        /// What was asked for.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// The payload names no transcript and none was found by its session.
    #[error("no transcript is named, and none was found for the session")]
    NoTranscript,
    /// The transcript's path was refused.
    #[error("the transcript `{}` is refused: {fault}", path.display())]
    Path {
        /// The path.
        path: PathBuf,
        /// Why.
        fault: PathFault,
    },
    /// The transcript could not be read.
    #[error("the transcript could not be read: {message}")]
    Transcript {
        /// What the reader found.
        message: String,
    },
    /// The judge could not answer.
    #[error("the judge could not answer: {message}")]
    Judge {
        /// What it met with.
        message: String,
    },
    /// A file could not be read or written.
    #[error("`{}` cannot be {action}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// `read` or `written`.
        action: &'static str,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// The settings are no JSON; they are left as they are.
    #[error("`{}` is not JSON, expected the harness's settings; nothing was written", path.display())]
    SettingsNotJson {
        /// The settings file.
        path: PathBuf,
        /// What the parser found.
        #[source]
        source: serde_json::Error,
    },
    /// The settings have another form than the harness documents.
    #[error("`{key}` in `{}` is no {expected}; nothing was written", path.display())]
    SettingsForm {
        /// The settings file.
        path: PathBuf,
        /// The key.
        key: String,
        /// What the harness expects there.
        expected: &'static str,
    },
    /// Somebody else wrote the settings between showing the change and writing it.
    #[error("`{}` was changed by somebody else meanwhile; nothing was written", path.display())]
    SettingsChanged {
        /// The settings file.
        path: PathBuf,
    },
    /// There is no home folder, so user settings have no place.
    #[error("no home folder is known")]
    NoHome,
}

/// Why a path was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PathFault {
    /// It is relative.
    #[error("it is not absolute")]
    Relative,
    /// Nothing is there.
    #[error("it does not exist")]
    Missing,
    /// It is a folder, a device or a pipe.
    #[error("it is not a regular file")]
    NotAFile,
    /// It lies outside of the folders where the harness keeps its transcripts.
    #[error("it lies outside of the harness's folders")]
    Outside,
    /// It does not end like a transcript.
    #[error("it does not end with `.jsonl` or `.json`")]
    Extension,
}
