//! Arguments of commands that ask a judge.

use std::path::PathBuf;

use clap::Args;

use super::{ModelArguments, OutputFormat};

/// How judges that are models are asked.
#[derive(Debug, Clone, Args)]
pub(crate) struct AskArguments {
    /// Folder with the judge's prompts in place of the built-in ones
    #[arg(long, value_name = "DIR", help_heading = "Models")]
    pub(crate) prompts: Option<PathBuf>,
    /// Texts that are judged at a time
    #[arg(long, value_name = "N", default_value_t = 16, help_heading = "Models")]
    pub(crate) concurrency: usize,
    #[command(flatten)]
    pub(crate) models: ModelArguments,
}

/// Example: humbly judge run.sqlite --judge openai:gpt-5,anthropic:claude-sonnet-4-5
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 done, 2 usage error, 3 some calls failed (their verdicts are undefined; run again \
                  to ask for them again)\nVerdicts of other judges in the run stay. See the tables with \
                  `humbly score RUN --judge JUDGE`."
)]
pub(crate) struct JudgeArguments {
    /// Run file
    pub(crate) run: PathBuf,
    /// Judges: `lexical` or models as PROVIDER:MODEL, with commas between them; several are a panel as well
    #[arg(long, value_name = "JUDGE[,JUDGE]", required = true, value_delimiter = ',')]
    pub(crate) judge: Vec<String>,
    /// What is printed
    #[arg(long, default_value = "table")]
    pub(crate) output: OutputFormat,
    #[command(flatten)]
    pub(crate) ask: AskArguments,
}
