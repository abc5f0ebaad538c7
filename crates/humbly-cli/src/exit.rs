//! Exit statuses: a contract.

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

impl Status {
    /// The status of the process.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Missed => 1,
            Self::Unusable => 2,
            Self::FailedSamples => 3,
        }
    }
}
