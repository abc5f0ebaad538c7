//! Arguments of `humbly sheet`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{OutputFormat, VerdictArgument};

#[derive(Debug, Subcommand)]
pub(crate) enum SheetCommand {
    /// Draw a sheet for human annotators; agent, split and verdicts go to a key
    Make(Box<SheetMakeArguments>),
    /// Draw outputs of a run of UA-Bench with what was parsed from them, to be checked by hand
    Outputs(SheetOutputsArguments),
    /// Compare filled sheets with each other and judges with people
    Read(SheetReadArguments),
}

/// Example: humbly sheet make logs/ --verdict identify --seed 1 --to sheet.csv
#[derive(Debug, Args)]
pub(crate) struct SheetMakeArguments {
    /// Log files or folders with logs
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Verdict that people are asked for
    #[arg(long)]
    pub(crate) verdict: VerdictArgument,
    /// Verdicts of another judge (from `humbly score --verdicts`); may be repeated
    #[arg(long, value_name = "FILE.jsonl")]
    pub(crate) verdicts: Vec<PathBuf>,
    /// Judge whose verdicts decide what is positive; without it that of the first --verdicts, else the lexical one
    #[arg(long, value_name = "NAME")]
    pub(crate) judge: Option<String>,
    /// Tasks (JSONL), for the split in the key
    #[arg(long, value_name = "FILE")]
    pub(crate) tasks: Option<PathBuf>,
    /// Rows; at most one turn of a trajectory is drawn
    #[arg(long, default_value_t = 50)]
    pub(crate) rows: usize,
    /// Share of positives
    #[arg(long, default_value_t = 0.5, value_name = "SHARE")]
    pub(crate) positives: f64,
    /// Share of hard ones among the negatives (another judge says yes, or words of doubt)
    #[arg(long, default_value_t = 1.0, value_name = "SHARE")]
    pub(crate) hard_negatives: f64,
    /// Seed of the draw
    #[arg(long)]
    pub(crate) seed: u64,
    /// Sheet to write, CSV or JSONL by its name; an existing file is never overwritten
    #[arg(long, value_name = "FILE")]
    pub(crate) to: PathBuf,
    /// Key to write (default: beside the sheet, NAME.key.jsonl); keep it from the annotators
    #[arg(long, value_name = "FILE.jsonl")]
    pub(crate) key: Option<PathBuf>,
}

/// Example: humbly sheet read ann.csv ben.csv cleo.csv --key sheet.key.jsonl
#[derive(Debug, Args)]
pub(crate) struct SheetReadArguments {
    /// Filled sheets, one a person; the file's name is the person's
    #[arg(required = true, value_name = "FILE")]
    pub(crate) sheets: Vec<PathBuf>,
    /// The key
    #[arg(long, value_name = "FILE.jsonl")]
    pub(crate) key: PathBuf,
    /// Seed of the resampling
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// What is printed
    #[arg(long, default_value = "table")]
    pub(crate) output: OutputFormat,
}

/// Example: humbly sheet outputs run.sqlite --seed 1 --to outputs.csv
#[derive(Debug, Args)]
pub(crate) struct SheetOutputsArguments {
    /// Run file of UA-Bench
    pub(crate) run: PathBuf,
    /// Outputs that are drawn
    #[arg(long, default_value_t = 100)]
    pub(crate) rows: usize,
    /// Judge whose verdicts stand beside the answers that no rule decides
    #[arg(long, value_name = "JUDGE")]
    pub(crate) judge: Option<String>,
    /// Seed of the draw
    #[arg(long)]
    pub(crate) seed: u64,
    /// Sheet to write (CSV); an existing file is never overwritten
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) to: PathBuf,
}
