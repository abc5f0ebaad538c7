//! What a caller can get wrong; what a text says is never an error.

use humbly_text::TextError;

/// A mistake of the caller.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RewardError {
    /// A parameter outside its range.
    #[error("`{name}` is {value}, expected {expected}")]
    Parameter {
        /// Name of the parameter.
        name: &'static str,
        /// What was given.
        value: f64,
        /// What it may be.
        expected: String,
    },
    /// The reward needs a confidence and the protocol asks for none.
    #[error("protocol `{protocol}` states no confidence, which reward `{reward}` needs; take `{instead}`")]
    NoConfidenceAsked {
        /// Name of the protocol.
        protocol: &'static str,
        /// Name of the reward.
        reward: &'static str,
        /// A protocol that has one.
        instead: &'static str,
    },
    /// No reward has this name.
    #[error("reward `{found}`, expected one of {known}")]
    UnknownReward {
        /// What was given.
        found: String,
        /// The names.
        known: String,
    },
    /// The reward has no such setting.
    #[error("reward `{reward}` has no setting `{found}`, expected one of {known}")]
    UnknownSetting {
        /// Name of the reward.
        reward: &'static str,
        /// What was given.
        found: String,
        /// The settings of this reward.
        known: String,
    },
    /// A setting that cannot be read.
    #[error("setting `{name}` is `{found}`, expected {expected}")]
    Setting {
        /// Name of the setting.
        name: String,
        /// What was given.
        found: String,
        /// What it may be.
        expected: String,
    },
    /// A setting of the text crate, such as a scale.
    #[error(transparent)]
    Text(#[from] TextError),
}

/// Result with [`RewardError`].
pub type Result<T> = std::result::Result<T, RewardError>;
