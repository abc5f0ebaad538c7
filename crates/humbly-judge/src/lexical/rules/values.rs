//! Criterion a, by the values: two claimants give different values for one slot.
//!
//! Where the values show that they compete (same unit, both a year, both named by the same verb) anybody
//! may be the claimant: a press kit, a ministry, a log.

use super::attribution::{Attribution, MOST_CLAIMS};
use super::slots::{Slot, Unit, share_content, slots};
use super::{Hit, Scene, Side, denies, is_formula, is_plan, is_value_name, is_value_number, spanning};
use crate::lexical::lexicon::Class;
use crate::lexical::sentence::Sentence;

const RULE: &str = "competing-values";

/// More places in one sentence are not looked at.
const MOST_BORDERS: usize = 12;

/// Claims looked at on each side of a border.
const NEAREST_CLAIMS: usize = 4;

/// A side with so few tokens says nothing but its value.
const SHORT_SIDE: usize = 11;

/// `the press kit says 12 tracks and the store page says 13 tracks`.
pub(super) fn competing_values(scene: Scene<'_>) -> Option<Hit> {
    let here = scene.here()?;
    if here.asks || supposes(here) {
        return None;
    }
    let claims = scene.claims(scene.index);
    if claims.is_empty() {
        return None;
    }
    let hit = competing(scene, here, claims)?;
    let of_a_series = scene
        .statements(scene.index)
        .windows(2)
        .any(|pair| matches!(pair, [one, other] if one.source.is_later_issue(&other.source)));
    let around = scene.stance_around();
    (!around.reconciles && (!of_a_series || around.weighs)).then_some(hit)
}

fn competing(scene: Scene<'_>, here: &Sentence, claims: &[Attribution]) -> Option<Hit> {
    let opens_with_contrast = here
        .first_word()
        .is_some_and(|first| matches!(here.word(first), "while" | "whereas" | "although" | "though"));
    let borders = (1..here.len()).filter(|&index| is_border(here, index)).take(MOST_BORDERS);
    for border in borders {
        let left = Side { sentence: here, start: 0, end: border };
        let right = Side { sentence: here, start: border, end: here.len() };
        let joint =
            if here.class(border).is(Class::CONTRAST) || opens_with_contrast && here.is_mark(border, b",") {
                Joint::Contrast
            } else {
                Joint::Sentence
            };
        if !is_plan(here, right.range()) && compete(joint, (left, claims), (right, claims)) {
            return Some(Hit { rule: RULE, range: here.range.clone() });
        }
    }
    let before = scene.before().filter(|before| !before.asks && !supposes(before))?;
    let first = here.first_word()?;
    let opening = first..(first + 9).min(here.len());
    let contrasts = here.class(first).is(Class::CONTRAST)
        || here.has_phrase(opening.clone(), &["contrast"])
        || here.has_phrase(opening.clone(), &["other", "hand"])
        || here.has_phrase(opening, &["however"]);
    let joint = if contrasts { Joint::Contrast } else { Joint::None };
    let both = !is_plan(here, here.all())
        && !is_plan(before, before.all())
        && compete(
            joint,
            (Side::whole(before), scene.claims(scene.index.wrapping_sub(1))),
            (Side::whole(here), claims),
        );
    both.then(|| Hit { rule: RULE, range: spanning(before, here) })
}

/// Under a condition, or a formula: nothing is claimed.
fn supposes(sentence: &Sentence) -> bool {
    let verb = sentence.position(sentence.all(), Class::STRONG_CLAIM).unwrap_or(sentence.len());
    // `96 metres if you trust the drawings` names a source.
    let conditional = (0..verb).any(|index| {
        sentence.word(index) == "if"
            && !sentence
                .any_word(index + 2..(index + 3).min(sentence.len()), &["trust", "believe", "follow", "go"])
    });
    conditional
        || sentence.any_word(0..verb, &["suppose", "assuming", "let's", "each"])
        || is_formula(sentence)
}

