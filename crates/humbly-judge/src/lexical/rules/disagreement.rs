//! Criterion b of Escalate and a of Identify: pieces of evidence are said to disagree, and the fact is named.

use super::asserted::{
    adjective_is_bound, different_values, idiom_of_disagreement, is_little, mismatch_is_stated,
    noun_is_bound, verb_is_bound,
};
use super::{Hit, Scene, clause, has_value, is_formula};
use crate::lexical::lexicon::Class;
use crate::lexical::sentence::Sentence;
use std::ops::Range;

const RULE: &str = "evidence-disagrees";

pub(super) fn evidence_disagrees(scene: Scene<'_>) -> Option<Hit> {
    let here = scene.here()?;
    if is_formula(here) {
        return None;
    }
    let found = here.tokens_of(Class::DISAGREE_CUE).find(|&index| states_disagreement(here, index))?;
    names_the_fact(scene, here, found).then(|| Hit { rule: RULE, range: here.range.clone() })
}

/// Whether the word at `index` asserts a disagreement of evidence.
pub(super) fn states_disagreement(here: &Sentence, index: usize) -> bool {
    let class = here.class(index);
    let idiom = here.reads(index, &["at", "odds"]) || here.reads(index, &["mutually", "exclusive"]);
    let bound = (class.is(Class::DISAGREE_ADJECTIVE) || idiom) && adjective_is_bound(here, index)
        || class.is(Class::DISAGREE_NOUN) && noun_is_bound(here, index)
        || class.is(Class::DISAGREE_VERB) && verb_is_bound(here, index)
        || mismatch_is_stated(here, index)
        || different_values(here, index)
        || idiom_of_disagreement(here, index);
    bound && !is_story(here) && !is_denied(here, index) && !is_hypothetical(here, index) && !here.asks
}

/// Told of a trial or a novel: those who disagree there are no evidence of ours.
fn is_story(here: &Sentence) -> bool {
    let told = here.any_word(
        here.all(),
        &[
            "novel",
            "film",
            "play",
            "trial",
            "jury",
            "plot",
            "opera",
            "protagonist",
            "quarrel",
            "quarrelled",
            "rivalry",
        ],
    );
    let documents = [
        "sources",
        "passages",
        "documents",
        "articles",
        "texts",
        "pages",
        "contexts",
        "passage",
        "article",
        "document",
        "page",
        "source",
        "records",
    ];
    told && !here.any_word(here.all(), &documents)
}

/// Negated in its clause: `no conflicting information`, `does not contradict`, `conflicts were not found`.
fn is_denied(here: &Sentence, index: usize) -> bool {
    if matches!(
        here.word(index),
        "match" | "agree" | "align" | "add" | "both" | "line" | "compatible" | "reconcilable" | "unanimous"
    ) {
        return false;
    }
    let around = clause(here, index);
    let before = around.start.max(index.saturating_sub(6))..index;
    let negated_before =
        before.rev().take_while(|&at| !here.is_mark(at, b",()")).any(|at| here.class(at).is(Class::NEGATION));
    let after = index + 1..around.end.min(index + 7);
    let negated_after = after.clone().any(|at| here.class(at).is(Class::NEGATION))
        && here.any_word(
            after,
            &["found", "exist", "appear", "seen", "present", "noted", "observed", "detected"],
        );
    negated_before || negated_after
}

/// Only looked for or supposed: `check whether sources conflict`, `any contradictions`, `there may be …`.
fn is_hypothetical(here: &Sentence, index: usize) -> bool {
    let start = clause(here, index).start.max(index.saturating_sub(10));
    let before = start..index;
    // `This could be a contradiction` supposes; `This contradiction could be …` does not.
    before.rev().take_while(|&at| !here.is_mark(at, b"()")).any(|at| {
        here.class(at).is(Class::HYPOTHETICAL)
            && !matches!(here.word(at), "may" if here.is_number(at + 1))
            && !(here.word(at) == "looking"
                || here.word(at) == "see" && matches!(here.word(at.wrapping_sub(1)), "i" | "we"))
            && !(here.word(at) == "if" && here.word(at.wrapping_sub(1)) == "as")
            // `it should be noted that`, `you should know that`
            && !(here.word(at) == "should" && here.any_word(at + 1..(at + 3).min(here.len()), &["noted", "note", "mention", "mentioned", "know", "say", "said"]))
    })
}

/// The complement of the disagreement, or a value near it, names the fact.
fn names_the_fact(scene: Scene<'_>, here: &Sentence, index: usize) -> bool {
    // What merely varies or differs must show its values or say in what.
    let weak = matches!(here.word(index), "vary" | "varies" | "differ" | "differs" | "diverge" | "diverges");
    let complement = (index + 1..here.len()).any(|at| {
        (matches!(
            here.word(at),
            "about"
                | "regarding"
                | "on"
                | "concerning"
                | "over"
                | "whether"
                | "when"
                | "where"
                | "who"
                | "how"
        ) || !weak && matches!(here.word(at), "for" | "of" | "as"))
            && content_follows(here, at)
    });
    let spelled_out = here.is_mark(index + 1, b":") && here.len() > index + 5;
    let value_noun =
        !weak && here.all().any(|at| here.class(at).is(Class::VALUE) && !is_generic_noun(here.word(at)));
    complement
        || spelled_out
        || value_noun
        || has_value(here)
        || scene.before().is_some_and(has_value)
        || !weak
            && (2..4).any(|step| {
                let earlier = scene.index.checked_sub(step).and_then(|at| scene.sentences.get(at));
                earlier.is_some_and(|earlier| earlier.paragraph == here.paragraph && has_value(earlier))
            })
        || scene.after().is_some_and(|after| {
            has_value(after)
                || after.first_word().is_some_and(|first| matches!(after.word(first), "one" | "some"))
        })
}

fn content_follows(here: &Sentence, at: usize) -> bool {
    (at + 1..(at + 6).min(here.len())).any(|next| {
        let word = here.word(next);
        word.len() > 3
            && !is_little(word)
            && !here.class(next).is(Class::GENERIC)
            && !here.class(next).is(Class::COLLECTIVE)
    })
}

fn is_generic_noun(word: &str) -> bool {
    matches!(
        word,
        "claim"
            | "claims"
            | "statement"
            | "statements"
            | "account"
            | "accounts"
            | "answer"
            | "answers"
            | "explanation"
            | "explanations"
    )
}

impl Sentence {
    /// Whether any of `words` stands unquoted within `range`.
    pub(in crate::lexical) fn any_word(&self, range: Range<usize>, words: &[&str]) -> bool {
        range.into_iter().any(|index| !self.is_quoted(index) && words.contains(&self.word(index)))
    }
}
