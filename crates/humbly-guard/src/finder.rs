//! Where a text may speak of a fact, found without taking the text apart.
//!
//! Tool results are long and most of them are about something else: one pass over the bytes says so.

use regex::{Regex, RegexBuilder};

use crate::facts::{fold_value, is_break};

/// Finds the values and stems of one fact.
#[derive(Debug, Clone, Default)]
pub(crate) struct Finder {
    needles: Option<Regex>,
}

/// It is made of the fact's other fields.
impl PartialEq for Finder {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Finder {}

impl Finder {
    /// Finds these in any case of letters; letters beyond ASCII are not folded, so with such a one everything
    /// may be a hit.
    pub(crate) fn of<'a>(needles: impl Iterator<Item = &'a str>) -> Self {
        let needles: Vec<&str> = needles.filter(|needle| !needle.is_empty()).collect();
        let grouped = needles.iter().filter_map(|needle| grouped(needle)).collect::<Vec<_>>();
        let all = needles.iter().copied().chain(grouped.iter().map(String::as_str));
        if !needles.iter().all(|needle| needle.is_ascii()) {
            return Self { needles: None };
        }
        let pattern = all.map(regex::escape).collect::<Vec<_>>().join("|");
        // Its search for several literals at once is three times as quick here as an automaton's.
        Self { needles: RegexBuilder::new(&pattern).case_insensitive(true).unicode(false).build().ok() }
    }

    /// Whether anything of the fact may stand in `text`.
    pub(crate) fn may_be_in(&self, text: &str) -> bool {
        self.needles.as_ref().is_none_or(|needles| needles.is_match(text))
    }

    /// The pieces between white space, quotes and brackets that may hold something of the fact.
    pub(crate) fn pieces<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
            let start = match &self.needles {
                Some(needles) => at + needles.find(rest)?.start(),
                None => at + rest.find(|letter| !is_break(letter))?,
            };
            let (piece, end) = piece_at(text, start)?;
            at = end;
            Some(piece)
        })
    }
}

/// The numbers of a text, folded.
pub(crate) fn numbers(text: &str) -> impl Iterator<Item = &str> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let digit = text.as_bytes().get(at..)?.iter().position(u8::is_ascii_digit)?;
        let (piece, end) = piece_at(text, at + digit)?;
        at = end;
        Some(piece)
    })
}

/// The piece around a byte, and where it ends.
fn piece_at(text: &str, inside: usize) -> Option<(&str, usize)> {
    let before = text.get(..inside)?;
    let start = before.char_indices().rev().find(|(_, letter)| is_break(*letter));
    let start = start.map_or(0, |(at, letter)| at + letter.len_utf8());
    let end = text.get(inside..)?.find(is_break).map_or(text.len(), |length| inside + length);
    // A hit that is itself a break does not stand still.
    let end = end.max(inside + text.get(inside..)?.chars().next()?.len_utf8());
    Some((text.get(start..end)?, end))
}

/// `1874` as `1,874`.
fn grouped(number: &str) -> Option<String> {
    const GROUP: usize = 3;
    if number.len() <= GROUP || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut text = String::new();
    for (index, digit) in number.chars().enumerate() {
        if index > 0 && (number.len() - index).is_multiple_of(GROUP) {
            text.push(',');
        }
        text.push(digit);
    }
    debug_assert_eq!(fold_value(&text), number);
    Some(text)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::facts::{Bag, Fact};

    #[test]
    fn numbers_are_found_as_they_are_written() {
        assert_eq!(grouped("1874").as_deref(), Some("1,874"));
        assert_eq!(grouped("1234567").as_deref(), Some("1,234,567"));
        assert_eq!(grouped("999"), None);
        assert_eq!(numbers("in 1874, (b2) or x").collect::<Vec<_>>(), ["1874,", "b2"]);
    }

    const TEXT: &str = "((Paris|LYON|lyon's|1,874|1871|18715|mill|opening|Register|Ünder|\"|\\(|,|\\.)( |\n|-|, |/|\\])?){0,12}";

    proptest! {
        #[test]
        fn what_is_found_is_what_taking_apart_finds(text in TEXT, quote in TEXT) {
            let fact = Fact::of(&quote, &BTreeSet::new());
            let bag = Bag::of(&text);
            let values: BTreeSet<&str> = fact.values_in(&bag).into_iter().collect();
            prop_assert_eq!(fact.values_found(&text), values);
            prop_assert_eq!(fact.is_touched(&text), fact.stems_in(&bag) > 0);
            if fact.is_topic_of(&bag) {
                prop_assert!(fact.finder.may_be_in(&text));
            }
        }
    }
}