/// How the two sides are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joint {
    /// By a word of contrast.
    Contrast,
    /// Inside one sentence, without one.
    Sentence,
    /// Not at all: two sentences.
    None,
}

/// Where a second claim may begin.
fn is_border(here: &Sentence, index: usize) -> bool {
    here.class(index).is(Class::CONTRAST)
        || here.is_mark(index, b",;-")
        || matches!(here.word(index), "and" | "to" | "or" | "rather" | "opposed" | "instead")
}

/// Attributions, with any claimant.
pub(super) fn claims(here: &Sentence, attributed: &[Attribution]) -> Vec<Attribution> {
    let mut found = attributed.to_vec();
    let speaks_of_sources = here.any(here.all(), Class::SOURCE.or(Class::EVIDENCE));
    for index in here.all() {
        if found.len() >= 2 * MOST_CLAIMS {
            break;
        }
        if here.is_quoted(index) || found.iter().any(|claim| claim.verb == index) {
            continue;
        }
        if let Some(claimant) = claimant_of(here, index) {
            found.push(Attribution {
                at: claimant,
                verb: index,
                is_other: here.any(claimant.saturating_sub(2)..index, Class::OTHER),
                key: here.word(claimant).to_owned(),
            });
        } else if here.class(index).is(Class::SOURCE) && !found.iter().any(|claim| claim.at == index) {
            found.push(Attribution {
                at: index,
                verb: index,
                is_other: here.any(index.saturating_sub(2)..index, Class::OTHER),
                key: here.word(index).to_owned(),
            });
        } else if let Some(origin) = origin_at(here, index, speaks_of_sources) {
            found.push(Attribution {
                at: index,
                verb: index,
                is_other: here.class(origin).is(Class::OTHER),
                key: here.word(origin).to_owned(),
            });
        }
    }
    found
}

/// Who claims with the verb at `index`: the noun before it, adverbs and an aside passed over.
fn claimant_of(here: &Sentence, index: usize) -> Option<usize> {
    if !here.class(index).is(Class::STRONG_CLAIM.or(Class::WEAK_CLAIM)) {
        return None;
    }
    let mut at = index.checked_sub(1)?;
    while matches!(
        here.word(at),
        "also"
            | "clearly"
            | "explicitly"
            | "directly"
            | "specifically"
            | "later"
            | "itself"
            | "only"
            | "just"
            | "now"
    ) {
        at = at.checked_sub(1)?;
    }
    if here.is_mark(at, b",)") {
        // `source B, published a week later, says`
        let opener = (at.saturating_sub(8)..at).rev().find(|&before| here.is_mark(before, b",("))?;
        at = opener.checked_sub(1)?;
    }
    let is_loose = matches!(
        here.word(index),
        "has" | "gives" | "give" | "shows" | "gave" | "show" | "have" | "had" | "puts" | "put"
    );
    // `book two has 15 chapters` describes the book.
    let own_parts = here.any_word(
        index + 1..(index + 5).min(here.len()),
        &["chapters", "pages", "entries", "sections", "volumes", "words", "chapter"],
    ) || here.any_word(at.saturating_sub(1)..at, &["book", "edition", "volume", "chapter"]);
    let has_it = here.any_word(index + 1..(index + 2).min(here.len()), &["it", "him", "her", "them"]);
    let is_source = has_it
        || here.any(at.saturating_sub(1)..at + 1, Class::SOURCE)
        || here.is_mark(at.wrapping_sub(1), b"(")
        || here.any_word(at..at + 1, &["one", "another", "other", "others", "second", "third"]);
    (is_claimant(here, at) && (is_source && !own_parts || !is_loose)).then_some(at)
}

