//! One pass of an Aho–Corasick automaton finds where a rule could hold at all.

use aho_corasick::{AhoCorasick, AhoCorasickBuilder};

const CUES: &str = include_str!("cues.txt");
/// How far apart two cues may stand that count only together.
const NEIGHBOURHOOD: usize = 300;

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
        // The patterns are constants; were they refused, every sentence would be read.
        let automaton = AhoCorasickBuilder::new().ascii_case_insensitive(true).build(&patterns).ok();
        Self { automaton, worth }
    }

    /// Bytes whose sentences are worth reading, in order.
    pub(super) fn positions(&self, text: &str) -> Vec<usize> {
        let Some(automaton) = &self.automaton else { return (0..text.len()).collect() };
        let mut found = Vec::new();
        let (mut contrast, mut claim, mut verb, mut negation) = (None::<usize>, None, None, None);
        let is_near = |one: Option<usize>, at: usize| one.filter(|one| at.abs_diff(*one) < NEIGHBOURHOOD);
        for hit in automaton.find_overlapping_iter(text) {
            let at = hit.start();
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
                Some(Worth::Verb) => is_near(verb.replace(at), at),
            };
            if let Some(other) = other {
                found.push(other);
                found.push(at);
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The same, and where a candidate answer of the task stands.
    pub(super) fn positions_with_candidates(&self, text: &str, candidates: &[String]) -> Vec<usize> {
        let mut found = self.positions(text);
        for candidate in candidates.iter().filter(|candidate| !candidate.trim().is_empty()) {
            found.extend(memchr::memmem::find_iter(text.as_bytes(), candidate.trim().as_bytes()));
        }
        found.sort_unstable();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cues_that_count_together_stand_near_each_other() {
        let cues = Cues::new();
        assert!(cues.positions("The hall is red.").is_empty());
        assert!(cues.positions("The hall is red, but the roof is blue.").is_empty());
        assert!(cues.positions("The article gives red, but the roof is blue.").contains(&23));
        assert!(cues.automaton.is_some());
    }
}
