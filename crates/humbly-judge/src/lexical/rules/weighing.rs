//! Words that show that two things cannot both stand, and words that reconcile them.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::lexical::lexicon::Class;
use crate::lexical::sentence::Sentence;

const PHRASE_LIST: &str = include_str!("../phrases.txt");

/// What a sentence says about the statements around it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stance {
    /// They cannot both be right, or somebody must choose.
    pub(super) opposes: bool,
    /// It weighs them: that, or one is preferred.
    pub(super) weighs: bool,
    /// They agree, or explain each other, or belong to different times.
    pub(super) reconciles: bool,
}

/// Phrases of `phrases.txt` by their first word.
type Phrases = HashMap<&'static str, Vec<(Kind, Vec<&'static str>)>>;

static PHRASES: LazyLock<Phrases> = LazyLock::new(|| {
    let mut found = Phrases::new();
    let mut kind = Kind::Weighs;
    for line in PHRASE_LIST.lines().filter(|line| !line.starts_with('#')) {
        match line {
            "[opposes]" => kind = Kind::Opposes,
            "[weighs]" => kind = Kind::Weighs,
            "[reconciles]" => kind = Kind::Reconciles,
            _ => {
                for phrase in line.split('|') {
                    let words: Vec<&'static str> = phrase.split_ascii_whitespace().collect();
                    if let Some(&first) = words.first() {
                        found.entry(first).or_default().push((kind, words));
                    }
                }
            }
        }
    }
    found
});

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Opposes,
    Weighs,
    Reconciles,
}

/// Words that begin a phrase: the lexicon marks them.
pub(in crate::lexical) fn first_words() -> impl Iterator<Item = &'static str> {
    PHRASE_LIST
        .lines()
        .filter(|line| !line.starts_with(['#', '[']))
        .flat_map(|line| line.split('|'))
        .filter_map(|phrase| phrase.split_ascii_whitespace().next())
}

/// Reads the stance of a sentence.
pub(super) fn stance(here: &Sentence) -> Stance {
    let mut stance = Stance::default();
    for index in here.tokens_of(Class::WEIGHING_CUE) {
        stance.opposes |= is_same_slot(here, index);
        for (kind, phrase) in PHRASES.get(here.word(index)).into_iter().flatten() {
            let known = match kind {
                Kind::Opposes => &mut stance.opposes,
                Kind::Weighs => &mut stance.weighs,
                Kind::Reconciles => &mut stance.reconciles,
            };
            *known = *known || here.reads(index, phrase);
        }
    }
    stance.opposes |= here
        .tokens_of(Class::DISAGREE_CUE)
        .any(|index| super::disagreement::states_disagreement(here, index));
    let disagrees = Class::DISAGREE_ADJECTIVE.or(Class::DISAGREE_NOUN);
    if let Some(at) = here.position(here.all(), disagrees) {
        let denied = here.any(at.saturating_sub(6)..at, Class::NEGATION);
        stance.reconciles |= denied;
    }
    let agreeing = here.position(here.all(), Class::AGREEING);
    if let Some(at) = agreeing
        && !here.any(here.all(), Class::NEGATION)
        && !here.any_word(0..at, &["i'll", "will", "to", "should"])
    {
        stance.reconciles = true;
    }
    if stance.reconciles && here.has_phrase(here.all(), &["not", "settled"]) {
        stance.reconciles = false;
    }
    stance.weighs |= stance.opposes;
    stance
}

/// `for the same census year`, `the very same evening`: two statements about one thing.
fn is_same_slot(here: &Sentence, index: usize) -> bool {
    here.word(index) == "same"
        && (index + 1..(index + 3).min(here.len())).any(|at| {
            matches!(
                here.word(at),
                "year"
                    | "day"
                    | "evening"
                    | "night"
                    | "morning"
                    | "month"
                    | "date"
                    | "deal"
                    | "commit"
                    | "drug"
                    | "census"
                    | "meter"
                    | "trip"
                    | "instance"
                    | "region"
                    | "event"
                    | "man"
                    | "woman"
                    | "person"
                    | "building"
                    | "match"
                    | "quantity"
                    | "birth"
                    | "sku"
                    | "part"
                    | "bridge"
                    | "period"
                    | "document"
                    | "item"
                    | "series"
                    | "week"
                    | "role"
                    | "job"
                    | "shop"
                    | "version"
            )
        })
}
