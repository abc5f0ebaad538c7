//! Tags that are talked about: in code, in quotes, or named as a tag in a sentence.

use super::tags::Tag;
use crate::markdown::{CodeKind, CodeRegion};

/// Words behind a tag that show that the sentence speaks of the tag.
const NOUNS: [&str; 11] = [
    "tag", "tags", "token", "tokens", "block", "blocks", "section", "marker", "markers", "element",
    "elements",
];

/// Drops the tags of `tags` that only mention; says whether a fence hid a closing tag on a line of its own.
pub(super) fn keep_real(text: &str, tags: Vec<Tag>, code: &[CodeRegion], fences: bool) -> (Vec<Tag>, bool) {
    let mut real = Vec::with_capacity(tags.len());
    let mut fence_hid_close = false;
    let mut quoted_until = 0;
    let mut regions = code.iter().peekable();
    let mut tags = tags.into_iter().peekable();
    while let Some(tag) = tags.next() {
        while regions.next_if(|region| region.range.end <= tag.range.start).is_some() {}
        let region = regions.peek().filter(|region| region.range.start <= tag.range.start);
        match region.map(|region| region.kind) {
            Some(CodeKind::Inline) => continue,
            Some(CodeKind::Fenced) if fences => {
                fence_hid_close |= tag.is_close && is_alone_on_line(text, &tag);
                continue;
            }
            _ => {}
        }
        if tag.range.start < quoted_until {
            continue;
        }
        if let Some(end) = quote_end(text, &tag) {
            quoted_until = end;
            continue;
        }
        let next = tags.peek().filter(|next| next.is_close != tag.is_close);
        if is_named(text, &tag, next) {
            continue;
        }
        real.push(tag);
    }
    (real, fence_hid_close)
}

/// Looks only at the white space around the tag: a line may be long and full of tags.
fn is_alone_on_line(text: &str, tag: &Tag) -> bool {
    let before = text[..tag.range.start].trim_end_matches([' ', '\t']);
    let after = text[tag.range.end..].trim_start_matches([' ', '\t', '\r']);
    (before.is_empty() || before.ends_with('\n')) && (after.is_empty() || after.starts_with('\n'))
}

/// End of the quotation that starts right before `tag`: `"<think>"`, `“<think>x</think>”`.
///
/// Looks no further than a short phrase, so that the scan stays linear.
fn quote_end(text: &str, tag: &Tag) -> Option<usize> {
    let open = text[..tag.range.start].chars().next_back()?;
    let close = match open {
        '"' | '\'' => open,
        '“' => '”',
        '‘' => '’',
        '«' => '»',
        _ => return None,
    };
    let rest = &text[tag.range.end..];
    let limit = rest.floor_char_boundary(if tag.is_close { close.len_utf8() } else { 120 });
    let phrase = rest[..limit].split('\n').next()?;
    let at = phrase.find(close)?;
    // An opening quotation mark of more text than a tag and a few words is the author's, not the tag's.
    (at == 0 || phrase[..at].contains("</") || phrase[..at].contains("[/")).then_some(tag.range.end + at)
}

/// `the <think> tag`, `between <think> and </think> tags`.
fn is_named(text: &str, tag: &Tag, next: Option<&Tag>) -> bool {
    let before = &text[..tag.range.start];
    let in_sentence = before.ends_with(' ')
        && before
            .trim_end_matches(' ')
            .chars()
            .next_back()
            .is_some_and(|last| last.is_alphanumeric() || matches!(last, '>' | ']' | ',' | '(' | ':'));
    let rest = &text[tag.range.end..];
    let Some(rest) = rest.strip_prefix(' ') else { return false };
    let word = |rest: &str| rest.bytes().take(12).take_while(u8::is_ascii_alphabetic).count();
    let first = &rest[..word(rest)];
    if in_sentence && NOUNS.iter().any(|noun| noun.eq_ignore_ascii_case(first)) {
        return true;
    }
    let joins = ["and", "or", "to"].iter().any(|join| join.eq_ignore_ascii_case(first));
    in_sentence && joins && next.is_some_and(|next| next.range.start == tag.range.end + 2 + first.len())
}
