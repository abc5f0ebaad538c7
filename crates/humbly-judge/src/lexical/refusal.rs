//! Abstention and refusal in the free text of a final answer.

use super::lexicon::{Class, Lexicon};
use super::rules::Hit;
use super::sentence::{Sentence, sentences};

/// Phrases with which an answer abstains; the sentence that holds one decides.
const PHRASES: &[(&str, &[&str])] = &[
    ("does-not-know", &["don't", "know"]),
    ("does-not-know", &["do", "not", "know"]),
    ("does-not-know", &["no", "idea"]),
    ("does-not-know", &["not", "sure"]),
    ("cannot-determine", &["unable", "to"]),
    ("cannot-determine", &["not", "possible", "to"]),
    ("cannot-determine", &["impossible", "to"]),
    ("cannot-determine", &["cannot", "be"]),
    ("cannot-determine", &["can't", "be"]),
    ("not-enough-information", &["not", "enough", "information"]),
    ("not-enough-information", &["insufficient", "information"]),
    ("not-enough-information", &["insufficient", "data"]),
    ("not-enough-information", &["sufficient", "information"]),
    ("not-enough-information", &["enough", "information"]),
    ("not-enough-information", &["more", "information"]),
    ("not-enough-information", &["additional", "information"]),
    ("not-enough-information", &["missing", "information"]),
    ("not-enough-information", &["information", "is", "missing"]),
    ("declines", &["i'm", "sorry"]),
    ("declines", &["i", "cannot"]),
    ("declines", &["i", "can't"]),
    ("declines", &["i", "must", "decline"]),
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

/// Rules that hold on any sentence.
pub(super) fn hits(text: &str, lexicon: &Lexicon) -> Vec<Hit> {
    let starts: Vec<usize> = sentence_starts(text);
    sentences(text, &starts, 0, lexicon).iter().filter_map(abstains).collect()
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
            if !sentence.reads(index, phrase) {
                continue;
            }
            let after = index + phrase.len()..(index + phrase.len() + 6).min(sentence.len());
            let holds = match *rule {
                "cannot-determine" => sentence.any_word(after, DETERMINE),
                "not-enough-information" => {
                    let start = index.saturating_sub(6);
                    !phrase[0].starts_with("more")
                        && !matches!(phrase[0], "enough" | "sufficient" | "additional")
                        || sentence.any(start..index, Class::NEGATION)
                        || sentence.any_word(
                            start..index,
                            &["need", "require", "requires", "without", "needed", "needs"],
                        )
                }
                "declines" => {
                    phrase[0] == "i'm"
                        && sentence.any_word(after.clone(), &["can't", "cannot", "unable", "but"])
                        || phrase[1] == "must"
                        || sentence.any_word(after, DETERMINE)
                }
                "does-not-know" => phrase.len() > 2 || !is_someone_elses(sentence, index),
                _ => true,
            };
            if holds && !is_conditional(sentence, index) {
                return hit(rule);
            }
        }
        if lists_but_not(sentence, index) {
            return hit("source-is-silent");
        }
    }
    is_only_unknown(sentence).then(|| Hit { rule: "does-not-know", range: sentence.range.clone() })
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

fn is_conditional(sentence: &Sentence, index: usize) -> bool {
    sentence.any_word(0..index, &["if", "unless"])
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
