//! Code regions of Markdown: fenced blocks and inline spans.
//!
//! An unclosed fence or backtick is ordinary text: a model that forgot to close one must not hide
//! the rest of its answer.

use std::ops::Range;

/// Longer runs are decoration, not delimiters; the bound keeps the scan linear.
const LONGEST_DELIMITER: usize = 64;

/// How a region of code is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeKind {
    /// Between lines of three or more backticks or tildes.
    Fenced,
    /// Between equal runs of backticks on one line.
    Inline,
}

/// A region of code with its delimiters, in bytes of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeRegion {
    /// Fenced or inline.
    pub kind: CodeKind,
    /// Bytes of the region, delimiters included.
    pub range: Range<usize>,
}

/// Code regions of `text`, in order and without overlap.
///
/// Ranges lie on character boundaries. Time is linear in the length of the text.
///
/// # Examples
/// ```
/// # use humbly_text::markdown::code_regions;
/// let text = "use `a < b` here";
/// let regions = code_regions(text);
/// assert_eq!(&text[regions[0].range.clone()], "`a < b`");
/// ```
pub fn code_regions(text: &str) -> Vec<CodeRegion> {
    if memchr::memchr2(b'`', b'~', text.as_bytes()).is_none() {
        return Vec::new();
    }
    let fences = fence_lines(text);
    let mut regions = Vec::new();
    let mut text_start = 0;
    let mut next = 0;
    // The shortest opener known to have no closer, for backticks and tildes: longer ones have none either.
    let mut hopeless = [LONGEST_DELIMITER + 1; 2];
    while let Some(opener) = fences.get(next) {
        next += 1;
        let known = &mut hopeless[usize::from(opener.tilde)];
        if opener.length >= *known {
            continue;
        }
        let closer = fences
            .iter()
            .skip(next)
            .position(|line| line.bare && line.tilde == opener.tilde && line.length >= opener.length);
        match closer {
            Some(offset) => {
                let end = fences[next + offset].line.end;
                inline_spans(text, text_start..opener.line.start, &mut regions);
                regions.push(CodeRegion { kind: CodeKind::Fenced, range: opener.line.start..end });
                text_start = end;
                next += offset + 1;
            }
            None => *known = opener.length,
        }
    }
    inline_spans(text, text_start..text.len(), &mut regions);
    regions
}

struct FenceLine {
    line: Range<usize>,
    tilde: bool,
    length: usize,
    /// Nothing but the delimiter: only such a line closes a block.
    bare: bool,
}

fn fence_lines(text: &str) -> Vec<FenceLine> {
    let mut lines = Vec::new();
    let mut start = 0;
    for raw in text.split_inclusive('\n') {
        let line = start..start + raw.len();
        start = line.end;
        let content = raw.trim();
        let Some(&mark) = content.as_bytes().first() else { continue };
        if mark != b'`' && mark != b'~' {
            continue;
        }
        let length = content.bytes().take_while(|&byte| byte == mark).count();
        let info = &content[length..];
        if (3..=LONGEST_DELIMITER).contains(&length) && !(mark == b'`' && info.contains('`')) {
            lines.push(FenceLine { line, tilde: mark == b'~', length, bare: info.is_empty() });
        }
    }
    lines
}

fn inline_spans(text: &str, range: Range<usize>, regions: &mut Vec<CodeRegion>) {
    let mut start = range.start;
    for line in text[range].split_inclusive('\n') {
        line_spans(line, start, regions);
        start += line.len();
    }
}

fn line_spans(line: &str, offset: usize, regions: &mut Vec<CodeRegion>) {
    let runs = backtick_runs(line.as_bytes());
    if runs.len() < 2 {
        return;
    }
    let mut latest = [None; LONGEST_DELIMITER + 1];
    let mut partners = vec![None; runs.len()];
    for (index, run) in runs.iter().enumerate().rev() {
        if let Some(slot) = latest.get_mut(run.len()) {
            partners[index] = slot.replace(index);
        }
    }
    let mut index = 0;
    while index < runs.len() {
        if let Some(partner) = partners[index] {
            let range = offset + runs[index].start..offset + runs[partner].end;
            regions.push(CodeRegion { kind: CodeKind::Inline, range });
            index = partner;
        }
        index += 1;
    }
}

fn backtick_runs(line: &[u8]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for position in memchr::memchr_iter(b'`', line) {
        match runs.last_mut() {
            Some(run) if run.end == position => run.end += 1,
            _ => runs.push(position..position + 1),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pieces(text: &str) -> Vec<&str> {
        code_regions(text).into_iter().map(|region| &text[region.range]).collect()
    }

    #[test]
    fn inline_spans_need_equal_runs_on_one_line() {
        assert_eq!(pieces("a `b` c ``d ` e`` f"), ["`b`", "``d ` e``"]);
        assert_eq!(pieces("a ` b\nc ` d"), Vec::<&str>::new());
        assert_eq!(pieces("a `` b ` c"), Vec::<&str>::new());
    }

    #[test]
    fn a_fence_runs_to_its_bare_closer() {
        let text = "x\n```rust\nlet a = 1;\n```\ny `z`\n";
        assert_eq!(pieces(text), ["```rust\nlet a = 1;\n```\n", "`z`"]);
        assert_eq!(pieces("````\n```\n````"), ["````\n```\n````"]);
        assert_eq!(pieces("~~~\na\n~~~"), ["~~~\na\n~~~"]);
    }

    #[test]
    fn an_unclosed_fence_hides_nothing() {
        assert_eq!(pieces("```python\nprint(1)\nthen `x`"), ["`x`"]);
    }

    #[test]
    fn many_unclosed_fences_stay_cheap() {
        let text = "```a\n".repeat(40_000);
        assert!(code_regions(&text).is_empty());
    }

    proptest! {
        #[test]
        fn regions_are_ordered_and_sliceable(text in "[`~\nab é]{0,80}") {
            let mut end = 0;
            for region in code_regions(&text) {
                prop_assert!(region.range.start >= end);
                prop_assert!(text.get(region.range.clone()).is_some());
                end = region.range.end;
            }
        }
    }
}
