//! The word classes that the rules speak of, read once from `lexicon.txt`.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

const LEXICON: &str = include_str!("lexicon.txt");
const GROUPS: &str = include_str!("learned/groups.txt");

/// The groups of `groups.txt`, in order: bits of an [`Entry`].
pub(super) const GROUP_NAMES: &[&str] = &[
    "mismatch",
    "unresolved",
    "doubt",
    "absent",
    "search",
    "correction",
    "ownpast",
    "asserts",
    "agrees",
    "plans",
    "resolves",
    "pairing",
    "plain",
];

/// A set of word classes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Class(u64);

impl Class {
    /// No class.
    pub(super) const NONE: Self = Self(0);
    pub(super) const SOURCE: Self = Self(1 << 0);
    pub(super) const COLLECTIVE: Self = Self(1 << 1);
    pub(super) const SINGLE: Self = Self(1 << 2);
    pub(super) const EVIDENCE: Self = Self(1 << 3);
    pub(super) const VALUE: Self = Self(1 << 4);
    pub(super) const CLAIM: Self = Self(1 << 5);
    pub(super) const STRONG_CLAIM: Self = Self(1 << 6);
    pub(super) const NEGATION: Self = Self(1 << 7);
    pub(super) const CONTRAST: Self = Self(1 << 8);
    pub(super) const OTHER: Self = Self(1 << 9);
    pub(super) const FIRST: Self = Self(1 << 10);
    pub(super) const DISAGREE_ADJECTIVE: Self = Self(1 << 11);
    pub(super) const DISAGREE_NOUN: Self = Self(1 << 12);
    pub(super) const DISAGREE_VERB: Self = Self(1 << 13);
    pub(super) const HYPOTHETICAL: Self = Self(1 << 14);
    pub(super) const MODAL: Self = Self(1 << 15);
    pub(super) const INFO: Self = Self(1 << 16);
    pub(super) const INFO_PAST: Self = Self(1 << 17);
    pub(super) const EXPLICIT: Self = Self(1 << 18);
    pub(super) const EXACT: Self = Self(1 << 19);
    pub(super) const FACT: Self = Self(1 << 20);
    pub(super) const GENERIC: Self = Self(1 << 21);
    pub(super) const OTHER_OBJECT: Self = Self(1 << 22);
    pub(super) const ASKER: Self = Self(1 << 23);
    pub(super) const CODE: Self = Self(1 << 24);
    pub(super) const BELIEF: Self = Self(1 << 25);
    pub(super) const PRIOR_MIND: Self = Self(1 << 26);
    pub(super) const WRONG: Self = Self(1 << 27);
    pub(super) const PRIOR: Self = Self(1 << 28);
    pub(super) const FINDING: Self = Self(1 << 29);
    pub(super) const MONTH: Self = Self(1 << 30);
    pub(super) const NUMBER_WORD: Self = Self(1 << 31);
    pub(super) const QUANTITY: Self = Self(1 << 32);
    pub(super) const FACT_VERB: Self = Self(1 << 33);
    pub(super) const PLANNING: Self = Self(1 << 34);
    pub(super) const WEAK_CLAIM: Self = Self(1 << 35);
    pub(super) const DISAGREE_CUE: Self = Self(1 << 36);
    pub(super) const BELIEF_CUE: Self = Self(1 << 37);
    pub(super) const MISSING_CUE: Self = Self(1 << 38);
    pub(super) const CANDIDATE_CUE: Self = Self(1 << 39);
    pub(super) const REJECT_CUE: Self = Self(1 << 40);
    pub(super) const ERROR_CUE: Self = Self(1 << 41);
    pub(super) const AGREEING: Self = Self(1 << 42);
    pub(super) const FUNCTION: Self = Self(1 << 43);
    pub(super) const DOCUMENT: Self = Self(1 << 44);
    pub(super) const INSTITUTION: Self = Self(1 << 45);
    pub(super) const EXTENSION: Self = Self(1 << 46);
    pub(super) const LOCATOR: Self = Self(1 << 47);
    pub(super) const PROGRESS: Self = Self(1 << 48);
    pub(super) const OWN_VERB: Self = Self(1 << 49);
    pub(super) const HOLDER: Self = Self(1 << 51);
    pub(super) const HELD: Self = Self(1 << 52);
    pub(super) const OWN_MIND: Self = Self(1 << 53);
    pub(super) const REFUTING: Self = Self(1 << 54);
    pub(super) const SILENCE: Self = Self(1 << 55);
    pub(super) const LOOKED: Self = Self(1 << 56);
    pub(super) const INTRODUCER: Self = Self(1 << 57);
    pub(super) const FORBIDDING: Self = Self(1 << 58);
    /// Begins a phrase of `phrases.txt`.
    pub(super) const WEIGHING_CUE: Self = Self(1 << 50);

