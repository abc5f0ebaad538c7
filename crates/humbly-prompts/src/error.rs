//! What can be wrong with a folder of prompts.

use std::path::PathBuf;

/// Result of this crate.
pub type Result<T, E = PromptFileError> = std::result::Result<T, E>;

/// Why a folder of prompts cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PromptFileError {
    /// The folder or a file in it cannot be read.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// Folder or file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A `.txt` file that replaces no prompt.
    #[error("`{}` is no prompt, expected one of {expected}", path.display())]
    Unknown {
        /// The file.
        path: PathBuf,
        /// The names that exist.
        expected: String,
    },
}
