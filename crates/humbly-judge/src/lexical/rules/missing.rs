//! Criterion c of Identify: a specific missing fact, looked for and not found.

use std::ops::Range;

use super::{Hit, Scene};
use crate::lexical::lexicon::Class;
use crate::lexical::sentence::{Kind, Sentence};

const RULE: &str = "fact-missing";

pub(super) fn fact_missing(scene: Scene<'_>) -> Option<Hit> {
    let here = scene.here()?;
    if here.asks {
        return None;
    }
    if here.tokens_of(Class::MISSING_CUE).any(|index| no_access(here, index) && !is_supposed(here, index)) {
        return Some(Hit { rule: RULE, range: here.range.clone() });
    }
    if here.any(here.all(), Class::CODE) || here.tokens.iter().any(|token| token.kind == Kind::Code) {
        return None;
    }
    let found = here.tokens_of(Class::MISSING_CUE).any(|index| {
        (evidence_is_silent(here, index)
            || fact_is_unstated(here, index)
            || nothing_on(here, index)
            || was_not_found(here, index)
            || says_nothing(here, index)
            || is_left_out(here, index)
            || remains_unknown(here, index))
            && !is_supposed(here, index)
    });
    found.then(|| Hit { rule: RULE, range: here.range.clone() })
}

/// `the search results don't mention the founding date`; `none of the sources state …`.
fn evidence_is_silent(here: &Sentence, index: usize) -> bool {
    let none = matches!(here.word(index), "none" | "neither" | "no")
        && (here.word(index + 1) == "of" || here.class(index + 1).is(Class::COLLECTIVE.or(Class::SINGLE)));
    let denied = here.class(index).is(Class::NEGATION)
        && (here.word(index).ends_with("n't") || here.word(index) == "not");
    if !none && !denied {
        return false;
    }
    let reach = match (none, here.word(index)) {
        (true, "neither") => 10,
        (true, _) => 8,
        _ => 4,
    };
    let Some(verb) = (index + 1..(index + 1 + reach).min(here.len()))
        .find(|&at| here.class(at).is(Class::INFO) && !(none && at < index + 2))
    else {
        return false;
    };
    let is_modal = denied
        && (here.word(index).starts_with("could")
            || here.word(index).starts_with("would")
            || here.any(index.saturating_sub(1)..index, Class::MODAL));
    if is_modal || here.any(index + 1..verb, Class::MODAL) {
        return false;
    }
    let explicit = here.any(index..verb, Class::EXPLICIT) && here.word(verb - 1) != "directly";
    let before = index.saturating_sub(18)..index;
    let subject_start = before
        .clone()
        .rev()
        .find(|&at| here.is_mark(at, b";") || matches!(here.word(at), "which" | "but"))
        .map_or(before.start, |at| at + 1);
    let subject = subject_start.min(index)..index;
    if here.any(subject.clone(), Class::ASKER) {
        return false;
    }
    let collective = none || here.any(before.clone(), Class::COLLECTIVE);
    let single = here.any(before.clone(), Class::SINGLE) || here.any_word(before, &["it", "they"]);
    let object = object_of(here, verb + 1);
    let exact =
        here.any(object.clone(), Class::EXACT.or(Class::EXPLICIT)) && here.any(object.clone(), Class::FACT);
    let asks_what = matches!(here.word(object.start), "who" | "where" | "when" | "how" | "which" | "why");
    let definite = here.word(object.start) == "the"
        && here.any(object.start..object.end.min(object.start + 4), Class::FACT);
    (collective || single && (explicit || exact || asks_what || definite))
        && (asks_what || is_specific(here, object))
}

/// What the verb before `from` takes, up to the next clause.
fn object_of(here: &Sentence, from: usize) -> Range<usize> {
    let end = (from..here.len())
        .find(|&at| {
            here.is_mark(at, b",;:.()")
                || here.class(at).is(Class::CONTRAST)
                || matches!(here.word(at), "so" | "because" | "since")
        })
        .unwrap_or(here.len());
    from..end.min(from + 14)
}

/// Whether the object names something in particular: not `more information`, not `any other ship`.
fn is_specific(here: &Sentence, object: Range<usize>) -> bool {
    let head = object.start..object.end.min(object.start + 4);
    if here.any(head, Class::OTHER_OBJECT) || here.has_phrase(object.clone(), &["other", "than"]) {
        return false;
    }
    object.clone().any(|index| {
        let class = here.class(index);
        let word = here.word(index);
        let named = here.is_name(index) || here.is_number(index) || here.is_quoted(index);
        named
            || word.len() > 3
                && !class.is(Class::GENERIC)
                && !class.is(Class::EXPLICIT)
                && !class.is(Class::EXACT)
                && !is_little(word)
    })
}

fn is_little(word: &str) -> bool {
    matches!(
        word,
        "about"
            | "either"
            | "here"
            | "there"
            | "with"
            | "from"
            | "which"
            | "their"
            | "they"
            | "have"
            | "been"
            | "also"
            | "that"
            | "directly"
            | "itself"
            | "clear"
            | "useful"
            | "relevant"
            | "sufficient"
            | "data"
            | "context"
            | "provided"
            | "search"
            | "results"
            | "sources"
            | "question"
            | "user"
    )
}

