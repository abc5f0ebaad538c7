//! Abstention and refusal in the free text of a final answer.

use super::lexicon::{Class, Lexicon};
use super::rules::Hit;
use super::sentence::{Sentence, sentences};

/// Phrases with which an answer abstains; the sentence that holds one decides.
const PHRASES: &[(&str, &str)] = &[
    ("does-not-know", "don't know"),
    ("does-not-know", "do not know"),
    ("does-not-know", "no idea"),
    ("does-not-know", "not sure"),
    ("cannot-determine", "unable to"),
    ("cannot-determine", "not possible to"),
    ("cannot-determine", "impossible to"),
    ("cannot-determine", "cannot be"),
    ("cannot-determine", "can't be"),
    ("cannot-determine", "we cannot"),
    ("cannot-determine", "we can't"),
    ("not-enough-information", "not enough information"),
    ("not-enough-information", "insufficient information"),
    ("not-enough-information", "insufficient data"),
    ("not-enough-information", "sufficient information"),
    ("not-enough-information", "enough information"),
    ("not-enough-information", "more information"),
    ("not-enough-information", "more details"),
    ("not-enough-information", "additional information"),
    ("not-enough-information", "specific information"),
    ("not-enough-information", "missing information"),
    ("not-enough-information", "information missing"),
    ("not-enough-information", "information is missing"),
    ("not-enough-information", "missing some"),
    ("not-enough-information", "is missing"),
    ("not-enough-information", "need to know"),
    ("asks-back", "please provide"),
    ("asks-back", "please tell"),
    ("asks-back", "please specify"),
    ("asks-back", "please clarify"),
    ("asks-back", "please share"),
    ("asks-back", "you provide"),
    ("asks-back", "could you clarify"),
    ("asks-back", "let me know if you have"),
    ("question-is-incomplete", "problem is incomplete"),
    ("question-is-incomplete", "question is incomplete"),
    ("question-is-incomplete", "problem is underspecified"),
    ("question-is-incomplete", "question is unanswerable"),
    ("declines", "i'm sorry"),
    ("declines", "i cannot"),
    ("declines", "i can't"),
    ("declines", "i must decline"),
];

const DETERMINE: &[&str] = &[
    "determine",
    "determined",
    "answer",
    "answered",
    "say",
    "tell",
    "confirm",
    "confirmed",
    "verify",
    "verified",
    "identify",
    "provide",
    "give",
    "find",
    "found",
    "calculate",
    "calculated",
    "compute",
    "computed",
    "solve",
    "solved",
    "establish",
    "established",
    "assist",
    "help",
    "know",
    "known",
    "conclude",
    "evaluated",
    "evaluate",
    "specify",
    "ascertain",
    "ascertained",
];

/// A text whose end gives an answer does not abstain, whatever it says on the way.
const END: usize = 400;

/// Rules that hold on any sentence; none where the text ends with an answer.
pub(super) fn hits(text: &str, lexicon: &Lexicon) -> Vec<Hit> {
    if commits(text) {
        return Vec::new();
    }
    let starts: Vec<usize> = sentence_starts(text);
    sentences(text, &starts, lexicon).iter().filter_map(abstains).collect()
}

/// Whether the end of the text gives an answer in the forms of worked solutions.
fn commits(text: &str) -> bool {
    let mut from = text.len().saturating_sub(END);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let end = text.get(from..).unwrap_or_default();
    let boxed = end
        .rfind("\\boxed{")
        .and_then(|at| end.get(at + 7..))
        .is_some_and(|inside| !inside.starts_with("\\text"));
    let stated = end.rfind("answer is").and_then(|at| end.get(at + 9..)).is_some_and(|after| {
        after
            .trim_start_matches([':', ' ', '*', '$', '\\', '('])
            .starts_with(|first: char| first.is_ascii_digit())
    });
    boxed || stated
}

/// Every place after white space would do; ends of lines and stops suffice to touch each sentence.
fn sentence_starts(text: &str) -> Vec<usize> {
    let mut starts = vec![0];
    starts.extend(memchr::memchr_iter(b' ', text.as_bytes()));
    starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1));
    starts.sort_unstable();
    starts
}

fn abstains(sentence: &Sentence) -> Option<Hit> {
    let hit = |rule| Some(Hit { rule, range: sentence.range.clone() });
    for index in sentence.all() {
        if sentence.is_quoted(index) {
            continue;
        }
        for (rule, phrase) in PHRASES {
            let word = sentence.word(index);
            if word.is_empty() || !phrase.starts_with(word) {
                continue;
            }
            let words = phrase.split(' ').count();
            if !phrase.split(' ').enumerate().all(|(offset, word)| sentence.word(index + offset) == word) {
                continue;
            }
            let after = index + words..(index + words + 6).min(sentence.len());
            if holds(sentence, index, phrase, after) && !is_conditional(sentence, index, rule) {
                return hit(rule);
            }
        }
        if lists_but_not(sentence, index) {
            return hit("source-is-silent");
        }
    }
    is_only_unknown(sentence).then(|| Hit { rule: "does-not-know", range: sentence.range.clone() })
}

/// What a phrase needs beside it to abstain.
fn holds(sentence: &Sentence, index: usize, phrase: &str, after: std::ops::Range<usize>) -> bool {
    let before = index.saturating_sub(6)..index;
    match phrase {
        "unable to" | "not possible to" | "impossible to" | "cannot be" | "can't be" | "we cannot"
        | "i cannot" | "i can't" | "we can't" => sentence.any_word(after, DETERMINE),
        "sufficient information" | "enough information" => sentence.any(before, Class::NEGATION),
        "more information" | "more details" | "additional information" | "specific information" => {
            sentence.any(before.clone(), Class::NEGATION)
                || sentence.any_word(before, &["need", "require", "requires", "without", "needed", "needs"])
        }
        "missing some" | "is missing" => {
            sentence.any_word(after, &["information", "data", "details", "crucial"])
                || sentence.any_word(before, &["information", "data", "detail", "value", "piece"])
        }
        "i'm sorry" => sentence.any_word(after, &["can't", "cannot", "unable", "but"]),
        "no idea" | "not sure" => !is_someone_elses(sentence, index),
        _ => true,
    }
}

/// `the index lists the section but not the rule itself`.
fn lists_but_not(sentence: &Sentence, index: usize) -> bool {
    sentence.reads(index, &["but", "not"])
        && sentence.any(0..index, Class::SOURCE)
        && sentence.any(0..index, Class::INFO)
}

fn is_someone_elses(sentence: &Sentence, index: usize) -> bool {
    !sentence.any_word(index.saturating_sub(3)..index, &["i", "we"]) && index > 0
}

fn is_conditional(sentence: &Sentence, index: usize, rule: &str) -> bool {
    rule != "asks-back" && sentence.any_word(0..index, &["if", "unless"])
}

/// The whole answer is `unknown`, `n/a`, `none` or the like.
fn is_only_unknown(sentence: &Sentence) -> bool {
    let words: Vec<&str> =
        sentence.all().map(|index| sentence.word(index)).filter(|word| !word.is_empty()).collect();
    let words: &[&str] = match words.as_slice() {
        ["answer" | "final", rest @ ..] => rest,
        all => all,
    };
    matches!(
        words,
        ["unknown" | "unanswerable" | "undetermined" | "undefined"]
            | ["not", "known" | "available" | "specified" | "determinable"]
            | ["n", "a"]
    )
}
