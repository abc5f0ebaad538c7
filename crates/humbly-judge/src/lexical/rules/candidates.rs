//! Criterion d of Escalate: several concrete answers for the reader to choose among.

use super::{Hit, Scene, is_formula};
use crate::lexical::lexicon::Class;
use crate::lexical::sentence::Sentence;

/// `born on either 3 May or 5 May`; `is both 6'8" and 6'9"`; `1912 (Britannica) or 1913 (Wikipedia)`.
pub(super) fn offered(scene: Scene<'_>) -> Option<Hit> {
    let here = scene.here()?;
    let conditional =
        here.first_word().is_some_and(|first| matches!(here.word(first), "if" | "suppose" | "since"));
    if here.asks || conditional || is_formula(here) || here.any(here.all(), Class::CODE) {
        return None;
    }
    let found = here.tokens_of(Class::CANDIDATE_CUE).any(|index| {
        either_or(here, index)
            || is_both(here, index)
            || one_of_these(here, index)
            || or_hedged(here, index)
            || possible_answers(here, index)
    });
    found.then(|| Hit { rule: "candidates-offered", range: here.range.clone() })
}

/// `either X or Y` as values of a fact.
fn either_or(here: &Sentence, index: usize) -> bool {
    if here.word(index) != "either"
        || here.any(index.saturating_sub(3)..index, Class::NEGATION)
        || here.class(index + 1).is(Class::CONTRAST)
    {
        return false;
    }
    let before = index.saturating_sub(6)..index;
    let is_fact = here.any_word(
        before.clone(),
        &[
            "is",
            "was",
            "were",
            "are",
            "be",
            "been",
            "born",
            "died",
            "founded",
            "married",
            "released",
            "built",
            "established",
            "to",
            "in",
            "on",
        ],
    );
    let is_choice = here.any_word(before, &["you", "can", "use", "choose", "we", "let's", "need", "should"]);
    let Some(or) = (index + 1..(index + 16).min(here.len())).find(|&at| here.word(at) == "or") else {
        return false;
    };
    let is_kind = here.any_word(index.saturating_sub(6)..index, &["each", "every", "all"])
        || matches!(here.word(index + 1), "a" | "an");
    let left = !is_kind && (index + 1..or).any(|at| is_value(here, at));
    let right = (or + 1..(or + 8).min(here.len())).any(|at| is_value(here, at));
    (is_fact || here.first_word() == Some(index)) && !is_choice && left && right
}

fn is_value(here: &Sentence, index: usize) -> bool {
    here.is_number(index) || here.is_name(index) || here.is_quoted(index)
}

/// `reported to be both 6'8" and 6'9"`, `the name is both Paul and Peter`.
fn is_both(here: &Sentence, index: usize) -> bool {
    if here.word(index) != "both" {
        return false;
    }
    let copula = here.any_word(index.saturating_sub(2)..index, &["is", "are", "was", "be", "as", "were"]);
    let Some(and) = (index + 1..(index + 12).min(here.len())).find(|&at| here.word(at) == "and") else {
        return false;
    };
    let numbers =
        here.is_number(index + 1) && (and + 1..(and + 4).min(here.len())).any(|at| here.is_number(at));
    let names = (index + 1..and).any(|at| here.is_name(at)) && here.is_name(and + 1);
    let about_value = here.any(0..index, Class::VALUE)
        || here.any_word(
            index.saturating_sub(5)..index,
            &["reported", "said", "stated", "listed", "given", "attributed", "recorded"],
        );
    copula && about_value && (numbers || names)
}

