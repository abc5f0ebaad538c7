//! Branches of a conversation: events name their parent since the SDK keeps a tree.
//!
//! The store only grows; going back to an earlier event and on from there leaves the abandoned events in it. What the
//! agent knew and did is the path from the root to the leaf.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::content::str_field;

/// The parent of a first event.
const ROOT: &str = "__root__";

/// Whether each event stands on the branch that ends at `leaf`, or at the last event where no leaf is known.
///
/// Events without a parent were written before there were branches and follow the event before them. They are on
/// every branch, also where a resumed conversation names the root a second time.
pub(super) fn active<'v>(events: impl Iterator<Item = &'v Value>, leaf: Option<&str>) -> Vec<bool> {
    let links: Vec<_> = events.map(|event| (str_field(event, "id"), str_field(event, "parent_id"))).collect();
    let parents: HashMap<&str, Option<&str>> =
        links.iter().filter_map(|(id, parent)| id.map(|id| (id, *parent))).collect();
    let mut path = HashSet::new();
    let last = || links.iter().rev().find_map(|(id, _)| *id);
    let mut next = leaf.filter(|leaf| parents.contains_key(leaf)).or_else(last);
    while let Some(id) = next.filter(|id| *id != ROOT && path.insert(*id)) {
        next = parents.get(id).copied().flatten();
    }
    links.iter().map(|(id, parent)| parent.is_none() || id.is_none_or(|id| path.contains(id))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_path(links: &[(&str, Option<&str>)], leaf: Option<&str>) -> Vec<bool> {
        let events: Vec<Value> =
            links.iter().map(|(id, parent)| serde_json::json!({"id": id, "parent_id": parent})).collect();
        active(events.iter(), leaf)
    }

    #[test]
    fn the_last_event_is_the_leaf_where_none_is_named() {
        let tree = [("a", Some(ROOT)), ("b", Some("a")), ("c", Some("a")), ("d", Some("c"))];
        assert_eq!(on_path(&tree, None), [true, false, true, true]);
        assert_eq!(on_path(&tree, Some("b")), [true, true, false, false]);
        assert_eq!(on_path(&tree, Some("unknown")), [true, false, true, true]);
    }

    #[test]
    fn events_without_parents_are_one_line_before_the_branches() {
        let resumed = [("a", None), ("b", None), ("c", Some(ROOT)), ("d", Some("c"))];
        assert_eq!(on_path(&resumed, None), [true; 4]);
        assert_eq!(on_path(&[("a", None), ("b", None)], None), [true; 2]);
    }

    #[test]
    fn a_ring_of_parents_is_no_loop() {
        assert_eq!(on_path(&[("a", Some("b")), ("b", Some("a"))], None), [true; 2]);
    }
}
