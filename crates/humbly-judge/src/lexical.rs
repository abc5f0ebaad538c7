//! The lexical judge: cue words find sentences, rules read them, and the span that decided is named.

mod cues;
mod learned;
mod lexicon;
mod refusal;
mod rules;
mod sentence;

use std::ops::Range;
use std::sync::Arc;

use humbly_types::{Reason, Verdict};

use crate::Knowledge;
use crate::language::is_covered;
use cues::Cues;
use learned::Learned;
use lexicon::Lexicon;
use rules::{Hit, Question};
use sentence::Prose;

/// Name and version of the rules: part of every verdict.
const NAME: &str = "lexical/4";
/// How often a quote is widened before it is the whole text.
const WIDENINGS: usize = 3;

/// Judges texts by rules over sentences, without a model.
///
/// Cheap to clone and to share between threads; the automaton is built once. It covers English; text in
/// another language is undefined (`language_not_covered`). Time is linear in the length of the text.
///
/// # Examples
/// ```
/// use humbly_judge::{Knowledge, LexicalJudge};
/// let judge = LexicalJudge::new();
/// let text = "He was born in 1912 according to the parish register, whereas the obituary gives 1913.";
/// let verdict = judge.escalate(text, &Knowledge::default());
/// assert_eq!(verdict.value, Some(true));
/// assert_eq!(judge.escalate("He was born in 1912.", &Knowledge::default()).value, Some(false));
/// ```
#[derive(Debug, Clone)]
pub struct LexicalJudge {
    pub(crate) name: Arc<str>,
    parts: Arc<Parts>,
}

#[derive(Debug)]
struct Parts {
    cues: Cues,
    lexicon: Lexicon,
    learned: Learned,
}

impl Default for LexicalJudge {
    fn default() -> Self {
        Self::new()
    }
}

impl LexicalJudge {
    /// Builds the automaton and the lexicon.
    pub fn new() -> Self {
        Self {
            name: Arc::from(NAME),
            parts: Arc::new(Parts {
                cues: Cues::new(),
                lexicon: Lexicon::built_in(),
                learned: Learned::built_in(),
            }),
        }
    }

    /// With other weights.
    #[cfg(test)]
    fn with_learned(learned: Learned) -> Self {
        let parts = Parts { cues: Cues::new(), lexicon: Lexicon::built_in(), learned };
        Self { name: Arc::from(NAME), parts: Arc::new(parts) }
    }

    /// Name and version, as in every verdict.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Identify: whether one intermediate turn (reasoning and visible text) recognises a specific gap.
    ///
    /// Yes where it names a disagreement of evidence that was seen, says that its own belief was wrong, or
    /// names a needed fact that could not be found. Undefined: `language_not_covered`.
    ///
    /// # Source
    /// Criteria of EH, Fig. 7.
    pub fn identify_turn(&self, text: &str, knowledge: &Knowledge) -> Verdict {
        self.decide(text, |text| self.hits(text, knowledge, Question::Identify))
    }

    /// Escalate: whether a final answer's visible text passes a specific uncertainty on to the reader.
    ///
    /// Yes where it names a competing answer with both origins, says that sources disagree on a named fact,
    /// says that its own belief was contradicted, or gives several candidates. Undefined: `language_not_covered`.
    ///
    /// # Source
    /// Criteria of EH, Fig. 8.
    pub fn escalate(&self, text: &str, knowledge: &Knowledge) -> Verdict {
        self.decide(text, |text| self.hits(text, knowledge, Question::Escalate))
    }

    /// Whether a final answer abstains or refuses in free text. Undefined: `language_not_covered`.
    ///
    /// Phrases are known for their low recall; a model judge is the better choice where this decides.
    pub fn refusal(&self, text: &str) -> Verdict {
        self.decide(text, |text| refusal::hits(text, &self.parts.lexicon))
    }

    fn hits(&self, text: &str, knowledge: &Knowledge, question: Question) -> Vec<Hit> {
        let found = match question {
            Question::Identify => self.parts.cues.positions(text),
            Question::Escalate => self.parts.cues.positions_with_candidates(text, &knowledge.candidates),
        };
        if found.wanted.is_empty() && found.hints.is_empty() {
            return Vec::new();
        }
        let Prose { mut sentences, total } =
            sentence::prose(text, &found.wanted, &found.hints, &self.parts.lexicon);
        let learned = &self.parts.learned;
        let scores = learned.scores(&sentences, question);
        let mut hits = learned.hits(&scores, total, question);
        if !found.wanted.is_empty() {
            sentences.retain(|sentence| sentence.ruled);
            let ruled = rules::hits(&sentences, knowledge, question);
            hits.extend(ruled.into_iter().filter(|hit| !learned.vetoes(hit, &scores, question)));
        }
        hits
    }

    /// A verdict whose quote covers all evidence: without it the same rules say no.
    fn decide(&self, text: &str, judge: impl Fn(&str) -> Vec<Hit>) -> Verdict {
        if !is_covered(text) {
            return Verdict::undefined(&self.name, Reason::LanguageNotCovered);
        }
        let hits = judge(text);
        let Some(first) = hits.iter().min_by_key(|hit| hit.range.start) else {
            return Verdict::no(&self.name);
        };
        let range = deciding_span(text, &hits, &judge);
        Verdict::yes(&self.name, first.rule, text.get(range).unwrap_or(text))
    }
}

/// The smallest span over all hits whose removal leaves none.
fn deciding_span(text: &str, hits: &[Hit], judge: &impl Fn(&str) -> Vec<Hit>) -> Range<usize> {
    let mut span = cover(hits).unwrap_or(0..text.len());
    for _ in 0..WIDENINGS {
        let trimmed = trim(text, span.clone());
        let mut rest = text.get(..trimmed.start).unwrap_or_default().to_owned();
        rest.push_str(text.get(trimmed.end..).unwrap_or_default());
        let Some(left) = cover(&judge(&rest)) else { return trimmed };
        // Back to bytes of the text: what lies after the cut moves by its length.
        let shift = |at: usize| if at > trimmed.start { at + trimmed.len() } else { at };
        span = span.start.min(shift(left.start).min(left.start))..span.end.max(shift(left.end));
    }
    0..text.len()
}

fn cover(hits: &[Hit]) -> Option<Range<usize>> {
    let start = hits.iter().map(|hit| hit.range.start).min()?;
    let end = hits.iter().map(|hit| hit.range.end).max()?;
    Some(start..end)
}

fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let content = text.get(range.clone()).unwrap_or_default();
    let start = range.start + (content.len() - content.trim_start().len());
    start..start.max(start + content.trim().len())
}

#[cfg(test)]
mod tests;
