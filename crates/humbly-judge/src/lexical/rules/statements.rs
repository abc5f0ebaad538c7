//! Who has which value: a sentence is cut between its sources, each piece is what one of them says.

use std::ops::Range;

use super::mentions::{Mention, mentions};
use super::slots::{Slot, slots};
use super::{Side, is_value_name};
use crate::lexical::lexicon::Class;
use crate::lexical::sentence::{Kind, Sentence};

/// What one source says in one sentence.
#[derive(Debug)]
pub(super) struct Statement {
    /// The source.
    pub(super) source: Mention,
    /// Tokens of the piece.
    pub(super) range: Range<usize>,
    /// How the piece is joined to the one before it.
    pub(super) joint: Joint,
}

/// How two pieces are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Joint {
    /// A comma.
    Comma,
    /// `and`, `to`.
    And,
    /// `or`.
    Or,
    /// A semicolon, a dash.
    Stop,
    /// A word of contrast.
    Contrast,
    /// The end of a sentence.
    Sentence,
}

/// The statements of a sentence; the first one is joined by the end of the sentence before.
pub(super) fn statements(here: &Sentence) -> Vec<Statement> {
    if here.len() < 3 {
        return Vec::new();
    }
    let mut sources = mentions(here).into_iter().peekable();
    let mut found = Vec::new();
    let (mut start, mut joint) = (0, Joint::Sentence);
    while let Some(source) = sources.next() {
        let (mut end, mut next_joint) = (here.len(), Joint::Sentence);
        while let Some(next) = sources.peek() {
            let found = border(here, &source, next)
                .filter(|_| !is_appositive(here, &source, next) && !is_listed(here, &source, next));
            if let Some(found) = found {
                (end, next_joint) = found;
                break;
            }
            // `the entry in the register` is one source, `Lloyd's, Reuters and the BBC` speak with one voice.
            sources.next();
        }
        found.push(Statement { source, range: start..end, joint });
        (start, joint) = (end, next_joint);
    }
    if let Some(last) = found.last_mut() {
        last.range.end = here.len();
    }
    found
}

/// `hit four, an edition of the letters, shows …`: the same source in other words.
fn is_appositive(here: &Sentence, source: &Mention, next: &Mention) -> bool {
    let comma = source.range.end;
    // `the grammar, returned as hit 3, has it`
    let participle = here.word(comma + 1).len() > 4 && here.word(comma + 1).ends_with("ed");
    here.is_mark(comma, b",")
        && (participle || matches!(here.word(comma + 1), "a" | "an" | "the"))
        && (participle && next.range.start < comma + 5
            || next.range.start == comma + 1
            || next.range.start == comma + 4)
        && (next.range.end..next.range.end + 5).any(|at| here.is_mark(at, b","))
        && !here.any(comma..next.range.start, Class::CLAIM.or(Class::CONTRAST))
}

/// The strongest border between two mentions, the last of its kind.
fn border(here: &Sentence, left: &Mention, right: &Mention) -> Option<(usize, Joint)> {
    let kind = |at: usize| {
        if here.is_mark(at, b";-") && !is_hyphen(here, at) {
            Some(Joint::Stop)
        } else if is_contrast(here, at) {
            Some(Joint::Contrast)
        } else if matches!(here.word(at), "and" | "to" | "against") {
            Some(Joint::And)
        } else if here.word(at) == "or" {
            Some(Joint::Or)
        } else if here.is_mark(at, b",") || opens_aside(here, at) {
            Some(Joint::Comma)
        } else {
            None
        }
    };
    let between = left.range.end..right.range.start + 1;
    let strongest = between.clone().filter_map(kind).max()?;
    let holds_value = |range: Range<usize>| {
        range.clone().any(|at| here.is_number(at) || here.is_name(at) || is_code(here, at))
    };
    let mut at_last = None;
    for at in between.filter(|&at| kind(at) == Some(strongest)) {
        // `27 in the list, 31 in the book`: the value stands before its source.
        if at_last.is_none()
            || !holds_value(at..right.range.start)
            || holds_value(left.range.end..at) && !holds_value(at_last.unwrap_or(at)..at)
        {
            at_last = Some(at);
        }
    }
    at_last.map(|at| (at, strongest))
}

/// `… says so (the site has 6 kg)`: a bracket that is no origin of the value before it.
fn opens_aside(here: &Sentence, at: usize) -> bool {
    let value = |at: usize| here.is_number(at) || here.is_name(at) || here.is_mark(at, b"%");
    here.is_mark(at, b"(") && !value(at.wrapping_sub(1)) && !value(at.wrapping_sub(2))
}

