//! `humbly completions SHELL`.

use clap::CommandFactory;

use crate::args::{Arguments, CompletionsArguments};
use crate::exit::Status;

pub(crate) fn run(arguments: &CompletionsArguments) -> anyhow::Result<Status> {
    let mut command = Arguments::command();
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "humbly", &mut script);
    crate::output::stdout(&script)?;
    Ok(Status::Done)
}
