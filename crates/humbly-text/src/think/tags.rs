//! Recognising the tags that open and close a think block.

use std::ops::Range;

/// Bytes looked at behind a tag name for its closing bracket.
const LONGEST_ATTRIBUTES: usize = 200;

/// A block is closed by a tag of its own family only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// `<think>`, `<thinking>`.
    Angle,
    /// `[THINK]`.
    Bracket,
    /// `<|begin_of_thought|>`.
    Thought,
    /// `<|START_THINKING|>`.
    Thinking,
}

#[derive(Clone, Debug)]
pub(super) struct Tag {
    pub(super) range: Range<usize>,
    pub(super) is_close: bool,
    pub(super) family: Family,
}

const MARKERS: [(&str, Family, bool); 6] = [
    ("[THINK]", Family::Bracket, false),
    ("[/THINK]", Family::Bracket, true),
    ("<|begin_of_thought|>", Family::Thought, false),
    ("<|end_of_thought|>", Family::Thought, true),
    ("<|START_THINKING|>", Family::Thinking, false),
    ("<|END_THINKING|>", Family::Thinking, true),
];

/// Think tags of `text` in order, wherever they stand.
pub(super) fn tags(text: &str) -> impl Iterator<Item = Tag> {
    let bytes = text.as_bytes();
    memchr::memchr2_iter(b'<', b'[', bytes).filter_map(|start| tag_at(bytes, start))
}

fn tag_at(bytes: &[u8], start: usize) -> Option<Tag> {
    let rest = bytes.get(start..)?;
    match rest.get(1)? {
        b'|' | b'T' | b'/' if rest[0] == b'[' || rest[1] == b'|' => MARKERS
            .iter()
            .find(|(text, ..)| rest.starts_with(text.as_bytes()))
            .map(|&(text, family, is_close)| Tag { range: start..start + text.len(), is_close, family }),
        _ if rest[0] == b'<' => angle_tag(rest, start),
        _ => None,
    }
}

fn angle_tag(rest: &[u8], start: usize) -> Option<Tag> {
    let is_close = rest.get(1) == Some(&b'/');
    let name_start = 1 + usize::from(is_close);
    let letters =
        |from: usize| rest.iter().skip(from).take(12).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let mut from = name_start;
    let mut length = letters(from);
    // A namespace, as in `<seed:think>`.
    if rest.get(from + length) == Some(&b':') && length > 0 {
        from += length + 1;
        length = letters(from);
    }
    let name = rest.get(from..from + length)?;
    if !["think", "thinking", "antthinking"].iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes())) {
        return None;
    }
    let after = rest.get(from + length..)?;
    let end = match after.first()? {
        b'>' => 0,
        b' ' | b'\t' | b'\n' | b'\r' => {
            let window = after.get(..LONGEST_ATTRIBUTES).unwrap_or(after);
            let end = memchr::memchr2(b'<', b'>', window)?;
            (window[end] == b'>').then_some(end)?
        }
        _ => return None,
    };
    // `<think/>` and `<think />` hold nothing: no block is opened.
    if end > 0 && after[end - 1] == b'/' {
        return None;
    }
    Some(Tag { range: start..start + from + length + end + 1, is_close, family: Family::Angle })
}
