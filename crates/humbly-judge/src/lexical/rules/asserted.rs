//! Whether a word of disagreement is said of evidence: `conflicting dates`, `the passages clash over …`.

use super::clause;
use crate::lexical::lexicon::Class;
use crate::lexical::sentence::Sentence;

/// `conflicting dates`, `contradictory information`, `the birth date is contradictory`, `inconsistent with the records`.
pub(super) fn adjective_is_bound(here: &Sentence, index: usize) -> bool {
    let next = index + 1..(index + 4).min(here.len());
    let attributive = next
        .take_while(|&at| !here.is_mark(at, b",.;:()") && !is_little(here.word(at)))
        .find(|&at| here.class(at).is(Class::EVIDENCE));
    if let Some(noun) = attributive {
        return !here.any(index + 1..noun, Class::CODE);
    }
    let before = clause(here, index).start..index;
    let is_predicate = before.clone().rev().take(3).any(|at| is_copula(here.word(at)));
    let with_evidence = here.word(index + 1) == "with"
        && here.any(index + 2..(index + 7).min(here.len()), Class::SOURCE.or(Class::EVIDENCE));
    if is_predicate && with_evidence && !here.any(here.all(), Class::CODE) {
        return true;
    }
    is_predicate
        && here.any(before, Class::EVIDENCE.or(Class::VALUE).or(Class::SOURCE))
        && !here.any(here.all(), Class::CODE)
}

/// `there is a contradiction regarding …`, `this discrepancy`, `a conflict between the sources`.
pub(super) fn noun_is_bound(here: &Sentence, index: usize) -> bool {
    // `the statute conflicts with Article 5` is a verb.
    if index > 0 && (is_topical(here, index) || here.reads(index, &["conflicts", "with"])) {
        return false;
    }
    let singular = matches!(
        here.word(index),
        "contradiction" | "discrepancy" | "inconsistency" | "disagreement" | "mismatch"
    );
    let is_conflict = matches!(
        here.word(index),
        "conflict" | "conflicts" | "tension" | "divergence" | "mismatch" | "mismatches"
    );
    let before = index.saturating_sub(4)..index;
    let pointed = before.clone().rev().take(2).any(|at| matches!(here.word(at), "this" | "that" | "these"));
    let exists = here.any_word(
        before.clone(),
        &[
            "there's", "there", "is", "are", "have", "has", "found", "shows", "see", "notice", "noticed",
            "remain", "remains", "exists", "appears", "seems", "be", "that's",
        ],
    );
    let after = index + 1..(index + 9).min(here.len());
    let linked = here.any_word(
        index + 1..(index + 3).min(here.len()),
        &[
            "between",
            "among",
            "in",
            "regarding",
            "about",
            "on",
            "over",
            "with",
            "concerning",
            "across",
            "as",
            "here",
        ],
    );
    let evidence = here.any(after, Class::EVIDENCE.or(Class::SOURCE));
    let ends_here = here.word(index + 1) == "here";
    let about = here.any_word(
        index + 1..(index + 2).min(here.len()),
        &["about", "regarding", "over", "on", "concerning"],
    );
    let said_of_evidence =
        here.word(index.wrapping_sub(1)) == "in" && here.any(0..index, Class::SOURCE) && about;
    if said_of_evidence
        || is_conflict && about && here.any_word(before.clone(), &["that's", "there's", "direct", "clear"])
    {
        return !here.any(here.all(), Class::CODE);
    }
    if is_conflict {
        // `the kings were in conflict over the delta, the book says`
        let stands_after_in = here.word(index.wrapping_sub(1)) == "in";
        let evidence = here.any(index + 1..(index + 6).min(here.len()), Class::EVIDENCE.or(Class::SOURCE));
        return !stands_after_in && linked && (evidence || ends_here) && !here.any(here.all(), Class::CODE);
    }
    if here.word(index).starts_with("contradiction") && !pointed {
        // `which is a contradiction` ends a proof; `a contradiction as to whether` names a fact.
        let as_to = here.reads(index + 1, &["as", "to"]) || here.word(index + 1) == "between";
        return about || as_to || linked && (evidence || exists);
    }
    ends_here
        || pointed
        || exists && (linked || singular || evidence)
        || linked && evidence
        || index <= 2 && here.is_mark(index + 1, b":")
}

