//! Criterion c of Escalate and b of Identify, told over sentences: what I held, then what takes it back.

use std::ops::Range;

use super::{Hit, Scene, is_formula};
use crate::lexical::lexicon::Class;
use crate::lexical::sentence::Sentence;

const RULE: &str = "own-statement-retracted";
/// Sentences after the belief in which it may be taken back.
const REACH: usize = 2;

/// A belief or statement of one's own.
struct Held {
    /// First token after it begins.
    from: usize,
    /// Stated or held firmly: evidence against it is enough.
    firm: bool,
}

pub(super) fn own_statement_retracted(scene: Scene<'_>) -> Option<Hit> {
    let here = scene.here()?;
    if here.asks || is_formula(here) {
        return None;
    }
    if takes_back_outright(here) {
        return Some(Hit { rule: RULE, range: here.range.clone() });
    }
    let held = here.tokens_of(Class::HOLDER).find_map(|index| held(here, index))?;
    if refutes(here, held.from..here.len()) || held.firm && sets_against(scene, held.from) {
        return Some(Hit { rule: RULE, range: here.range.clone() });
    }
    for step in 1..=REACH {
        let Some(after) = scene.sentences.get(scene.index + step) else { break };
        if after.paragraph - here.paragraph > 1 || after.asks {
            break;
        }
        let range = here.range.start..after.range.end;
        if refutes(after, after.all()) || step == 1 && held.firm && evidence_differs(scene, here, after) {
            return Some(Hit { rule: RULE, range });
        }
    }
    None
}

/// `I had claimed`, `my diagnosis`, `I was going to answer`.
fn held(here: &Sentence, index: usize) -> Option<Held> {
    let near = |length: usize| index + 1..(index + 1 + length).min(here.len());
    let supposed = here.any_word(index.saturating_sub(2)..index, &["if", "whether", "unless", "wish"]);
    if supposed {
        return None;
    }
    if here.word(index) == "my" {
        let noun = here.position(near(3), Class::OWN_MIND)?;
        let refuted_later = !here.any(near(3), Class::NEGATION);
        return refuted_later.then_some(Held { from: noun + 1, firm: true });
    }
    if matches!(here.word(index), "thought" | "assumed" | "believed") {
        // `Thought the token had expired.`
        return (here.first_word() == Some(index)).then_some(Held { from: index + 1, firm: false });
    }
    for (phrase, firm) in [
        (&["was", "sure"][..], true),
        (&["was", "certain"], true),
        (&["was", "convinced"], true),
        (&["was", "going", "to"], true),
        (&["was", "about", "to"], true),
        (&["would", "have", "said"], true),
        (&["was", "under", "the", "impression"], true),
        (&["started", "from"], true),
        (&["settled", "on"], true),
    ] {
        if here.reads(index + 1, phrase) {
            return Some(Held { from: index + 1 + phrase.len(), firm });
        }
    }
    let verb = near(4).find(|&at| here.class(at).is(Class::HELD))?;
    let between = index + 1..verb;
    let denied =
        here.any(between.clone(), Class::NEGATION) || between.clone().any(|at| is_other_subject(here, at));
    // `I told the user`, `I wrote above`: said to somebody.
    let said = matches!(
        here.word(verb),
        "told"
            | "claimed"
            | "wrote"
            | "asserted"
            | "named"
            | "stated"
            | "answered"
            | "put"
            | "reported"
            | "said"
    );
    let earlier = here.any(index.saturating_sub(3)..(verb + 3).min(here.len()), Class::PRIOR)
        || here.word(index) == "i'd";
    (!denied).then_some(Held { from: verb + 1, firm: said || earlier })
}

fn is_other_subject(here: &Sentence, at: usize) -> bool {
    matches!(
        here.word(at),
        "it" | "they" | "he" | "she" | "you" | "that" | "which" | "to" | "let" | "will" | "should" | "can"
    ) || here.is_mark(at, b",;:.")
}

/// `I take that back`, `scrap that`, `ignore what I wrote`.
fn takes_back_outright(here: &Sentence) -> bool {
    here.tokens_of(Class::HOLDER).any(|index| {
        let near = index + 1..(index + 4).min(here.len());
        let own = matches!(here.word(index), "i" | "i've" | "i'll");
        own && (here.has_phrase(index..(index + 6).min(here.len()), &["take", "that", "back"])
            || here.has_phrase(index..(index + 6).min(here.len()), &["take", "it", "back"])
            || here.has_phrase(near.clone(), &["had", "it", "wrong"])
            || here.has_phrase(near.clone(), &["got", "it", "wrong"])
            || here.has_phrase(near.clone(), &["got", "that", "wrong"])
            || here.any_word(near.clone(), &["misjudged", "misread", "misremembered"])
                && here.any(index..here.len(), Class::SOURCE.or(Class::DOCUMENT).or(Class::CONTRAST)))
            && !here.any(near, Class::NEGATION.or(Class::MODAL))
    })
}