/// Where a value comes from without a verb: `3,000 (police)`, `314.2 in ChemDB`, `12 in the first`.
fn origin_at(here: &Sentence, index: usize, speaks_of_sources: bool) -> Option<usize> {
    let after_number = (index.saturating_sub(4)..index).any(|at| is_value_number(here, at));
    if !after_number || !speaks_of_sources {
        return None;
    }
    if here.is_mark(index, b"(") {
        let word = here.word(index + 1);
        let names = word.len() > 2
            && !here.is_number(index + 1)
            && !matches!(
                word,
                "aged"
                    | "age"
                    | "about"
                    | "approx"
                    | "approximately"
                    | "born"
                    | "including"
                    | "excluding"
                    | "roughly"
            );
        return names.then_some(if matches!(word, "the" | "per" | "according" | "source") {
            index + 2
        } else {
            index + 1
        });
    }
    if !matches!(here.word(index), "in" | "on" | "per" | "by" | "from") {
        return None;
    }
    let from = index + if here.word(index + 1) == "the" { 2 } else { 1 };
    let names = here.any(from..(from + 3).min(here.len()), Class::SOURCE)
        || here.any_word(
            from..(from + 1).min(here.len()),
            &["one", "another", "other", "first", "second", "latter", "former"],
        );
    names.then_some(from)
}

/// A noun that may claim something: no pronoun, no auxiliary, no verb of wanting.
fn is_claimant(here: &Sentence, index: usize) -> bool {
    const NO_CLAIMANT: &[&str] = &[
        "also", "who", "which", "that", "she", "they", "you", "and", "the", "this", "what", "how", "then",
        "its", "his", "her", "it", "he", "we", "to", "of", "in", "as", "is", "was",
    ];
    let word = here.word(index);
    let excluded = Class::NEGATION.or(Class::CONTRAST).or(Class::MODAL).or(Class::ASKER);
    let is_noun = word.len() > 1
        && !here.is_number(index)
        && !here.class(index).is(excluded)
        && !NO_CLAIMANT.contains(&word);
    is_noun
        || matches!(word, "user" | "question" | "one" | "other" | "another")
        || word.len() == 1 && here.tokens.get(index).is_some_and(|token| token.capital)
}

/// A source that is named without a verb.
fn is_mention(sentence: &Sentence, claim: &Attribution) -> bool {
    claim.at == claim.verb && sentence.class(claim.at).is(Class::SOURCE)
}

