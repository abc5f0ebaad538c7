//! Arguments of `humbly report`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{CorrectnessArgument, MatchingArgument};

/// Example: humbly report run.sqlite --against paper --report paper.html
#[derive(Debug, Args)]
#[command(
    after_help = "Tables 1 and 3 to 9 and Figures 3 to 5 of the paper that defined Identify, Solve and Escalate. What the \
                  runs do not determine is listed with the reason.\n\
                  Exit status: 0 done, 2 usage error or nothing readable"
)]
pub(crate) struct ReportArguments {
    /// Run files, or score files of `humbly score --output json`
    #[arg(required = true, value_name = "RUN")]
    pub(crate) runs: Vec<PathBuf>,

    /// Tables to print, e.g. 1,3-5; all where neither --table nor --figure is given
    #[arg(long, value_name = "LIST")]
    pub(crate) table: Option<String>,
    /// Figures to print as tables, e.g. 3,5
    #[arg(long, value_name = "LIST")]
    pub(crate) figure: Option<String>,
    /// Put published numbers beneath ours
    #[arg(long)]
    pub(crate) against: Option<AgainstArgument>,

    /// One row a model instead: conflict, calibration and attribution side by side, with their rank correlation with
    /// accuracy; runs of UA-Bench and other runs may be given together
    #[arg(long, conflicts_with_all = ["table", "figure", "against", "sheets", "compat"])]
    pub(crate) models: bool,

    /// Judge of the numbers: `lexical`, or one whose verdicts the run files hold
    #[arg(long, default_value = "lexical", value_name = "JUDGE", help_heading = "Measurement")]
    pub(crate) judge: String,
    /// Key and filled sheets of one question for Table 7, separated by commas; may be repeated
    #[arg(long, value_name = "KEY,FILLED…", help_heading = "Measurement")]
    pub(crate) sheets: Vec<String>,
    /// How final answers are matched with references
    #[arg(long = "match", default_value = "auto", help_heading = "Measurement")]
    pub(crate) matching: MatchingArgument,
    /// Who decides whether a final answer is right: the rules, or the model that --judge names
    #[arg(long, default_value = "rules", help_heading = "Measurement")]
    pub(crate) correctness: CorrectnessArgument,
    /// The paper's estimators throughout (bootstrap intervals, no error condition)
    #[arg(long, help_heading = "Measurement")]
    pub(crate) paper: bool,
    /// Read the outputs of UA-Bench as the released evaluation does (without a box the last 100 characters are the answer)
    #[arg(long, help_heading = "Measurement")]
    pub(crate) compat: Option<CompatArgument>,
    /// Seed of every resampling
    #[arg(long, default_value_t = 0, help_heading = "Measurement")]
    pub(crate) seed: u64,
    /// Bootstrap resamples
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Measurement")]
    pub(crate) resamples: u32,

    /// What is printed on standard output
    #[arg(long, default_value = "table", help_heading = "Output")]
    pub(crate) output: ReportOutput,
    /// Write an HTML page that works offline, with the figures drawn
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    pub(crate) report: Option<PathBuf>,
    /// Leave keys, mail addresses and home paths in the page
    #[arg(long, requires = "report", help_heading = "Output")]
    pub(crate) no_redact: bool,
}

/// Whose published numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AgainstArgument {
    /// The five configurations of the paper.
    Paper,
}

/// Whose rules of extraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompatArgument {
    /// Those of the code released with UA-Bench.
    Released,
}

/// How the tables are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportOutput {
    /// For people.
    Table,
    /// For papers; needs the package booktabs.
    Latex,
    /// One number a line.
    Csv,
    /// For programs.
    Json,
}
