//! `humbly guard install` and `uninstall`.

use std::io::{BufRead, IsTerminal};

use anyhow::{Context, bail};
use humbly_guard::{Change, Harness, HookOptions, Scope, by_hand, harness, plan_install, plan_uninstall};

use super::{mode, places};
use crate::args::guard::GuardSettingsArguments;
use crate::exit::Status;
use crate::output;

pub(super) fn install(arguments: &GuardSettingsArguments) -> anyhow::Result<Status> {
    let harness = harness(&arguments.harness)?;
    let program = crate::command_line::program()?;
    let options = HookOptions {
        mode: mode(arguments.mode),
        judge: arguments.judge.judge.clone(),
        base_url: arguments.judge.base_url.clone(),
        deadline_seconds: arguments.deadline,
    };
    // A hook that cannot reach its judge would fail at every stop, unseen.
    super::judge::check(&arguments.judge)?;
    let change =
        plan_install(harness, scope(arguments), &options, &program, &places()).with_context(|| {
            let by_hand = by_hand(harness, &options, &program);
            format!("cannot install the guard; this is what the settings need:\n{by_hand}")
        })?;
    if change.is_empty() {
        output::note(&format!("the guard is installed in {} already", change.path.display()));
        return Ok(Status::Done);
    }
    write(&change, arguments.yes)?;
    output::note(&format!("{} now asks the guard before an agent stops", harness.title()));
    if let Some(next) = Harness::after_install(harness) {
        output::note(&format!("next: {next}"));
    }
    Ok(Status::Done)
}

pub(super) fn uninstall(arguments: &GuardSettingsArguments) -> anyhow::Result<Status> {
    let harness = harness(&arguments.harness)?;
    let change =
        plan_uninstall(harness, scope(arguments), &places()).context("cannot uninstall the guard")?;
    if change.is_empty() {
        output::note(&format!("the guard is not installed in {}", change.path.display()));
        return Ok(Status::Done);
    }
    write(&change, arguments.yes)?;
    output::note(&format!("{} no longer asks the guard", harness.title()));
    Ok(Status::Done)
}

fn scope(arguments: &GuardSettingsArguments) -> Scope {
    if arguments.project { Scope::Project } else { Scope::User }
}

/// Shows the change, asks, writes.
fn write(change: &Change, yes: bool) -> anyhow::Result<()> {
    output::stdout(format!("{}\n{}", change.path.display(), change.diff()).as_bytes())?;
    if !yes {
        if !std::io::stdin().is_terminal() {
            bail!("nothing was written: without a terminal to ask at, --yes says so");
        }
        output::note("write this? [y/N]");
        let mut answer = String::new();
        std::io::stdin().lock().read_line(&mut answer)?;
        if !matches!(answer.trim(), "y" | "Y" | "yes") {
            bail!("nothing was written");
        }
    }
    change.write().context("cannot write the settings")?;
    if change.kept.exists() {
        output::note(&format!("the old file is kept as {}", change.kept.display()));
    }
    Ok(())
}
