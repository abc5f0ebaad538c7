//! The command line. First doc lines are what `--help` prints.

#![expect(clippy::doc_markdown, reason = "doc lines are help texts, where backticks would show")]

mod experiments;
pub(crate) mod guard;
mod judge;
mod report;
mod reward;
mod serve;
mod sheet;
mod synth;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

pub(crate) use experiments::{
    ChoiceByArgument, DataExportArguments, ExportFormat, MergeArguments, ModelArguments, ModelCommand,
    ModelPullArguments, ProtocolArgument, QuickstartArguments, RunArguments, ScenarioArgument,
    SuiteBuildArguments, SuiteCommand, SuiteName, SuiteShowArguments,
};
pub(crate) use judge::{AskArguments, CorrectnessArgument, JudgeArguments};
pub(crate) use report::{CompatArgument, ReportArguments, ReportOutput};
pub(crate) use reward::RewardArguments;
pub(crate) use serve::{ListenArguments, ServeCommand, ServeModelArguments, ServeSearchArguments};
pub(crate) use sheet::{SheetCommand, SheetMakeArguments, SheetOutputsArguments, SheetReadArguments};
pub(crate) use synth::{KindsArgument, SynthArguments};

/// Measure whether LLM agents know what they do not know and say so
#[derive(Debug, Parser)]
#[command(name = "humbly", version, max_term_width = 100, propagate_version = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The whole job on a small model of this machine: beliefs, conflicts, run, tables, report
    Quickstart(QuickstartArguments),
    /// Score agent logs: does the agent identify, solve and escalate conflicts?
    Score(Box<ScoreArguments>),
    /// Calibration, attribution, agreement and comparison of tables
    #[command(subcommand)]
    Stats(StatsCommand),
    /// Judge a run again; verdicts of other judges stay
    Judge(Box<JudgeArguments>),
    /// Measure how well a judge agrees with labels
    Validate(ValidateArguments),
    /// Sheets for human annotators: draw one, read filled ones
    #[command(subcommand)]
    Sheet(SheetCommand),
    /// Score responses by a training reward and print a reward card
    Reward(Box<RewardArguments>),
    /// Make a training set out of maths problems: kept, without what they need, beyond the model
    Synth(Box<SynthArguments>),
    /// Data sets, and released outputs of real models as tasks and trajectories
    #[command(subcommand)]
    Data(DataCommand),
    /// Build suites for a model, and show them
    #[command(subcommand)]
    Suite(SuiteCommand),
    /// Run agents on a suite; goes on where it was interrupted
    Run(RunArguments),
    /// Join the parts of a run
    Merge(MergeArguments),
    /// The paper's tables and figures from runs
    Report(Box<ReportArguments>),
    /// Fetch and list models
    #[command(subcommand)]
    Model(ModelCommand),
    /// Serve a model or a search index over HTTP
    #[command(subcommand)]
    Serve(ServeCommand),
    /// List the log formats that can be read
    Formats(FormatsArguments),
    /// Ask an agent to say what it noticed, before it stops
    Guard(guard::GuardArguments),
    /// Print shell completions
    Completions(CompletionsArguments),
}

/// How results are printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// For people.
    #[default]
    Table,
    /// For programs; the schema is docs/schemas.
    Json,
    /// One number a line.
    Csv,
}

