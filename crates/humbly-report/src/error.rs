//! What can go wrong while a report is written.

/// An error of the report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The output could not be written.
    #[error("the report could not be written")]
    Write(#[from] std::io::Error),
    /// A trajectory was given that the score report does not list.
    #[error("trajectory `{id}` is not in the score report that the page was opened with")]
    UnknownTrajectory {
        /// Its id.
        id: String,
    },
}

/// Result of this crate.
pub type Result<T> = std::result::Result<T, ReportError>;
