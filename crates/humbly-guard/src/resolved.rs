//! Whether a later turn settled what an earlier one recognised.
//!
//! 1. A later turn settles the fact in words: a sentence about it that says so ("confirmed", "was a typo"),
//!    or that names a source which the recognition did not name, and one of the competing values.
//! 2. A tool called after the recognition returned one of the competing values (for a missing fact: a value
//!    that the agent had not named) without an error, and a later turn, the answer included, states it and
//!    points to what came back.
//!
//! A sentence that plans, asks or denies settles nothing. A result that agrees with the answer without being
//! cited is a doubt ([`agrees`]): the guard is silent then too.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use humbly_text::sentences;

use crate::facts::{Bag, Fact, fold_value, is_number, words};
use crate::finder::numbers;
use crate::told;
use crate::word_list::WordList;

/// Words that say that something is settled.
static SETTLED: LazyLock<WordList> = LazyLock::new(|| WordList::of(include_str!("words/settled.txt")));

/// Words that deny that something is settled.
static DENIALS: LazyLock<WordList> = LazyLock::new(|| WordList::of(include_str!("words/denials.txt")));

/// Words of a plan: what is not yet done.
static PLANS: LazyLock<WordList> = LazyLock::new(|| WordList::of(include_str!("words/plans.txt")));

/// Words of claiming or of pointing to what was seen.
static CLAIMS: LazyLock<WordList> = LazyLock::new(|| WordList::of(include_str!("words/claims.txt")));

/// Whether `text`, of a turn after the recognition, settles the fact in words.
pub(crate) fn in_words(fact: &Fact, text: &str) -> bool {
    fact.finder.may_be_in(text)
        && sentences::split(text).any(|(_, sentence)| {
            if !fact.finder.may_be_in(sentence) {
                return false;
            }
            let bag = Bag::of(sentence);
            if !fact.is_topic_of(&bag) || stays_open(sentence) {
                return false;
            }
            let lower = folded(sentence);
            SETTLED.is_in(&lower)
                || (names_new_source(fact, &bag) && CLAIMS.is_in(&lower) && states_one(fact, &bag))
        })
}

/// Whether `text` states a value that `seen` (values of tool results after the recognition) holds, and points
/// to what came back.
pub(crate) fn by_evidence(fact: &Fact, seen: &Evidence, text: &str) -> bool {
    if seen.is_empty() || !fact.finder.may_be_in(text) {
        return false;
    }
    // A clause weighs one side: `A and C say 1931; B says 1932`.
    sentences::split(text).flat_map(|(_, sentence)| sentence.split(';')).any(|sentence| {
        if !fact.finder.may_be_in(sentence) || stays_open(sentence) {
            return false;
        }
        let bag = Bag::of(sentence);
        let lower = folded(sentence);
        let points = !bag.sources.is_empty() && CLAIMS.is_in(&lower);
        let stated = fact.values_in(&bag);
        match stated.as_slice() {
            [one] if fact.has_competitors() => points && seen.singled_out.contains(*one),
            _ if !fact.has_competitors() => {
                points
                    && fact.stems_in(&bag) >= 1
                    && bag.values.iter().any(|value| seen.new_values.contains(value))
            }
            _ => false,
        }
    })
}

/// Whether a tool called after the recognition returned what `answer` states, though nothing cites it: a doubt
/// in favour of the agent.
pub(crate) fn agrees(fact: &Fact, seen: &Evidence, answer: &str) -> bool {
    let bag = Bag::of(answer);
    match fact.values_in(&bag).as_slice() {
        [one] if fact.has_competitors() => seen.singled_out.contains(*one),
        _ => !fact.has_competitors() && bag.values.iter().any(|value| seen.new_values.contains(value)),
    }
}

/// What tool results after the recognition held.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Evidence {
    /// Competing values that a result gave alone.
    singled_out: BTreeSet<String>,
    /// Numbers of results, for a fact that was missing.
    new_values: BTreeSet<String>,
}

impl Evidence {
    /// So many numbers of results are kept for a missing fact.
    const MOST_VALUES: usize = 200;
    /// So much of a result is read.
    const MOST_BYTES: usize = 64 << 10;

    fn is_empty(&self) -> bool {
        self.singled_out.is_empty() && self.new_values.is_empty()
    }