/// Named one after the other, without anything between them.
fn is_listed(here: &Sentence, left: &Mention, right: &Mention) -> bool {
    let mut between = left.range.end..right.range.start;
    let joins = |at: usize| here.is_mark(at, b",&/") || matches!(here.word(at), "and" | "or");
    // `Lloyd's, Reuters and the BBC`: names among them.
    let enumerates =
        here.is_mark(left.range.end, b",") && between.clone().any(|at| matches!(here.word(at), "and" | "or"));
    between.len() <= 6 && between.all(|at| joins(at) || enumerates && here.is_name(at))
}

fn is_hyphen(here: &Sentence, at: usize) -> bool {
    here.is_mark(at, b"-") && here.is_number(at + 1) && here.is_number(at.wrapping_sub(1))
}

fn is_contrast(here: &Sentence, at: usize) -> bool {
    here.class(at).is(Class::CONTRAST) || here.word(at) == "instead" || here.reads(at, &["as", "against"])
}

pub(super) fn is_code(here: &Sentence, at: usize) -> bool {
    here.tokens.get(at).is_some_and(|token| token.kind == Kind::Code)
}

impl Statement {
    /// Numbers that may be the value: not the number of a page, not those of the source's name.
    pub(super) fn numbers<'s>(&self, here: &'s Sentence) -> Vec<Slot<'s>> {
        let mut found = slots(Side { sentence: here, start: self.range.start, end: self.range.end });
        found.retain(|slot| {
            !self.source.range.contains(&slot.at)
                && !is_locator(here, slot.at)
                && !dates_source(here, &self.source, slot.at)
        });
        found
    }

    /// Names, quotations and code that may be the value.
    pub(super) fn names<'s>(&self, here: &'s Sentence) -> Vec<(usize, &'s str)> {
        let opens = here.first_word();
        self.range
            .clone()
            .filter(|at| !self.source.range.contains(at))
            .filter(|&at| {
                is_value_name(here, at) && !here.class(at).is(Class::DOCUMENT.or(Class::MONTH))
                    || is_code(here, at)
                    || here.is_quoted(at) && !here.word(at).is_empty()
                    || opens == Some(at) && opens_with_name(here, at)
            })
            .map(|at| (at, here.word(at)))
            .collect()
    }

    /// Where what is said begins: after the source, asides passed over (`the table, printed later, has`,
    /// `the entry I found yesterday lists`).
    pub(super) fn begins(&self, here: &Sentence) -> usize {
        let mut at = self.source.range.end;
        if here.is_mark(at, b",(") {
            let close = (at + 1..(at + 12).min(here.len())).find(|&close| here.is_mark(close, b",)"));
            at = close.map_or(at, |close| close + 1);
        }
        if here.is_mark(at, b")") {
            at += 1;
        }
        if matches!(
            here.word(at),
            "i" | "i've" | "we" | "that" | "which" | "to" | "of" | "from" | "in" | "on" | "for"
        ) {
            // `the page I found carries`, `the introduction to the reprint dates`.
            let verb = (at + 2..(at + 9).min(here.len()))
                .take_while(|&verb| !here.is_mark(verb, b",;:("))
                .find(|&verb| here.class(verb).is(Class::STRONG_CLAIM) || here.word(verb) == "carries");
            at = verb.unwrap_or(at);
        }
        at
    }

    /// Whether the source stands as who says it: before a verb, after `per` or `in`, in brackets, before a colon.
    pub(super) fn claims(&self, here: &Sentence) -> bool {
        let source = &self.source.range;
        let after = self.begins(here);
        let word = here.word(after);
        let third_person = word.len() > 3
            && (word.ends_with('s') || word.ends_with("ed"))
            && here.tokens.get(after).is_some_and(|token| token.kind == Kind::Word && !token.capital)
            && !here.class(after).is(Class::SOURCE.or(Class::DOCUMENT));
        let preposition = matches!(word, "in" | "at" | "to" | "on" | "as" | "from" | "with");
        let verb = here.class(after).is(Class::CLAIM.or(Class::WEAK_CLAIM).or(Class::FACT_VERB))
            && !preposition
            && !matches!(word, "use" | "uses");
        // `passage two at 51`, `the guide with a maximum of 250`: the verb stands on the other side.
        let gapped = here.is_mark(source.start.wrapping_sub(1), b",;")
            || here.word(source.start.wrapping_sub(1)) == "and"
            || self.source.is_labelled();
        let introduced = (source.start.saturating_sub(3)..source.start).any(|at| {
            matches!(
                here.word(at),
                "per"
                    | "in"
                    | "on"
                    | "by"
                    | "from"
                    | "says"
                    | "say"
                    | "to"
                    | "with"
                    | "at"
                    | "follow"
                    | "follows"
                    | "following"
            )
        });
        let introduced =
            (introduced || here.is_mark(source.start.wrapping_sub(1), b"(")) && self.says_more(here);
        let is_value =
            |at: usize| here.is_number(at) || here.is_name(at) || is_code(here, at) || here.is_quoted(at);
        if here.is_mark(source.end, b"&") {
            return false;
        }
        let value_next = (after..(after + 3).min(self.range.end)).any(is_value);
        let defines = (source.end..(source.end + 6).min(self.range.end))
            .find(|&at| here.is_mark(at, b":="))
            .is_some_and(|at| at + 1 < self.range.end);
        verb || third_person
            || preposition && gapped
            || matches!(word, "would" | "still" | "makes" | "reads" | "had" | "told")
            || introduced
            || value_next
            || defines
    }

    /// Whether the piece holds more than the source's name.
    fn says_more(&self, here: &Sentence) -> bool {
        let little = Class::FUNCTION.or(Class::OTHER).or(Class::FIRST);
        self.range.clone().any(|at| {
            let word = here.word(at);
            !self.source.range.contains(&at)
                && !here.class(at).is(little)
                && (word.len() > 2 && !word.ends_with("ly") || here.is_number(at))
        })
    }

    /// Whether only a plan or a supposition is told.
    pub(super) fn is_supposed(&self, here: &Sentence) -> bool {
        super::is_plan(here, self.range.clone())
            || here.any_word(self.range.clone(), &["might", "could", "should", "suppose", "maybe", "perhaps"])
            || here.has_phrase(self.range.clone(), &["i", "can"])
    }

    /// Tokens apart from the source's name.
    pub(super) fn length(&self) -> usize {
        self.range.len().saturating_sub(self.source.range.len())
    }
}

