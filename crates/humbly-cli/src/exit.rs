//! Exit statuses: a contract.

use std::process::ExitCode;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// Done, also with listed bad records.
    Done,
    /// A gate or `--strict` was missed.
    Missed,
    /// Usage error, or nothing readable.
    Unusable,
    /// A run ended with failed samples; what succeeded is kept.
    FailedSamples,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        match status {
            Status::Done => Self::from(0),
            Status::Missed => Self::from(1),
            Status::Unusable => Self::from(2),
            Status::FailedSamples => Self::from(3),
        }
    }
}
