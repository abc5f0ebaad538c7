//! What a number counts: two numbers compete only within one slot.

use super::attribution::MOST_CLAIMS;
use super::{Side, is_value_number};
use crate::lexical::lexicon::Class;

pub(super) fn share_content(left: Side<'_>, right: Side<'_>) -> bool {
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
pub(super) enum Unit<'s> {
    Year,
    Day,
    Month,
    Of(&'s str),
    None,
}

impl Unit<'_> {
    pub(super) fn fits(self, other: Unit<'_>) -> bool {
        match (self, other) {
            (Unit::Of(one), Unit::Of(other)) => one.trim_end_matches('s') == other.trim_end_matches('s'),
            (Unit::None, Unit::Of(_)) | (Unit::Of(_), Unit::None) => true,
            (one, other) => std::mem::discriminant(&one) == std::mem::discriminant(&other),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slot<'s> {
    pub(super) at: usize,
    pub(super) digits: String,
    pub(super) unit: Unit<'s>,
}

pub(super) fn slots(side: Side<'_>) -> Vec<Slot<'_>> {
    let sentence = side.sentence;
    let months = side.range().filter(|&index| {
        sentence.class(index).is(Class::MONTH)
            && sentence.tokens.get(index).is_some_and(|token| token.capital)
            && !sentence.is_number(index + 1)
            && !sentence.is_number(index.wrapping_sub(1))
    });
    let months =
        months.map(|index| Slot { at: index, digits: sentence.word(index).to_owned(), unit: Unit::Month });
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
            } else if is_year(&digits) && !sentence.word(index).contains(',') && !is_measure(unit_word) {
                Unit::Year
            } else if has_unit || unit_word == "m" {
                Unit::Of(unit_word)
            } else {
                Unit::None
            };
            Slot { at: index, digits, unit }
        })
        .chain(months)
        .take(MOST_CLAIMS)
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
