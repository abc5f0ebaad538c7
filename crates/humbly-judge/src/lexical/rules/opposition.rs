//! Criteria a, b and d, whatever words join them: two sources, each with its own value for one thing.

use super::slots::{Slot, Unit, share_content};
use super::statements::is_equation;
use super::statements::{Joint, Statement};
use super::weighing::Stance;
use super::{Hit, Question, Scene, Side, denies, spanning};
use crate::lexical::lexicon::Class;
use crate::lexical::sentence::Sentence;

const RULE: &str = "sources-with-own-values";
/// Tokens of a statement that is nothing but its value.
const SHORT: usize = 10;
/// How far a bare number may stand from its source.
const NEAR: usize = 8;
/// How far a name may stand from its source that answers by itself.
const CLOSE: usize = 4;

/// A statement in its sentence.
#[derive(Clone, Copy)]
struct Said<'s> {
    sentence: &'s Sentence,
    statement: &'s Statement,
}

pub(super) fn sources_with_own_values(scene: Scene<'_>) -> Option<Hit> {
    let here = scene.here()?;
    let mine = scene.statements(scene.index);
    mine.first()?;
    if is_supposed(here) {
        return None;
    }
    let said = |sentence, statement| Said { sentence, statement };
    for pair in mine.windows(2) {
        let [left, right] = pair else { continue };
        if oppose(scene, said(here, left), said(here, right), right.joint) {
            return Some(Hit { rule: RULE, range: here.range.clone() });
        }
    }
    let before = scene.before().filter(|before| !is_supposed(before))?;
    let joint =
        if here.first_word().is_some_and(|word| here.class(word).is(Class::CONTRAST)) || has_however(here) {
            Joint::Contrast
        } else {
            Joint::Sentence
        };
    let earlier = scene.statements(scene.index.wrapping_sub(1));
    let opposed = earlier.iter().rev().take(2).any(|left| {
        mine.iter().take(2).any(|right| oppose(scene, said(before, left), said(here, right), joint))
    });
    opposed.then(|| Hit { rule: RULE, range: spanning(before, here) })
}

/// `…, however, …` near the beginning.
fn has_however(here: &Sentence) -> bool {
    here.any_word(0..10.min(here.len()), &["however", "though", "contrast", "hand"])
}

/// A question, a condition, a plan or a formula claims nothing.
fn is_supposed(here: &Sentence) -> bool {
    here.asks
        || is_equation(here)
        || here.first_word().is_some_and(|first| {
            matches!(
                here.word(first),
                "if" | "suppose" | "when" | "let" | "let's" | "maybe" | "perhaps" | "whether"
            ) && !here.any_word(first + 1..(first + 4).min(here.len()), &["one", "you", "we", "the"])
        })
}

/// Whether the two give different values for one thing.
fn oppose(scene: Scene<'_>, left: Said<'_>, right: Said<'_>, joint: Joint) -> bool {
    let (one, other) = (left.statement, right.statement);
    if !one.source.differs(&other.source)
        || !one.claims(left.sentence)
        || !other.claims(right.sentence)
        || one.is_supposed(left.sentence)
        || other.is_supposed(right.sentence)
        || [left, right].into_iter().any(|said| progresses(said) || own_parts(said))
        || repeats(right)
    {
        return false;
    }
    // Reading the stance costs more than comparing: only where something differs.
    if !adds(left, right) {
        return false;
    }
    let around = scene.stance_around();
    if around.reconciles {
        return false;
    }
    let series = one.source.is_later_issue(&other.source) && !around.weighs;
    !series && numbers_compete(left, right, joint, around.weighs)
        || names_compete(scene, left, right, joint, around)
        || words_compete(left, right, joint, around)
        || forbids(left, right)
}

