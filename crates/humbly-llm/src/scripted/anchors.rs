//! Which rules can match at all, by one pass over the user's message.
//!
//! A script with one rule a question would else be searched rule by rule at every request.

use aho_corasick::{AhoCorasick, MatchKind};

/// Substrings that rules ask of the user's last message.
pub(super) struct Anchors {
    automaton: AhoCorasick,
    /// Rules of each substring, ascending.
    rules_of_pattern: Vec<Vec<usize>>,
    /// Rules without a substring, ascending.
    free: Vec<usize>,
}

impl Anchors {
    pub(super) fn new<'a>(anchors: impl Iterator<Item = Option<&'a str>>) -> Result<Self, String> {
        let mut patterns: indexmap::IndexMap<&str, Vec<usize>> = indexmap::IndexMap::new();
        let mut free = Vec::new();
        for (rule, anchor) in anchors.enumerate() {
            match anchor {
                Some(text) if !text.is_empty() => patterns.entry(text).or_default().push(rule),
                _ => free.push(rule),
            }
        }
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .build(patterns.keys())
            .map_err(|error| error.to_string())?;
        Ok(Self { automaton, rules_of_pattern: patterns.into_values().collect(), free })
    }

    /// Rules whose substring is in `text`, or that ask for none, ascending.
    pub(super) fn candidates(&self, text: &str) -> impl Iterator<Item = usize> {
        let mut found = vec![false; self.rules_of_pattern.len()];
        for matched in self.automaton.find_overlapping_iter(text) {
            if let Some(found) = found.get_mut(matched.pattern().as_usize()) {
                *found = true;
            }
        }
        let mut rules: Vec<usize> = found
            .iter()
            .zip(&self.rules_of_pattern)
            .filter(|(found, _)| **found)
            .flat_map(|(_, rules)| rules.iter().copied())
            .chain(self.free.iter().copied())
            .collect();
        rules.sort_unstable();
        rules.into_iter()
    }
}
