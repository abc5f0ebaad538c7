//! One pass of an Aho–Corasick automaton finds where a rule could hold at all.

use std::collections::BTreeSet;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder};

use super::lexicon;

const CUES: &str = include_str!("cues.txt");
/// How far apart two cues may stand that count only together.
const NEIGHBOURHOOD: usize = 300;

/// How far apart two sources may stand that are set against each other.
const BETWEEN_SOURCES: usize = 180;

/// The learned rule reads nothing where fewer cues stand.
const FEWEST_HINTS: usize = 2;
const FEWEST_SOURCES: usize = 2;

/// Bytes of a text whose sentences are worth reading, in order.
#[derive(Debug, Default)]
pub(super) struct Positions {
    /// Where a written rule could hold.
    pub(super) wanted: Vec<usize>,
    /// Where any cue stands, where there are enough of them: what the learned rule reads.
    pub(super) hints: Vec<usize>,
}

/// What a cue is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Worth {
    /// Its sentence is read.
    Strong,
    /// Counts beside a claim.
    Contrast,
    /// Counts beside a contrast.
    Claim,
    /// Counts beside another verb of claiming.
    Verb,
    /// Counts beside a claim, close by.
    Negation,
    /// A word that may name a source: counts beside another one.
    Source,
}

/// The automaton, and what each of its patterns is worth.
#[derive(Debug)]
pub(super) struct Cues {
    automaton: Option<AhoCorasick>,
    worth: Vec<Worth>,
}

impl Cues {
    pub(super) fn new() -> Self {
        let mut section = Worth::Strong;
        let (mut patterns, mut worth) = (Vec::new(), Vec::new());
        for line in CUES.lines().filter(|line| !line.starts_with('#')) {
            match line {
                "[strong]" => section = Worth::Strong,
                "[contrast]" => section = Worth::Contrast,
                "[claim]" => section = Worth::Claim,
                "[verb]" => section = Worth::Verb,
                "[negation]" => section = Worth::Negation,
                cue => {
                    patterns.push(cue.replace('_', " "));
                    worth.push(section);
                }
            }
        }
        let nouns: BTreeSet<&str> = lexicon::words_of(&["document", "source", "institution"]).collect();
        // A plural is found by its singular.
        let is_plural = |word: &str| word.strip_suffix('s').is_some_and(|singular| nouns.contains(singular));
        for word in nouns.iter().filter(|word| word.len() > 3 && !is_plural(word)) {
            patterns.push((*word).to_owned());
            worth.push(Worth::Source);
        }
        for extension in lexicon::words_of(&["extension"]) {
            patterns.push(format!(".{extension}"));
            worth.push(Worth::Source);
        }
        // The patterns are constants; were they refused, every sentence would be read.
        let automaton = AhoCorasickBuilder::new().ascii_case_insensitive(true).build(&patterns).ok();
        Self { automaton, worth }
    }

    /// Bytes whose sentences are worth reading.
    pub(super) fn positions(&self, text: &str) -> Positions {
        let Some(automaton) = &self.automaton else {
            let all: Vec<usize> = (0..text.len()).collect();
            return Positions { hints: all.clone(), wanted: all };
        };
        let (mut found, mut hints) = (Vec::new(), Vec::new());
        let (mut contrast, mut claim, mut verb, mut negation) = (None::<usize>, None, None, None);
        let mut source = None;
        let mut sources = 0_usize;
        let bytes = text.as_bytes();
        let is_inside = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
        let is_near = |one: Option<usize>, at: usize| one.filter(|one| at.abs_diff(*one) < NEIGHBOURHOOD);
        for hit in automaton.find_overlapping_iter(text) {
            let at = hit.start();
            hints.push(at);
            let other = match self.worth.get(hit.pattern().as_usize()) {
                None | Some(Worth::Strong) => {
                    found.push(at);
                    continue;
                }
                Some(Worth::Contrast) => {
                    contrast = Some(at);
                    is_near(claim, at)
                }
                Some(Worth::Claim) => {
                    claim = Some(at);
                    is_near(contrast, at).or_else(|| is_near(negation, at))
                }
                Some(Worth::Negation) => {
                    negation = Some(at);
                    is_near(claim, at)
                }
                Some(Worth::Source) => {
                    let begins_inside = bytes.get(at) != Some(&b'.') && is_inside(at.wrapping_sub(1));
                    if begins_inside || is_inside(hit.end()) && bytes.get(hit.end()) != Some(&b's') {
                        hints.pop();
                        continue;
                    }
                    sources += 1;
                    source.replace(at).filter(|one| at.abs_diff(*one) < BETWEEN_SOURCES)
                }
                Some(Worth::Verb) => is_near(verb.replace(at), at),
            };
            if let Some(other) = other {
                found.push(other);
                found.push(at);
            }
        }
        found.sort_unstable();
        found.dedup();
        // Verbs and claims alone open nothing: most turns of a coding agent have one.
        let opens =
            !found.is_empty() || negation.is_some() || contrast.is_some() || sources >= FEWEST_SOURCES;
        if !opens || hints.len() < FEWEST_HINTS {
            hints.clear();
        }
        hints.sort_unstable();
        Positions { wanted: found, hints }
    }

    /// The same, and where a candidate answer of the task stands.
    pub(super) fn positions_with_candidates(&self, text: &str, candidates: &[String]) -> Positions {
        let mut found = self.positions(text);
        for candidate in candidates.iter().filter(|candidate| !candidate.trim().is_empty()) {
            found.wanted.extend(memchr::memmem::find_iter(text.as_bytes(), candidate.trim().as_bytes()));
        }
        found.wanted.sort_unstable();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cues_that_count_together_stand_near_each_other() {
        let cues = Cues::new();
        assert!(cues.positions("The hall is red.").wanted.is_empty());
        assert!(cues.positions("The hall is red, but the roof is blue.").wanted.is_empty());
        assert!(cues.positions("The article gives red, but the roof is blue.").wanted.contains(&23));
        assert!(cues.automaton.is_some());
    }
}
