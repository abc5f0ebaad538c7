//! Arguments of `humbly synth`. First doc lines are what `--help` prints.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{ModelArguments, OutputFormat};

/// Example: humbly synth dapo-math --rewriter openai:gpt-5-mini --validator openai:gpt-4o-mini --to set/ --max-cost 20
#[derive(Debug, Args)]
#[command(
    after_help = "Shares of 70/15/15 and the prompts are ours: the paper does not give them. An original gives one row at \
                  most; a variant that fails five times is discarded and another original takes its place.\n\
                  DIR gets train and validation as .parquet and .jsonl in verl's form, statistics.json, and what was said: \
                  synth.sqlite and replies.sqlite.\n\
                  Exit status: 0 done, 2 usage error or nothing readable, 3 calls failed or rows are missing (what succeeded \
                  is kept; the same command goes on)"
)]
pub(crate) struct SynthArguments {
    /// Problems: a file or folder (Parquet in verl's form, JSONL, CSV with problem and answer), or a data set's name
    #[arg(value_name = "SOURCE")]
    pub(crate) source: PathBuf,
    /// Read the named data set from this file or folder, not from the cache of `humbly data pull`
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<PathBuf>,
    /// Use the first N problems only
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Folder to write to, or to go on in
    #[arg(long, value_name = "DIR", default_value = "synth")]
    pub(crate) to: PathBuf,

    /// Rows for training
    #[arg(long, value_name = "N", default_value_t = 5_000, help_heading = "The set")]
    pub(crate) train: usize,
    /// Rows for validation
    #[arg(long, value_name = "N", default_value_t = 500, help_heading = "The set")]
    pub(crate) validation: usize,
    /// Shares of kept problems, insufficient variants and hard variants
    #[arg(long, value_name = "K/I/H", default_value = "70/15/15", help_heading = "The set")]
    pub(crate) composition: String,
    /// Attempts at a variant before it is discarded
    #[arg(long, value_name = "N", default_value_t = 5, help_heading = "The set")]
    pub(crate) tries: u32,
    /// Kinds of variant asked for from one original; of both the one of which more are missing is taken
    #[arg(long, default_value = "one", help_heading = "The set")]
    pub(crate) kinds: KindsArgument,
    /// Do not ask whether a variant keeps field and style of its original
    #[arg(long, help_heading = "The set")]
    pub(crate) no_comparison: bool,
    /// Seed of every draw
    #[arg(long, default_value_t = 0, help_heading = "The set")]
    pub(crate) seed: u64,

    /// Model that writes variants, as PROVIDER:MODEL
    #[arg(long, value_name = "MODEL", help_heading = "Models")]
    pub(crate) rewriter: String,
    /// Model that examines them; it is never told what a variant should be
    #[arg(long, value_name = "MODEL", help_heading = "Models")]
    pub(crate) validator: String,
    /// Temperature of the rewriter
    #[arg(long, value_name = "T", default_value_t = 1.0, help_heading = "Models")]
    pub(crate) rewriter_temperature: f64,
    /// Temperature of the validator
    #[arg(long, value_name = "T", default_value_t = 0.0, help_heading = "Models")]
    pub(crate) validator_temperature: f64,
    /// Longest reply in tokens, of both; without it the provider's own limit
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Models")]
    pub(crate) max_tokens: Option<u32>,
    /// Folder with prompts in place of ours: insufficient.txt, hard.txt, validate.txt, compare.txt
    #[arg(long, value_name = "DIR", help_heading = "Models")]
    pub(crate) prompts: Option<PathBuf>,
    /// Variants in work at a time
    #[arg(long, value_name = "N", default_value_t = 16, help_heading = "Models")]
    pub(crate) concurrency: usize,
    #[command(flatten)]
    pub(crate) models: ModelArguments,

    /// Say what it would ask for and cost, and stop
    #[arg(long, help_heading = "Output")]
    pub(crate) dry_run: bool,
    /// What is printed
    #[arg(long, default_value = "table", help_heading = "Output")]
    pub(crate) output: OutputFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KindsArgument {
    /// One.
    One,
    /// Both, with twice the calls: for sets of few problems.
    Both,
}
