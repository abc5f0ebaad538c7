//! Criterion a, by its second side: an answer that is rejected, a source that errs, dissents or is debated.

use std::ops::Range;

use super::attribution::{MOST_CONTRASTS, agrees, attributions, contrasts, is_pronoun};
use super::{Competition, Hit, Scene, Side, competes, denies, is_plan, spanning};
use crate::lexical::lexicon::Class;
use crate::lexical::sentence::Sentence;

/// `…, not 1983 as initially stated`; `… despite the earlier statement that …`; `…, but upon closer inspection …`.
pub(super) fn rejected_side(scene: Scene<'_>) -> Option<Hit> {
    let here = scene.here()?;
    let all = here.all();
    let found = || Hit { rule: "rejected-alternative", range: here.range.clone() };
    let attributed = !scene.attributions(scene.index).is_empty();
    if here.asks || is_plan(here, all.clone()) {
        return None;
    }
    for index in here.tokens_of(Class::REJECT_CUE) {
        if here.is_quoted(index) {
            continue;
        }
        // The chosen answer is attributed, and so is the rejected one.
        if here.word(index) == "not" && index > 3 {
            let stated = (index + 1..here.len()).find(|&at| {
                here.word(at) == "as" && here.any(at + 1..(at + 7).min(here.len()), Class::CLAIM)
            });
            let chosen = !attributions(here, 0..index).is_empty();
            if chosen
                && stated.is_some_and(|at| {
                    (index + 1..at).any(|value| here.is_number(value) || here.is_name(value))
                })
            {
                return Some(found());
            }
        }
        if here.word(index) == "despite"
            || here.reads(index, &["contrary", "to"])
            || here.reads(index, &["in", "spite"])
        {
            let after = index + 1..(index + 7).min(here.len());
            let earlier = here.any(after.clone(), Class::FIRST.or(Class::OTHER))
                || (after.clone()).any(|at| here.is_name(at));
            let claim = here.any(after.clone(), Class::SOURCE)
                || here.any_word(
                    after,
                    &[
                        "mention",
                        "claim",
                        "claims",
                        "statement",
                        "report",
                        "reports",
                        "suggestion",
                        "assertion",
                    ],
                );
            let attributed_elsewhere = attributed
                || scene.before().is_some() && !scene.attributions(scene.index.wrapping_sub(1)).is_empty();
            if earlier && claim && attributed_elsewhere && has_alternative(here, index) {
                return Some(found());
            }
        }
        if here.any_word(index..index + 1, &["upon", "on"])
            && here.any_word(index + 1..(index + 2).min(here.len()), &["closer", "further", "second"])
            && here.any_word(
                index + 2..(index + 3).min(here.len()),
                &["inspection", "examination", "reading", "look", "review"],
            )
            && attributed
        {
            return Some(found());
        }
    }
    None
}

fn has_alternative(here: &Sentence, from: usize) -> bool {
    (from..here.len()).any(|index| here.is_number(index) || here.is_name(index))
}

/// `the passage says 1967, which is a mistake`; `the earlier belief has been debunked`.
pub(super) fn error_in_source(scene: Scene<'_>) -> Option<Hit> {
    let here = scene.here()?;
    let all = here.all();
    if here.asks || is_plan(here, all.clone()) || here.any(all.clone(), Class::CODE) {
        return None;
    }
    let found = || Hit { rule: "error-in-evidence", range: here.range.clone() };
    let is_error = |index: usize| {
        matches!(
            here.word(index),
            "mistake"
                | "error"
                | "typo"
                | "misprint"
                | "incorrect"
                | "wrong"
                | "erroneous"
                | "mistaken"
                | "inaccurate"
                | "outdated"
        ) && !here.any(index.saturating_sub(4)..index, Class::NEGATION)
            && !here.any(index.saturating_sub(3)..index, Class::MODAL)
            && !here.any_word(0..index, &["if", "unless", "maybe"])
    };
    for index in here.tokens_of(Class::ERROR_CUE) {
        let word = here.word(index);
        if here.is_quoted(index) {
            continue;
        }
        if matches!(
            word,
            "belief" | "view" | "claim" | "assumption" | "understanding" | "consensus" | "statement"
        ) && here.any(index.saturating_sub(3)..index, Class::FIRST.or(Class::OTHER))
            && (index + 1..here.len()).any(|at| {
                matches!(
                    here.word(at),
                    "debunked"
                        | "refuted"
                        | "disproved"
                        | "disproven"
                        | "overturned"
                        | "contradicted"
                        | "superseded"
                )
            })
            && here.any_word(
                index + 1..here.len(),
                &[
                    "research",
                    "evidence",
                    "study",
                    "studies",
                    "source",
                    "sources",
                    "findings",
                    "results",
                    "data",
                    "record",
                    "records",
                    "document",
                    "documents",
                    "article",
                ],
            )
        {
            return Some(found());
        }
        if !is_error(index) {
            continue;
        }
        let before = 0..index;
        let which = before.clone().rev().take(3).any(|at| matches!(here.word(at), "which" | "that" | "this"));
        let in_source = here.any_word(index + 1..(index + 2).min(here.len()), &["in"])
            && here.any(index + 2..(index + 5).min(here.len()), Class::SOURCE);
        let seems = here.any_word(index.saturating_sub(6)..index, &["seems", "appears", "is", "there's"])
            && here.any_word(index.saturating_sub(7)..index, &["there", "there's"]);
        let given = here.any(index.saturating_sub(6)..index, Class::VALUE)
            && here.any_word(
                index.saturating_sub(5)..index,
                &["given", "stated", "mentioned", "listed", "reported"],
            );
        let claimed = !attributions(here, before).is_empty()
            && (0..index).any(|at| here.is_number(at) || here.is_name(at));
        if which && claimed
            || in_source && seems && has_alternative(here, index)
            || given && (claimed || here.any(all.clone(), Class::SOURCE))
        {
            return Some(found());
        }
    }
    None
}

