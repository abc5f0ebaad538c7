//! Criterion a: two competing answers, each with where it comes from.

use super::{Competition, Hit, Question, Scene, Side, competes, denies, is_plan, spanning};
use crate::lexical::lexicon::Class;
use crate::lexical::sentence::Sentence;
use std::ops::Range;

/// More contrasts in one sentence are not looked at.
pub(super) const MOST_CONTRASTS: usize = 12;

/// More claims in one sentence are not looked at.
pub(super) const MOST_CLAIMS: usize = 12;

/// Who is said to claim something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Attribution {
    /// First token that names who claims.
    pub(super) at: usize,
    /// The claim's verb, or the last token of `according to …`.
    pub(super) verb: usize,
    /// Says that it is another one: `another source`, `others`.
    pub(super) is_other: bool,
    /// What tells it from others: names, ordinals, the kind of source.
    pub(super) key: String,
}

/// `Wikipedia gives 1912, whereas the second article says 1913`, in one sentence or in two.
pub(super) fn two_sides(scene: Scene<'_>) -> Option<Hit> {
    let here = scene.here()?;
    if here.asks || is_supposed(here) {
        return None;
    }
    // In a turn that walks through results, names differ all the time.
    let how = match scene.question {
        Question::Identify => Competition::Numbers,
        Question::Escalate => Competition::NumbersOrNames,
    };
    let claims = scene.attributions(scene.index);
    if claims.is_empty() {
        return None;
    }
    for border in contrasts(here).take(MOST_CONTRASTS) {
        if is_plan(here, border..here.len()) {
            continue;
        }
        let left = Side { sentence: here, start: 0, end: border };
        let right = Side { sentence: here, start: border, end: here.len() };
        if opposes(how, (left, claims), (right, claims)) {
            return Some(Hit { rule: "two-attributed-answers", range: here.range.clone() });
        }
    }
    let before = scene.before()?;
    let begins = here.first_word()?;
    let other = |index: usize| here.class(index).is(Class::OTHER);
    let starts_other = other(begins)
        || other(begins + 1) && matches!(here.word(begins), "the" | "a" | "an" | "some" | "many");
    if !(is_contrast(here, begins) || starts_other && scene.question == Question::Escalate) {
        return None;
    }
    let opposed = !is_plan(here, here.all())
        && !before.asks
        && !is_supposed(before)
        && opposes(
            how,
            (Side::whole(before), scene.attributions(scene.index.wrapping_sub(1))),
            (Side::whole(here), claims),
        );
    opposed.then(|| Hit { rule: "two-attributed-answers", range: spanning(before, here) })
}

/// Whether a sentence begins with a contrast.
fn is_contrast(here: &Sentence, begins: usize) -> bool {
    here.class(begins).is(Class::CONTRAST)
        || here.reads(begins, &["in", "contrast"])
        || here.reads(begins, &["by", "contrast"])
        || here.reads(begins, &["on", "the", "other"])
}

/// Under a condition: nothing is claimed yet.
fn is_supposed(here: &Sentence) -> bool {
    here.first_word().is_some_and(|first| {
        matches!(here.word(first), "if" | "maybe" | "perhaps" | "suppose" | "alternatively")
    })
}

/// The second side repeats the first: `other sources confirm the same year`.
pub(super) fn agrees(sentence: &Sentence, range: Range<usize>) -> bool {
    sentence.any(range.clone(), Class::AGREEING) && !denies(sentence, range.clone())
        || range.clone().any(|index| {
            sentence.word(index) == "same"
                && (sentence.class(index + 1).is(Class::VALUE)
                    || sentence.is_mark(index + 1, b".,;")
                    || index + 1 == range.end)
        })
}

/// Where a contrast begins inside a sentence.
pub(super) fn contrasts(here: &Sentence) -> impl Iterator<Item = usize> + '_ {
    (1..here.len()).filter(|&index| {
        here.class(index).is(Class::CONTRAST)
            || here.is_mark(index, b";") && here.any(index + 1..(index + 4).min(here.len()), Class::OTHER)
            || here.is_mark(index, b";") && here.any(index + 1..(index + 9).min(here.len()), Class::CONTRAST)
            || here.reads(index, &["and", "another"])
            || here.reads(index, &["and", "others"])
            || here.reads(index, &["and", "the", "second"])
            || here.reads(index, &["and", "the", "other"])
            || here.is_mark(index, b",")
                && (here.reads(index + 1, &["the", "second"]) || here.reads(index + 1, &["the", "other"]))
            || here.is_mark(index, b",")
                && here.class(index + 1).is(Class::OTHER)
                && here.class(index + 2).is(Class::CLAIM)
    })
}

