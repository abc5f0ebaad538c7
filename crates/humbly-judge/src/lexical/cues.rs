//! One pass of an Aho–Corasick automaton finds where a rule could hold at all.

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};

/// Any of these is worth a look at its sentence.
const STRONG: &[&str] = &[
    "conflict",
    "contradict",
    "discrepan",
    "inconsisten",
    "disagree",
    "diverge",
    "mismatch",
    "incompatible",
    "at odds",
    "irreconcil",
    "clash",
    " vary",
    " varies",
    " differ",
    "t match",
    "not match",
    "t agree",
    "not agree",
    "t align",
    "t add up",
    "competing",
    "distinct",
    "debate",
    "dispute",
    "contested",
    "controvers",
    "initially",
    "originally",
    "my earlier",
    "my initial",
    "my previous",
    "my prior",
    "my first",
    "my original",
    "my own",
    "my internal",
    "my parametric",
    "my memory",
    "my recollection",
    "my assumption",
    "my belief",
    "my guess",
    "my answer",
    "my understanding",
    "my knowledge",
    "my training",
    "my recall",
    "my impression",
    "my expectation",
    "my confusion",
    "i thought",
    "i assumed",
    "i believed",
    "i guessed",
    "i expected",
    "i remembered",
    "i recalled",
    "i had ",
    "i'd ",
    "i’d ",
    "i was wrong",
    "i was mistaken",
    "i was incorrect",
    "i am wrong",
    "i stand corrected",
    "misremember",
    "misattribut",
    "misidentif",
    "misdated",
    "conflated",
    "contrary to",
    "from memory",
    "mistake",
    "typo",
    "misprint",
    "incorrect",
    "erroneous",
    "is wrong",
    "was wrong",
    "debunk",
    "refuted",
    "disprove",
    "overturned",
    "superseded",
    "outdated",
    "explicit",
    "exact",
    "specific",
    "precise",
    "404",
    "403",
    "paywall",
    "inaccessible",
    "either ",
    " both ",
    "or possibly",
    "or perhaps",
    "or maybe",
    "or around",
    "or alternatively",
    "or circa",
    "candidates",
    "possible ",
    "plausible",
    "despite",
    "in spite of",
    "upon closer",
    "upon further",
    "on closer",
    "on further",
    "t mention",
    "not mention",
    "t list",
    "not list",
    "t state",
    "not state",
    "t provide",
    "not provide",
    "t show",
    "not show",
    "t contain",
    "not contain",
    "t include",
    "not include",
    "t give",
    "not give",
    "t say",
    "not say",
    "t indicate",
    "not indicate",
    "t name",
    "not name",
    "t detail",
    "not detail",
    "t cover",
    "not cover",
    "t disclose",
    "not disclose",
    "t report",
    "not report",
    "t break",
    "t reveal",
    "not reveal",
    "t tell",
    "t display",
    "t offer",
    "t identify",
    "t confirm",
    "not confirm",
    "t note",
    "not note",
    "none of",
    "no source",
    "no result",
    "no record",
    "no article",
    "t find",
    "not find",
    "t found",
    "not found",
    "t locate",
    "not locate",
    "unable to",
    "failed to",
    "t retrieve",
    "not retrieve",
    "t verify",
    "not verify",
    "t determine",
    "not determine",
    "t establish",
    "t obtain",
    "different ",
    "differing ",
    "according to one",
    "according to some",
    "another source",
    "other source",
    "whereas",
    "others ",
    "on the other hand",
    "in contrast",
    "by contrast",
    "conversely",
    "elsewhere",
    "neither ",
    "no data",
    "no figure",
    "as stated",
    "as mentioned",
    "as initially",
    "as previously",
];

/// Worth a look only together in one neighbourhood: a contrast, and somebody who claims.
const CONTRAST: &[&str] = &["but ", "however", "while ", "though ", "yet "];
const CLAIMS: &[&str] = &[
    "source",
    "article",
    "document",
    "page ",
    "site ",
    "passage",
    "context",
    "wikipedia",
    "britannica",
    " report",
    " record",
    " result",
    " states",
    " says",
    " lists",
    " gives",
    " claims",
    "according to",
    " per ",
    "statement",
    " entry",
    "paragraph",
    "snippet",
    "section",
    "another ",
];
/// How far apart a contrast and a claim may stand.
const NEIGHBOURHOOD: usize = 300;

/// The automaton.
#[derive(Debug)]
pub(super) struct Cues {
    automaton: Option<AhoCorasick>,
}

impl Cues {
    pub(super) fn new() -> Self {
        let patterns = STRONG.iter().chain(CONTRAST).chain(CLAIMS);
        // The patterns are constants; were they refused, every sentence would be read.
        let automaton = AhoCorasickBuilder::new()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .build(patterns)
            .ok();
        Self { automaton }
    }

    /// Bytes whose sentences are worth reading, in order.
    pub(super) fn positions(&self, text: &str) -> Vec<usize> {
        let Some(automaton) = &self.automaton else { return (0..text.len()).collect() };
        let mut found = Vec::new();
        let (mut contrast, mut claim): (Option<usize>, Option<usize>) = (None, None);
        for hit in automaton.find_overlapping_iter(text) {
            let pattern = hit.pattern().as_usize();
            let at = hit.start();
            if pattern < STRONG.len() {
                found.push(at);
            } else {
                if pattern < STRONG.len() + CONTRAST.len() {
                    contrast = Some(at);
                } else {
                    claim = Some(at);
                }
                if let (Some(contrast), Some(claim)) = (contrast, claim)
                    && contrast.abs_diff(claim) < NEIGHBOURHOOD
                {
                    found.push(contrast.min(claim));
                    found.push(contrast.max(claim));
                }
            }
        }
        found.sort_unstable();
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
