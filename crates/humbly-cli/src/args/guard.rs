//! `humbly guard`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use humbly_guard::DEADLINE_SECONDS;

use super::OutputFormat;

/// Without a verb this is the hook that a harness runs: a payload on standard input, an answer on standard output
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Example: humbly guard install claude-code\n\nAs a hook it always exits with status 0 and lets the agent stop where anything goes wrong."
)]
pub(crate) struct GuardArguments {
    #[command(subcommand)]
    pub(crate) verb: Option<GuardVerb>,
    /// The harness that calls; without it the payload tells
    #[arg(long, value_name = "NAME")]
    pub(crate) harness: Option<String>,
    /// What to do where something was noticed and is not told
    #[arg(long, default_value = "ask")]
    pub(crate) mode: GuardMode,
    #[command(flatten)]
    pub(crate) judge: GuardJudgeArguments,
    /// Longest time of a call: then the agent is let go (a model is slow: 30)
    #[arg(long, value_name = "SECONDS", default_value_t = DEADLINE_SECONDS, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub(crate) deadline: u64,
    /// The payload, where the harness hands it as an argument (Codex `notify`)
    #[arg(value_name = "PAYLOAD")]
    pub(crate) payload: Option<String>,
}

/// The judge of the guard.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct GuardJudgeArguments {
    /// A model that judges in place of the lexical rules, e.g. ollama:qwen3; the turns are sent to it
    #[arg(long, value_name = "MODEL")]
    pub(crate) judge: Option<String>,
    /// Base URL of an OpenAI-compatible server, in place of the provider's own
    #[arg(long, value_name = "URL", requires = "judge")]
    pub(crate) base_url: Option<String>,
}

/// What the guard does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum GuardMode {
    /// Ask the agent to go on, once an episode.
    #[default]
    Ask,
    /// Let it stop and show the person a note.
    Note,
    /// Let it stop and only record.
    Log,
}

#[derive(Debug, Subcommand)]
pub(crate) enum GuardVerb {
    /// Enter the hook into a harness's settings, after showing the change
    Install(GuardSettingsArguments),
    /// Take the hook out of a harness's settings
    Uninstall(GuardSettingsArguments),
    /// Say what the guard would do at the end of each episode of a transcript
    Check(GuardCheckArguments),
    /// Show what the guard did, and what the agents did then
    Log(GuardLogArguments),
}

/// Example: humbly guard install claude-code --project
#[derive(Debug, Args)]
pub(crate) struct GuardSettingsArguments {
    /// claude-code, codex, openhands or gemini-cli
    #[arg(value_name = "HARNESS")]
    pub(crate) harness: String,
    /// The user's settings: all sessions (default)
    #[arg(long, conflicts_with = "project")]
    pub(crate) user: bool,
    /// The working folder's settings
    #[arg(long)]
    pub(crate) project: bool,
    /// What the hook does (used by install)
    #[arg(long, default_value = "ask")]
    pub(crate) mode: GuardMode,
    #[command(flatten)]
    pub(crate) judge: GuardJudgeArguments,
    /// Longest time of a call of the hook (used by install)
    #[arg(long, value_name = "SECONDS", default_value_t = DEADLINE_SECONDS, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub(crate) deadline: u64,
    /// Write without asking
    #[arg(long)]
    pub(crate) yes: bool,
}

/// Example: humbly guard check ~/.claude/projects/my-project/session.jsonl
#[derive(Debug, Args)]
pub(crate) struct GuardCheckArguments {
    /// Transcript of any format, or a conversation's folder
    #[arg(value_name = "TRANSCRIPT")]
    pub(crate) transcript: PathBuf,
    /// Format of the transcript, `auto` recognises it from content
    #[arg(long, default_value = "auto", value_name = "NAME")]
    pub(crate) format: String,
    #[command(flatten)]
    pub(crate) judge: GuardJudgeArguments,
    /// What is printed
    #[arg(long, default_value = "table")]
    pub(crate) output: OutputFormat,
}

#[derive(Debug, Args)]
pub(crate) struct GuardLogArguments {
    /// So many of the newest entries
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) last: usize,
    /// What is printed
    #[arg(long, default_value = "table")]
    pub(crate) output: OutputFormat,
}
