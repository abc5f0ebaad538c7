//! Tags of the protocols.

/// A tag that some protocol knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tag {
    /// `<think>`: reasoning.
    Think,
    /// `<search>`: a query.
    Search,
    /// `<information>`: what the environment returned.
    Information,
    /// `<answer>`: the answer.
    Answer,
    /// `<analysis>`: RLCR's reasoning about its own uncertainty.
    Analysis,
    /// `<confidence>`: one number.
    Confidence,
    /// `<escalate>`: what disagrees, and between which sources.
    Escalate,
}

impl Tag {
    /// The name between the brackets.
    pub fn name(self) -> &'static str {
        match self {
            Self::Think => "think",
            Self::Search => "search",
            Self::Information => "information",
            Self::Answer => "answer",
            Self::Analysis => "analysis",
            Self::Confidence => "confidence",
            Self::Escalate => "escalate",
        }
    }
}

/// An opening or closing tag where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) tag: Tag,
    pub(super) is_close: bool,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The tag whose `<` is at `start`.
pub(super) fn mark_at(bytes: &[u8], start: usize) -> Option<Mark> {
    let name_start = start + 1 + usize::from(bytes.get(start + 1) == Some(&b'/'));
    let rest = bytes.get(name_start..)?;
    let (tag, length) = match rest.first()? {
        b't' if rest.starts_with(b"think>") => (Tag::Think, 6),
        b's' if rest.starts_with(b"search>") => (Tag::Search, 7),
        b'i' if rest.starts_with(b"information>") => (Tag::Information, 12),
        b'a' if rest.starts_with(b"answer>") => (Tag::Answer, 7),
        b'a' if rest.starts_with(b"analysis>") => (Tag::Analysis, 9),
        b'c' if rest.starts_with(b"confidence>") => (Tag::Confidence, 11),
        b'e' if rest.starts_with(b"escalate>") => (Tag::Escalate, 9),
        _ => return None,
    };
    Some(Mark { tag, is_close: name_start > start + 1, start, end: name_start + length })
}