/// `That said, one obituary credits her husband`: the chosen answer stands before it, a source against it.
pub(super) fn dissenting_source(scene: Scene<'_>) -> Option<Hit> {
    let here = scene.here()?;
    let first = here.first_word()?;
    if here.asks || is_plan(here, here.all()) {
        return None;
    }
    let claims = scene.attributions(scene.index);
    let dissents = |from: usize| {
        claims.iter().any(|claim| {
            let named = here.class(claim.at).is(Class::SOURCE);
            let pointed = here.any_word(
                claim.at.saturating_sub(3)..claim.at,
                &["one", "another", "other", "some", "least", "few", "several", "a", "an", "own", "official"],
            );
            claim.at > from && named && pointed && !denies(here, claim.at..claim.verb)
        })
    };
    let found = || Some(Hit { rule: "dissenting-source", range: here.range.clone() });
    // `… in 1938, although one of the sources claims that work went on until 1941`
    for border in contrasts(here).take(MOST_CONTRASTS).filter(|&border| border > first) {
        let (left, right) = (
            Side { sentence: here, start: 0, end: border },
            Side { sentence: here, start: border, end: here.len() },
        );
        if dissents(border) && competes(Competition::Numbers, left, right) && !agrees(here, right.range()) {
            return found();
        }
    }
    let opens = here.class(first).is(Class::CONTRAST)
        || here.reads(first, &["that", "said"])
        || here.any_word(first..first + 1, &["note", "caveat", "caution", "mind"])
        || here.any_word(first + 1..(first + 3).min(here.len()), &["aware", "mind"]);
    let before = scene.before()?;
    let rivals = opens
        && dissents(first)
        && competes(Competition::NumbersOrNames, Side::whole(before), Side::whole(here));
    if rivals && !agrees(here, here.all()) { found() } else { None }
}

/// `there is ongoing debate among historians, with some suggesting …`.
pub(super) fn debate(scene: Scene<'_>) -> Option<Hit> {
    let here = scene.here()?;
    let index = here.all().find(|&index| {
        matches!(
            here.word(index),
            "debate" | "debated" | "disputed" | "dispute" | "contested" | "controversy" | "disagreement"
        ) && !here.is_quoted(index)
    })?;
    if denies(here, index.saturating_sub(4)..index) || here.asks {
        return None;
    }
    let exists = here.any_word(
        index.saturating_sub(5)..index,
        &["there", "is", "are", "remains", "remain", "was", "still", "there's"],
    );
    let sided = |sentence: &Sentence, range: Range<usize>| {
        let sides = range
            .clone()
            .filter(|&at| is_pronoun(sentence, at) || sentence.class(at).is(Class::SOURCE))
            .filter(|&at| sentence.any(at + 1..(at + 4).min(sentence.len()), Class::CLAIM))
            .count();
        sides > 0 && range.clone().any(|at| sentence.is_number(at) || sentence.is_name(at))
    };
    let after = scene.after().filter(|after| sided(after, after.all()));
    if exists && sided(here, index..here.len()) {
        return Some(Hit { rule: "debate-with-sides", range: here.range.clone() });
    }
    let after = after.filter(|_| exists)?;
    Some(Hit { rule: "debate-with-sides", range: spanning(here, after) })
}
