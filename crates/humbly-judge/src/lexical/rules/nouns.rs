//! How the name of a source is built: determiners, ordinals, numbers, and verbs that look like nouns.

use crate::lexical::lexicon::Class;
use crate::lexical::sentence::{Kind, Sentence};

/// Words that name a source only with a name or a number beside them.
pub(super) fn is_loose(head: &str, modified: bool) -> bool {
    let part = matches!(
        head,
        "figure"
            | "item"
            | "step"
            | "hit"
            | "bar"
            | "row"
            | "code"
            | "results"
            | "result"
            | "calendar"
            | "order"
    );
    let unmodified = matches!(
        head,
        "rule"
            | "test"
            | "tests"
            | "list"
            | "account"
            | "accounts"
            | "statement"
            | "statements"
            | "table"
            | "plan"
            | "form"
            | "comment"
            | "claim"
            | "claims"
    );
    part || unmodified && !modified
}

pub(super) fn is_year(word: &str) -> bool {
    word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit())
}

pub(super) fn is_determiner(word: &str) -> bool {
    matches!(
        word,
        "the"
            | "a"
            | "an"
            | "its"
            | "their"
            | "his"
            | "her"
            | "my"
            | "our"
            | "your"
            | "this"
            | "that"
            | "these"
            | "those"
            | "one"
            | "another"
            | "some"
            | "each"
            | "every"
            | "both"
            | "all"
            | "any"
            | "no"
    )
}

pub(super) fn is_ordinal(word: &str) -> bool {
    matches!(
        word,
        "first" | "second" | "third" | "fourth" | "former" | "latter" | "other" | "another" | "one"
    )
}

/// `1`, `A`, `two` behind a noun: its number.
pub(super) fn is_label(here: &Sentence, at: usize) -> bool {
    let word = here.word(at);
    let Some(token) = here.tokens.get(at) else { return false };
    match token.kind {
        Kind::Number => word.len() <= 2 && !here.is_mark(at + 1, b"%"),
        Kind::Word => {
            word.len() == 1 && token.capital && word != "i"
                || matches!(word, "one" | "two" | "three" | "four" | "five" | "six" | "seven")
        }
        _ => false,
    }
}

pub(super) fn numeral(word: &str) -> &str {
    match word {
        "one" => "1",
        "two" => "2",
        "three" => "3",
        "four" => "4",
        "five" => "5",
        other => other,
    }
}

/// `reports`, `states`, `notes` as what a source does.
pub(super) fn is_verb(here: &Sentence, index: usize) -> bool {
    if !here.class(index).is(Class::CLAIM) || index == 0 {
        return false;
    }
    let before = index - 1;
    let word = here.word(before);
    let follows_source = here.class(before).is(Class::SOURCE.or(Class::DOCUMENT).or(Class::INSTITUTION));
    let follows_label =
        is_label(here, before) && before > 0 && here.class(before - 1).is(Class::SOURCE.or(Class::DOCUMENT));
    follows_source
        || follows_label
        || here.is_mark(before, b".")
        || matches!(
            word,
            "i" | "it"
                | "he"
                | "she"
                | "they"
                | "we"
                | "you"
                | "who"
                | "which"
                | "to"
                | "not"
                | "also"
                | "only"
                | "will"
                | "would"
                | "can"
                | "could"
                | "should"
                | "one"
                | "another"
                | "second"
                | "other"
                | "others"
                | "some"
                | "former"
                | "latter"
        ) && !here.word(index + 1).is_empty()
            && !matches!(here.word(index + 1), "has" | "says" | "gives" | "is" | "of")
            && !is_label(here, index + 1)
        || here.is_name(before)
            && !here.word(before).ends_with("'s")
            && !here.class(before).is(Class::MONTH)
            && !here.is_mark(index + 1, b".,;:")
}
