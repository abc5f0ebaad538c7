//! `\boxed{…}` and `\fbox{…}` with balanced braces.
//!
//! One pass with a stack of open braces finds every box, so that nested or unclosed braces cost no
//! more than plain text.

use std::ops::Range;

/// Content of the last box of `text`.
///
/// Last by where it opens: of `\boxed{a \boxed{b}}` the inner one. Braces escaped as `\{` do not
/// count. A box that never closes is no box. The form without braces, `\boxed 5`, counts only where
/// no braced box stands. White space at both ends is trimmed.
///
/// # Examples
/// ```
/// # use humbly_text::boxed::last_boxed;
/// assert_eq!(last_boxed(r"so \boxed{\sqrt{\frac{3}{7}}}"), Some(r"\sqrt{\frac{3}{7}}"));
/// assert_eq!(last_boxed(r"result \fbox{7}"), Some("7"));
/// assert_eq!(last_boxed(r"\boxed{1} and \boxed{2"), Some("1"));
/// assert_eq!(last_boxed("no box"), None);
/// ```
pub fn last_boxed(text: &str) -> Option<&str> {
    last_braced_box(text).or_else(|| last_bare_box(text))
}

/// Content of the last box with balanced braces, and nothing else.
///
/// # Examples
/// ```
/// # use humbly_text::boxed::last_braced_box;
/// assert_eq!(last_braced_box(r"\boxed 5"), None);
/// ```
pub fn last_braced_box(text: &str) -> Option<&str> {
    last_braced_range(text).map(|range| text[range].trim())
}

/// Bytes between the braces of the last balanced box.
pub fn last_braced_range(text: &str) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut position = commands(text).next()?.start;
    let mut open: Vec<(usize, bool)> = Vec::new();
    let mut last: Option<Range<usize>> = None;
    let mut opens_box = false;
    while let Some(&byte) = bytes.get(position) {
        let mut step = 1;
        match byte {
            b'\\' | BACKSPACE | FORM_FEED => {
                if let Some(length) = command_at(bytes, position) {
                    step = length;
                    opens_box = true;
                } else {
                    opens_box = false;
                    // Of `\\boxed` the second backslash starts the command.
                    let skips = byte == b'\\' && command_at(bytes, position + 1).is_none();
                    step = if skips { 2 } else { 1 };
                }
            }
            b'{' => {
                open.push((position + 1, opens_box));
                opens_box = false;
            }
            b'}' => {
                if let Some((start, true)) = open.pop()
                    && last.as_ref().is_none_or(|last| last.start < start)
                {
                    last = Some(start..position);
                }
                opens_box = false;
            }
            b' ' | b'\t' | b'\n' | b'\r' => {}
            _ => opens_box = false,
        }
        position += step;
    }
    last
}

/// Longest value without braces, in bytes: one word, so that many commands in one line stay cheap.
const LONGEST_BARE: usize = 64;

/// What JSON makes of a single backslash before `boxed` and `fbox`.
const BACKSPACE: u8 = 8;
const FORM_FEED: u8 = 12;

/// Length of the box command at `position`.
fn command_at(bytes: &[u8], position: usize) -> Option<usize> {
    let rest = bytes.get(position..)?;
    let (lead, name) = rest.split_first()?;
    let known: &[&[u8]] = match *lead {
        b'\\' => &[b"boxed", b"fbox"],
        BACKSPACE => &[b"oxed"],
        FORM_FEED => &[b"box"],
        _ => return None,
    };
    let command = known.iter().find(|command| name.starts_with(command))?;
    // `\boxedsolution` is another command.
    let ends = !name.get(command.len()).is_some_and(u8::is_ascii_alphabetic);
    ends.then_some(command.len() + 1)
}

fn commands(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    memchr::memchr3_iter(b'\\', BACKSPACE, FORM_FEED, bytes)
        .filter_map(|start| command_at(bytes, start).map(|length| start..start + length))
}

/// `\boxed 5`: one word that looks like a value. Prose such as `the \boxed form` does not.
fn last_bare_box(text: &str) -> Option<&str> {
    commands(text).filter_map(|command| bare_value(&text[command.end..])).last()
}

fn bare_value(rest: &str) -> Option<&str> {
    let rest = rest.trim_start_matches([' ', '\t']);
    let rest = &rest[..rest.floor_char_boundary(LONGEST_BARE)];
    let end = rest.find(|c: char| c.is_whitespace() || c == '$').unwrap_or(rest.len());
    let word = rest[..end].trim_end_matches(['.', ',', ';', ':']);
    let is_value = word.contains(|c: char| c.is_numeric() || c == '\\')
        || word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    (is_value && !word.starts_with('{')).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn braces_are_balanced_and_escaped_ones_ignored() {
        assert_eq!(last_boxed(r"\boxed{\{1, 2\}}"), Some(r"\{1, 2\}"));
        assert_eq!(last_boxed(r"\boxed{\left\{ x \right.}"), Some(r"\left\{ x \right."));
        assert_eq!(last_boxed(r"\boxed {5}"), Some("5"));
        assert_eq!(last_boxed("} } \\boxed{5} }"), Some("5"));
        assert_eq!(last_boxed(r"{ \boxed{5}"), Some("5"));
        assert_eq!(last_boxed(r"a \\\boxed{5}"), Some("5"));
        assert_eq!(last_boxed(r"\\boxed{5}"), Some("5"));
        assert_eq!(last_boxed("\u{8}oxed{5} then \u{c}box{6}"), Some("6"));
        assert_eq!(last_boxed(r"\boxedsolution{5}"), None);
        assert_eq!(last_boxed(r"\boxed{}"), Some(""));
    }

    #[test]
    fn the_last_box_wins() {
        assert_eq!(last_boxed(r"\boxed{1}, then \fbox{2}"), Some("2"));
        assert_eq!(last_boxed(r"\boxed{a \boxed{b} c}"), Some("b"));
    }

    #[test]
    fn a_box_without_braces_counts_only_alone() {
        // Case ext-03.
        assert_eq!(last_boxed(r"put it in \boxed 5 $ form; answer \boxed{9}"), Some("9"));
        assert_eq!(last_boxed(r"$\boxed 5$."), Some("5"));
        assert_eq!(last_boxed(r"the answer is \boxed B."), Some("B"));
        assert_eq!(last_boxed(r"use the \boxed form"), None);
        assert_eq!(last_boxed(r"\boxed{5"), None);
        assert_eq!(last_boxed("\\boxed"), None);
    }

    #[test]
    fn hostile_braces_take_milliseconds() {
        for unit in [r"\boxed{", "{", r"\boxed{{", r"\boxed ", r"\", "}"] {
            let text = unit.repeat(200_000 / unit.len());
            let started = std::time::Instant::now();
            last_boxed(&text);
            last_boxed(&format!(r"\boxed{{1}}{text}"));
            assert!(started.elapsed().as_millis() < 2_000, "{unit}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in any::<String>()) {
            last_boxed(&text);
        }

        #[test]
        fn what_was_boxed_comes_back(inner in "[a-z0-9 é]{0,12}", noise in "[a-z{é ]{0,12}") {
            let text = format!(r"{noise}\boxed{{{inner}}} end");
            prop_assert_eq!(last_boxed(&text), Some(inner.trim()));
        }

        #[test]
        fn mixed_pieces_are_read(pieces in prop::collection::vec(prop::sample::select(vec![
            r"\boxed", r"\fbox", "{", "}", r"\", "é", " ", "5", "\u{8}oxed",
        ]), 0..20)) {
            last_boxed(&pieces.concat());
        }
    }
}