    const SECTIONS: &[(&str, Self)] = &[
        ("source", Self::SOURCE),
        ("collective", Self::COLLECTIVE),
        ("single", Self::SINGLE),
        ("evidence", Self::EVIDENCE),
        ("value", Self::VALUE),
        ("claim", Self::CLAIM),
        ("strongclaim", Self::STRONG_CLAIM),
        ("negation", Self::NEGATION),
        ("contrast", Self::CONTRAST),
        ("other", Self::OTHER),
        ("first", Self::FIRST),
        ("disagreeadjective", Self::DISAGREE_ADJECTIVE),
        ("disagreenoun", Self::DISAGREE_NOUN),
        ("disagreeverb", Self::DISAGREE_VERB),
        ("hypothetical", Self::HYPOTHETICAL),
        ("modal", Self::MODAL),
        ("info", Self::INFO),
        ("infopast", Self::INFO_PAST),
        ("explicit", Self::EXPLICIT),
        ("exact", Self::EXACT),
        ("fact", Self::FACT),
        ("generic", Self::GENERIC),
        ("otherobject", Self::OTHER_OBJECT),
        ("asker", Self::ASKER),
        ("code", Self::CODE),
        ("belief", Self::BELIEF),
        ("priormind", Self::PRIOR_MIND),
        ("wrong", Self::WRONG),
        ("prior", Self::PRIOR),
        ("finding", Self::FINDING),
        ("month", Self::MONTH),
        ("numberword", Self::NUMBER_WORD),
        ("quantity", Self::QUANTITY),
        ("factverb", Self::FACT_VERB),
        ("planning", Self::PLANNING),
        ("weakclaim", Self::WEAK_CLAIM),
        ("disagreecue", Self::DISAGREE_CUE),
        ("beliefcue", Self::BELIEF_CUE),
        ("missingcue", Self::MISSING_CUE),
        ("candidatecue", Self::CANDIDATE_CUE),
        ("rejectcue", Self::REJECT_CUE),
        ("errorcue", Self::ERROR_CUE),
        ("agreeing", Self::AGREEING),
        ("function", Self::FUNCTION),
        ("document", Self::DOCUMENT),
        ("institution", Self::INSTITUTION),
        ("extension", Self::EXTENSION),
        ("locator", Self::LOCATOR),
        ("progress", Self::PROGRESS),
        ("ownverb", Self::OWN_VERB),
        ("holder", Self::HOLDER),
        ("held", Self::HELD),
        ("ownmind", Self::OWN_MIND),
        ("refuting", Self::REFUTING),
        ("silence", Self::SILENCE),
        ("looked", Self::LOOKED),
        ("introducer", Self::INTRODUCER),
        ("forbidding", Self::FORBIDDING),
    ];

    /// Whether the two sets share a class.
    pub(super) fn is(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Both sets.
    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The words of some sections of the lexicon.
pub(super) fn words_of(sections: &'static [&'static str]) -> impl Iterator<Item = &'static str> {
    let mut wanted = false;
    LEXICON
        .lines()
        .filter(move |line| {
            if let Some(section) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                wanted = sections.contains(&section);
                return false;
            }
            wanted && !line.starts_with('#')
        })
        .flat_map(str::split_ascii_whitespace)
}

/// FNV-1a: the words are ours, so nobody can make them collide.
#[derive(Debug, Clone, Copy)]
struct WordHasher(u64);

impl Default for WordHasher {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// What is known of a word.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Entry {
    /// Its classes.
    pub(super) class: Class,
    /// Its groups, a bit each.
    pub(super) groups: u16,
}

/// Words and their classes.
#[derive(Debug)]
pub(super) struct Lexicon {
    words: HashMap<&'static str, Entry, BuildHasherDefault<WordHasher>>,
}

impl Lexicon {
    /// Reads the built-in lexicon.
    pub(super) fn built_in() -> Self {
        let mut words: HashMap<&'static str, Entry, BuildHasherDefault<WordHasher>> =
            HashMap::with_capacity_and_hasher(4096, BuildHasherDefault::default());
        let mut class = Class::NONE;
        for line in LEXICON.lines().filter(|line| !line.starts_with('#')) {
            if let Some(section) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                class = Class::SECTIONS
                    .iter()
                    .find(|(name, _)| *name == section)
                    .map_or(Class::NONE, |&(_, class)| class);
                continue;
            }
            for word in line.split_ascii_whitespace() {
                let known = words.entry(word).or_default();
                known.class = known.class.or(class);
            }
        }
        for word in super::rules::first_words() {
            let known = words.entry(word).or_default();
            known.class = known.class.or(Class::WEIGHING_CUE);
        }
        let mut group = 0;
        for line in GROUPS.lines().filter(|line| !line.starts_with('#')) {
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                group = GROUP_NAMES.iter().position(|known| *known == name).map_or(0, |at| 1 << at);
                continue;
            }
            for word in line.split_ascii_whitespace() {
                words.entry(word).or_default().groups |= group;
            }
        }
        Self { words }
    }

    /// What is known of a lower-case word.
    pub(super) fn entry(&self, word: &str) -> Entry {
        self.words.get(word).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_of_the_lexicon_is_known_and_used() {
        let sections: Vec<&str> = LEXICON
            .lines()
            .filter_map(|line| line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')))
            .collect();
        let known: Vec<&str> = Class::SECTIONS.iter().map(|(name, _)| *name).collect();
        for section in &sections {
            assert!(known.contains(section), "unknown section {section}");
        }
        assert_eq!(sections.len(), known.len());
        let groups: Vec<&str> = GROUPS
            .lines()
            .filter_map(|line| line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')))
            .collect();
        assert_eq!(groups, GROUP_NAMES);
    }
}