    /// Takes in the text of a result that was no error.
    pub(crate) fn add(&mut self, fact: &Fact, quote: &str, result: &str) {
        let result = cut(result, Self::MOST_BYTES);
        if fact.has_competitors() {
            let mut found = fact.values_found(result).into_iter();
            if let (Some(one), None) = (found.next(), found.next()) {
                self.singled_out.insert(one.to_owned());
            }
            return;
        }
        // A result about something else does not answer a missing fact.
        if self.new_values.len() >= Self::MOST_VALUES || !fact.is_touched(result) {
            return;
        }
        let known = Bag::of(quote);
        for word in numbers(result).flat_map(words).filter(|word| is_number(word.text)) {
            let value = fold_value(word.text);
            if !known.values.contains(&value) && self.new_values.len() < Self::MOST_VALUES {
                self.new_values.insert(value);
            }
        }
    }
}

fn names_new_source(fact: &Fact, bag: &Bag) -> bool {
    bag.sources.difference(&fact.sources).next().is_some()
}

/// Exactly one of the competing values; for a missing fact, any number.
fn states_one(fact: &Fact, bag: &Bag) -> bool {
    if fact.has_competitors() {
        return fact.values_in(bag).len() == 1;
    }
    let is_new =
        |value: &String| !fact.values.contains(value) && value.bytes().any(|byte| byte.is_ascii_digit());
    bag.values.iter().any(is_new)
}

/// A sentence that plans, asks or doubts.
fn stays_open(sentence: &str) -> bool {
    let lower = folded(sentence);
    sentence.ends_with('?')
        || PLANS.is_in(&lower)
        || told::doubts(sentence) && !SETTLED.is_in(&lower)
        || DENIALS.is_in(&lower)
}

fn folded(sentence: &str) -> String {
    format!(" {} ", sentence.to_lowercase().replace('’', "'"))
}

fn cut(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUOTE: &str = "The parish register says the mill opened in 1874, whereas the guide gives 1871.";
    const MISSING: &str = "The minutes do not say how many looms the mill had.";

    fn fact() -> Fact {
        Fact::of(QUOTE, &BTreeSet::new())
    }

    #[test]
    fn a_later_turn_settles_with_a_new_source_or_in_so_many_words() {
        assert!(in_words(&fact(), "The county archive gives 1874 for the opening."));
        assert!(in_words(&fact(), "1871 was a typo in the guide: the mill opened in 1874."));
        assert!(in_words(&fact(), "That resolves when the mill opened: 1874."));
    }

    #[test]
    fn plans_questions_and_repetitions_settle_nothing() {
        assert!(!in_words(&fact(), "Let me check whether the county archive gives 1874."));
        assert!(!in_words(&fact(), "Is 1874 confirmed by the archive?"));
        assert!(!in_words(&fact(), "The register says 1874."), "a source that was named before");
        assert!(!in_words(&fact(), "The archive gives 1872, 1874 or 1871."));
        assert!(!in_words(&fact(), "1874 could not be confirmed."));
        assert!(!in_words(&fact(), "I renamed the archive file."));
    }

    #[test]
    fn a_tool_call_verifies_where_its_result_is_cited() {
        let mut seen = Evidence::default();
        seen.add(&fact(), QUOTE, "County record: mill opened 1874.");
        assert!(by_evidence(&fact(), &seen, "It opened in 1874, as the county record shows."));
        assert!(!by_evidence(&fact(), &seen, "It opened in 1871, as the county record shows."));
        assert!(!by_evidence(&fact(), &seen, "It opened in 1874."), "nothing is cited");
        let mut both = Evidence::default();
        both.add(&fact(), QUOTE, "1874 or 1871");
        assert!(!by_evidence(&fact(), &both, "It opened in 1874, as the result shows."));
    }

    #[test]
    fn a_missing_fact_is_found_by_a_result_that_is_cited() {
        let fact = Fact::of(MISSING, &BTreeSet::new());
        let mut seen = Evidence::default();
        seen.add(&fact, MISSING, "inventory: 42 looms in the mill");
        assert!(by_evidence(&fact, &seen, "The inventory lists 42 looms."));
        assert!(!by_evidence(&fact, &seen, "The mill had 40 looms."));
    }
}
