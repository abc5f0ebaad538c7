//! A text of a log as the page shows it: escaped, redacted, cut, with the deciding quotes marked.
//!
//! All positions are found on the raw text; cuts and marks then give way to whole secrets.

use std::ops::Range;

use maud::{Markup, PreEscaped};

use crate::number::count;
use crate::redact::{Redactor, Span};

/// Characters shown around a mark that lies beyond the cut.
const AROUND_MARK: usize = 300;

/// A span to be marked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    pub range: Range<usize>,
    /// Anchors that lead here.
    pub anchors: Vec<String>,
    /// What was decided here.
    pub label: String,
}

/// Where a quote stands in a text: literally, else with white space folded on both sides.
pub(crate) fn find_quote(text: &str, quote: &str) -> Option<Range<usize>> {
    let quote = quote.trim();
    if quote.is_empty() {
        return None;
    }
    if let Some(start) = text.find(quote) {
        return Some(start..start + quote.len());
    }
    let (folded, positions) = folded(text);
    let (quote, _) = self::folded(quote);
    let start = folded.find(&quote)?;
    let first = *positions.get(start)?;
    let last = *positions.get(start + quote.len() - 1)?;
    let end = last + text.get(last..)?.chars().next()?.len_utf8();
    Some(first..end)
}

/// The text with runs of white space as one space, and for each byte the start of its character in `text`.
fn folded(text: &str) -> (String, Vec<usize>) {
    let mut out = String::with_capacity(text.len());
    let mut positions = Vec::with_capacity(text.len());
    let mut in_space = false;
    for (position, character) in text.char_indices() {
        if character.is_whitespace() {
            if !in_space {
                out.push(' ');
                positions.push(position);
            }
            in_space = true;
        } else {
            in_space = false;
            out.push(character);
            positions.extend(std::iter::repeat_n(position, character.len_utf8()));
        }
    }
    (out, positions)
}

/// The text as markup, at most `limit` characters of it and the surroundings of every mark.
pub(crate) fn excerpt(text: &str, limit: usize, marks: Vec<Mark>, redactor: &Redactor) -> Markup {
    let spans = redactor.spans(text);
    let marks = settled(marks, &spans);
    let windows = windows(text, limit, &marks, &spans);
    let mut out = String::new();
    let mut shown_to = 0;
    for window in &windows {
        push_cut(&mut out, text.get(shown_to..window.start).unwrap_or_default());
        let mut from = window.start;
        for mark in
            marks.iter().filter(|mark| window.start <= mark.range.start && mark.range.end <= window.end)
        {
            push_redacted(&mut out, text, from..mark.range.start, &spans, redactor);
            push_mark_start(&mut out, mark, redactor);
            push_redacted(&mut out, text, mark.range.clone(), &spans, redactor);
            out.push_str("</mark>");
            from = mark.range.end;
        }
        push_redacted(&mut out, text, from..window.end, &spans, redactor);
        shown_to = window.end;
    }
    push_cut(&mut out, text.get(shown_to..).unwrap_or_default());
    PreEscaped(out)
}

/// Marks in order and apart, each widened to the secrets that it touches.
fn settled(mut marks: Vec<Mark>, spans: &[Span]) -> Vec<Mark> {
    for mark in &mut marks {
        mark.range = widened(&mark.range, spans);
    }
    marks.sort_by_key(|mark| (mark.range.start, mark.range.end));
    let mut apart: Vec<Mark> = Vec::with_capacity(marks.len());
    for mark in marks {
        match apart.last_mut() {
            Some(last) if mark.range.start < last.range.end => {
                last.range.end = last.range.end.max(mark.range.end);
                last.anchors.extend(mark.anchors);
                if !last.label.split(", ").any(|label| label == mark.label) {
                    last.label = format!("{}, {}", last.label, mark.label);
                }
            }
            _ => apart.push(mark),
        }
    }
    apart
}

/// What is shown: the head, and what surrounds each mark; ends never split a mark or a secret.
fn windows(text: &str, limit: usize, marks: &[Mark], spans: &[Span]) -> Vec<Range<usize>> {
    let head_end = text.char_indices().nth(limit).map_or(text.len(), |(position, _)| position);
    let mut windows: Vec<Range<usize>> = std::iter::once(0..head_end).collect();
    if head_end < text.len() {
        windows.extend(marks.iter().map(|mark| {
            let start = floor(text, mark.range.start.saturating_sub(AROUND_MARK));
            let end = ceil(text, mark.range.end.saturating_add(AROUND_MARK));
            start..end
        }));
    }
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(windows.len());
    for window in windows {
        let mut window = widened(&window, spans);
        for mark in marks {
            if touches(&mark.range, &window) {
                window = window.start.min(mark.range.start)..window.end.max(mark.range.end);
            }
        }
        match merged.last_mut() {
            Some(last) if window.start <= last.end => last.end = last.end.max(window.end),
            _ => merged.push(window),
        }
    }
    merged
}

