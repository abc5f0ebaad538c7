//! Counting calls, results and duplicates.

use std::collections::HashSet;

use humbly_types::{ToolCall, Trajectory};

/// Counts over the calls and results of one trajectory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct CallCounts {
    pub(crate) calls: u32,
    pub(crate) results: u32,
    pub(crate) errors: u32,
    pub(crate) errors_unknown: u32,
    pub(crate) duplicates: u32,
    pub(crate) effective_duplicates: u32,
    pub(crate) unanswered: u32,
    pub(crate) by_sub_agents: u32,
}

pub(crate) fn count(trajectory: &Trajectory) -> CallCounts {
    let calls: Vec<&ToolCall> = trajectory.calls().map(|(_, call)| call).collect();
    let mut counts = CallCounts {
        calls: as_count(calls.len()),
        duplicates: duplicates(&calls, |call| {
            call.canonical_arguments().unwrap_or_else(|| call.arguments.clone())
        }),
        effective_duplicates: duplicates(&calls, ToolCall::effective_key),
        unanswered: as_count(trajectory.unanswered_calls().len()),
        by_sub_agents: trajectory.children.iter().map(all_calls).sum(),
        ..CallCounts::default()
    };
    for result in trajectory.results() {
        counts.results += 1;
        match result.is_error {
            Some(true) => counts.errors += 1,
            Some(false) => {}
            None => counts.errors_unknown += 1,
        }
    }
    counts
}

fn all_calls(trajectory: &Trajectory) -> u32 {
    as_count(trajectory.calls().count()) + trajectory.children.iter().map(all_calls).sum::<u32>()
}

/// Calls that repeat an earlier one. Arguments are only made canonical where a name occurs twice.
fn duplicates(calls: &[&ToolCall], key: impl Fn(&ToolCall) -> String) -> u32 {
    let mut names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
    names.sort_unstable();
    let repeats = |name: &str| {
        let first = names.partition_point(|other| *other < name);
        names.get(first + 1) == Some(&name)
    };
    let mut seen = HashSet::new();
    let repeated = calls
        .iter()
        .filter(|call| repeats(&call.name) && !seen.insert((call.name.as_str(), key(call))))
        .count();
    as_count(repeated)
}

pub(crate) fn as_count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