/// `1912 or possibly 1913`, `the 19th dynasty or around 2500 BC`, `1912 (Britannica) or 1913 (Wikipedia)`.
fn or_hedged(here: &Sentence, index: usize) -> bool {
    if here.word(index) != "or" {
        return false;
    }
    let hedged = here.any_word(
        index + 1..(index + 2).min(here.len()),
        &["possibly", "perhaps", "maybe", "around", "alternatively", "potentially", "circa"],
    );
    let names_origin =
        (index.saturating_sub(8)..index).any(|at| here.class(at).is(Class::SOURCE) || here.is_name(at));
    let bracketed = here.is_mark(index.saturating_sub(1), b")")
        && names_origin
        && (index + 1..here.len()).any(|at| here.is_mark(at, b"("))
        && here.any_word(
            index.saturating_sub(9)..index,
            &["per", "according", "source", "by", "from", "in", "based"],
        );
    let left = (index.saturating_sub(6)..index).any(|at| is_value(here, at));
    let right = (index + 1..(index + 6).min(here.len())).any(|at| is_value(here, at));
    // `17 (with the annex) or 16 (without it)`, `Kolwezi or, according to the diary, Likasi`.
    let opens =
        |at: usize| here.is_mark(at, b"(") && !here.is_number(at + 1) && here.tokens.get(at + 1).is_some();
    let explained = here.is_mark(index.wrapping_sub(1), b")")
        && (index.saturating_sub(16)..index).any(|at| opens(at) && is_value(here, at.wrapping_sub(1)))
        && (index + 1..(index + 5).min(here.len())).any(|at| opens(at) && is_value(here, at.wrapping_sub(1)));
    let attributed = here.is_mark(index + 1, b",")
        && here.any_word(index + 2..(index + 3).min(here.len()), &["according", "per", "if", "in"])
        && left;
    let month = here.class(index + 2).is(Class::MONTH);
    let years =
        [index.wrapping_sub(1), index + 1].iter().all(|&at| here.word(at).len() == 4 && here.is_number(at));
    let dated = here.is_number(index.wrapping_sub(1)) && here.is_number(index + 1) && (month || years);
    let supposed = here.any_word(index.saturating_sub(6)..index, &["could", "may", "might"])
        && here.any_word(index.saturating_sub(5)..index, &["be"])
        && is_value(here, index + 1)
        && (is_value(here, index.wrapping_sub(1))
            || here.is_number(index + 1) && (index.saturating_sub(3)..index).any(|at| here.is_number(at)));
    let depends = here.word(0) == "depending" || here.any_word(index + 1..here.len(), &["depending"]);
    let decided_by = depends
        && here.find_phrase(0..here.len(), &["depending", "on"]).is_some_and(|at| {
            here.any_word(at + 2..(at + 3).min(here.len()), &["how", "which", "whether", "whose", "what"])
        });
    let names = here.is_name(index.wrapping_sub(1)) && (here.is_name(index + 1) || here.is_name(index + 2));
    let numbers = names || here.is_number(index.wrapping_sub(1)) && here.is_number(index + 1);
    (hedged || bracketed) && left && right
        || decided_by && numbers
        || explained
        || attributed
        || dated
        || supposed
}

/// `it is one of these: X or Y`, `could be 14, could be 16`.
fn one_of_these(here: &Sentence, index: usize) -> bool {
    let listed = here.word(index) == "or"
        && here
            .find_phrase(0..index, &["one", "of", "these"])
            .or_else(|| here.find_phrase(0..index, &["one", "of", "two"]))
            .is_some_and(|at| (at + 3..at + 6).any(|mark| here.is_mark(mark, b":")));
    let twice = here.reads(index, &["could", "be"])
        && (index + 3..here.len()).any(|again| {
            here.reads(again, &["could", "be"]) && is_value(here, again + 2) && is_value(here, index + 2)
        });
    listed || twice
}

/// `the possible answers are X and Y`, `two candidates: X and Y`.
fn possible_answers(here: &Sentence, index: usize) -> bool {
    let noun = matches!(
        here.word(index),
        "answers" | "candidates" | "possibilities" | "dates" | "values" | "names" | "figures" | "years"
    );
    let possible = here.any_word(
        index.saturating_sub(3)..index,
        &["possible", "plausible", "candidate", "competing", "potential", "likely"],
    ) || here.word(index) == "candidates"
        || here.word(index) == "possibilities";
    if !noun || !possible || here.any(index.saturating_sub(4)..index, Class::NEGATION) {
        return false;
    }
    let quantified =
        here.word(index) == "candidates" && here.any(index.saturating_sub(2)..index, Class::QUANTITY);
    let values = (index + 1..here.len()).filter(|&at| is_value(here, at) && !here.is_quoted(at)).count();
    let joined = here.any_word(index + 1..here.len(), &["and", "or"]);
    values >= 2
        && joined
        && ((index + 1..(index + 12).min(here.len())).any(|at| here.is_mark(at, b":"))
            || here.any_word(index + 1..(index + 2).min(here.len()), &["are", "include", "were"])
            || quantified)
}

/// Two of the task's own candidates stand in one sentence, joined by `or` or set against each other.
pub(super) fn known_candidates(scene: Scene<'_>) -> Option<Hit> {
    let here = scene.here()?;
    if here.asks || scene.knowledge.candidates.len() < 2 {
        return None;
    }
    let mut spans = Vec::new();
    for candidate in &scene.knowledge.candidates {
        let words: Vec<String> = words_of(candidate);
        if words.is_empty() || matches!(words.as_slice(), [only] if matches!(only.as_str(), "yes" | "no")) {
            continue;
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        if let Some(start) = here.all().find(|&index| here.reads(index, &words)) {
            spans.push(start..start + words.len());
        }
    }
    spans.sort_by_key(|span| span.start);
    for pair in spans.windows(2) {
        let [left, right] = pair else { continue };
        if left.end > right.start {
            continue;
        }
        let between = left.end..right.start;
        let or = here.any_word(between.clone(), &["or"]);
        let contrast = here.any(between.clone(), Class::CONTRAST) && here.any(here.all(), Class::SOURCE);
        let rejected = here.any_word(between, &["not", "rather", "instead", "than"]);
        if (or || contrast) && !rejected {
            return Some(Hit { rule: "known-candidates", range: here.range.clone() });
        }
    }
    None
}

fn words_of(candidate: &str) -> Vec<String> {
    candidate
        .split(|character: char| !character.is_alphanumeric() && !matches!(character, '\'' | '-' | '.' | ','))
        .map(|word| word.trim_matches(|character: char| !character.is_alphanumeric()).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect()
}
