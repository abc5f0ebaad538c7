//! Lists of words and phrases, one a line; `_` stands for a space.

use std::collections::BTreeSet;

use aho_corasick::AhoCorasick;

/// A list, for whole words or to be found in a text.
#[derive(Debug)]
pub(crate) struct WordList {
    words: BTreeSet<String>,
    automaton: Option<AhoCorasick>,
}

impl WordList {
    pub(crate) fn of(lines: &str) -> Self {
        let words: BTreeSet<String> = lines.lines().map(|line| line.replace('_', " ")).collect();
        // The lists are constants; were they refused, nothing would be found and the guard be silent.
        let automaton = AhoCorasick::new(&words).ok();
        Self { words, automaton }
    }

    /// Whether the word, or its singular, stands in the list.
    pub(crate) fn has_word(&self, lower: &str) -> bool {
        self.words.contains(lower)
            || lower.strip_suffix('s').is_some_and(|singular| self.words.contains(singular))
    }

    /// Whether any phrase of the list stands in a lower-case text.
    pub(crate) fn is_in(&self, lower: &str) -> bool {
        self.automaton.as_ref().is_some_and(|automaton| automaton.is_match(lower))
    }
}