/// `the exact number isn't stated`; `the date is not explicitly given`.
fn fact_is_unstated(here: &Sentence, index: usize) -> bool {
    let denied = matches!(here.word(index), "isn't" | "aren't" | "wasn't" | "weren't")
        || here.word(index) == "not"
            && here.any_word(index.saturating_sub(1)..index, &["is", "are", "was", "were"]);
    let Some(participle) = denied
        .then(|| (index + 1..(index + 4).min(here.len())).find(|&at| here.class(at).is(Class::INFO_PAST)))
        .flatten()
    else {
        return false;
    };
    let before = index.saturating_sub(14)..index;
    let start = before
        .clone()
        .rev()
        .find(|&at| here.class(at).is(Class::CONTRAST) || here.is_mark(at, b";:"))
        .map_or(before.start, |at| at + 1);
    let subject = start..index;
    if here.any(subject.clone(), Class::ASKER.or(Class::OTHER_OBJECT)) {
        return false;
    }
    let exact = here.any(subject.clone(), Class::EXACT);
    let explicit = here.any(index..participle, Class::EXPLICIT);
    let named =
        subject.clone().any(|at| here.is_name(at) || here.is_quoted(at) || here.class(at).is(Class::FACT));
    let searched = here
        .any(participle + 1..(participle + 6).min(here.len()), Class::SOURCE.or(Class::COLLECTIVE))
        && here.any_word(participle + 1..(participle + 2).min(here.len()), &["in", "on", "by", "anywhere"])
        || here.any_word(participle + 1..(participle + 3).min(here.len()), &["anywhere"]);
    let fact = here.any(subject.clone(), Class::FACT);
    (exact || searched && subject.len() > 1) && fact || explicit && named
}

/// `there is no explicit monthly figure`; `returned no results for the 2019 budget`.
fn nothing_on(here: &Sentence, index: usize) -> bool {
    if here.word(index) != "no" {
        return false;
    }
    let before = index.saturating_sub(5)..index;
    let exists = here.any_word(
        before.clone(),
        &[
            "there's", "there", "with", "returned", "returns", "found", "gave", "give", "gives", "yielded",
            "provides", "provide", "has", "have", "contains", "contain", "shows", "show", "offers", "is",
            "but", "see",
        ],
    );
    let after = index + 1..(index + 5).min(here.len());
    if !exists || here.any(after.clone(), Class::OTHER_OBJECT) {
        return false;
    }
    let Some(fact) = here.position(after.clone(), Class::FACT) else {
        return false;
    };
    let exact = here.any(index + 1..fact, Class::EXACT)
        || here.any_word(index + 1..fact, &["direct", "clear", "official", "reliable"]);
    let linked = (fact + 1..(fact + 3).min(here.len()))
        .find(|&at| matches!(here.word(at), "for" | "on" | "about" | "of" | "regarding" | "that"));
    let generic_fact = here.class(fact).is(Class::GENERIC);
    let specific = linked.is_some_and(|at| is_specific(here, object_of(here, at + 1)));
    let returned = here.any_word(before, &["returned", "returns", "yielded", "gave", "found"]);
    let mention =
        matches!(here.word(fact), "mention" | "evidence" | "source" | "sources" | "reference" | "references");
    let gives =
        ["give", "gives", "provide", "provides", "contain", "contains", "list", "lists", "offer", "offers"];
    let silent = here.any_word(index.saturating_sub(1)..index, &gives)
        && here.any(index.saturating_sub(8)..index, Class::COLLECTIVE.or(Class::SINGLE))
        && !generic_fact;
    let numbered = linked
        .is_some_and(|at| object_of(here, at + 1).any(|value| here.is_number(value) || here.is_name(value)));
    let data = matches!(here.word(fact), "data" | "figure" | "figures" | "numbers" | "statistics" | "value");
    silent && specific
        || data && numbered
        || exact
            && (specific
                || !generic_fact
                    && !mention
                    && here.any(index.saturating_sub(12)..index, Class::SOURCE.or(Class::COLLECTIVE))
                || !generic_fact && !mention && fact > index + 2)
        || returned && specific && !mention
}

