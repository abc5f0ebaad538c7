//! What a recognised gap is about: the values that compete and the words of the fact.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::finder::Finder;
use crate::word_list::WordList;

/// Letters of a word that are compared.
const STEM: usize = 5;

/// Words that say who claims, not what.
static SOURCES: LazyLock<WordList> = LazyLock::new(|| WordList::of(include_str!("words/sources.txt")));

/// Words that any gap is told with.
static COMMON: LazyLock<WordList> = LazyLock::new(|| WordList::of(include_str!("words/common.txt")));

/// One word of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word<'a> {
    /// The word without punctuation around it.
    pub(crate) text: &'a str,
    /// Whether a sentence begins with it.
    pub(crate) is_first: bool,
}

/// What one quote is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Fact {
    /// Values in the order of the quote, folded; those that compete where two or more do.
    pub(crate) values: Vec<String>,
    /// Stems of the other words.
    pub(crate) stems: BTreeSet<String>,
    /// Stems of the sources that the quote names.
    pub(crate) sources: BTreeSet<String>,
    /// Finds values and stems.
    pub(crate) finder: Finder,
}

impl Fact {
    /// Reads a quote; names that the prompt gives (`subject`) do not compete.
    pub(crate) fn of(quote: &str, subject: &BTreeSet<String>) -> Self {
        let (mut numbers, mut names) = (Vec::new(), Vec::new());
        let mut as_written = Vec::new();
        let mut fact = Self::default();
        let mut before: Option<String> = None;
        for word in words(quote) {
            let lower = word.text.to_lowercase();
            let stem = stem(&lower);
            let is_labelled = before.as_deref().is_some_and(|before| SOURCES.has_word(before));
            if is_number(word.text) {
                // `result 2` names a source.
                if !is_labelled {
                    push_new(&mut numbers, fold_value(word.text));
                    as_written.push(lower.clone());
                }
            } else if SOURCES.has_word(&lower) {
                fact.sources.insert(stem);
            } else if is_name(word) && !COMMON.has_word(&lower) && !subject.contains(&lower) {
                push_new(&mut names, lower.clone());
                fact.stems.insert(stem);
            } else if is_content(&lower) {
                fact.stems.insert(stem);
            }
            before = Some(lower);
        }
        fact.values = if numbers.len() >= 2 {
            numbers
        } else if names.len() >= 2 {
            names
        } else {
            numbers.into_iter().chain(names).collect()
        };
        let needles = fact.values.iter().chain(&as_written).chain(&fact.stems);
        fact.finder = Finder::of(needles.map(String::as_str));
        fact
    }

    /// The values that stand in `text`, as [`Fact::values_in`] finds them.
    pub(crate) fn values_found(&self, text: &str) -> BTreeSet<&str> {
        let mut found = BTreeSet::new();
        for word in self.finder.pieces(text).flat_map(words) {
            let value = value_of(word.text);
            found.extend(self.values.iter().find(|known| **known == value).map(String::as_str));
        }
        found
    }

    /// Whether a word of the fact stands in `text`, as [`Fact::stems_in`] finds them.
    pub(crate) fn is_touched(&self, text: &str) -> bool {
        self.finder
            .pieces(text)
            .flat_map(words)
            .any(|word| self.stems.contains(&stem(&word.text.to_lowercase())))
    }

    /// The values that stand in `text`.
    pub(crate) fn values_in(&self, text: &Bag) -> Vec<&str> {
        self.values.iter().filter(|value| text.values.contains(*value)).map(String::as_str).collect()
    }

    /// How many words of the fact stand in `text`.
    pub(crate) fn stems_in(&self, text: &Bag) -> usize {
        self.stems.intersection(&text.stems).count()
    }

    /// Whether `text` is about this fact.
    pub(crate) fn is_topic_of(&self, text: &Bag) -> bool {
        !self.values_in(text).is_empty() || self.stems_in(text) >= 2.min(self.stems.len().max(1))
    }

    /// Whether two values or more compete.
    pub(crate) fn has_competitors(&self) -> bool {
        self.values.len() >= 2
    }
}

/// Values, words and sources of a text, to be compared with a fact.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Bag {
    /// Folded values and names.
    pub(crate) values: BTreeSet<String>,
    /// Stems of its words.
    pub(crate) stems: BTreeSet<String>,
    /// Stems of the sources that it names.
    pub(crate) sources: BTreeSet<String>,
}

