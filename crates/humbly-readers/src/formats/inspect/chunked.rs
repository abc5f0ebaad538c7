//! Chunked samples: a shell entry, and sequences in entries named by the index of their first item.

use serde_json::value::RawValue;

use super::events::ranges;

/// Entries of one sequence of a chunked sample, sorted by their start.
pub(super) fn sequence<'n>(
    names: impl Iterator<Item = (usize, &'n str)>,
    prefix: &str,
    sequence: &str,
) -> Vec<usize> {
    let mut starts: Vec<(u64, usize)> = names
        .filter_map(|(index, name)| {
            let rest =
                name.strip_prefix(prefix)?.strip_prefix('/')?.strip_prefix(sequence)?.strip_prefix('/')?;
            let start = rest.strip_suffix(".json")?;
            start.bytes().all(|byte| byte.is_ascii_digit()).then(|| Some((start.parse().ok()?, index)))?
        })
        .collect();
    starts.sort_unstable();
    starts.into_iter().map(|(_, index)| index).collect()
}

/// The items of chunks, one after the other; a chunk that is no list is left out and counted.
pub(super) fn items(chunks: &[Vec<u8>]) -> (Vec<&RawValue>, usize) {
    let mut all = Vec::new();
    let mut unreadable = 0;
    for chunk in chunks {
        match serde_json::from_slice::<Vec<&RawValue>>(chunk) {
            Ok(items) => all.extend(items),
            Err(_) => unreadable += 1,
        }
    }
    (all, unreadable)
}

/// The messages that ranges name.
pub(super) fn expand<'a>(refs: &[(usize, usize)], pool: &[&'a RawValue]) -> Vec<&'a RawValue> {
    // A conversation names each message once; more would be a reference bomb.
    let mut left = pool.len();
    let mut messages = Vec::new();
    for (start, end) in refs {
        for message in ranges(pool, *start, *end) {
            if left == 0 {
                return messages;
            }
            left -= 1;
            messages.push(*message);
        }
    }
    messages
}
