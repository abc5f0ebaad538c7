//! The rules: each looks at a sentence and its neighbours for one criterion of the guide.

mod asserted;
mod attribution;
mod belief;
mod candidates;
mod disagreement;
mod dissent;
mod mentions;
mod missing;
mod nouns;
mod opposition;
mod retraction;
mod searched;
mod slots;
mod statements;
mod values;
mod weighing;

use std::ops::Range;

use super::lexicon::Class;
use super::sentence::Sentence;
use crate::Knowledge;
use attribution::Attribution;
use statements::Statement;
use weighing::Stance;
pub(super) use weighing::first_words;

/// What is asked of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Question {
    /// Does an intermediate turn recognise a specific gap?
    Identify,
    /// Does a final answer pass a specific uncertainty on?
    Escalate,
}

/// A rule that holds, and the bytes that it rests on.
#[derive(Debug, Clone)]
pub(super) struct Hit {
    /// Id of the rule.
    pub(super) rule: &'static str,
    /// Bytes of the text.
    pub(super) range: Range<usize>,
}

/// A sentence with what stands around it.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    /// All sentences that were kept.
    pub(super) sentences: &'a [Sentence],
    /// The one looked at.
    pub(super) index: usize,
    /// Who claims what in each of them.
    claims: &'a [Claims],
    /// What the task knows.
    pub(super) knowledge: &'a Knowledge,
    /// What is asked.
    pub(super) question: Question,
}

impl<'a> Scene<'a> {
    /// The sentence looked at.
    pub(super) fn here(&self) -> Option<&'a Sentence> {
        self.sentences.get(self.index)
    }

    /// The sentence before it in the same or the directly preceding paragraph.
    pub(super) fn before(&self) -> Option<&'a Sentence> {
        let here = self.here()?;
        let before = self.sentences.get(self.index.checked_sub(1)?)?;
        (here.paragraph - before.paragraph <= 1).then_some(before)
    }

    /// The sentence after it in the same or the directly following paragraph.
    pub(super) fn after(&self) -> Option<&'a Sentence> {
        let here = self.here()?;
        let after = self.sentences.get(self.index + 1)?;
        (after.paragraph - here.paragraph <= 1).then_some(after)
    }
}

/// Who claims what in a sentence.
struct Claims {
    /// By sources and named persons.
    attributed: Vec<Attribution>,
    /// By anybody, those included.
    any: Vec<Attribution>,
    /// What each source says.
    statements: Vec<Statement>,
}

impl<'a> Scene<'a> {
    /// Attributions of the sentence at `index`.
    fn attributions(&self, index: usize) -> &'a [Attribution] {
        self.claims.get(index).map_or(&[], |claims| &claims.attributed)
    }

    /// Claims of the sentence at `index`, by anybody.
    fn claims(&self, index: usize) -> &'a [Attribution] {
        self.claims.get(index).map_or(&[], |claims| &claims.any)
    }

    /// What each source of the sentence at `index` says.
    fn statements(&self, index: usize) -> &'a [Statement] {
        self.claims.get(index).map_or(&[], |claims| &claims.statements)
    }

    /// What the sentence at `index` says about statements.
    fn stance(&self, index: usize) -> Stance {
        self.sentences.get(index).map_or_else(Stance::default, weighing::stance)
    }

    /// Whether the sentence after the next sets them against each other.
    fn opposed_later(&self) -> bool {
        let here = self.sentences.get(self.index);
        let later = self.sentences.get(self.index + 2);
        here.zip(later).is_some_and(|(here, later)| later.paragraph - here.paragraph <= 1)
            && self.stance(self.index + 2).opposes
    }

    /// The stance of the sentence and its neighbours; what came before cannot reconcile what follows.
    fn stance_around(&self) -> Stance {
        let (here, before, after) = (
            self.stance(self.index),
            self.before().map_or_else(Stance::default, |_| self.stance(self.index.wrapping_sub(1))),
            self.after().map_or_else(Stance::default, |_| self.stance(self.index + 1)),
        );
        Stance {
            opposes: here.opposes || before.opposes || after.opposes || self.opposed_later(),
            weighs: here.weighs || before.weighs || after.weighs,
            reconciles: here.reconciles || after.reconciles,
        }
    }
}

