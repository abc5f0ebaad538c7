//! The `humbly` command: parse, call, print. It computes nothing.

mod args;
mod clients;
mod commands;
mod exit;
mod output;
mod verdicts;

use clap::Parser;

use crate::args::{Arguments, Command};
use crate::exit::Status;

fn main() -> std::process::ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        // A hook with a wrong argument must not stop an agent: status 2 would.
        Err(error) if commands::guard::is_hook_call(&std::env::args_os().collect::<Vec<_>>()) => {
            output::note(&error.to_string());
            return Status::Done.into();
        }
        Err(error) => error.exit(),
    };
    let result = match arguments.command {
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
        Command::Data(data) => commands::data::run(data),
        Command::Guard(guard) => commands::guard::run(&guard),
        Command::Serve(serve) => commands::serve::run(&serve),
        Command::Formats(formats) => commands::formats::run(&formats),
        Command::Completions(completions) => commands::completions::run(&completions),
    };
    match result {
        Ok(status) => status.into(),
        Err(error) if is_closed_pipe(&error) => Status::Done.into(),
        Err(error) => {
            output::error(&error);
            Status::Unusable.into()
        }
    }
}

/// `humbly … | head` closes our output early; that is no fault.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|cause| cause.kind() == std::io::ErrorKind::BrokenPipe)
}
