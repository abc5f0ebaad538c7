//! Arguments of commands that ask a judge.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use humbly_model_judge::CorrectnessRubric;
use humbly_score::CorrectnessBy;

use super::{ModelArguments, OutputFormat};

/// How judges that are models are asked.
#[derive(Debug, Clone, Args)]
pub(crate) struct AskArguments {
    /// Folder with the judge's prompts in place of the built-in ones
    #[arg(long, value_name = "DIR", help_heading = "Models")]
    pub(crate) prompts: Option<PathBuf>,
    /// Temperature of every question to a judge; 1, and 0 for `--correctness ua`, where it is absent
    #[arg(long, value_name = "T", help_heading = "Models")]
    pub(crate) judge_temperature: Option<f64>,
    /// Longest reply of a judge in tokens; no limit where it is absent
    #[arg(long, value_name = "N", help_heading = "Models")]
    pub(crate) judge_max_tokens: Option<u32>,
    /// Texts that are judged at a time
    #[arg(long, value_name = "N", default_value_t = 16, help_heading = "Models")]
    pub(crate) concurrency: usize,
    #[command(flatten)]
    pub(crate) models: ModelArguments,
}

/// Who decides whether a final answer is right.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum CorrectnessArgument {
    /// The rules of --match.
    #[default]
    Rules,
    /// The model judge, from answer and references without the question; all references are asked for.
    Eh,
    /// The model judge, from question, answer and references; any of the references is enough.
    Ua,
}

impl CorrectnessArgument {
    /// What a model judge is asked for.
    pub(crate) fn rubric(self) -> Option<CorrectnessRubric> {
        match self {
            Self::Rules => None,
            Self::Eh => Some(CorrectnessRubric::Eh),
            Self::Ua => Some(CorrectnessRubric::Ua),
        }
    }

    /// As it stands in the settings of a score.
    pub(crate) fn by(self) -> CorrectnessBy {
        match self {
            Self::Rules => CorrectnessBy::Rules,
            Self::Eh => CorrectnessBy::Eh,
            Self::Ua => CorrectnessBy::Ua,
        }
    }

    /// The value on the command line.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Eh => "eh",
            Self::Ua => "ua",
        }
    }
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
    /// Ask models whether the final answer is right, too
    #[arg(long, default_value = "rules")]
    pub(crate) correctness: CorrectnessArgument,
    /// What is printed
    #[arg(long, default_value = "table")]
    pub(crate) output: OutputFormat,
    #[command(flatten)]
    pub(crate) ask: AskArguments,
}
