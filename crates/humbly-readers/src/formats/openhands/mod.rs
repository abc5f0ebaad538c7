//! `OpenHands`: the event stream of V0, the events of its SDK, and the completion logs that both write.

mod completions;
mod sdk;
mod sdk_branches;
mod sdk_events;
mod v0;
mod v0_events;

pub(crate) use completions::{OpenHandsCompletions, add_function_text, group_completions, task};
pub(crate) use sdk::{OpenHandsSdk, group_conversations};
pub(crate) use v0::OpenHandsV0;

use humbly_types::StopKind;
use serde_json::Value;

/// The kind of end that an error of the harness names.
fn error_kind(message: &str) -> StopKind {
    let message = message.to_ascii_lowercase();
    let is_limit =
        ["maximum iteration", "max iteration", "max_iteration", "maxiteration", "iteration limit", "budget"]
            .iter()
            .any(|limit| message.contains(limit));
    if is_limit { StopKind::Limit } else { StopKind::Error }
}

/// Whether an exit code means failure; none while the command still runs (`-1`).
fn failed(exit_code: Option<&Value>) -> Option<bool> {
    exit_code.and_then(Value::as_i64).filter(|code| *code != -1).map(|code| code != 0)
}
