//! What a caller of the judges can do wrong.

/// A caller's mistake; a text that cannot be judged is an undefined verdict instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JudgeError {
    /// A line of a label file is not JSON.
    #[error("line {line} is not a JSON object: {source}")]
    NotJson {
        /// Line, from 1.
        line: usize,
        /// What the parser found.
        source: serde_json::Error,
    },
    /// A field of a label row is absent or of another type.
    #[error("line {line} has no usable field `{field}`, expected {expected}")]
    Field {
        /// Line, from 1.
        line: usize,
        /// Name of the field.
        field: String,
        /// What it should hold.
        expected: &'static str,
    },
    /// Two rows share an id.
    #[error("line {line} repeats the id `{id}`")]
    RepeatedId {
        /// Line, from 1.
        line: usize,
        /// The id.
        id: String,
    },
    /// The statistics were given something wrong.
    #[error(transparent)]
    Statistics(#[from] humbly_stats::StatsError),
}

/// Result of what a caller asks of a judge.
pub type Result<T> = std::result::Result<T, JudgeError>;