fn touches(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

fn widened(range: &Range<usize>, spans: &[Span]) -> Range<usize> {
    let first = spans.partition_point(|span| span.range.end <= range.start);
    spans
        .iter()
        .skip(first)
        .take_while(|span| span.range.start < range.end)
        .fold(range.clone(), |range, span| range.start.min(span.range.start)..range.end.max(span.range.end))
}

fn floor(text: &str, mut position: usize) -> usize {
    while !text.is_char_boundary(position) {
        position -= 1;
    }
    position
}

fn ceil(text: &str, position: usize) -> usize {
    let mut position = position.min(text.len());
    while !text.is_char_boundary(position) {
        position += 1;
    }
    position
}

fn push_mark_start(out: &mut String, mark: &Mark, redactor: &Redactor) {
    let mut anchors = mark.anchors.iter();
    out.push_str("<mark");
    if let Some(first) = anchors.next() {
        out.push_str(" id=\"");
        push_text(out, first);
        out.push('"');
    }
    out.push_str(" title=\"");
    push_text(out, &redactor.text(&mark.label));
    out.push_str("\">");
    for anchor in anchors {
        out.push_str("<span id=\"");
        push_text(out, anchor);
        out.push_str("\"></span>");
    }
}

fn push_cut(out: &mut String, hidden: &str) {
    if !hidden.is_empty() {
        let characters = hidden.chars().count() as u64;
        out.push_str("<span class=\"cut\">");
        out.push_str(&count(characters));
        out.push_str(if characters == 1 { " character cut</span>" } else { " characters cut</span>" });
    }
}

fn push_redacted(out: &mut String, text: &str, range: Range<usize>, spans: &[Span], redactor: &Redactor) {
    let first = spans.partition_point(|span| span.range.start < range.start);
    let mut from = range.start;
    for span in spans.iter().skip(first).take_while(|span| span.range.end <= range.end) {
        push_text(out, text.get(from..span.range.start).unwrap_or_default());
        out.push_str("<span class=\"redacted\">");
        out.push_str(span.secret.replacement());
        out.push_str("</span>");
        redactor.count(span.secret);
        from = span.range.end;
    }
    push_text(out, text.get(from..range.end).unwrap_or_default());
}

/// Escapes for text and quoted attributes; terminal colours go, other control characters become visible.
fn push_text(out: &mut String, text: &str) {
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(character),
            '\r' if characters.peek() == Some(&'\n') => {}
            '\u{1b}' if characters.peek() == Some(&'[') => {
                characters.next();
                while characters.next_if(|next| matches!(next, ' '..='?')).is_some() {}
                characters.next_if(|next| matches!(next, '@'..='~'));
            }
            '\0'..='\u{1f}' => out.push(char::from_u32(0x2400 + u32::from(character)).unwrap_or('\u{fffd}')),
            '\u{7f}'..='\u{9f}' => out.push('\u{fffd}'),
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                out.push_str("⟦U+");
                out.extend(
                    character
                        .escape_unicode()
                        .skip(3)
                        .take_while(char::is_ascii_hexdigit)
                        .map(|digit| digit.to_ascii_uppercase()),
                );
                out.push('⟧');
            }
            _ => out.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn mark(range: Range<usize>) -> Mark {
        Mark { range, anchors: vec!["q".to_owned()], label: "Identify".to_owned() }
    }

    fn shown(text: &str, limit: usize, marks: Vec<Mark>) -> String {
        excerpt(text, limit, marks, &Redactor::new(true)).into_string()
    }

    #[test]
    fn markup_in_a_log_stays_text() {
        assert_eq!(shown("<script>\"&", 99, vec![]), "&lt;script&gt;&quot;&amp;");
    }

    #[test]
    fn a_quote_is_marked_and_a_mark_beyond_the_cut_is_shown() {
        assert_eq!(
            shown("they disagree here", 99, vec![mark(5..13)]),
            "they <mark id=\"q\" title=\"Identify\">disagree</mark> here"
        );
        let text = format!("{}disagree{}", "x".repeat(5_000), "y".repeat(5_000));
        let html = shown(&text, 10, vec![mark(5_000..5_008)]);
        assert!(html.contains("<mark id=\"q\" title=\"Identify\">disagree</mark>"), "{html}");
        assert!(html.contains("4,690 characters cut") && html.contains("4,700 characters cut"), "{html}");
    }

    #[test]
    fn a_cut_does_not_leave_half_a_secret() {
        let html = shown("key sk-abcd1234efgh5678ijkl end", 12, vec![]);
        assert_eq!(
            html,
            "key <span class=\"redacted\">[key]</span><span class=\"cut\">4 characters cut</span>"
        );
    }

    #[test]
    fn overlapping_marks_keep_all_anchors() {
        let mut second = mark(4..9);
        second.anchors = vec!["r".to_owned()];
        second.label = "Escalate".to_owned();
        assert_eq!(
            shown("abcdefghijkl", 99, vec![mark(2..6), second]),
            "ab<mark id=\"q\" title=\"Identify, Escalate\"><span id=\"r\"></span>cdefghi</mark>jkl"
        );
    }

    #[test]
    fn terminal_colours_go_and_direction_tricks_show() {
        assert_eq!(shown("\u{1b}[31mred\u{1b}[0m \u{202e}x\u{7}", 99, vec![]), "red ⟦U+202E⟧x␇");
    }

    #[test]
    fn a_quote_with_folded_white_space_is_found() {
        let text = "the  sources\n disagree é";
        assert_eq!(find_quote(text, "the sources disagree é").map(|range| &text[range]), Some(text));
        assert_eq!(find_quote(text, "agree on all"), None);
        assert_eq!(find_quote(text, " \n"), None);
    }

    proptest! {
        #[test]
        fn any_text_any_mark_any_limit(text in "\\PC{0,80}", limit in 0_usize..90, a in 0_usize..90, b in 0_usize..90) {
            let (a, b) = (floor(&text, a.min(text.len())), floor(&text, b.min(text.len())));
            let marks = if a < b { vec![mark(a..b)] } else { vec![] };
            let marked = marks.len();
            let html = excerpt(&text, limit, marks, &Redactor::new(false)).into_string();
            prop_assert_eq!(html.matches("<mark").count(), marked);
            let html = html.replace("<mark id=\"q\" title=\"Identify\">", "").replace("</mark>", "");
            prop_assert!(!html.replace("<span class=\"cut\">", "").replace("</span>", "").contains('<'));
        }
    }
}
