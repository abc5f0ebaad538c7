//! Which rule a response breaks, and where.

use std::fmt;

use super::tag::Tag;

/// Bytes shown on either side of a fault.
const AROUND: usize = 40;

/// A rule of a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Rule {
    /// Text stands where only white space may.
    UnexpectedText,
    /// A tag stands where another one is due.
    UnexpectedTag,
    /// A tag is never closed.
    Unclosed,
    /// The response ends before it is complete.
    Incomplete,
    /// A think block holds nothing.
    EmptyThink,
    /// An escalation says nothing.
    EmptyEscalate,
    /// The confidence is missing.
    MissingConfidence,
    /// The confidence is no number on the scale.
    UnusableConfidence,
    /// No balanced `\boxed{…}` stands outside think blocks.
    NoBox,
    /// More than one confidence or escalation.
    Repeated,
}

impl Rule {
    /// The rule as it is counted.
    pub fn name(self) -> &'static str {
        match self {
            Self::UnexpectedText => "unexpected_text",
            Self::UnexpectedTag => "unexpected_tag",
            Self::Unclosed => "unclosed",
            Self::Incomplete => "incomplete",
            Self::EmptyThink => "empty_think",
            Self::EmptyEscalate => "empty_escalate",
            Self::MissingConfidence => "missing_confidence",
            Self::UnusableConfidence => "unusable_confidence",
            Self::NoBox => "no_box",
            Self::Repeated => "repeated",
        }
    }
}

/// The first rule that a response breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The rule.
    pub rule: Rule,
    /// Byte of the text that was read (the response without its prompt).
    pub offset: usize,
    /// The tag in question, and whether it closes.
    pub tag: Option<(Tag, bool)>,
    /// What could have stood there.
    pub expected: &'static str,
}

/// A piece of a response around a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excerpt<'a> {
    /// Up to 40 bytes before the fault.
    pub before: &'a str,
    /// Up to 40 bytes from the fault on.
    pub after: &'a str,
}

impl Fault {
    /// The text around the fault, cut at characters; empty where `response` is another text.
    pub fn excerpt<'a>(&self, response: &'a str) -> Excerpt<'a> {
        let at = response.floor_char_boundary(self.offset);
        let from = response.floor_char_boundary(at.saturating_sub(AROUND));
        let to = response.floor_char_boundary(at.saturating_add(AROUND));
        Excerpt {
            before: response.get(from..at).unwrap_or_default(),
            after: response.get(at..to).unwrap_or_default(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} at byte {}", self.rule.name(), self.offset)?;
        if let Some((tag, is_close)) = self.tag {
            write!(formatter, " (<{}{}>)", if is_close { "/" } else { "" }, tag.name())?;
        }
        write!(formatter, ", expected {}", self.expected)
    }
}
