//! What a caller of the model judges can do wrong.

/// A caller's mistake, or a file that cannot be used. A text that cannot be judged and a reply that cannot
/// be read are undefined verdicts instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelJudgeError {
    /// A folder of prompts cannot be used.
    #[error(transparent)]
    PromptFile(#[from] humbly_prompts::PromptFileError),
    /// A prompt that cannot be used.
    #[error("prompt `{name}`: {detail}")]
    Prompt {
        /// Its rubric.
        name: &'static str,
        /// What was found and what was expected.
        detail: String,
    },
    /// A setting outside its range.
    #[error("setting `{name}` is {found}, expected {expected}")]
    Setting {
        /// Its name.
        name: &'static str,
        /// What was given.
        found: String,
        /// What is allowed.
        expected: &'static str,
    },
    /// A failure that would meet every further call: the run stops, and what was judged stays.
    #[error("judging stopped after {judged} trajectories: {detail} ({code})")]
    Stopped {
        /// Code of the failure.
        code: String,
        /// What the client said.
        detail: String,
        /// Trajectories judged before.
        judged: usize,
    },
    /// A cell of a sheet that cannot be read.
    #[error("row {row}, column `{column}`: found {found}, expected {expected}")]
    Cell {
        /// Row as a spreadsheet counts it: the header is row 1. In JSONL the line.
        row: usize,
        /// Name of the column.
        column: String,
        /// What stands there.
        found: String,
        /// What should stand there.
        expected: String,
    },
    /// A sheet that is no table at all.
    #[error("row {row} cannot be read: {detail}")]
    Row {
        /// Row as a spreadsheet counts it.
        row: usize,
        /// What the reader of tables says.
        detail: String,
    },
    /// Output cannot be written.
    #[error("cannot write the sheet")]
    Write {
        /// What the system says.
        #[from]
        source: std::io::Error,
    },
    /// Two sheets of one name.
    #[error("the name `{name}` stands for two sheets, expected one a person")]
    RepeatedAnnotator {
        /// The name.
        name: String,
    },
    /// The statistics were given something wrong.
    #[error(transparent)]
    Statistics(#[from] humbly_stats::StatsError),
    /// Labelled rows were given something wrong.
    #[error(transparent)]
    Judge(#[from] humbly_judge::JudgeError),
}

/// Result of this crate.
pub type Result<T, E = ModelJudgeError> = std::result::Result<T, E>;
