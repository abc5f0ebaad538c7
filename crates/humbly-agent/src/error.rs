//! What a caller can do wrong, and what a corpus or a prompt file can.

use std::io;
use std::path::PathBuf;

/// Result of this crate.
pub type Result<T> = std::result::Result<T, AgentError>;

/// Why an agent or an index cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// A setting out of its range.
    #[error("`{setting}` is {found}, expected {expected}")]
    Setting {
        /// Name of the setting.
        setting: &'static str,
        /// What was given.
        found: String,
        /// What is allowed.
        expected: String,
    },
    /// Two tools of one name or one tag.
    #[error("two tools are called `{name}`, expected each name and tag once")]
    DuplicateTool {
        /// The name or tag.
        name: String,
    },
    /// A prompt template that cannot be compiled or filled in.
    #[error("the prompt `{name}` cannot be filled in")]
    Prompt {
        /// Name of the prompt, without `.txt`.
        name: String,
        /// Why.
        #[source]
        source: minijinja::Error,
    },
    /// A folder of prompts that cannot be used.
    #[error(transparent)]
    PromptFile(#[from] humbly_prompts::PromptFileError),
    /// A text file that cannot be read.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A clause without text, or a very long one.
    #[error("the clause `{name}` has {found} characters, expected 1 to {limit}")]
    ClauseLength {
        /// Name.
        name: String,
        /// Its length.
        found: usize,
        /// The limit.
        limit: usize,
    },
    /// A corpus without a usable row.
    #[error("the corpus has no usable row ({problems} unusable)")]
    EmptyCorpus {
        /// Rows that could not be used.
        problems: u64,
    },
    /// The search index failed.
    #[error("the search index failed to {action}")]
    Index {
        /// What it was asked to do.
        action: &'static str,
        /// Why.
        #[source]
        source: tantivy::TantivyError,
    },
    /// An index that was made by something else.
    #[error("`{}` holds another index: it has no field `{field}`", path.display())]
    ForeignIndex {
        /// The folder.
        path: PathBuf,
        /// What is missing.
        field: &'static str,
    },
}