/// `sources disagree`, `the second statement contradicts this`, `accounts differ on …`.
pub(super) fn verb_is_bound(here: &Sentence, index: usize) -> bool {
    let before = clause(here, index).start.max(index.saturating_sub(8))..index;
    let subject = here.any(before.clone(), Class::SOURCE.or(Class::EVIDENCE).or(Class::DOCUMENT));
    match here.word(index) {
        "contradict" | "contradicts" | "contradicted" | "contradicting" => {
            let object = here.any(index + 1..(index + 7).min(here.len()), Class::SOURCE.or(Class::EVIDENCE));
            let pointed = before
                .clone()
                .rev()
                .take(2)
                .any(|at| matches!(here.word(at), "this" | "which" | "that" | "also"));
            let each_other = here.has_phrase(index..(index + 5).min(here.len()), &["each", "other"])
                || here.has_phrase(index..(index + 5).min(here.len()), &["one", "another"]);
            let ordinal = here.any_word(
                index + 1..(index + 3).min(here.len()),
                &["first", "second", "other", "former", "latter"],
            );
            ordinal && subject
                || object && (subject || pointed)
                || subject
                    && (each_other
                        || here.any_word(
                            index + 1..index + 3,
                            &["this", "that", "it", "himself", "itself", "what"],
                        ))
                || pointed
                    && here.any_word(
                        index + 1..(index + 6).min(here.len()),
                        &["earlier", "previous", "what", "stated", "mentioned", "other"],
                    )
        }
        "conflict" | "conflicts" | "conflicted" => {
            let this = here.any_word(index.saturating_sub(1)..index, &["this", "which", "that"])
                && here.word(index + 1) == "with"
                && here.any(index + 2..(index + 9).min(here.len()), Class::SOURCE.or(Class::DOCUMENT));
            this || subject
                && (here.word(index + 1) == "with"
                    || here.is_mark(index + 1, b":.,;")
                    || here.any_word(index + 1..index + 3, &["on", "about", "regarding", "over", "as"]))
                && !here.any(here.all(), Class::CODE)
        }
        _ => {
            // `accounts of the captain's death differ`
            let opens_with_accounts = here.first_word().is_some_and(|first| {
                matches!(here.word(first), "accounts" | "sources" | "reports" | "records" | "estimates")
            });
            let reach = if opens_with_accounts { 9 } else { 5 };
            let near = before.start.max(index.saturating_sub(reach))..index;
            let past = matches!(here.word(index), "disagreed" | "differed");
            let documents = here.any_word(
                near.clone(),
                &[
                    "source",
                    "sources",
                    "article",
                    "articles",
                    "documents",
                    "pages",
                    "records",
                    "reports",
                    "passages",
                    "accounts",
                    "websites",
                    "results",
                    "texts",
                ],
            );
            let varies = matches!(here.word(index), "vary" | "varies");
            let told = here.any_word(
                near.clone(),
                &["estimates", "figures", "numbers", "claims", "opinions", "dates", "spellings", "answers"],
            );
            let object = here.any(index + 1..(index + 5).min(here.len()), Class::SOURCE);
            if here.word(index) == "disagrees" {
                return object && here.any(near, Class::SOURCE);
            }
            let paired =
                here.any_word(near.clone(), &["two", "these", "both"]) || here.any(here.all(), Class::SOURCE);
            (documents
                || !past
                    && paired
                    && if varies { told } else { here.any(near, Class::SOURCE.or(Class::VALUE)) })
                && !here.any_word(index + 1..(index + 4).min(here.len()), &["depending", "by"])
                && !here.any_word(index.saturating_sub(1)..index, &["can", "that", "to"])
                && !here.any(here.all(), Class::CODE)
        }
    }
}

/// `the dates do not match`, `these figures don't agree`.
pub(super) fn mismatch_is_stated(here: &Sentence, index: usize) -> bool {
    matches!(here.word(index), "match" | "agree" | "align" | "add")
        && here.any(index.saturating_sub(3)..index, Class::NEGATION)
        && here.any(index.saturating_sub(8)..index, Class::VALUE.or(Class::SOURCE))
        && !here.any(here.all(), Class::CODE)
        && (here.word(index) != "add" || here.word(index + 1) == "up")
}

/// `two different birth dates are mentioned`.
pub(super) fn different_values(here: &Sentence, index: usize) -> bool {
    if !matches!(
        here.word(index),
        "different" | "differing" | "distinct" | "separate" | "competing" | "varying" | "alternative"
    ) || !here.any(here.all(), Class::VALUE.or(Class::SOURCE))
    {
        return false;
    }
    let quantity = here.any(index.saturating_sub(2)..index, Class::QUANTITY);
    let noun = here.position(index + 1..(index + 4).min(here.len()), Class::VALUE);
    let sources_give = here.any(index.saturating_sub(6)..index, Class::SOURCE)
        && (index.saturating_sub(3)..index).any(|at| {
            here.class(at).is(Class::CLAIM) && !matches!(here.word(at), "have" | "has" | "use" | "uses")
        });
    let reported =
        here.any(here.all(), Class::CLAIM) || here.any(index.saturating_sub(5)..index, Class::FACT_VERB);
    noun.is_some() && (quantity && reported || sources_give) && !here.any(here.all(), Class::CODE)
}

