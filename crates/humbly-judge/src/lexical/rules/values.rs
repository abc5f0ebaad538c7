//! Criterion a, by the values: two claimants give different values for one slot.
//!
//! Where the values show that they compete (same unit, both a year, both named by the same verb) anybody
//! may be the claimant: a press kit, a ministry, a log.

use super::attribution::{Attribution, attributions};
use super::{Hit, Scene, Side, is_formula, is_plan, is_value_name, is_value_number, spanning};
use crate::lexical::lexicon::Class;
use crate::lexical::sentence::Sentence;

const RULE: &str = "competing-values";
/// More places in one sentence are not looked at.
const MOST_BORDERS: usize = 12;
/// A side with so few tokens says nothing but its value.
const SHORT_SIDE: usize = 9;

/// `the press kit says 12 tracks and the store page says 13 tracks`.
pub(super) fn competing_values(scene: Scene<'_>) -> Option<Hit> {
    let here = scene.here()?;
    if here.asks || supposes(here) {
        return None;
    }
    let claims = claims(here);
    if claims.is_empty() {
        return None;
    }
    let borders = (1..here.len()).filter(|&index| is_border(here, index)).take(MOST_BORDERS);
    for border in borders {
        let left = Side { sentence: here, start: 0, end: border };
        let right = Side { sentence: here, start: border, end: here.len() };
        let joint = if here.class(border).is(Class::CONTRAST) { Joint::Contrast } else { Joint::Sentence };
        if !is_plan(here, right.range()) && compete(joint, (left, &claims), (right, &claims)) {
            return Some(Hit { rule: RULE, range: here.range.clone() });
        }
    }
    let before = scene.before().filter(|before| !before.asks && !supposes(before))?;
    let first = here.first_word()?;
    let joint = if here.class(first).is(Class::CONTRAST) || here.reads(first, &["in", "contrast"]) {
        Joint::Contrast
    } else {
        Joint::None
    };
    let both = !is_plan(here, here.all())
        && !is_plan(before, before.all())
        && compete(joint, (Side::whole(before), &self::claims(before)), (Side::whole(here), &claims));
    both.then(|| Hit { rule: RULE, range: spanning(before, here) })
}

/// Under a condition, or a formula: nothing is claimed.
fn supposes(sentence: &Sentence) -> bool {
    let verb = sentence.position(sentence.all(), Class::STRONG_CLAIM).unwrap_or(sentence.len());
    sentence.any_word(0..verb, &["if", "suppose", "assuming", "let's", "each"]) || is_formula(sentence)
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
    here.class(index).is(Class::CONTRAST) || here.is_mark(index, b",;-") || here.word(index) == "and"
}

/// Attributions, with any claimant.
fn claims(here: &Sentence) -> Vec<Attribution> {
    let mut found = attributions(here, here.all());
    for verb in here.all() {
        // `the insert, however, says`
        let however = verb > 3 && here.is_mark(verb - 1, b",") && here.class(verb - 2).is(Class::CONTRAST);
        let weak = however && here.class(verb).is(Class::STRONG_CLAIM)
            || here.class(verb).is(Class::STRONG_CLAIM) && verb > 0 && is_claimant(here, verb - 1)
            || matches!(here.word(verb), "counts" | "count" | "counted" | "dates" | "recorded")
                && verb > 0
                && is_claimant(here, verb - 1);
        if weak && !found.iter().any(|claim| claim.verb == verb) {
            found.push(Attribution {
                at: if however { verb - 2 } else { verb - 1 },
                verb,
                is_other: here.any(verb.saturating_sub(3)..verb, Class::OTHER),
                key: here.word(if however { verb - 4 } else { verb - 1 }).to_owned(),
            });
        }
        let last = (verb + 1..(verb + 4).min(here.len())).next_back();
        let in_another = matches!(here.word(verb), "in" | "from" | "by" | "on" | "per")
            && here.any_word(
                verb + 1..(verb + 3).min(here.len()),
                &["another", "other", "latter", "second", "others"],
            );
        if let Some(last) = last.filter(|_| in_another) {
            found.push(Attribution {
                at: verb,
                verb: last.min(verb + 1),
                is_other: true,
                key: "another".to_owned(),
            });
        }
    }
    found
}

/// A noun that may claim something: no pronoun, no auxiliary, no verb of wanting.
fn is_claimant(here: &Sentence, index: usize) -> bool {
    let word = here.word(index);
    let class = here.class(index);
    word.len() > 2
        && !here.is_number(index)
        && !class.is(Class::NEGATION.or(Class::CONTRAST).or(Class::MODAL).or(Class::ASKER))
        && !matches!(
            word,
            "also"
                | "who"
                | "which"
                | "that"
                | "she"
                | "they"
                | "you"
                | "and"
                | "the"
                | "this"
                | "clearly"
                | "explicitly"
                | "directly"
                | "specifically"
                | "what"
                | "how"
                | "then"
                | "now"
                | "only"
                | "just"
                | "its"
                | "his"
                | "her"
        )
        || matches!(word, "user" | "question" | "one")
}

