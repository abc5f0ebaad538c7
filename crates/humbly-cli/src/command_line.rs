//! A command line to an exit status.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::Context;
use clap::Parser;

use crate::args::{Arguments, Command};
use crate::exit::Status;
use crate::{commands, output};

/// Argument 0 of this process's command line, as its caller gave it.
static PROGRAM: OnceLock<OsString> = OnceLock::new();

/// Runs one command line, the program's name in front, and returns the exit status that stands in its
/// contract. Once a process: a command may set handlers of signals, and `guard hook` may end the process.
///
/// # Examples
/// ```
/// assert_eq!(humbly_cli::main_from(["humbly", "--version"].map(Into::into)), 0);
/// assert_eq!(humbly_cli::main_from(["humbly", "no-such-command"].map(Into::into)), 2);
/// ```
pub fn main_from(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if let Some(program) = arguments.first() {
        PROGRAM.get_or_init(|| program.clone());
    }
    let parsed = match Arguments::try_parse_from(&arguments) {
        Ok(parsed) => parsed,
        // A hook with a wrong argument must not stop an agent: status 2 would.
        Err(error) if commands::guard::is_hook_call(&arguments) => {
            output::note(&error.to_string());
            return Status::Done.code();
        }
        Err(error) => {
            // A closed pipe is all that can go wrong here, and nobody is left to be told.
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(2);
        }
    };
    let result = match parsed.command {
        Command::Quickstart(quickstart) => commands::quickstart::run(&quickstart),
        Command::Suite(suite) => commands::suite::run(&suite),
        Command::Run(run) => commands::run::run(&run),
        Command::Merge(merge) => commands::run::merge_runs(&merge),
        Command::Report(report) => commands::report_runs::run(&report),
        Command::Model(model) => commands::model::run(&model),
        Command::Score(score) => commands::score::run(&score),
        Command::Stats(stats) => commands::stats::run(stats),
        Command::Judge(judge) => commands::judge::run(&judge),
        Command::Validate(validate) => commands::validate::run(&validate),
        Command::Sheet(sheet) => commands::sheet::run(sheet),
        Command::Reward(reward) => commands::reward::run(&reward),
        Command::Synth(synth) => commands::synth::run(&synth),
        Command::Data(data) => commands::data::run(data),
        Command::Guard(guard) => commands::guard::run(&guard),
        Command::Serve(serve) => commands::serve::run(&serve),
        Command::Formats(formats) => commands::formats::run(&formats),
        Command::Completions(completions) => commands::completions::run(&completions),
    };
    match result {
        Ok(status) => status.code(),
        Err(error) if is_closed_pipe(&error) => Status::Done.code(),
        Err(error) => {
            output::error(&error);
            Status::Unusable.code()
        }
    }
}

/// The file that runs this command again: a script of the Python package where that is what was called.
pub(crate) fn program() -> anyhow::Result<PathBuf> {
    if let Some(called) = PROGRAM.get().map(Path::new)
        && called.is_absolute()
        && called.is_file()
    {
        return Ok(called.to_owned());
    }
    std::env::current_exe().context("cannot find this program")
}

/// `humbly … | head` closes our output early; that is no fault.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|cause| cause.kind() == std::io::ErrorKind::BrokenPipe)
}
