//! Spans between tags: `<answer>…</answer>`, `<confidence>`, `<escalate>`, `<search>` and their like.
//!
//! A closing tag ends the nearest opening tag before it, so that a tag named in a sentence does not
//! swallow the text up to the real one.

use std::ops::Range;

/// Bytes looked at behind a tag name for its closing bracket.
const LONGEST_ATTRIBUTES: usize = 200;

/// What stands between an opening tag and its closing tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagSpan<'a> {
    /// Text between the tags, trimmed.
    pub content: &'a str,
    /// Bytes of the span with its tags.
    pub range: Range<usize>,
    /// `false` where the closing tag is missing: the content then ends at the next tag or the end.
    pub is_closed: bool,
}

/// Spans of the tag `name` in `text`, in order.
///
/// `name` is ASCII and compared without case; opening tags may hold attributes. Time is linear.
///
/// # Examples
/// ```
/// # use humbly_text::tags::all_tags;
/// let spans = all_tags("<search>a</search> <SEARCH>b</Search>", "search");
/// assert_eq!(spans.iter().map(|span| span.content).collect::<Vec<_>>(), ["a", "b"]);
/// ```
pub fn all_tags<'a>(text: &'a str, name: &str) -> Vec<TagSpan<'a>> {
    let mut spans = Vec::new();
    let mut pending: Option<Range<usize>> = None;
    for start in memchr::memchr_iter(b'<', text.as_bytes()) {
        let Some((end, is_close)) = tag_end(text.as_bytes(), start, name) else { continue };
        if !is_close {
            pending = Some(start..end);
        } else if let Some(opening) = pending.take() {
            let content = text[opening.end..start].trim();
            spans.push(TagSpan { content, range: opening.start..end, is_closed: true });
        }
    }
    if let Some(opening) = pending {
        let end = next_tag(text, opening.end);
        let content = text[opening.end..end].trim();
        spans.push(TagSpan { content, range: opening.start..end, is_closed: false });
    }
    spans
}

/// The last closed span of the tag `name`, else the unclosed one.
///
/// # Examples
/// ```
/// # use humbly_text::tags::last_tag;
/// let text = "I use <answer> tags: <answer> Paris </answer>";
/// assert_eq!(last_tag(text, "answer").unwrap().content, "Paris");
/// let cut = last_tag("<answer>Paris <confidence>0.8</confidence>", "answer").unwrap();
/// assert_eq!((cut.content, cut.is_closed), ("Paris", false));
/// ```
pub fn last_tag<'a>(text: &'a str, name: &str) -> Option<TagSpan<'a>> {
    let mut spans = all_tags(text, name);
    let closed = spans.iter().rposition(|span| span.is_closed);
    match closed {
        Some(index) => Some(spans.swap_remove(index)),
        None => spans.pop(),
    }
}

/// End of the tag `name` that starts at `start`, and whether it closes.
fn tag_end(bytes: &[u8], start: usize, name: &str) -> Option<(usize, bool)> {
    let is_close = bytes.get(start + 1) == Some(&b'/');
    let from = start + 1 + usize::from(is_close);
    let found = bytes.get(from..from + name.len())?;
    if !found.eq_ignore_ascii_case(name.as_bytes()) {
        return None;
    }
    let after = from + name.len();
    match bytes.get(after)? {
        b'>' => Some((after + 1, is_close)),
        b' ' | b'\t' | b'\n' | b'\r' => {
            let window = bytes.get(after..bytes.len().min(after + LONGEST_ATTRIBUTES))?;
            let end = memchr::memchr2(b'<', b'>', window)?;
            (window[end] == b'>').then_some((after + end + 1, is_close))
        }
        _ => None,
    }
}

/// Where the next thing that looks like a tag starts.
fn next_tag(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'<', &bytes[from..])
        .map(|offset| from + offset)
        .find(|at| bytes.get(at + 1).is_some_and(|next| next.is_ascii_alphabetic() || *next == b'/'))
        .unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn contents<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
        all_tags(text, name).into_iter().map(|span| span.content).collect()
    }

    #[test]
    fn case_attributes_and_white_space_do_not_matter() {
        assert_eq!(contents("<Answer lang=\"en\"> a\n</ANSWER >", "answer"), ["a"]);
        assert_eq!(contents("<answers>a</answers>", "answer"), Vec::<&str>::new());
    }

    #[test]
    fn the_nearest_opening_tag_is_closed() {
        assert_eq!(contents("<answer> tags <answer>5</answer> x</answer>", "answer"), ["5"]);
        assert_eq!(last_tag("<answer>5</answer> in <answer>", "answer").unwrap().content, "5");
    }

    #[test]
    fn an_unclosed_tag_ends_at_the_next_one() {
        let spans = all_tags("<search>a < b<information>x</information>", "search");
        assert_eq!((spans[0].content, spans[0].is_closed), ("a < b", false));
        assert_eq!(contents("<answer>Paris", "answer"), ["Paris"]);
    }

    #[test]
    fn hostile_tags_take_milliseconds() {
        for unit in ["<answer>", "<answer ", "<", "</answer>"] {
            let text = unit.repeat(200_000 / unit.len());
            let started = std::time::Instant::now();
            last_tag(&text, "answer");
            assert!(started.elapsed().as_millis() < 2_000, "{unit}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in any::<String>()) {
            last_tag(&text, "answer");
        }

        #[test]
        fn spans_are_ordered(pieces in prop::collection::vec(prop::sample::select(vec![
            "<answer>", "</answer>", "<answer ", ">", "<b>", "é", "x ",
        ]), 0..20)) {
            let text = pieces.concat();
            let mut end = 0;
            for span in all_tags(&text, "answer") {
                prop_assert!(span.range.start >= end && text.get(span.range.clone()).is_some());
                end = span.range.end;
            }
        }
    }
}
