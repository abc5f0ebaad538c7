//! What a caller can do wrong.

/// A caller's mistake; data that do not determine a number are `Measured::undefined` instead.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StatsError {
    /// Two slices that belong together differ in length.
    #[error("{left} values do not pair with {right} values")]
    UnpairedLengths {
        /// Length of the first.
        left: usize,
        /// Length of the second.
        right: usize,
    },
    /// A probability outside `[0, 1]` or not finite.
    #[error("value {value} at index {index} is not a probability in [0, 1]")]
    NotAProbability {
        /// Position.
        index: usize,
        /// What stood there.
        value: f64,
    },
    /// A value that must be finite is not.
    #[error("value at index {index} is not finite")]
    NotFinite {
        /// Position.
        index: usize,
    },
    /// An outcome that is neither 0 nor 1: often labels and confidences in swapped order.
    #[error("outcome {value} at index {index} is neither 0 nor 1 (are labels and confidences swapped?)")]
    NotAnOutcome {
        /// Position.
        index: usize,
        /// What stood there.
        value: f64,
    },
    /// More successes than trials.
    #[error("{successes} successes in {trials} trials, expected at most as many as trials")]
    MoreSuccessesThanTrials {
        /// Successes.
        successes: usize,
        /// Trials.
        trials: usize,
    },
    /// Zero bins were asked for.
    #[error("the number of bins is 0, expected at least 1")]
    NoBins,
    /// A parameter outside its range.
    #[error("parameter `{name}` is {value}, expected {expected}")]
    Parameter {
        /// Its name.
        name: &'static str,
        /// What was given.
        value: f64,
        /// What is allowed.
        expected: &'static str,
    },
}

/// Result of a computation on a caller's slices.
pub type Result<T> = std::result::Result<T, StatsError>;