/// Whether `range` takes something back.
fn refutes(here: &Sentence, range: Range<usize>) -> bool {
    let end = range.end;
    here.tokens_of(Class::REFUTING).filter(|index| range.contains(index)).any(|index| {
        let before = index.saturating_sub(5).max(range.start)..index;
        let near = |words: &[&str]| here.any_word(index + 1..(index + 4).min(end), words);
        let supposed = here.any_word(
            index.saturating_sub(7)..index,
            &[
                "if",
                "maybe",
                "whether",
                "unless",
                "might",
                "may",
                "could",
                "would",
                "possibly",
                "perhaps",
                "what's",
                "something",
                "anything",
                "nothing",
            ],
        );
        let denied = here.any(before.clone(), Class::NEGATION);
        if supposed {
            return false;
        }
        match here.word(index) {
            "wrong" | "mistaken" | "false" | "incorrect" | "untrue" | "untenable" | "off" | "erroneous"
            | "inaccurate" => {
                let predicate = here.any_word(
                    before,
                    &["was", "is", "were", "are", "that's", "am", "it's", "proved", "everything", "be"],
                );
                predicate
                    && !denied
                    && (here.word(index) != "off" || here.is_mark(index + 1, b",.;") || near(&["by"]))
            }
            "otherwise" | "different" => here.any_word(
                index.saturating_sub(2)..index,
                &["says", "shows", "showed", "suggests", "proves", "said", "otherwise"],
            ),
            "rules" | "ruled" => near(&["out"]) && near(&["that", "it", "this", "out"]),
            "out" => {
                here.word(index.wrapping_sub(1)) == "that"
                    && here.any_word(index.saturating_sub(2)..index, &["rules", "ruled"])
            }
            "kills" | "refutes" | "refuted" | "disproves" | "disproved" | "withdrawn" | "withdraw"
            | "retract" | "retracted" | "debunks" | "overturned" | "invalidates" | "contradicts"
            | "contradicted" => !denied,
            "against" => here.any_word(index.saturating_sub(2)..index, &["goes", "went", "go"]),
            "scrap" | "scratch" | "strike" => near(&["that"]),
            "back" => here.any_word(index.saturating_sub(3)..index, &["take"]),
            "go" => {
                here.any_word(index.saturating_sub(3)..index, &["has", "must"])
                    && here.word(index.wrapping_sub(1)) == "to"
                    && (index + 1 >= end || here.is_mark(index + 1, b".,;"))
            }
            "correct" => {
                here.any_word(index.saturating_sub(2)..index, &["i'll", "will", "must"])
                    && near(&["that", "this", "it"])
            }
            "not" => {
                here.any_word(index.saturating_sub(2)..index, &["that's", "it's", "is"])
                    && near(&["it", "true"])
                    && here.any_word(range.start..index, &["so", "that's"])
            }
            "misled" | "mistook" => true,
            "changes" => here.any_word(index.saturating_sub(2)..index, &["answer", "that", "plan"]),
            "ignore" => near(&["what"]),
            _ => false,
        }
    })
}

/// `I was sure that it was A; the profile shows B`: evidence after a turn in the same sentence.
fn sets_against(scene: Scene<'_>, from: usize) -> bool {
    let Some(here) = scene.here() else { return false };
    let turn = (from..here.len()).find(|&at| {
        here.is_mark(at, b";")
            || here.class(at).is(Class::CONTRAST)
            || here.is_mark(at, b",") && here.word(at + 1) == "and"
    });
    let Some(turn) = turn else { return false };
    let rest = turn + 1..here.len();
    let source = scene.statements(scene.index).iter().any(|said| rest.contains(&said.source.range.start));
    let found = source
        || here.is_mark(turn, b";")
            && here.any_word(rest.start..(rest.start + 2).min(rest.end), &["it", "they", "the"])
            && rest.clone().any(|at| here.is_number(at));
    let new_value =
        rest.clone().any(|at| here.is_number(at) || here.is_name(at) || super::statements::is_code(here, at))
            || here.any(rest.clone(), Class::NEGATION);
    found
        && new_value
        && here.any(rest.clone(), Class::CLAIM.or(Class::FACT_VERB).or(Class::WEAK_CLAIM))
        && !super::attribution::agrees(here, rest.clone())
        && !super::is_plan(here, rest)
}

/// The next sentence names evidence with another value than the one held.
fn evidence_differs(scene: Scene<'_>, here: &Sentence, after: &Sentence) -> bool {
    let Some(said) = scene.statements(scene.index + 1).first() else { return false };
    let value = |sentence: &Sentence, at: usize| sentence.is_number(at) || sentence.is_name(at);
    let new = said.range.clone().any(|at| {
        value(after, at)
            && !said.source.range.contains(&at)
            && !here.all().any(|other| here.word(other) == after.word(at))
    });
    let old =
        here.all().any(|at| value(here, at) && !after.all().any(|other| after.word(other) == here.word(at)));
    let claims = after.any(
        said.source.range.end..(said.source.range.end + 6).min(after.len()),
        Class::STRONG_CLAIM.or(Class::WEAK_CLAIM).or(Class::FACT_VERB),
    );
    new && old
        && claims
        && !super::attribution::agrees(after, after.all())
        && !super::is_plan(after, after.all())
}
