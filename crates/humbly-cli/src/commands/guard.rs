//! `humbly guard`: the hook, and the verbs for people.

mod check;
mod hook;
mod judge;
mod log;
mod settings;

use humbly_guard::{Mode, Places};

use crate::args::guard::{GuardArguments, GuardMode, GuardVerb};
use crate::exit::Status;

pub(crate) use hook::is_hook_call;

pub(crate) fn run(arguments: &GuardArguments) -> anyhow::Result<Status> {
    match &arguments.verb {
        None => {
            hook::run(arguments);
            Ok(Status::Done)
        }
        Some(GuardVerb::Install(install)) => settings::install(install),
        Some(GuardVerb::Uninstall(uninstall)) => settings::uninstall(uninstall),
        Some(GuardVerb::Check(check)) => check::run(check),
        Some(GuardVerb::Log(log)) => log::run(log),
    }
}

fn places() -> Places {
    let cwd = std::env::current_dir().unwrap_or_default();
    Places::from_environment(|name| std::env::var_os(name), std::env::home_dir(), cwd)
}

fn mode(mode: GuardMode) -> Mode {
    match mode {
        GuardMode::Ask => Mode::Ask,
        GuardMode::Note => Mode::Note,
        GuardMode::Log => Mode::Log,
    }
}
