//! The learned rule: a linear score of up to three sentences in a row, beside the written rules.
//!
//! The weights stand in `learned/weights.txt`; `learned/fit.rs` makes them. The score of a window is the
//! sum of the weights of its features ([`features`]); a window at or above the threshold is a hit.

mod features;
#[cfg(test)]
mod fit;

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

use self::features::{BITS, Features, NOTES, Seen};
use super::rules::{Hit, Question};
use super::sentence::Sentence;

const WEIGHTS: &str = include_str!("learned/weights.txt");
const RULE: &str = "learned-cues";
/// Rules that rest on values alone, without a word of disagreement or doubt.
const COMPARING: &[&str] = &["sources-with-own-values"];
/// Sentences in the widest window.
const WIDEST: usize = 3;
/// A text of so many sentences is not long.
const NOT_LONG: f64 = 5.0;
/// What a window of a longer text must score beyond the threshold, times the logarithm of how much longer:
/// among many windows one scores high by chance.
const LONG: f64 = 30.0;

/// Keys that are hashes already.
#[derive(Debug, Clone, Copy, Default)]
struct NameHash(u64);

const WORD: u64 = 1;
const FOLLOWS: u64 = 2;
const SKIPS: u64 = 3;

/// FNV-1a over a symbol.
fn hash_of(symbol: &str) -> u64 {
    symbol
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The key of a feature of two symbols.
fn key(kind: u64, one: u64, other: u64) -> u64 {
    let mixed = one.rotate_left(23) ^ other.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ kind).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

impl Hasher for NameHash {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Weights for the two questions, in hundredths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Weight {
    escalate: i32,
    identify: i32,
}

impl Weight {
    fn for_question(self, question: Question) -> i32 {
        match question {
            Question::Escalate => self.escalate,
            Question::Identify => self.identify,
        }
    }
}

/// The weights of the learned rule.
#[derive(Debug)]
pub(super) struct Learned {
    /// By feature id; the first is of no feature.
    weights: Vec<Weight>,
    ids: HashMap<u64, u16, BuildHasherDefault<NameHash>>,
    /// Ids of pairs of bits, in one sentence and in several.
    pairs: [Vec<u16>; 2],
    notes: [u16; NOTES.len()],
    bias: Weight,
    threshold: Weight,
    /// Below this, a rule that only compares values doesn't hold.
    veto: Weight,
}

impl Learned {
    /// Reads the built-in weights.
    pub(super) fn built_in() -> Self {
        Self::parse(WEIGHTS)
    }

    /// Lines `name<TAB>escalate<TAB>identify`; `#` begins a comment.
    fn parse(content: &str) -> Self {
        let mut learned = Self {
            weights: vec![Weight::default()],
            ids: HashMap::with_capacity_and_hasher(8192, BuildHasherDefault::default()),
            pairs: [vec![0; BITS * BITS], vec![0; BITS * BITS]],
            notes: [0; NOTES.len()],
            bias: Weight::default(),
            threshold: Weight::default(),
            veto: Weight::default(),
        };
        let mut bits: HashMap<String, (usize, usize)> = HashMap::new();
        for one in 0..BITS {
            for other in one..BITS {
                for (kind, together) in [false, true].into_iter().enumerate() {
                    bits.insert(features::pair_name(together, one, other), (kind, one * BITS + other));
                }
            }
        }
        for line in content.lines().filter(|line| !line.starts_with('#')) {
            let mut columns = line.split('\t');
            let (Some(name), Some(Ok(escalate)), Some(Ok(identify))) =
                (columns.next(), columns.next().map(str::parse), columns.next().map(str::parse))
            else {
                continue;
            };
            let weight = Weight { escalate, identify };
            let Ok(id) = u16::try_from(learned.weights.len()) else { break };
            match name {
                "bias" => learned.bias = weight,
                "threshold" => learned.threshold = weight,
                "veto" => learned.veto = weight,
                _ => {
                    learned.weights.push(weight);
                    learned.know(name, id, &bits);
                }
            }
        }
        learned
    }

    /// Remembers the id of a feature.
    fn know(&mut self, name: &str, id: u16, bits: &HashMap<String, (usize, usize)>) {
        let mut parts = name.split(' ');
        let kind = parts.next().unwrap_or_default();
        let [one, other] = [parts.next(), parts.next()].map(|part| hash_of(part.unwrap_or_default()));
        let kind = match kind {
            "w" => WORD,
            "b" => FOLLOWS,
            "s" => SKIPS,
            "t" => {
                let note = NOTES.iter().position(|note| name.get(2..) == Some(*note));
                if let Some(slot) = note.and_then(|at| self.notes.get_mut(at)) {
                    *slot = id;
                }
                return;
            }
            _ => {
                let pair = bits.get(name).and_then(|&(kind, at)| self.pairs.get_mut(kind)?.get_mut(at));
                if let Some(slot) = pair {
                    *slot = id;
                }
                return;
            }
        };
        let key = if kind == WORD { key(kind, one, 0) } else { key(kind, one, other) };
        self.ids.insert(key, id);
    }

    /// Scores of the windows of a text.
    pub(super) fn scores(&self, sentences: &[Sentence], question: Question) -> Scores {
        let mut scores = Scores::default();
        self.windows(sentences, question, |score, from, to| {
            if let (Some(first), Some(last)) = (sentences.get(from), sentences.get(to.wrapping_sub(1))) {
                scores.0.push((score, first.range.start..last.range.end));
            }
        });
        scores
    }

    /// Windows that reach the threshold, best first where they overlap; none overlap.
    pub(super) fn hits(&self, scores: &Scores, total: usize, question: Question) -> Vec<Hit> {
        let threshold = f64::from(self.threshold.for_question(question)) + LONG * long(total);
        let mut reached: Vec<&(i32, Range<usize>)> =
            scores.0.iter().filter(|(score, _)| f64::from(*score) >= threshold).collect();
        reached.sort_by_key(|(score, range)| (-score, range.start, range.end));
        let mut hits: Vec<Hit> = Vec::new();
        for (_, range) in reached {
            if hits.iter().all(|hit| hit.range.end <= range.start || range.end <= hit.range.start) {
                hits.push(Hit { rule: RULE, range: range.clone() });
            }
        }
        hits
    }

    /// Whether `hit`, of a rule that only compares what stands beside sources, is unlike all that was learned.
    pub(super) fn vetoes(&self, hit: &Hit, scores: &Scores, question: Question) -> bool {
        COMPARING.contains(&hit.rule)
            && scores.best_within(&hit.range).is_some_and(|score| score < self.veto.for_question(question))
    }

    /// Every window of sentences that follow each other, with its score in hundredths.
    fn windows(&self, sentences: &[Sentence], question: Question, mut found: impl FnMut(i32, usize, usize)) {
        let mut ids = Ids { learned: self, found: Vec::with_capacity(64 * sentences.len()) };
        let mut seen: Vec<Seen<'_>> = Vec::with_capacity(sentences.len());
        // Where the features of each sentence end.
        let mut ends = Vec::with_capacity(sentences.len() + 1);
        ends.push(0);
        for sentence in sentences {
            seen.push(features::sentence(sentence, &mut ids));
            ends.push(ids.found.len());
        }
        let of_sentences = std::mem::take(&mut ids.found);
        let weight =
            |id: u16| self.weights.get(usize::from(id)).map_or(0, |weight| weight.for_question(question));
        // A feature counts once in a window: the window in which it was last counted.
        let mut counted = vec![u32::MAX; self.weights.len()];
        for from in 0..sentences.len() {
            let mut score = self.bias.for_question(question);
            let stamp = u32::try_from(from).unwrap_or_default();
            for to in from + 1..=(from + WIDEST).min(sentences.len()) {
                let follows = sentences.get(from).zip(sentences.get(to - 1));
                if follows.is_none_or(|(first, last)| last.number != first.number + to - 1 - from) {
                    break;
                }
                let added = ends
                    .get(to - 1)
                    .zip(ends.get(to))
                    .and_then(|(&start, &end)| of_sentences.get(start..end));
                for &id in added.into_iter().flatten() {
                    if let Some(counted) = counted.get_mut(usize::from(id))
                        && *counted != stamp
                    {
                        *counted = stamp;
                        score += weight(id);
                    }
                }
                ids.found.clear();
                features::window(seen.get(from..to).unwrap_or_default(), &mut ids);
                found(score + ids.found.iter().map(|&id| weight(id)).sum::<i32>(), from, to);
            }
        }
    }
}

/// Scores of windows in hundredths, each with its bytes.
#[derive(Debug, Default)]
pub(super) struct Scores(Vec<(i32, Range<usize>)>);

impl Scores {
    /// The best score of a window that shares a byte with `range`.
    fn best_within(&self, range: &Range<usize>) -> Option<i32> {
        let shares = |window: &Range<usize>| window.start < range.end && range.start < window.end;
        self.0.iter().filter(|(_, window)| shares(window)).map(|(score, _)| *score).max()
    }
}

/// How much longer than usual a text is, as a logarithm; 0 where it isn't.
#[expect(clippy::cast_precision_loss, reason = "a count of sentences")]
fn long(total: usize) -> f64 {
    (total as f64 / NOT_LONG).max(1.0).ln()
}

/// Ids of the features that have a weight.
struct Ids<'l> {
    learned: &'l Learned,
    found: Vec<u16>,
}

impl Ids<'_> {
    fn push(&mut self, id: Option<&u16>) {
        if let Some(&id) = id
            && id != 0
        {
            self.found.push(id);
        }
    }
}

impl Features for Ids<'_> {
    type Symbol = u64;

    fn symbol(&mut self, symbol: &str) -> u64 {
        hash_of(symbol)
    }

    fn word(&mut self, symbol: u64) {
        self.push(self.learned.ids.get(&key(WORD, symbol, 0)));
    }

    fn follows(&mut self, directly: bool, one: u64, other: u64) {
        let kind = if directly { FOLLOWS } else { SKIPS };
        self.push(self.learned.ids.get(&key(kind, one, other)));
    }

    fn pair(&mut self, together: bool, one: usize, other: usize) {
        let pairs = self.learned.pairs.get(usize::from(together));
        self.push(pairs.and_then(|pairs| pairs.get(one * BITS + other)));
    }

    fn note(&mut self, which: usize) {
        self.push(self.learned.notes.get(which));
    }
}