/// `depends on the source`, `it is unclear which figure is right`, `the evidence is mixed`, `cannot both be right`.
pub(super) fn idiom_of_disagreement(here: &Sentence, index: usize) -> bool {
    let reach = |from: usize, length: usize| from..(from + length).min(here.len());
    match here.word(index) {
        "depends" | "depending" | "varies" => {
            here.any_word(reach(index + 1, 1), &["on", "by", "upon", "across", "between"])
                && here.position(reach(index + 2, 4), Class::SOURCE).is_some_and(|at| {
                    matches!(
                        here.word(at),
                        "source"
                            | "sources"
                            | "newspaper"
                            | "document"
                            | "article"
                            | "account"
                            | "accounts"
                            | "database"
                            | "page"
                            | "text"
                            | "passage"
                    )
                })
        }
        "unclear" | "uncertain" | "unresolved" => {
            here.word(index + 1) == "which"
                && here.any(reach(index + 2, 4), Class::VALUE.or(Class::SOURCE).or(Class::COLLECTIVE))
        }
        "unanimous" => {
            here.any(index.saturating_sub(3)..index, Class::NEGATION) && here.any(0..index, Class::SOURCE)
        }
        "divided" | "split" => {
            here.any_word(reach(index + 1, 1), &["on", "over", "about", "as"])
                && (here.any(0..index, Class::SOURCE) || here.any_word(0..index, &["opinion", "opinions"]))
        }
        "disagree" | "contradict" | "conflict" => {
            let values = here
                .all()
                .filter(|&at| here.is_number(at) && !matches!(here.word(at), "two" | "both"))
                .count();
            values >= 2 && here.any_word(index.saturating_sub(4)..index, &["two", "both", "these", "they"])
        }
        "versions" | "accounts" => {
            here.any(index.saturating_sub(2)..index, Class::QUANTITY)
                && here.word(index + 1) == "of"
                && here.any_word(
                    index.saturating_sub(4)..index,
                    &[
                        "there", "are", "exist", "gives", "give", "contains", "have", "hold", "i've", "got",
                        "see",
                    ],
                )
        }
        "mixed" => {
            here.any(index.saturating_sub(4)..index, Class::EVIDENCE)
                && here.any_word(index.saturating_sub(2)..index, &["is", "are", "was", "were"])
        }
        "one" => {
            here.word(index + 1) == "of"
                && here.any_word(reach(index + 2, 2), &["them", "these", "the", "those"])
                && here.any_word(reach(index + 3, 8), &["wrong", "mistaken", "incorrect", "erroneous", "off"])
                && here.any_word(reach(index + 3, 5), &["must", "is", "be", "has"])
        }
        "line" => here.word(index + 1) == "up" && here.any(index.saturating_sub(3)..index, Class::NEGATION),
        "compatible" | "reconcilable" => {
            here.any(index.saturating_sub(2)..index, Class::NEGATION)
                && here.any(0..index, Class::VALUE.or(Class::SOURCE))
        }
        "contested" | "disputed" | "debated" => {
            here.any_word(index.saturating_sub(2)..index, &["is", "are", "remains", "remain", "still"])
                && here.any(0..index, Class::VALUE)
        }
        "both" => {
            here.any_word(reach(index + 1, 1), &["be"])
                && here.any_word(reach(index + 2, 1), &["right", "correct", "true", "accurate"])
                && here.any_word(index.saturating_sub(2)..index, &["can't", "cannot", "not", "couldn't"])
        }
        _ => false,
    }
}

pub(super) fn is_little(word: &str) -> bool {
    matches!(
        word,
        "the"
            | "a"
            | "an"
            | "with"
            | "and"
            | "or"
            | "to"
            | "in"
            | "is"
            | "are"
            | "was"
            | "were"
            | "by"
            | "from"
            | "that"
            | "this"
            | "these"
            | "which"
            | "their"
            | "there"
    )
}

fn is_copula(word: &str) -> bool {
    matches!(
        word,
        "is" | "are"
            | "was"
            | "were"
            | "be"
            | "that's"
            | "it's"
            | "they're"
            | "seem"
            | "seems"
            | "appear"
            | "appears"
            | "remains"
            | "remain"
    )
}

/// A conflict that the text is about: armed, political, in code.
fn is_topical(here: &Sentence, index: usize) -> bool {
    let is_conflict = here.word(index).starts_with("conflict") || here.word(index) == "tension";
    is_conflict
        && index.checked_sub(1).is_some_and(|before| {
            here.tokens.get(before).is_some_and(|token| token.capital && before > 0)
                || matches!(
                    here.word(before),
                    "armed"
                        | "military"
                        | "civil"
                        | "ethnic"
                        | "border"
                        | "regional"
                        | "international"
                        | "family"
                        | "class"
                        | "inner"
                        | "internal"
                        | "political"
                        | "religious"
                        | "violent"
                        | "merge"
                        | "version"
                        | "dependency"
                        | "surface"
                        | "racial"
                        | "social"
                        | "global"
                        | "territorial"
                        | "of"
                        | "during"
                        | "avoid"
                )
        })
}