/// Both sides claim, different claimants, different values of one slot.
fn compete(joint: Joint, left: (Side<'_>, &[Attribution]), right: (Side<'_>, &[Attribution])) -> bool {
    let within = |(side, claims): (Side<'_>, &[Attribution])| -> Vec<(usize, bool, String)> {
        claims
            .iter()
            .filter(|claim| claim.at >= side.start && claim.verb < side.end)
            .map(|claim| (claim.verb, claim.is_other, claim.key.clone()))
            .collect()
    };
    let (lefts, rights) = (within(left), within(right));
    let (left, right) = (left.0, right.0);
    if lefts.is_empty() || rights.is_empty() || super::attribution::agrees(right.sentence, right.range()) {
        return false;
    }
    let distinct = |one: &(usize, bool, String), other: &(usize, bool, String)| other.1 || one.2 != other.2;
    if !lefts.iter().any(|one| rights.iter().any(|other| distinct(one, other))) {
        return false;
    }
    let (left_slots, right_slots) = (slots(left), slots(right));
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
                    (Unit::Year, _) => {
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
            && lefts.iter().any(|one| {
                rights.iter().any(|other| {
                    distinct(one, other)
                        && names_compete(joint, (left.sentence, one.0), (right.sentence, other.0), right.end)
                })
            })
}

/// `one credits Hanna Weiss, the other credits Otto Weiss`; `…, whereas the second says Bergen`.
fn names_compete(joint: Joint, left: (&Sentence, usize), right: (&Sentence, usize), end: usize) -> bool {
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
    let rights = names(right.0, right.1, reach, end);
    let lefts = names(left.0, left.1, if naming { 5 } else { 2 }, left.0.len());
    !lefts.is_empty() && rights.iter().any(|name| !lefts.contains(name))
}

/// The number stands right after the verb of claiming.
fn follows(verb: usize, number: usize) -> bool {
    number > verb && number - verb <= 4
}

fn share_content(left: Side<'_>, right: Side<'_>) -> bool {
    let little =
        Class::CLAIM.or(Class::SOURCE).or(Class::OTHER).or(Class::FIRST).or(Class::CONTRAST).or(Class::MODAL);
    right.range().any(|index| {
        let word = right.sentence.word(index);
        word.len() > 3
            && !right.sentence.class(index).is(little)
            && !matches!(
                word,
                "that"
                    | "this"
                    | "with"
                    | "from"
                    | "were"
                    | "been"
                    | "they"
                    | "their"
                    | "there"
                    | "about"
                    | "which"
            )
            && left.range().any(|other| left.sentence.word(other) == word)
    })
}

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit<'s> {
    Year,
    Day,
    Of(&'s str),
    None,
}

impl Unit<'_> {
    fn fits(self, other: Unit<'_>) -> bool {
        match (self, other) {
            (Unit::Of(one), Unit::Of(other)) => one.trim_end_matches('s') == other.trim_end_matches('s'),
            (Unit::None, Unit::Of(_)) | (Unit::Of(_), Unit::None) => true,
            (one, other) => std::mem::discriminant(&one) == std::mem::discriminant(&other),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Slot<'s> {
    at: usize,
    digits: String,
    unit: Unit<'s>,
}

fn slots(side: Side<'_>) -> Vec<Slot<'_>> {
    let sentence = side.sentence;
    side.range()
        .filter(|&index| is_value_number(sentence, index) && !sentence.is_number(index.wrapping_sub(1)))
        .map(|index| {
            let digits: String = sentence.word(index).chars().filter(|&character| character != ',').collect();
            let next = if sentence.class(index + 1).is(Class::NUMBER_WORD) { index + 2 } else { index + 1 };
            let month = sentence.class(index + 1).is(Class::MONTH)
                || index > 0
                    && sentence.class(index - 1).is(Class::MONTH)
                    && digits.len() <= 4
                    && !is_year(&digits)
                || sentence.word(index + 1) == "of" && sentence.class(index + 2).is(Class::MONTH);
            let unit_word = sentence.word(next);
            let has_unit = unit_word.len() > 1
                && unit_word.bytes().all(|byte| byte.is_ascii_alphabetic())
                && next < side.end
                && !is_function_word(unit_word);
            let unit = if month {
                Unit::Day
            } else if sentence.is_mark(next, b"%") {
                Unit::Of("percent")
            } else if is_year(&digits) && !(has_unit && is_measure(unit_word)) {
                Unit::Year
            } else if has_unit || unit_word == "m" {
                Unit::Of(unit_word)
            } else {
                Unit::None
            };
            Slot { at: index, digits, unit }
        })
        .collect()
}

fn is_year(digits: &str) -> bool {
    digits.len() == 4 && digits.parse::<u32>().is_ok_and(|year| (1000..2100).contains(&year))
}

fn is_measure(word: &str) -> bool {
    matches!(
        word,
        "m" | "km"
            | "kg"
            | "mg"
            | "metres"
            | "meters"
            | "miles"
            | "feet"
            | "people"
            | "units"
            | "euros"
            | "dollars"
            | "tons"
            | "tonnes"
            | "employees"
            | "students"
            | "inhabitants"
            | "copies"
            | "members"
            | "votes"
            | "seats"
            | "points"
    )
}

fn is_function_word(word: &str) -> bool {
    matches!(
        word,
        "and"
            | "or"
            | "but"
            | "in"
            | "on"
            | "at"
            | "to"
            | "of"
            | "by"
            | "as"
            | "is"
            | "was"
            | "were"
            | "are"
            | "the"
            | "for"
            | "while"
            | "whereas"
            | "according"
            | "with"
            | "from"
            | "that"
            | "which"
            | "when"
            | "so"
            | "per"
            | "depending"
            | "instead"
            | "not"
            | "however"
            | "under"
            | "if"
            | "then"
            | "than"
    )
}