/// `the prompt says push, the guide forbids it`: one denies or forbids what the other says.
fn forbids(left: Said<'_>, right: Said<'_>) -> bool {
    let against = |said: Said<'_>| {
        said.sentence.any(said.statement.range.clone(), Class::FORBIDDING)
            || denies(said.sentence, said.statement.range.clone())
    };
    let strongly = |said: Said<'_>| {
        let (here, range) = (said.sentence, said.statement.range.clone());
        let ends_denying = range
            .clone()
            .rev()
            .find(|&at| !here.word(at).is_empty())
            .is_some_and(|last| here.class(last).is(Class::NEGATION));
        here.any(range.clone(), Class::FORBIDDING)
            || ends_denying
            || here.any_word(range.clone(), &["allowed", "permitted"]) && denies(here, range)
    };
    against(left) != against(right)
        && (strongly(left) || strongly(right))
        && share_content(side_of(left), side_of(right))
}

/// Whether `right` says something that `left` does not.
fn adds(left: Said<'_>, right: Said<'_>) -> bool {
    content(right).any(|word| !content(left).any(|other| other == word))
}

/// The value changed over time.
fn progresses(said: Said<'_>) -> bool {
    said.sentence.any(said.statement.range.clone(), Class::PROGRESS)
}

/// `the first trial enrolled 412`: about the source itself.
fn own_parts(said: Said<'_>) -> bool {
    let after = said.statement.source.range.end;
    said.sentence.any(after..(after + 3).min(said.sentence.len()), Class::OWN_VERB)
}

/// `the second says so too`, `the same year`.
fn repeats(said: Said<'_>) -> bool {
    let range = said.statement.range.clone();
    said.sentence.any_word(range.clone(), &["too", "likewise", "also", "again"])
        || super::attribution::agrees(said.sentence, range)
}

fn numbers_compete(left: Said<'_>, right: Said<'_>, joint: Joint, weighed: bool) -> bool {
    let lefts = left.statement.numbers(left.sentence);
    let rights = right.statement.numbers(right.sentence);
    let years = |slots: &[Slot<'_>]| slots.iter().any(|slot| slot.unit == Unit::Year);
    let years_disjoint = years(&lefts)
        && years(&rights)
        && !lefts
            .iter()
            .any(|one| one.unit == Unit::Year && rights.iter().any(|other| other.digits == one.digits));
    let brief = left.statement.length() <= SHORT && right.statement.length() <= SHORT;
    let joined = joint != Joint::Sentence || weighed;
    let topical = brief || share_content(side_of(left), side_of(right));
    lefts.iter().any(|one| {
        rights.iter().any(|other| {
            let differ = one.digits != other.digits
                && one.unit.fits(other.unit)
                && !rights.iter().any(|again| again.digits == one.digits)
                && !lefts.iter().any(|again| again.digits == other.digits);
            let near = |said: Said<'_>, at: usize| {
                let source = &said.statement.source.range;
                let begins = said.statement.begins(said.sentence);
                at.abs_diff(source.start).min(at.abs_diff(source.end)).min(at.abs_diff(begins)) <= NEAR
            };
            differ
                && match (one.unit, other.unit) {
                    (Unit::Of(_), Unit::Of(_)) => !years_disjoint || weighed,
                    (Unit::Year, _) => {
                        let set_apart = matches!(joint, Joint::Stop | Joint::Contrast)
                            && near(left, one.at)
                            && near(right, other.at)
                            && same_role(left, right);
                        (joined || brief) && (topical || weighed || set_apart)
                    }
                    (Unit::Day | Unit::Month, _) => joined || topical,
                    _ => {
                        !years_disjoint
                            && near(left, one.at)
                            && near(right, other.at)
                            && (weighed
                                || joint == Joint::Contrast
                                || brief
                                || topical && joined
                                || right.statement.length() <= SHORT)
                    }
                }
        })
    })
}