impl Bag {
    /// Reads a text.
    pub(crate) fn of(text: &str) -> Self {
        let mut bag = Self::default();
        for word in words(text) {
            let lower = word.text.to_lowercase();
            let stem = stem(&lower);
            if SOURCES.has_word(&lower) || names_file(word.text) {
                bag.sources.insert(stem.clone());
            }
            bag.stems.insert(stem);
            bag.values.insert(value_of(word.text));
        }
        bag
    }
}

/// Names and numbers of a prompt: what is asked about, not what competes.
pub(crate) fn subject_of(prompt: &str) -> BTreeSet<String> {
    const MOST: usize = 400;
    words(prompt)
        .filter(|word| !is_number(word.text) && word.text.chars().next().is_some_and(char::is_uppercase))
        .map(|word| word.text.to_lowercase())
        .take(MOST)
        .collect()
}

/// The words of a text.
pub(crate) fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut is_first = true;
    text.split(is_break).filter_map(move |raw| {
        let text = raw.trim_matches(|letter: char| !letter.is_alphanumeric());
        let text = text.strip_suffix("'s").or_else(|| text.strip_suffix("’s")).unwrap_or(text);
        let was_first = is_first;
        if !raw.is_empty() {
            is_first = raw.ends_with(['.', '!', '?', ':']) || (text.is_empty() && was_first);
        }
        (!text.is_empty()).then_some(Word { text, is_first: was_first })
    })
}

/// Whether words end here.
pub(crate) fn is_break(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '"' | '“' | '”' | '`' | '(' | ')' | '[' | ']')
}

/// A word as a value: a number folded, all else in small letters.
fn value_of(word: &str) -> String {
    if is_number(word) { fold_value(word) } else { word.to_lowercase() }
}

/// The first letters of a word without its ending: `opened` and `opening` name one thing.
pub(crate) fn stem(lower: &str) -> String {
    const SHORTEST: usize = 3;
    let endings = ["ing", "ed", "es", "s"];
    let bare =
        endings.iter().find_map(|ending| lower.strip_suffix(ending).filter(|bare| bare.len() >= SHORTEST));
    bare.unwrap_or(lower).chars().take(STEM).collect()
}

pub(crate) fn is_number(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_digit())
}

/// `1,912` as `1912`.
pub(crate) fn fold_value(word: &str) -> String {
    word.chars().filter(|letter| *letter != ',').flat_map(char::to_lowercase).collect()
}

fn is_name(word: Word<'_>) -> bool {
    !word.is_first
        && word.text.len() > 1
        && word.text.chars().next().is_some_and(char::is_uppercase)
        && !word.text.contains('\'')
}

fn is_content(lower: &str) -> bool {
    lower.chars().count() >= 4
        && lower.chars().all(|letter| letter.is_alphabetic() || letter == '-' || letter == '_')
        && !COMMON.has_word(lower)
}

/// `notes/a.md` and `example.org` name sources too.
fn names_file(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (2..=5).contains(&ending.len())
            && ending.bytes().all(|byte| byte.is_ascii_lowercase())
    }) || word.contains("://")
}

fn push_new(list: &mut Vec<String>, value: String) {
    if !list.contains(&value) {
        list.push(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(quote: &str) -> Fact {
        Fact::of(quote, &subject_of("When was the Harrow mill opened?"))
    }

    #[test]
    fn numbers_compete_and_numbers_of_sources_do_not() {
        let fact = fact("Result 1 says the mill opened in 1,874, whereas result 2 says 1871.");
        assert_eq!(fact.values, ["1874", "1871"]);
        assert!(fact.stems.contains("mill") && fact.stems.contains("open"));
        assert!(!fact.stems.contains("resul"));
    }

    #[test]
    fn names_of_the_prompt_do_not_compete() {
        let fact = fact("The guide puts the Harrow mill in Lyon, while the register has Paris.");
        assert_eq!(fact.values, ["lyon", "paris"]);
        assert!(fact.sources.contains("guide") && fact.sources.contains("regis"));
    }

    #[test]
    fn a_text_about_something_else_is_off_topic() {
        let fact = fact("The register says 1874, whereas the guide gives 1871 for the opening of the mill.");
        assert!(fact.is_topic_of(&Bag::of("It was 1874.")));
        assert!(fact.is_topic_of(&Bag::of("The opening of that mill came later.")));
        assert!(!fact.is_topic_of(&Bag::of("I renamed the function.")));
    }

    #[test]
    fn files_and_addresses_are_sources() {
        let bag = Bag::of("config/server.toml and https://example.org/x say so");
        assert_eq!(bag.sources.len(), 2);
    }
}
