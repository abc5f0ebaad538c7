//! What a caller can get wrong.

/// A mistake of the caller; what a text does not say is never an error.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// The ends of a scale do not span a range.
    #[error("confidence scale from {min} to {max}, expected two finite numbers with the smaller first")]
    EmptyScale {
        /// Lower end as given.
        min: f64,
        /// Upper end as given.
        max: f64,
    },
    /// A scale name that is not known.
    #[error("confidence scale `{found}`, expected `unit`, `percent` or `MIN..MAX`")]
    UnknownScale {
        /// What was given.
        found: String,
    },
}

/// Result with [`TextError`].
pub type Result<T> = std::result::Result<T, TextError>;