fn side_of(said: Said<'_>) -> Side<'_> {
    Side { sentence: said.sentence, start: said.statement.range.start, end: said.statement.range.end }
}

fn names_compete(scene: Scene<'_>, left: Said<'_>, right: Said<'_>, joint: Joint, around: Stance) -> bool {
    let lefts = left.statement.names(left.sentence);
    let rights = right.statement.names(right.sentence);
    let lacks = |from: &[(usize, &str)], word: &str| !from.iter().any(|(_, other)| *other == word);
    let differ = rights.iter().any(|(_, word)| lacks(&lefts, word))
        && lefts.iter().any(|(_, word)| lacks(&rights, word));
    if !differ {
        return false;
    }
    let brief = left.statement.length() <= SHORT && right.statement.length() <= SHORT;
    let close = |said: Said<'_>, names: &[(usize, &str)]| {
        let source = &said.statement.source.range;
        let begins = said.statement.begins(said.sentence);
        names.iter().any(|&(at, _)| {
            at.abs_diff(source.start).min(at.abs_diff(source.end)).min(at.abs_diff(begins)) <= CLOSE
        })
    };
    let close = close(left, &lefts) && close(right, &rights);
    let same_verb = verb(left).is_some_and(|one| verb(right).is_some_and(|other| one == other));
    let same_role = same_role(left, right);
    // In a turn that walks through results, names differ all the time.
    let careful = scene.question == Question::Identify;
    around.opposes
        || same_role
            && (joint == Joint::Contrast && (!careful || close)
                || !careful && around.weighs
                || close
                    && (matches!(joint, Joint::Stop | Joint::Contrast)
                        || joint != Joint::Sentence && !careful)
                || brief && (same_verb || close))
}

/// Stem of the claim's verb.
fn verb(said: Said<'_>) -> Option<&str> {
    let after = said.statement.source.range.end;
    (after..(after + 4).min(said.statement.range.end))
        .find(|&at| said.sentence.class(at).is(Class::CLAIM.or(Class::WEAK_CLAIM)))
        .map(|at| said.sentence.word(at).trim_end_matches(['s', 'd', 'e']))
}

/// Whether nothing tells that the values are of different things: `the father …; the mother …`.
fn same_role(left: Said<'_>, right: Said<'_>) -> bool {
    role(left).zip(role(right)).is_none_or(|(one, other)| one == other)
}

/// `the father`, `the mother`: what the value is said to be.
fn role(said: Said<'_>) -> Option<&str> {
    let range = said.statement.range.clone();
    let source = &said.statement.source.range;
    range
        .filter(|at| !source.contains(at))
        .find(|&at| {
            matches!(said.sentence.word(at.wrapping_sub(1)), "the" | "her" | "his" | "its" | "their")
                && !source.contains(&at.wrapping_sub(1))
                && said.sentence.tokens.get(at).is_some_and(|token| !token.capital && !token.quoted)
                && !said.sentence.is_number(at)
        })
        .map(|at| said.sentence.word(at))
}

/// Under a comment that sets them against each other, any two statements compete that say something different;
/// so they do where the second is about `it`, after a contrast.
fn words_compete(left: Said<'_>, right: Said<'_>, joint: Joint, around: Stance) -> bool {
    let after = right.statement.begins(right.sentence);
    let about_it = right
        .sentence
        .any_word(after + 1..(after + 2).min(right.sentence.len()), &["it", "him", "her", "them", "this"]);
    (around.opposes || joint == Joint::Contrast && about_it) && adds(right, left)
}

fn content(said: Said<'_>) -> impl Iterator<Item = &str> {
    let little = Class::FUNCTION.or(Class::CONTRAST).or(Class::SOURCE).or(Class::DOCUMENT);
    let source = said.statement.source.range.clone();
    said.statement
        .range
        .clone()
        .filter(move |at| !source.contains(at) && !said.sentence.class(*at).is(little))
        .map(move |at| said.sentence.word(at))
        .filter(|word| word.len() > 2 || word.starts_with(|first: char| first.is_ascii_digit()))
}
