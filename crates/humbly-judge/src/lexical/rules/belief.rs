//! Criterion c of Escalate and b of Identify: the agent's own earlier belief was contradicted.

use super::{Hit, Scene, is_plan, spanning};
use crate::lexical::lexicon::Class;
use crate::lexical::sentence::Sentence;

const RULE: &str = "own-belief-revised";

pub(super) fn own_belief(scene: Scene<'_>) -> Option<Hit> {
    let here = scene.here()?;
    if here.asks {
        return None;
    }
    let alone = || Hit { rule: RULE, range: here.range.clone() };
    for index in here.tokens_of(Class::BELIEF_CUE) {
        if was_wrong(here, index) || against_own(here, index) || corrected(here, index) {
            return Some(alone());
        }
        if let Some(end) = believed(here, index) {
            let firmly = here.any(index.saturating_sub(3)..end, Class::PRIOR) || here.word(index) == "my";
            let contrast = (end..here.len()).find(|&at| is_turn(here, at));
            if contrast.is_some_and(|at| is_found(here, at)) {
                return Some(alone());
            }
            let after = scene.after().filter(|after| {
                after.first_word().is_some_and(|first| {
                    (is_turn(after, first) || firmly && names_evidence(after)) && is_found(after, first)
                        || firmly && takes_back(after)
                })
            });
            if let (None, Some(after)) = (contrast, after) {
                return Some(Hit { rule: RULE, range: spanning(here, after) });
            }
        }
    }
    None
}

/// `my initial assumption was wrong`, `I was mistaken about`, `I misremembered`.
fn was_wrong(here: &Sentence, index: usize) -> bool {
    let reach = (index + 1..here.len()).take(18);
    match here.word(index) {
        "my" if here.any(index + 1..(index + 4).min(here.len()), Class::PRIOR_MIND) => {
            reach.take_while(|&at| !here.is_mark(at, b";")).any(|at| {
                here.class(at).is(Class::WRONG)
                    && is_asserted(here, index, at)
                    && here.any_word(
                        index + 1..at,
                        &["was", "were", "is", "are", "turned", "proved", "been", "had"],
                    )
            })
        }
        "i" => {
            let misremembered = here.any_word(
                index + 1..(index + 3).min(here.len()),
                &[
                    "misremembered",
                    "misattributed",
                    "misidentified",
                    "misdated",
                    "confused",
                    "conflated",
                    "misjudged",
                ],
            );
            let wrong = here.any_word(index + 1..index + 2, &["was", "am", "stand"])
                && (index + 2..(index + 5).min(here.len())).any(|at| {
                    matches!(here.word(at), "wrong" | "mistaken" | "incorrect" | "corrected")
                        && is_asserted(here, index, at)
                });
            misremembered && !here.any(index.saturating_sub(3)..index + 3, Class::MODAL) || wrong
        }
        _ => false,
    }
}

/// `I believed he was Czech. The register proves otherwise`, `the diary corrected me`.
fn corrected(here: &Sentence, index: usize) -> bool {
    let verb = matches!(
        here.word(index),
        "corrected" | "corrects" | "proved" | "proves" | "shows" | "showed" | "contradicts"
    );
    verb && here.any_word(index + 1..(index + 2).min(here.len()), &["me", "otherwise"])
        && here.any(index.saturating_sub(6)..index, Class::SOURCE.or(Class::COLLECTIVE))
        && !here.any(index.saturating_sub(3)..index, Class::MODAL.or(Class::NEGATION))
}

/// `contrary to what I thought`, `this contradicts my earlier answer`, `that corrects my mistake`.
fn against_own(here: &Sentence, index: usize) -> bool {
    let contrary = here.reads(index, &["contrary", "to"])
        || here.reads(index, &["opposite", "of"])
        || here.reads(index, &["differs", "from"])
        || here.reads(index, &["different", "from"])
        || here.reads(index, &["at", "odds", "with"])
        || here.reads(index, &["conflicts", "with"])
        || here.reads(index, &["disagrees", "with"]);
    let against = matches!(
        here.word(index),
        "contradicts"
            | "contradict"
            | "contradicted"
            | "contradicting"
            | "corrects"
            | "overturned"
            | "invalidates"
            | "corrected"
            | "refutes"
            | "disproves"
            | "overturns"
            | "correcting"
    );
    if !(contrary || against)
        || here.any(index.saturating_sub(3)..index, Class::NEGATION)
        || here.any(index.saturating_sub(2)..index, Class::MODAL)
    {
        return false;
    }
    let after = index + 1..(index + 7).min(here.len());
    let own_mind = here
        .find_phrase(after.clone(), &["my"])
        .is_some_and(|my| here.any(my + 1..(my + 4).min(here.len()), Class::PRIOR_MIND));
    let what_i = (here.has_phrase(after.clone(), &["what", "i"])
        || here.has_phrase(after.clone(), &["as", "i"]))
        && here.any(index + 3..(index + 8).min(here.len()), Class::BELIEF.or(Class::PRIOR).or(Class::HELD));
    own_mind || what_i
}

