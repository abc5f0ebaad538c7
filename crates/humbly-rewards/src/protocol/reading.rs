//! What a response says, apart from whether it is right.

use std::borrow::Cow;

use super::fault::Fault;
use crate::confidence::StatedConfidence;

/// A response, read by the rules of a protocol.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading<'a> {
    /// The answer, trimmed, where exactly one is given.
    pub answer: Option<Cow<'a, str>>,
    /// Answers given, in retrieved text and closed think blocks not counted.
    pub answers: u32,
    /// The confidence, where exactly one is stated.
    pub confidence: StatedConfidence,
    /// What the escalation says, where there is one.
    pub escalation: Option<&'a str>,
    /// Escalations that say something.
    pub escalations: u32,
    /// Closed `<search>` tags.
    pub searches: u32,
    /// Whether any tag of the protocol (or a box) stands in the response.
    pub has_known_tag: bool,
    /// The first broken rule.
    pub fault: Option<Fault>,
}

impl Reading<'_> {
    /// Whether every rule is kept.
    pub fn is_valid(&self) -> bool {
        self.fault.is_none()
    }
}
