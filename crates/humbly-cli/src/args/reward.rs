//! Arguments of `humbly reward`. First doc lines are what `--help` prints.

#![expect(clippy::doc_markdown, reason = "doc lines are help texts, where backticks would show")]

use std::path::PathBuf;

use clap::Args;
use humbly_rewards::{RewardEntry, entries};

use crate::args::{OutputFormat, ScaleArgument};

/// Example: humbly reward rollouts.jsonl --reward mscr --scale percent
#[derive(Debug, Args)]
#[command(after_help = after_help())]
pub(crate) struct RewardArguments {
    /// Rollouts (JSONL), one response a line; of ise the file of `humbly score --verdicts`; `-` reads standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Reward: em, brier, mscr, mash, rlcr, rl-ua, utility or ise
    #[arg(long, value_name = "NAME")]
    pub(crate) reward: String,
    /// Setting of the reward, e.g. beta1=1; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
    /// Scale of stated confidences; it is never guessed
    #[arg(long, default_value = "unit")]
    pub(crate) scale: ScaleArgument,

    /// Column of responses [default: response, output or completion]
    #[arg(long, value_name = "COLUMN", help_heading = "Columns (a dot goes into an object)")]
    pub(crate) response: Option<String>,
    /// Column of reference answers [default: references, reference, ground_truth or reward_model.ground_truth]
    #[arg(long, value_name = "COLUMN", help_heading = "Columns (a dot goes into an object)")]
    pub(crate) references: Option<String>,
    /// Column of prompts, cut off where a response starts with it [default: prompt]
    #[arg(long, value_name = "COLUMN", help_heading = "Columns (a dot goes into an object)")]
    pub(crate) prompt: Option<String>,
    /// Column of question ids: intervals resample whole questions, and mash needs it [default: question_id or uid]
    #[arg(long, value_name = "COLUMN", help_heading = "Columns (a dot goes into an object)")]
    pub(crate) question: Option<String>,
    /// Column of labels (answerable, data, model), which rl-ua needs [default: label]
    #[arg(long, value_name = "COLUMN", help_heading = "Columns (a dot goes into an object)")]
    pub(crate) label: Option<String>,
    /// For ise: what `humbly score --output json` printed on the same logs
    #[arg(long, value_name = "FILE.json")]
    pub(crate) scores: Option<PathBuf>,

    /// Write every row (of ise: every turn and end) with its reward and components
    #[arg(long, value_name = "FILE.jsonl", help_heading = "Output")]
    pub(crate) rows: Option<PathBuf>,
    /// Exit with status 1 where a line could not be read or a row has no reward
    #[arg(long, help_heading = "Output")]
    pub(crate) strict: bool,
    /// Seed of the resampling
    #[arg(long, default_value_t = 0, help_heading = "Output")]
    pub(crate) seed: u64,
    /// Bootstrap resamples
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Output")]
    pub(crate) resamples: u32,
    /// What is printed
    #[arg(long, default_value = "table", help_heading = "Output")]
    pub(crate) output: OutputFormat,
}

fn after_help() -> String {
    let mut text = String::from("Rewards and their settings (--set NAME=VALUE):\n");
    for entry in entries() {
        text.push_str(&format!("  {}: {}; reads {}\n", entry.name, entry.summary, entry.protocol));
        for setting in entry.settings {
            text.push_str(&format!("    {}={}  {}\n", setting.name, setting.default, setting.summary));
        }
    }
    text.push_str("  ise: steps of Identify, Solve and Escalate, from a judge's verdicts\n");
    text.push_str("    identify=0.5 solve=0.5 escalate=0.5 correct=1  weights (ours)\n");
    text.push_str("  every reward but ise:\n");
    for setting in RewardEntry::COMMON {
        text.push_str(&format!("    {}={}  {}\n", setting.name, setting.default, setting.summary));
    }
    text.push_str("Exit status: 0 done, 1 --strict was missed, 2 usage error or nothing readable");
    text
}