/// An equation: arithmetic, no assignment of a value to a name.
pub(super) fn is_equation(here: &Sentence) -> bool {
    here.all().any(|at| {
        here.is_mark(at, b"\\^")
            || here.is_mark(at, b"=")
                && (here.is_number(at.wrapping_sub(1))
                    || here.word(at.wrapping_sub(1)).len() == 1 && !here.is_mark(at.wrapping_sub(2), b"("))
            || here.is_mark(at, b"*+") && here.is_number(at + 1)
    })
}

/// `Smith, per the almanac`; `Silver, says the database`.
fn opens_with_name(here: &Sentence, at: usize) -> bool {
    let capital = here.tokens.get(at).is_some_and(|token| token.capital && token.kind == Kind::Word);
    let plain = Class::FUNCTION
        .or(Class::CONTRAST)
        .or(Class::SOURCE)
        .or(Class::DOCUMENT)
        .or(Class::INSTITUTION)
        .or(Class::OTHER)
        .or(Class::FIRST);
    // Behind a file or a mark the first word does not begin the sentence.
    capital && !here.class(at).is(plain) && (at > 0 || here.is_mark(at + 1, b",("))
}

/// `page 6`, `line 88`, `item 3`, `p. 40`: where something stands.
fn is_locator(here: &Sentence, at: usize) -> bool {
    let before = if here.is_mark(at.wrapping_sub(1), b".") { at.wrapping_sub(2) } else { at.wrapping_sub(1) };
    here.class(before).is(Class::LOCATOR)
        || here.class(before).is(Class::DOCUMENT) && here.word(at).len() <= 2 && here.word(before) != "rate"
}

/// `the log of 11 March`, `(Reuters, 3 Feb 2016)`: the date of the source.
fn dates_source(here: &Sentence, source: &Mention, at: usize) -> bool {
    let after = source.range.end;
    let near = at >= after && at < after + 5;
    near && (matches!(here.word(after), "of" | "from" | "for")
        || here.is_mark(after, b",(") && source_is_bracketed(here, source))
        && (after..at).all(|between| {
            here.is_number(between)
                || here.class(between).is(Class::MONTH)
                || matches!(here.word(between), "of" | "from" | "for" | "the" | "")
        })
}

fn source_is_bracketed(here: &Sentence, source: &Mention) -> bool {
    here.is_mark(source.range.start.wrapping_sub(1), b"(") || here.is_mark(source.range.end, b"(")
}