/// Both sides are attributed, to different sources, and say different things.
fn opposes(how: Competition, left: (Side<'_>, &[Attribution]), right: (Side<'_>, &[Attribution])) -> bool {
    let within = |(side, claims): (Side<'_>, &[Attribution])| -> Vec<Attribution> {
        claims.iter().filter(|claim| claim.at >= side.start && claim.verb < side.end).cloned().collect()
    };
    let (lefts, rights) = (within(left), within(right));
    let distinct = lefts.iter().any(|one| {
        rights.iter().any(|other| {
            other.is_other || !other.key.is_empty() && !one.key.is_empty() && other.key != one.key
        })
    });
    distinct
        && !agrees(right.0.sentence, right.0.range())
        && (competes(how, left.0, right.0) || polarity_differs(left.0, right.0))
}

/// `one passage says the statue is bronze, the other says it is iron`: set side by side, they differ.
pub(super) fn one_and_other(scene: Scene<'_>) -> Option<Hit> {
    let here = scene.here()?;
    if here.asks || is_plan(here, here.all()) || is_supposed(here) {
        return None;
    }
    let claims = scene.attributions(scene.index);
    let is_one = |claim: &&Attribution| {
        here.any_word(claim.at.saturating_sub(3)..claim.at + 1, &["one", "some"])
            && here.class(claim.verb).is(Class::CLAIM)
    };
    let one = claims.iter().find(is_one)?;
    let other = claims
        .iter()
        .find(|other| other.at > one.verb && other.is_other && here.class(other.verb).is(Class::CLAIM))?;
    let said = other.verb..here.len();
    let differs = here.any_word(said.clone(), &["is", "was", "are", "were", "has", "had"])
        || said.clone().any(|index| here.is_number(index) || here.is_name(index));
    (differs && !agrees(here, said))
        .then(|| Hit { rule: "two-attributed-answers", range: here.range.clone() })
}

/// One side denies and the other does not, with a word in common.
fn polarity_differs(left: Side<'_>, right: Side<'_>) -> bool {
    let not_content = Class::CLAIM.or(Class::SOURCE).or(Class::OTHER).or(Class::FIRST);
    // `…, the report says that it is not.`
    let ends_denying = right
        .range()
        .rev()
        .find(|&index| !right.sentence.word(index).is_empty())
        .is_some_and(|last| right.sentence.class(last).is(Class::NEGATION));
    denies(left.sentence, left.range()) != denies(right.sentence, right.range())
        && (ends_denying
            || left.range().any(|index| {
                let word = left.sentence.word(index);
                word.len() > 3
                    && !left.sentence.class(index).is(not_content)
                    && right.range().any(|other| right.sentence.word(other) == word)
            }))
}

/// Attributions within `range`.
pub(super) fn attributions(sentence: &Sentence, range: Range<usize>) -> Vec<Attribution> {
    range
        .clone()
        .filter(|&index| !sentence.is_quoted(index))
        .filter_map(|index| attribution_at(sentence, index, range.end))
        .take(MOST_CLAIMS)
        .collect()
}

