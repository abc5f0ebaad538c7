//! Criterion c of Identify: where was looked is named, and what was not found there.

use std::ops::Range;

use super::{Hit, Question, Scene, spanning};
use crate::lexical::lexicon::Class;
use crate::lexical::sentence::Sentence;

const RULE: &str = "searched-not-found";
/// Sentences before the silence that may tell where was looked.
const REACH: usize = 2;

pub(super) fn searched_not_found(scene: Scene<'_>) -> Option<Hit> {
    let here = scene.here()?;
    if here.asks || is_supposed(here) {
        return None;
    }
    let silence = here.tokens_of(Class::SILENCE).find_map(|index| silence(here, index))?;
    if !names_what(scene, here, &silence) {
        return None;
    }
    let mut places = places(scene, scene.index);
    let mut looked = looked(here);
    let mut first = here;
    for step in 1..=REACH {
        let enough = match scene.question {
            Question::Identify => places >= 2 || looked,
            Question::Escalate => {
                looked && places >= 1 || places >= 3 && here.word(silence.start) == "neither"
            }
        };
        if enough {
            return Some(Hit { rule: RULE, range: spanning(first, here) });
        }
        let index = scene.index.checked_sub(step)?;
        let before = scene.sentences.get(index)?;
        if here.paragraph - before.paragraph > 1 {
            return None;
        }
        places += self::places(scene, index);
        looked |= self::looked(before);
        first = before;
    }
    let enough = match scene.question {
        Question::Identify => places >= 2 || looked,
        Question::Escalate => looked && places >= 1,
    };
    enough.then(|| Hit { rule: RULE, range: spanning(first, here) })
}

/// Sources that are named.
fn places(scene: Scene<'_>, index: usize) -> usize {
    scene.statements(index).len().max(
        scene
            .sentences
            .get(index)
            .map_or(0, |sentence| sentence.tokens_of(Class::SOURCE.or(Class::DOCUMENT)).take(4).count()),
    )
}

/// `I checked`, `opened all six hits`, `been through the logs`.
fn looked(here: &Sentence) -> bool {
    here.tokens_of(Class::LOOKED).any(|index| {
        let before = index.saturating_sub(3)..index;
        let is_way = matches!(here.word(index), "through" | "over");
        (!is_way || here.any_word(before.clone(), &["went", "been", "gone", "going"]))
            && !here.any(before.clone(), Class::NEGATION.or(Class::MODAL))
            && !here.any_word(before, &["to", "will", "i'll", "let", "you", "he", "she", "they", "who"])
    })
}

fn is_supposed(here: &Sentence) -> bool {
    here.first_word()
        .is_some_and(|first| matches!(here.word(first), "if" | "when" | "perhaps" | "maybe" | "let"))
}

/// The tokens that say that nothing is there.
fn silence(here: &Sentence, index: usize) -> Option<Range<usize>> {
    let clause_end = (index + 1..here.len()).find(|&at| here.is_mark(at, b";")).unwrap_or(here.len());
    let after = |length: usize| index + 1..(index + 1 + length).min(clause_end);
    let comma = (index + 1..clause_end).find(|&at| here.is_mark(at, b",")).unwrap_or(clause_end);
    if here.any_word(
        index.saturating_sub(4)..(index + 9).min(here.len()),
        &["other", "others", "another", "else"],
    ) {
        return None;
    }
    let modal = here.any(index.saturating_sub(2)..index, Class::MODAL);
    let asker = here.any(index + 1..comma.min(index + 7), Class::ASKER)
        || here.any(index.saturating_sub(4)..index, Class::ASKER);
    // `none of the results mention it, which suggests that it is not so` draws a conclusion.
    let concludes = here.has_phrase(index..here.len(), &["which", "suggests"])
        || here.has_phrase(index..here.len(), &["which", "means"])
        || here.has_phrase(index..here.len(), &["which", "confirms"]);
    if concludes {
        return None;
    }
    let found = match here.word(index) {
        // `in none of these`, `none of them states`, `not one of them`
        "none" => {
            here.word(index + 1) == "of" && !asker
                || here.word(index + 1) == "with"
                || here.any(after(1), Class::INFO)
        }
        "neither" => {
            here.word(index.wrapping_sub(1)) == "in"
                || here.any_word(after(18), &["nor"])
                    && (here.any(after(16), Class::INFO.or(Class::FACT_VERB))
                        || here.any_word(
                            index.saturating_sub(3)..index,
                            &["appears", "is", "appear", "stated", "given"],
                        ))
        }
        "one" => here.word(index.wrapping_sub(1)) == "not" && here.word(index + 1) == "of",
        "absent" => here.word(index + 1) == "from",
        "blank" | "empty" => here
            .any_word(index.saturating_sub(5)..index, &["leaves", "leave", "left", "field", "stays", "is"]),
        "nothing" => {
            here.is_mark(index + 1, b".;,") && here.is_mark(index.wrapping_sub(1), b":")
                || here.any_word(after(1), &["on", "about"])
        }
        "missing" | "unverified" | "unknown" => {
            here.any_word(index.saturating_sub(2)..index, &["remains", "is", "still", "stays"])
        }
        "reconstructed" | "verified" => here.any(index.saturating_sub(3)..index, Class::NEGATION),
        word if here.class(index).is(Class::NEGATION)
            && (word.ends_with("n't") || word == "not" || word == "cannot") =>
        {
            !modal
                && !asker
                && (here.has_phrase(after(12), &["in", "any", "of"])
                    || here.any_word(after(6), &["anywhere"])
                    || here.has_phrase(after(3), &["turn", "up"])
                    || here.any_word(
                        after(3),
                        &[
                            "find",
                            "found",
                            "locate",
                            "mentioned",
                            "stated",
                            "given",
                            "listed",
                            "verify",
                            "in",
                            "named",
                        ],
                    ) && listed_places(here, index) >= 2)
        }
        _ => false,
    };
    found.then(|| index..index + 1)
}

/// `passage A, passage B or the linked table`.
fn listed_places(here: &Sentence, from: usize) -> usize {
    here.tokens_of(Class::SOURCE.or(Class::DOCUMENT).or(Class::INSTITUTION)).filter(|&at| at > from).count()
}

/// What is missing has a name: not `anything helpful`, not `much information`.
fn names_what(scene: Scene<'_>, here: &Sentence, silence: &Range<usize>) -> bool {
    let vague = here.any_word(
        silence.start..(silence.start + 7).min(here.len()),
        &[
            "much", "anything", "helpful", "useful", "relevant", "errors", "issues", "problems", "failures",
            "changes", "touched", "affected", "matter", "matters",
        ],
    );
    let named = here.all().any(|at| {
        here.class(at).is(Class::FACT) && !here.class(at).is(Class::GENERIC.or(Class::SOURCE))
            || here.is_quoted(at)
            || matches!(here.word(at), "who" | "where" | "when")
            || matches!(here.word(at.wrapping_sub(1)), "the" | "a" | "its" | "her" | "his")
                && !here
                    .class(at)
                    .is(Class::SOURCE.or(Class::DOCUMENT).or(Class::FUNCTION).or(Class::GENERIC))
                && here.word(at).len() > 3
    });
    let needed = |sentence: &Sentence| {
        sentence.any_word(
            sentence.all(),
            &[
                "need",
                "needs",
                "without",
                "asked",
                "asks",
                "wants",
                "can't",
                "cannot",
                "unanswerable",
                "question",
            ],
        )
    };
    !vague && (named || scene.after().is_some_and(needed))
}