type Rule = fn(Scene<'_>) -> Option<Hit>;

/// Rules that serve both questions come first: disagreement, two sides, own belief.
const ESCALATE: &[Rule] = &[
    disagreement::evidence_disagrees,
    attribution::two_sides,
    attribution::one_and_other,
    values::competing_values,
    opposition::sources_with_own_values,
    dissent::rejected_side,
    dissent::dissenting_source,
    dissent::error_in_source,
    dissent::debate,
    belief::own_belief,
    retraction::own_statement_retracted,
    searched::searched_not_found,
    candidates::offered,
    candidates::known_candidates,
];

const IDENTIFY: &[Rule] = &[
    disagreement::evidence_disagrees,
    attribution::two_sides,
    attribution::one_and_other,
    values::competing_values,
    opposition::sources_with_own_values,
    dissent::error_in_source,
    belief::own_belief,
    retraction::own_statement_retracted,
    searched::searched_not_found,
    missing::fact_missing,
];

/// All rules that hold on the sentences.
pub(super) fn hits(sentences: &[Sentence], knowledge: &Knowledge, question: Question) -> Vec<Hit> {
    let rules = match question {
        Question::Identify => IDENTIFY,
        Question::Escalate => ESCALATE,
    };
    let claims: Vec<Claims> = sentences
        .iter()
        .map(|sentence| {
            let attributed = attribution::attributions(sentence, sentence.all());
            let any = values::claims(sentence, &attributed);
            let statements = statements::statements(sentence);
            Claims { attributed, any, statements }
        })
        .collect();
    let mut found = Vec::new();
    for index in 0..sentences.len() {
        let scene = Scene { sentences, index, claims: &claims, knowledge, question };
        found.extend(rules.iter().filter_map(|rule| rule(scene)));
    }
    found
}

/// The clause around `index`: up to contrast words, semicolons and dashes.
fn clause(sentence: &Sentence, index: usize) -> Range<usize> {
    let is_border = |at: usize| sentence.class(at).is(Class::CONTRAST) || sentence.is_mark(at, b";:");
    let start = (0..index).rev().find(|&at| is_border(at)).map_or(0, |at| at + 1);
    let end = (index + 1..sentence.len()).find(|&at| is_border(at)).unwrap_or(sentence.len());
    start..end
}

/// Whether the sentence tells what the agent is about to do, or only wonders.
fn is_plan(sentence: &Sentence, range: Range<usize>) -> bool {
    if sentence.asks || !sentence.any(range.clone(), Class::PLANNING) {
        return sentence.asks;
    }
    sentence.has_phrase(range.clone(), &["let", "me"])
        || sentence.has_phrase(range.clone(), &["let's"])
        || sentence.has_phrase(range.clone(), &["need", "to"])
        || sentence.has_phrase(range.clone(), &["i", "should"])
        || sentence.has_phrase(range.clone(), &["i", "must"])
        || sentence.has_phrase(range.clone(), &["make", "sure"])
        || sentence.has_phrase(range.clone(), &["i'll"])
        || sentence.has_phrase(range.clone(), &["i", "will"])
        || sentence.has_phrase(range, &["to", "see", "if"])
}

/// What may compete.
#[derive(Clone, Copy)]
enum Competition {
    Numbers,
    NumbersOrNames,
}

/// Part of a sentence.
#[derive(Clone, Copy)]
struct Side<'s> {
    sentence: &'s Sentence,
    start: usize,
    end: usize,
}

impl<'s> Side<'s> {
    fn whole(sentence: &'s Sentence) -> Self {
        Self { sentence, start: 0, end: sentence.len() }
    }

    fn range(self) -> Range<usize> {
        self.start..self.end
    }

    fn values(self, is_value: fn(&Sentence, usize) -> bool) -> Vec<&'s str> {
        self.range()
            .filter(|&index| is_value(self.sentence, index))
            .map(|index| self.sentence.word(index))
            .collect()
    }
}

/// Competing values: each side has a number or name that the other lacks.
fn competes(how: Competition, left: Side<'_>, right: Side<'_>) -> bool {
    let differ = |is_value: fn(&Sentence, usize) -> bool| {
        let (lefts, rights) = (left.values(is_value), right.values(is_value));
        let lacks = |from: &[&str], word: &str| !from.iter().any(|other| same_value(word, other));
        lefts.iter().any(|word| lacks(&rights, word)) && rights.iter().any(|word| lacks(&lefts, word))
    };
    match how {
        Competition::Numbers => differ(is_value_number),
        Competition::NumbersOrNames => differ(is_value_number) || differ(is_value_name),
    }
}

/// A number that may be an answer: not the number of a source, a list item or a citation.
fn is_value_number(sentence: &Sentence, index: usize) -> bool {
    let before = index.checked_sub(1);
    let labels = before.is_some_and(|before| {
        sentence.class(before).is(Class::SOURCE)
            && !sentence.class(before).is(Class::STRONG_CLAIM)
            && !matches!(sentence.word(before), "date" | "dates")
            || sentence.is_mark(before, b"[#{")
    });
    let numbers_an_item = sentence.first_word() == Some(index) && sentence.is_mark(index + 1, b".)");
    sentence.is_number(index) && !labels && !numbers_an_item
}

/// Whether the token is a name that may be an answer: not the name of a source.
fn is_value_name(sentence: &Sentence, index: usize) -> bool {
    sentence.is_name(index)
        && !sentence.class(index).is(Class::SOURCE)
        && !attribution::names_source(sentence, index)
}

fn same_value(left: &str, right: &str) -> bool {
    left.bytes().filter(|&byte| byte != b',').eq(right.bytes().filter(|&byte| byte != b','))
}

/// A formula: what stands on its two sides is no claim.
fn is_formula(sentence: &Sentence) -> bool {
    let equates = || {
        sentence.all().any(|index| sentence.is_mark(index, b"="))
            && !sentence.any(sentence.all(), Class::SOURCE)
    };
    sentence.all().any(|index| sentence.is_mark(index, b"\\^")) || equates()
}

/// Whether any number or name stands in the sentence.
fn has_value(sentence: &Sentence) -> bool {
    sentence.all().any(|index| is_value_number(sentence, index) || is_value_name(sentence, index))
}

/// Whether some word within `range` denies.
fn denies(sentence: &Sentence, range: Range<usize>) -> bool {
    sentence.any(range, Class::NEGATION)
}

/// From the start of one sentence to the end of another.
fn spanning(first: &Sentence, last: &Sentence) -> Range<usize> {
    first.range.start.min(last.range.start)..first.range.end.max(last.range.end)
}