/// The attribution that begins at `index`.
fn attribution_at(sentence: &Sentence, index: usize, end: usize) -> Option<Attribution> {
    let class = sentence.class(index);
    let verb_after = |reach: usize| {
        (index + 1..(index + 1 + reach).min(end))
            .take_while(|&at| !sentence.class(at).is(Class::CONTRAST) && !sentence.is_mark(at, b";"))
            .find(|&at| sentence.class(at).is(Class::CLAIM) && !is_noun_use(sentence, at))
    };
    let single = |verb: usize, is_other: bool| Attribution {
        at: index,
        verb,
        is_other,
        key: sentence.word(index).to_owned(),
    };
    let word = sentence.word(index);
    let two_words = sentence.reads(index, &["according", "to"])
        || sentence.reads(index, &["going", "by"])
        || sentence.reads(index, &["judging", "by"])
        || sentence.reads(index, &["based", "on"])
            && sentence.any(index + 2..(index + 5).min(end), Class::SOURCE);
    if word == "per" || two_words {
        let from = index + if word == "per" { 1 } else { 2 };
        let limit = end.min(from + 6);
        let to = (from..limit)
            .find(|&at| sentence.is_mark(at, b",;.)") || sentence.class(at).is(Class::CONTRAST))
            .unwrap_or(limit);
        let names_one = sentence.any(from..to, Class::SOURCE) || (from..to).any(|at| sentence.is_name(at));
        return (word != "per" || names_one)
            .then(|| attribution(sentence, index, to.saturating_sub(1), from..to));
    }
    if class.is(Class::SOURCE)
        && let Some(verb) = verb_after(7)
    {
        return Some(attribution(sentence, index, verb, index.saturating_sub(3)..(index + 2).min(end)));
    }
    let is_ordinal = matches!(word, "first" | "second" | "third" | "former" | "latter" | "other");
    if is_pronoun(sentence, index)
        && let Some(verb) = verb_after(if is_ordinal { 1 } else { 3 })
    {
        return Some(single(verb, class.is(Class::OTHER)));
    }
    let is_capital = sentence.tokens.get(index).is_some_and(|token| token.capital);
    // `the Colt has a longer barrel` compares things, not claims.
    let has = sentence.word(index + 1) == "has";
    if is_capital && !has && index + 1 < end && sentence.class(index + 1).is(Class::STRONG_CLAIM) {
        return Some(single(index + 1, false));
    }
    let near = index..(index + 5).min(end);
    if is_temporal(sentence, index)
        && (sentence.has_phrase(near.clone(), &["it", "is"]) || sentence.has_phrase(near, &["it", "was"]))
        && let Some(verb) = verb_after(6)
    {
        return Some(single(verb, class.is(Class::OTHER)));
    }
    if matches!(word, "in" | "from" | "by" | "on")
        && let Some(source) = sentence.position(index + 1..(index + 4).min(end), Class::SOURCE)
        && (sentence.any(index + 1..source, Class::OTHER.or(Class::FIRST)) || sentence.is_number(source + 1))
    {
        return Some(attribution(sentence, index, source, index + 1..(index + 5).min(end)));
    }
    None
}

fn attribution(sentence: &Sentence, at: usize, verb: usize, tokens: Range<usize>) -> Attribution {
    let is_other = sentence.any(tokens.clone(), Class::OTHER);
    let mut key = String::new();
    for index in tokens {
        let class = sentence.class(index);
        let telling = class.is(Class::SOURCE.or(Class::OTHER).or(Class::FIRST))
            || sentence.is_number(index)
            || sentence.tokens.get(index).is_some_and(|token| token.capital);
        let word = sentence.word(index);
        if telling && !matches!(word, "the" | "a" | "this" | "according" | "however" | "but" | "while") {
            key.push_str(word);
            key.push(' ');
        }
    }
    Attribution { at, verb, is_other, key }
}

/// `some say`, `others claim`, `the second states`.
pub(super) fn is_pronoun(sentence: &Sentence, index: usize) -> bool {
    match sentence.word(index) {
        "some" | "others" | "another" | "many" | "most" => true,
        "one" | "first" | "second" | "third" | "former" | "latter" | "other" => {
            !sentence.class(index + 1).is(Class::SOURCE)
        }
        _ => false,
    }
}

fn is_temporal(sentence: &Sentence, index: usize) -> bool {
    matches!(
        sentence.word(index),
        "initially" | "later" | "elsewhere" | "first" | "subsequently" | "originally"
    )
}

/// `the report`, `a list`: the same word as a verb would claim.
fn is_noun_use(sentence: &Sentence, index: usize) -> bool {
    index.checked_sub(1).is_some_and(|before| {
        matches!(
            sentence.word(before),
            "the" | "a" | "an" | "this" | "that" | "of" | "its" | "their" | "each" | "every" | "same"
        )
    })
}

/// Whether the capitalised word at `index` is who claims, not what is claimed.
pub(super) fn names_source(sentence: &Sentence, index: usize) -> bool {
    sentence.class(index + 1).is(Class::STRONG_CLAIM)
        || sentence.class(index + 1).is(Class::SOURCE)
        || index > 0 && sentence.class(index - 1).is(Class::SOURCE)
        || index > 1 && (sentence.reads(index - 2, &["according", "to"]) || sentence.word(index - 1) == "per")
        || index > 2 && sentence.reads(index - 3, &["according", "to"])
}