/// Example: humbly score logs/ --tasks tasks.jsonl --report report.html
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 done, 1 a gate or --strict was missed, 2 usage error or nothing readable, 3 calls of a judge failed"
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(crate) struct ScoreArguments {
    /// Log files or folders with logs; `-` reads one log from standard input
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// Tasks (JSONL): split, references, candidates; without it, rates need no labels
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) tasks: Option<PathBuf>,
    /// Pattern over the path whose first group is the task id
    #[arg(long, value_name = "REGEX", help_heading = "Input")]
    pub(crate) task_id: Option<String>,
    /// Format of the logs, `auto` recognises it from content (see `humbly formats`)
    #[arg(long, default_value = "auto", value_name = "NAME", help_heading = "Input")]
    pub(crate) format: String,
    /// Only files below a folder that match this glob; may be repeated
    #[arg(long, value_name = "GLOB", help_heading = "Input")]
    pub(crate) include: Vec<String>,
    /// Leave out trajectories that ended before this time, e.g. 2026-11-01
    #[arg(long, value_name = "TIME", help_heading = "Input")]
    pub(crate) since: Option<String>,
    /// A log with several prompts: one trajectory each, or the last answer only
    #[arg(long, default_value = "each", help_heading = "Input")]
    pub(crate) episodes: EpisodesArgument,

    /// Judge of the texts: `lexical`, a model as PROVIDER:MODEL (several with commas are a panel), or a judge
    /// whose verdicts a run holds
    #[arg(long, default_value = "lexical", value_name = "JUDGE", help_heading = "Measurement")]
    pub(crate) judge: String,
    /// How final answers are matched with references
    #[arg(long = "match", default_value = "auto", help_heading = "Measurement")]
    pub(crate) matching: MatchingArgument,
    /// Who decides whether a final answer is right: the rules, or the model that --judge names
    #[arg(long, default_value = "rules", help_heading = "Measurement")]
    pub(crate) correctness: CorrectnessArgument,
    /// Set over which Solve is measured
    #[arg(long, default_value = "conflict", help_heading = "Measurement")]
    pub(crate) solve_over: SolveOverArgument,
    /// Count a call in the turn of recognition as follow-up
    #[arg(long, help_heading = "Measurement")]
    pub(crate) solve_same_turn: bool,
    /// The paper's estimators throughout (bootstrap intervals, no error condition)
    #[arg(long, help_heading = "Measurement")]
    pub(crate) paper: bool,
    /// Scale of bare confidences; it is never guessed: that of the run where a run file says it, else unit
    #[arg(long, help_heading = "Measurement")]
    pub(crate) scale: Option<ScaleArgument>,
    /// Estimator of the attribution F1
    #[arg(long, default_value = "released", help_heading = "Measurement")]
    pub(crate) f1: F1Argument,
    /// Seed of every resampling
    #[arg(long, default_value_t = 0, help_heading = "Measurement")]
    pub(crate) seed: u64,
    /// Bootstrap resamples
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Measurement")]
    pub(crate) resamples: u32,

    /// What is printed on standard output
    #[arg(long, default_value = "table", help_heading = "Output")]
    pub(crate) output: OutputFormat,
    /// Write an HTML report that works offline
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    pub(crate) report: Option<PathBuf>,
    /// Leave keys, mail addresses and home paths in the report
    #[arg(long, requires = "report", help_heading = "Output")]
    pub(crate) no_redact: bool,
    /// Write one line a judged turn
    #[arg(long, value_name = "FILE.jsonl", help_heading = "Output")]
    pub(crate) verdicts: Option<PathBuf>,
    /// Keep what was read and judged as a run file; the same command goes on with one that was interrupted
    #[arg(long, value_name = "RUN.sqlite", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,
    /// Print the N most telling moments, with quotes
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Output")]
    pub(crate) show: usize,

    /// Threshold that must be met, e.g. 'escalate.low>=0.2' or 'delta(escalate).high>=0'; may be repeated
    #[arg(long, value_name = "GATE", help_heading = "Gates")]
    pub(crate) gate: Vec<String>,
    /// A gate on a number with a smaller n is missed
    #[arg(long, default_value_t = 20, value_name = "N", help_heading = "Gates")]
    pub(crate) min_n: u64,
    /// Earlier `--output json`, for `delta(…)` gates
    #[arg(long, value_name = "FILE.json", help_heading = "Gates")]
    pub(crate) baseline: Option<PathBuf>,
    /// Exit with status 1 where anything could not be read or joined
    #[arg(long, help_heading = "Gates")]
    pub(crate) strict: bool,
    /// Write the gates as JUnit XML
    #[arg(long, value_name = "FILE.xml", help_heading = "Gates")]
    pub(crate) junit: Option<PathBuf>,
    /// Write summary and gates as Markdown
    #[arg(long, value_name = "FILE.md", help_heading = "Gates")]
    pub(crate) markdown: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) ask: AskArguments,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum EpisodesArgument {
    /// One trajectory for each prompt.
    Each,
    /// One trajectory, the last answer only.
    Whole,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum MatchingArgument {
    /// Short or marked answers exactly or by containment, prose by containment.
    Auto,
    /// Exact after normalisation.
    Exact,
    /// A reference stands in the answer.
    Contains,
    /// GAIA's quasi-exact match.
    Gaia,
    /// MoNaCo similarity.
    Monaco,
    /// LaTeX equivalence.
    Latex,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum SolveOverArgument {
    /// The conflict split.
    Conflict,
    /// Both splits.
    All,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScaleArgument {
    /// 0 to 1.
    #[default]
    Unit,
    /// 0 to 100.
    Percent,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum F1Argument {
    /// As in the released evaluation.
    Released,
    /// Misses divided by their own set.
    Balanced,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StatsCommand {
    /// ECE, Brier, AUROC, MCIP and the reliability table of stated confidences
    Calibration(CalibrationArguments),
    /// F1 of data and model uncertainty
    Attribution(AttributionArguments),
    /// Agreement of raters: raw, kappa, AC1, alpha
    Agreement(AgreementArguments),
    /// Paired comparison of two sets of scores
    Compare(CompareArguments),
    /// Accuracy and calibration of models side by side, with the rank correlation between them
    Models(ModelsArguments),
}

/// Example: humbly stats models answers.csv --by model --confidence confidence --correct correct
#[derive(Debug, Args)]
pub(crate) struct ModelsArguments {
    /// Table (CSV, JSONL, Parquet, Arrow), one row an answer; `-` reads standard input
    pub(crate) file: PathBuf,
    /// Column of models
    #[arg(long, value_name = "COLUMN")]
    pub(crate) by: String,
    /// Column of confidences
    #[arg(long, value_name = "COLUMN")]
    pub(crate) confidence: String,
    /// Column of correctness (0/1, true/false)
    #[arg(long, value_name = "COLUMN")]
    pub(crate) correct: String,
    /// Scale of the confidences
    #[arg(long, default_value = "unit")]
    pub(crate) scale: ScaleArgument,
    /// Seed of the resampling
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Bootstrap resamples
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) resamples: u32,
    /// What is printed
    #[arg(long, default_value = "table")]
    pub(crate) output: OutputFormat,
}

/// Example: humbly stats calibration answers.csv --confidence confidence --correct correct --by model
#[derive(Debug, Args)]
pub(crate) struct CalibrationArguments {
    /// Table (CSV, JSONL, Parquet, Arrow); `-` reads standard input
    pub(crate) file: PathBuf,
    /// Column of confidences
    #[arg(long, value_name = "COLUMN")]
    pub(crate) confidence: String,
    /// Column of correctness (0/1, true/false)
    #[arg(long, value_name = "COLUMN")]
    pub(crate) correct: String,
    /// One result for each value of this column
    #[arg(long, value_name = "COLUMN")]
    pub(crate) by: Option<String>,
    /// Column of question ids: intervals resample whole questions
    #[arg(long, value_name = "COLUMN")]
    pub(crate) id: Option<String>,
    /// Column of settings to compare on the questions that all got wrong (needs --id)
    #[arg(long, value_name = "COLUMN", requires = "id")]
    pub(crate) setting: Option<String>,
    /// Bins
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) bins: u32,
    /// Rule for a confidence on the edge of two bins
    #[arg(long, default_value = "right-closed")]
    pub(crate) edges: EdgesArgument,
    /// Scale of the confidences; it is never guessed
    #[arg(long, default_value = "unit")]
    pub(crate) scale: ScaleArgument,
    /// Seed of the resampling
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// What is printed
    #[arg(long, default_value = "table")]
    pub(crate) output: OutputFormat,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum EdgesArgument {
    /// (low, high], the first bin closed.
    RightClosed,
    /// [low, high), 1.0 in the last bin.
    LeftClosed,
    /// (low, high], 0 dropped.
    Guo2017,
    /// Bins of equal counts.
    EqualMass,
}

/// Example: humbly stats attribution rows.jsonl --form form --answerable answerable --correct correct
#[derive(Debug, Args)]
pub(crate) struct AttributionArguments {
    /// Table (CSV, JSONL, Parquet, Arrow); `-` reads standard input
    pub(crate) file: PathBuf,
    /// Column of answer forms: answer, data_uncertain, model_uncertain, dont_know, unparsable
    #[arg(long, value_name = "COLUMN")]
    pub(crate) form: String,
    /// Column that says whether the question is answerable
    #[arg(long, value_name = "COLUMN")]
    pub(crate) answerable: String,
    /// Column of correctness
    #[arg(long, value_name = "COLUMN")]
    pub(crate) correct: String,
    /// One result for each value of this column
    #[arg(long, value_name = "COLUMN")]
    pub(crate) by: Option<String>,
    /// Estimator of the F1
    #[arg(long, default_value = "released")]
    pub(crate) f1: F1Argument,
    /// Seed of the resampling
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// What is printed
    #[arg(long, default_value = "table")]
    pub(crate) output: OutputFormat,
}

/// Example: humbly stats agreement labels.csv --item item --rater rater --label label
#[derive(Debug, Args)]
pub(crate) struct AgreementArguments {
    /// Table (CSV, JSONL, Parquet, Arrow), one row a rating; `-` reads standard input
    pub(crate) file: PathBuf,
    /// Column of items
    #[arg(long, value_name = "COLUMN")]
    pub(crate) item: String,
    /// Column of raters
    #[arg(long, value_name = "COLUMN")]
    pub(crate) rater: String,
    /// Column of labels
    #[arg(long, value_name = "COLUMN")]
    pub(crate) label: String,
    /// Seed of the resampling
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// What is printed
    #[arg(long, default_value = "table")]
    pub(crate) output: OutputFormat,
}

/// Example: humbly stats compare run-a.sqlite run-b.sqlite
#[derive(Debug, Args)]
#[command(
    after_help = "Two runs (or two files of `humbly score --output json`) are paired by task, agent, model, condition, seed \
                  and repeat; what the runs differ in as a whole pairs nothing. Outcomes: McNemar's exact test, numbers: \
                  paired t test, p adjusted by Holm; samples that changed are listed.\n\
                  Two tables: humbly stats compare old.csv new.csv --id question --score correct"
)]
pub(crate) struct CompareArguments {
    /// First run, score file or table
    pub(crate) first: PathBuf,
    /// Second one; without it, --by names the column of a table that tells the two sets apart
    pub(crate) second: Option<PathBuf>,
    /// Column of ids, for tables
    #[arg(long, value_name = "COLUMN")]
    pub(crate) id: Option<String>,
    /// Column of scores (0/1 or real-valued), for tables
    #[arg(long, value_name = "COLUMN")]
    pub(crate) score: Option<String>,
    /// Column with two values, for one table
    #[arg(long, value_name = "COLUMN")]
    pub(crate) by: Option<String>,
    /// Judge of two runs: `lexical`, or one whose verdicts the run files hold
    #[arg(long, default_value = "lexical", value_name = "JUDGE")]
    pub(crate) judge: String,
    /// Seed of the resampling
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// What is printed
    #[arg(long, default_value = "table")]
    pub(crate) output: OutputFormat,
}

/// Example: humbly validate --labels labels.jsonl --verdict escalate --judge lexical
#[derive(Debug, Args)]
pub(crate) struct ValidateArguments {
    /// Rows with `id`, `text` and the label under the verdict's name
    #[arg(long, value_name = "FILE.jsonl")]
    pub(crate) labels: PathBuf,
    /// Verdict to validate
    #[arg(long)]
    pub(crate) verdict: VerdictArgument,
    /// Judge: `lexical`, or a model as PROVIDER:MODEL
    #[arg(long, default_value = "lexical")]
    pub(crate) judge: String,
    #[command(flatten)]
    pub(crate) ask: AskArguments,
    /// Print the rows on which judge and label differ
    #[arg(long)]
    pub(crate) disagreements: bool,
    /// Seed of the resampling
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// What is printed
    #[arg(long, default_value = "table")]
    pub(crate) output: OutputFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum VerdictArgument {
    /// One turn.
    Identify,
    /// One final answer.
    Escalate,
    /// Abstention in one final answer.
    Refusal,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DataCommand {
    /// List data sets and the outputs that can be imported
    List(DataListArguments),
    /// Fetch a data set, or register files of it
    Pull(PullArguments),
    /// Print the questions of a data set
    Show(ShowArguments),
    /// Import released outputs
    Import(ImportArguments),
    /// Write a run, or a training set, as other tools read it
    Export(DataExportArguments),
}

/// Example: humbly data list --output json
#[derive(Debug, Args)]
pub(crate) struct DataListArguments {
    /// What is printed; csv lists the data sets alone
    #[arg(long, default_value = "table")]
    pub(crate) output: OutputFormat,
}

/// Example: humbly data pull gsm8k
#[derive(Debug, Args)]
#[command(
    after_help = "Files are kept in HUMBLY_CACHE, else in the platform's cache folder. A gated set needs a token in HF_TOKEN; HF_ENDPOINT names a mirror of the hub."
)]
pub(crate) struct PullArguments {
    /// Name of the data set (see `humbly data list`)
    pub(crate) name: String,
    /// Register this file or folder and fetch nothing; may be repeated
    #[arg(long = "path", value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Fetch also what is there already
    #[arg(long, conflicts_with = "paths")]
    pub(crate) force: bool,
}

/// Example: humbly data show gsm8k --limit 3
#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    /// Name of the data set (see `humbly data list`)
    pub(crate) name: String,
    /// Read this file or folder, not the cache
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<PathBuf>,
    /// Print at most N questions; a table has 10 where nothing is said
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// A table, csv, or json with one question a line
    #[arg(long, default_value = "table")]
    pub(crate) output: OutputFormat,
}

/// Example: humbly data import wikicontradict-humaneval FILE --to wikicontradict
#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// Name of the source (see `humbly data list`)
    pub(crate) name: String,
    /// The released file or folder
    pub(crate) path: PathBuf,
    /// Folder to write to
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pub(crate) to: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct FormatsArguments {
    /// What is printed
    #[arg(long, default_value = "table")]
    pub(crate) output: OutputFormat,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// Shell
    pub(crate) shell: Shell,
}