/// `I couldn't find the exact date`; `unable to locate the 2019 figure`.
fn was_not_found(here: &Sentence, index: usize) -> bool {
    let tried = matches!(here.word(index), "couldn't" | "can't" | "cannot" | "didn't" | "haven't")
        || here.word(index) == "not"
            && here.any_word(index.saturating_sub(1)..index, &["could", "can", "did"])
        || here.reads(index, &["unable", "to"])
        || here.reads(index, &["failed", "to"])
        || here.reads(index, &["wasn't", "able"])
        || here.reads(index, &["not", "able"]);
    if !tried {
        return false;
    }
    let verb = (index + 1..(index + 7).min(here.len())).find(|&at| {
        matches!(
            here.word(at),
            "find"
                | "found"
                | "locate"
                | "located"
                | "retrieve"
                | "verify"
                | "confirm"
                | "determine"
                | "establish"
                | "identify"
                | "obtain"
        )
    });
    let Some(verb) = verb else { return false };
    let object = object_of(here, verb + 1);
    let searched = matches!(here.word(verb), "find" | "found" | "locate" | "located" | "retrieve" | "obtain");
    let exact = here.any(object.clone(), Class::EXACT);
    let fact = here.position(object.clone(), Class::FACT);
    let states = here.any(object.clone(), Class::SOURCE.or(Class::COLLECTIVE))
        && here.any_word(object.clone(), &["that", "which", "stating", "listing", "with"]);
    let told = fact.is_some_and(|at| !here.class(at).is(Class::GENERIC))
        || fact.is_some_and(|at| {
            here.any_word(at + 1..(at + 3).min(here.len()), &["on", "about", "for", "of", "regarding"])
        });
    is_specific(here, object) && (exact && fact.is_some() || searched && (told || states))
}

/// `the profile says nothing about how many`, `there is no mention of the displacement in any of the documents`.
fn says_nothing(here: &Sentence, index: usize) -> bool {
    let about = |at: usize| matches!(here.word(at), "about" | "on" | "regarding" | "of" | "for");
    let nothing = matches!(here.word(index), "nothing" | "silent")
        && about(index + 1)
        && here.any(index.saturating_sub(14)..index, Class::SOURCE.or(Class::COLLECTIVE));
    let no_mention = here.reads(index, &["no", "mention", "of"])
        && here.has_phrase(index + 3..here.len(), &["in", "any"])
        && here.any(index + 3..here.len(), Class::SOURCE.or(Class::COLLECTIVE));
    let no_source = here.word(index) == "no"
        && here.any_word(index + 1..(index + 3).min(here.len()), &["source", "figure", "figures", "data"])
        && here.any_word(index.saturating_sub(4)..index, &["have", "still", "found", "with"])
        && about(index + 2);
    let start = index + 2;
    let object = object_of(here, start + 1);
    let asks_what = matches!(here.word(start), "who" | "where" | "when" | "how" | "which");
    // `the register lists the owners, but not the year`
    let lists_but_not = here.reads(index, &["but", "not", "the"])
        && here.any(0..index, Class::SOURCE)
        && here.any(0..index, Class::INFO)
        && here.any(index + 3..(index + 6).min(here.len()), Class::FACT)
        && here.any_word(index + 4..(index + 8).min(here.len()), &["of", "in", "when", "that", "on", "for"]);
    if lists_but_not {
        return true;
    }
    (nothing || no_mention || no_source)
        && (asks_what || is_specific(here, start..object.end.max(start)))
        && !here.any(start..(start + 3).min(here.len()), Class::OTHER_OBJECT)
}

/// `the crew list omits the second engineer's name`, `the page lacks the date`.
fn is_left_out(here: &Sentence, index: usize) -> bool {
    let verb = matches!(here.word(index), "omits" | "omit" | "omitted" | "lacks" | "lack" | "lacking")
        || matches!(here.word(index), "fails" | "fail" | "failed")
            && here.word(index + 1) == "to"
            && here.class(index + 2).is(Class::INFO);
    let object = object_of(here, index + 1);
    verb && here.any(index.saturating_sub(6)..index, Class::COLLECTIVE.or(Class::SINGLE))
        && here.any(object.clone(), Class::FACT)
        && is_specific(here, object)
}

/// `the exact figure remains unknown`, `that number is still missing`.
fn remains_unknown(here: &Sentence, index: usize) -> bool {
    let unknown = matches!(
        here.word(index),
        "unknown" | "unclear" | "missing" | "unavailable" | "undisclosed" | "elusive"
    );
    let near = index.saturating_sub(8)..index;
    unknown
        && here.any_word(index.saturating_sub(2)..index, &["remains", "remain", "still"])
        && here.any(near.clone(), Class::FACT)
        && here.any(near.clone(), Class::EXACT) | here.any_word(near.clone(), &["that", "this", "the"])
        && !here.any(near, Class::ASKER)
}

/// `the page returned a 404 error, so I can't confirm …`.
fn no_access(here: &Sentence, index: usize) -> bool {
    let broken =
        matches!(here.word(index), "404" | "403" | "paywall" | "paywalled" | "inaccessible" | "timed");
    broken
        && (index + 1..here.len()).any(|at| {
            matches!(here.word(at), "can't" | "cannot" | "couldn't" | "unable")
                && here.any_word(
                    at + 1..(at + 3).min(here.len()),
                    &["confirm", "verify", "read", "to", "check", "determine"],
                )
        })
}

/// Under a condition or in the future.
fn is_supposed(here: &Sentence, index: usize) -> bool {
    let before = index.saturating_sub(12)..index;
    here.any_word(
        before,
        &["if", "unless", "might", "may", "maybe", "perhaps", "suppose", "in case", "whether", "assuming"],
    )
}
