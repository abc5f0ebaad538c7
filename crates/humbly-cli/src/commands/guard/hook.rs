//! The hook itself: never in the way, whatever happens.

use std::ffi::OsString;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use humbly_guard::{Answered, Entry, LONGEST_PAYLOAD, Log, harness, run_hook};

use super::{judge, mode, places};
use crate::args::guard::GuardArguments;
use crate::output;

/// Whether the command line is that of a hook: its faults must not stop an agent.
pub(crate) fn is_hook_call(arguments: &[OsString]) -> bool {
    let is_one_of =
        |argument: &OsString, list: &[&str]| argument.to_str().is_some_and(|name| list.contains(&name));
    let is_verb = |argument| is_one_of(argument, &["install", "uninstall", "check", "log", "help"]);
    let is_help = |argument| is_one_of(argument, &["--help", "-h", "--version", "-V"]);
    arguments.get(1).is_some_and(|command| command == "guard")
        && !arguments.get(2).is_some_and(is_verb)
        && !arguments.iter().any(is_help)
}

/// Reads the payload, answers, and writes the log.
pub(super) fn run(arguments: &GuardArguments) {
    let log = Log::of(&places());
    watch_the_clock(log.clone(), arguments.deadline);
    let answered = catch_unwind(AssertUnwindSafe(|| answer(arguments)))
        .unwrap_or_else(|_| Answered { entry: Some(failure("a fault of the guard")), ..Answered::default() });
    // Printed before it is logged: a slow disk does not delay the agent.
    if !answered.reply.stderr.is_empty() {
        output::note(answered.reply.stderr.trim_end());
    }
    let printed = output::stdout(answered.reply.stdout.as_bytes());
    record(log.as_ref(), answered.entry);
    if printed.is_err() {
        record(log.as_ref(), Some(failure("the answer could not be printed")));
    }
}

fn answer(arguments: &GuardArguments) -> Answered {
    let named = match arguments.harness.as_deref().map(harness).transpose() {
        Ok(named) => named,
        Err(error) => return Answered { entry: Some(failure(&error.to_string())), ..Answered::default() },
    };
    let payload = if let Some(payload) = &arguments.payload {
        payload.clone().into_bytes()
    } else {
        let mut bytes = Vec::new();
        if let Err(error) = std::io::stdin().lock().take(LONGEST_PAYLOAD + 1).read_to_end(&mut bytes) {
            let entry = failure(&format!("the payload could not be read: {error}"));
            return Answered { entry: Some(entry), ..Answered::default() };
        }
        bytes
    };
    let judge = judge::of(&arguments.judge, Duration::from_secs(arguments.deadline));
    run_hook(&payload, named, mode(arguments.mode), &places(), &*judge)
}

/// Ends the process where the answer takes too long; nothing is printed then.
fn watch_the_clock(log: Option<Log>, seconds: u64) {
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(seconds));
        record(log.as_ref(), Some(failure(&format!("no answer within {seconds} s"))));
        std::process::exit(0);
    });
}

fn failure(why: &str) -> Entry {
    Entry { did: "failed".to_owned(), why: Some(why.to_owned()), ..Entry::default() }
}

/// A log that cannot be written is no reason to stand in the way.
fn record(log: Option<&Log>, entry: Option<Entry>) {
    if let (Some(log), Some(mut entry)) = (log, entry) {
        entry.time = now();
        let _ = log.append(&entry);
    }
}

#[expect(clippy::disallowed_methods, reason = "the log of a hook says when")]
fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
