//! One pass over a response: the order of its tags, and what it says.

use std::borrow::Cow;

use super::fault::{Fault, Rule};
use super::places::Places;
use super::reading::Reading;
use super::rules::{PrefilledThink, Protocol};
use super::states::{Seen, State};
use super::tag::{Mark, Tag, mark_at};
use crate::confidence::StatedConfidence;

pub(super) fn read<'a>(protocol: &Protocol, text: &'a str) -> Reading<'a> {
    let mut order = Order::new(protocol, text);
    let mut places = Places::default();
    let mut has_known_tag = false;
    let mut last_end = 0;
    for start in memchr::memchr_iter(b'<', text.as_bytes()) {
        let Some(mark) = mark_at(text.as_bytes(), start).filter(|mark| protocol.knows(mark.tag)) else {
            continue;
        };
        has_known_tag = true;
        last_end = mark.end;
        places.see(text, mark);
        if order.fault.is_none() {
            order.step(mark);
        }
    }
    let said = places.said(is_blank(text.get(last_end..).unwrap_or_default()));
    order.finish();
    let answer = said.answers.only(text).map(|answer| Cow::Borrowed(answer.trim()));
    let mut reading = Reading {
        answer,
        answers: said.answers.count,
        confidence: StatedConfidence::NotAsked,
        escalation: said.escalations.only(text).map(str::trim).filter(|escalation| !escalation.is_empty()),
        escalations: said.escalations.count,
        searches: said.searches.count,
        has_known_tag,
        fault: order.fault,
    };
    if protocol.asks_confidence() {
        let content = said.confidences.only(text);
        reading.confidence = super::boxed::confidence(content, said.confidences.count, protocol.scale());
        if reading.fault.is_none() && reading.confidence.probability().is_none() {
            reading.fault = Some(Fault {
                rule: Rule::UnusableConfidence,
                offset: said.confidences.last.0,
                tag: Some((Tag::Confidence, false)),
                expected: "one number on the declared scale",
            });
        }
    }
    reading
}

/// The validator: stops at the first fault.
struct Order<'p, 'a> {
    protocol: &'p Protocol,
    text: &'a str,
    state: State,
    seen: Seen,
    /// End of the last tag.
    cursor: usize,
    fault: Option<Fault>,
}

impl<'p, 'a> Order<'p, 'a> {
    fn new(protocol: &'p Protocol, text: &'a str) -> Self {
        let (state, seen) = (State::start(protocol), Seen::default());
        Self { protocol, text, state, seen, cursor: 0, fault: None }
    }

    fn break_rule(&mut self, rule: Rule, offset: usize, tag: Option<(Tag, bool)>) {
        let expected = self.state.expected(self.protocol, self.seen);
        self.fault = Some(Fault { rule, offset, tag, expected });
    }

    fn step(&mut self, mark: Mark) {
        let content = self.text.get(self.cursor..mark.start).unwrap_or_default();
        let closes_prefilled = matches!(self.state, State::Start { .. })
            && mark.is_close
            && mark.tag == Tag::Think
            && self.protocol.prefilled_think != PrefilledThink::Never;
        if !self.state.is_free()
            && !closes_prefilled
            && let Some(at) = first_ink(content)
        {
            return self.break_rule(Rule::UnexpectedText, self.cursor + at, None);
        }
        let tag = Some((mark.tag, mark.is_close));
        let Some(next) = self.state.next(self.protocol, mark.tag, mark.is_close, self.seen) else {
            let is_repeated = !mark.is_close
                && (mark.tag == Tag::Confidence && self.seen.confidence
                    || mark.tag == Tag::Escalate && self.seen.escalate);
            let rule = if is_repeated { Rule::Repeated } else { Rule::UnexpectedTag };
            return self.break_rule(rule, mark.start, tag);
        };
        if mark.is_close {
            match mark.tag {
                Tag::Think if !self.protocol.allows_empty_think && is_blank(content) => {
                    return self.empty(Rule::EmptyThink, "reasoning");
                }
                Tag::Escalate if is_blank(content) => {
                    return self.empty(Rule::EmptyEscalate, "what disagrees, and between which sources");
                }
                Tag::Confidence => self.seen.confidence = true,
                Tag::Escalate => self.seen.escalate = true,
                _ => {}
            }
        }
        self.state = next;
        self.cursor = mark.end;
    }

    fn empty(&mut self, rule: Rule, expected: &'static str) {
        self.fault = Some(Fault { rule, offset: self.cursor, tag: None, expected });
    }

    fn finish(&mut self) {
        if self.fault.is_some() {
            return;
        }
        let tail = self.text.get(self.cursor..).unwrap_or_default();
        if let State::Inside(tag, _) = self.state {
            return self.break_rule(Rule::Unclosed, self.cursor, Some((tag, false)));
        }
        if let Some(at) = first_ink(tail).filter(|_| !self.state.is_free()) {
            return self.break_rule(Rule::UnexpectedText, self.cursor + at, None);
        }
        if !self.state.is_end(self.protocol) {
            return self.break_rule(Rule::Incomplete, self.text.len(), None);
        }
        if self.protocol.asks_confidence() && !self.seen.confidence && self.state == State::Answered {
            self.break_rule(Rule::MissingConfidence, self.text.len(), Some((Tag::Confidence, false)));
        }
    }
}

fn is_blank(text: &str) -> bool {
    first_ink(text).is_none()
}

/// Byte of the first character that is no white space.
fn first_ink(text: &str) -> Option<usize> {
    text.find(|c: char| !c.is_whitespace())
}
