//! What can go wrong before and between calls.

use humbly_store::StoreError;

/// Result of this crate.
pub type Result<T, E = SynthError> = std::result::Result<T, E>;

/// Why a set cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SynthError {
    /// A setting is out of its range.
    #[error("setting `{name}` is {found}, expected {expected}")]
    Setting {
        /// Which.
        name: &'static str,
        /// As given.
        found: String,
        /// What it may be.
        expected: &'static str,
    },
    /// There are fewer originals than rows, and an original gives one row at most.
    #[error("{found} problems can be used, expected at least {wanted}: an original gives one row at most")]
    TooFewOriginals {
        /// Usable originals.
        found: usize,
        /// Rows asked for.
        wanted: usize,
    },
    /// A folder of prompts cannot be used.
    #[error(transparent)]
    PromptFile(#[from] humbly_prompts::PromptFileError),
    /// A prompt is no template, names a variable that it does not have, or does not show one.
    #[error("the prompt `{name}` cannot be used: {detail}")]
    Prompt {
        /// Its name.
        name: &'static str,
        /// Why.
        detail: String,
    },
    /// The run file.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An item of the run file is not what this version writes.
    #[error("the item `{key}` of the run file cannot be read")]
    Item {
        /// Its key.
        key: String,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
}

impl SynthError {
    /// What to do.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::TooFewOriginals { found, .. } => {
                let validation = found / 11;
                Some(format!(
                    "give more problems, or ask for fewer rows, e.g. --train {} --validation {validation}; leave room \
                     for variants that fail",
                    found.saturating_sub(validation).saturating_sub(found / 5)
                ))
            }
            Self::Store(StoreError::SettingsDiffer { .. }) => {
                Some("give another folder by --to for another set".to_owned())
            }
            Self::Store(StoreError::InUse { .. }) => {
                Some("wait for the other process, or give another folder by --to".to_owned())
            }
            _ => None,
        }
    }
}