/// `I initially thought X`: the index after the verb.
fn believed(here: &Sentence, index: usize) -> Option<usize> {
    let is_i = matches!(here.word(index), "i" | "i'd");
    for phrase in [
        &["had", "in", "mind"][..],
        &["was", "under", "the", "impression"],
        &["was", "convinced"],
        &["was", "initially", "convinced"],
        &["was", "sure"],
        &["was", "certain"],
        &["had", "it", "as"],
        &["first", "took"],
    ] {
        if is_i && here.reads(index + 1, phrase) {
            return Some(index + 1 + phrase.len());
        }
    }
    if is_i {
        let prior = here.any(index.saturating_sub(3)..(index + 4).min(here.len()), Class::PRIOR)
            || here.has_phrase(index.saturating_sub(4)..index, &["at", "first"])
            || here.any_word(index..index + 1, &["i'd"]);
        let verb = (index + 1..(index + 5).min(here.len())).find(|&at| here.class(at).is(Class::BELIEF))?;
        let denied = here.any(index..verb, Class::NEGATION.or(Class::MODAL))
            && !here.any_word(index..verb, &["would"]);
        let remembers = matches!(
            here.word(verb),
            "thought" | "assumed" | "believed" | "remembered" | "recalled" | "expected" | "guessed"
        );
        return ((prior || remembers) && !denied).then_some(verb + 1);
    }
    let my_mind = here.word(index) == "my"
        && here.any(index + 1..(index + 3).min(here.len()), Class::PRIOR_MIND)
        && here.any_word(
            index + 2..(index + 5).min(here.len()),
            &["was", "is", "says", "suggests", "suggested", "had", "said", "told"],
        );
    let from_memory = here.reads(index, &["from", "memory"]) || here.reads(index, &["based", "on", "my"]);
    (my_mind || from_memory).then_some(index + 3)
}

/// A turn of thought.
fn is_turn(here: &Sentence, index: usize) -> bool {
    matches!(
        here.word(index),
        "but" | "however" | "whereas" | "while" | "yet" | "although" | "though" | "actually" | "instead"
    ) || here.reads(index, &["turns", "out"])
}

/// After the turn stands what was found, not what will be looked for.
fn is_found(here: &Sentence, from: usize) -> bool {
    let rest = from..here.len();
    let first_words = from..(from + 8).min(here.len());
    let corrects = here.any_word(rest.clone(), &["correct", "revise", "update", "retract"]);
    here.any(rest.clone(), Class::FINDING.or(Class::SOURCE))
        && (corrects || !is_plan(here, rest))
        && !here.any_word(
            first_words,
            &["might", "maybe", "may", "could", "perhaps", "not sure", "unsure", "possibly"],
        )
}

/// `that was wrong`.
fn takes_back(sentence: &Sentence) -> bool {
    sentence.all().any(|index| {
        matches!(sentence.word(index), "that" | "this" | "which")
            && sentence.any_word(index + 1..(index + 2).min(sentence.len()), &["was", "is", "turned"])
            && sentence.any(index + 2..(index + 5).min(sentence.len()), Class::WRONG)
            && !sentence.any(index + 1..(index + 4).min(sentence.len()), Class::NEGATION.or(Class::MODAL))
    })
}

/// A source shows something: `the museum record shows …`.
fn names_evidence(sentence: &Sentence) -> bool {
    sentence
        .position(sentence.all(), Class::SOURCE)
        .is_some_and(|source| sentence.any(source + 1..(source + 5).min(sentence.len()), Class::STRONG_CLAIM))
        && !super::attribution::agrees(sentence, sentence.all())
}

/// Neither denied nor supposed between the two tokens.
fn is_asserted(here: &Sentence, from: usize, to: usize) -> bool {
    let start = from.saturating_sub(3);
    !here.any(start..to, Class::NEGATION)
        && !here.any(from..to, Class::MODAL)
        && !here.any_word(start..from, &["if", "whether", "unless", "maybe", "perhaps"])
}