/// Both sides claim, different claimants, different values of one slot.
fn compete(joint: Joint, left: (Side<'_>, &[Attribution]), right: (Side<'_>, &[Attribution])) -> bool {
    let within = |(side, claims): (Side<'_>, &[Attribution]), mention: bool| -> Vec<(usize, bool, String)> {
        claims
            .iter()
            .filter(|claim| claim.at >= side.start && claim.verb < side.end)
            .filter(|claim| is_mention(side.sentence, claim) == mention)
            .map(|claim| (claim.verb, claim.is_other, claim.key.clone()))
            .collect()
    };
    let (mut lefts, mut rights) = (within(left, false), within(right, false));
    if lefts.is_empty() && rights.is_empty() {
        return false;
    }
    // One side may merely name its source, if its values show that it answers the same.
    let mut only_mentioned = false;
    for (claims, side) in [(&mut lefts, left), (&mut rights, right)] {
        if claims.is_empty() && !denies(side.0.sentence, side.0.range()) {
            *claims = within(side, true);
            only_mentioned = true;
        }
    }
    // The claims next to the border are the ones that are set against each other.
    lefts.drain(..lefts.len().saturating_sub(NEAREST_CLAIMS));
    rights.truncate(NEAREST_CLAIMS);
    let within_name = |(side, claims): (Side<'_>, &[Attribution]), at: usize| {
        claims.iter().any(|claim| claim.at >= side.start && claim.at < at && at < claim.verb)
    };
    let mut left_slots = slots(left.0);
    left_slots.retain(|slot| !within_name(left, slot.at));
    let mut right_slots = slots(right.0);
    right_slots.retain(|slot| !within_name(right, slot.at));
    let (left, right) = (left.0, right.0);
    if lefts.is_empty() || rights.is_empty() || super::attribution::agrees(right.sentence, right.range()) {
        return false;
    }
    let distinct = |one: &(usize, bool, String), other: &(usize, bool, String)| other.1 || one.2 != other.2;
    if !lefts.iter().any(|one| rights.iter().any(|other| distinct(one, other))) {
        return false;
    }
    let years_disjoint = {
        let years = |slots: &[Slot<'_>]| slots.iter().any(|slot| slot.unit == Unit::Year);
        years(&left_slots)
            && years(&right_slots)
            && !left_slots.iter().any(|one| {
                one.unit == Unit::Year
                    && right_slots.iter().any(|other| other.unit == one.unit && other.digits == one.digits)
            })
    };
    let same_topic = right.end - right.start <= SHORT_SIDE || share_content(left, right);
    let numbers = left_slots.iter().any(|one| {
        right_slots.iter().any(|other| {
            one.unit.fits(other.unit)
                && one.digits != other.digits
                && !right_slots.iter().any(|again| again.digits == one.digits)
                && !left_slots.iter().any(|again| again.digits == other.digits)
                && match (one.unit, other.unit) {
                    (Unit::Of(_), Unit::Of(_)) if only_mentioned => !years_disjoint,
                    (Unit::Of(_), Unit::None) if only_mentioned => joint == Joint::Contrast && same_topic,
                    _ if only_mentioned => false,
                    (Unit::Year | Unit::Month, _) => {
                        same_topic && (joint != Joint::None || right.end - right.start <= SHORT_SIDE)
                    }
                    (Unit::None, _) | (_, Unit::None) => {
                        joint == Joint::Contrast && same_topic
                            || joint != Joint::None
                                && lefts.iter().any(|claim| follows(claim.0, one.at))
                                && rights.iter().any(|claim| follows(claim.0, other.at))
                    }
                    _ => !years_disjoint,
                }
        })
    });
    numbers
        || joint != Joint::None
            && !only_mentioned
            && lefts.iter().any(|one| {
                rights.iter().any(|other| {
                    distinct(one, other)
                        && names_compete(
                            joint,
                            (left.sentence, one.0),
                            (right.sentence, other.0),
                            (left.end, right.end),
                        )
                })
            })
}

/// `one credits Hanna Weiss, the other credits Otto Weiss`; `…, whereas the second says Bergen`.
fn names_compete(
    joint: Joint,
    left: (&Sentence, usize),
    right: (&Sentence, usize),
    ends: (usize, usize),
) -> bool {
    let names = |sentence: &Sentence, verb: usize, reach: usize, end: usize| -> Vec<String> {
        (verb + 1..(verb + 1 + reach).min(end))
            .filter(|&index| is_value_name(sentence, index))
            .map(|index| sentence.word(index).to_owned())
            .collect()
    };
    let stem =
        |sentence: &Sentence, verb: usize| sentence.word(verb).trim_end_matches(['s', 'd', 'e']).to_owned();
    let naming = matches!(stem(left.0, left.1).as_str(), "nam" | "credit" | "attribut" | "identifi" | "cit")
        && stem(left.0, left.1) == stem(right.0, right.1);
    if !naming && joint != Joint::Contrast {
        return false;
    }
    let reach = if naming { 5 } else { 1 };
    let reach = if joint == Joint::Contrast && !naming { 5 } else { reach };
    let rights = names(right.0, right.1, reach, ends.1);
    let lefts = names(left.0, left.1, if naming || joint == Joint::Contrast { 8 } else { 2 }, ends.0);
    !lefts.is_empty() && rights.iter().any(|name| !lefts.contains(name))
}

/// The number stands right beside the claim.
fn follows(verb: usize, number: usize) -> bool {
    number.abs_diff(verb) <= 4
}
