//! Think blocks: the one place that decides what is reasoning and what the reader of an answer sees.
//!
//! A block that never closes is reasoning to its end: an answer found in it was never given.

mod channels;
mod mentions;
mod tags;

use std::borrow::Cow;
use std::ops::Range;

use crate::markdown::code_regions;
use tags::Tag;

/// How the think blocks of a text end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThinkStatus {
    /// No think block.
    None,
    /// Every block is closed.
    Closed,
    /// The last block never closes: the generation was cut while reasoning.
    Unclosed,
    /// A closing tag without its opening tag: the chat template opened the block.
    CloseOnly,
}

/// A text parted into what its reader sees and what was only reasoning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThinkSplit<'a> {
    /// Text outside every block; trimmed where a block was taken out, else the text itself.
    pub visible: Cow<'a, str>,
    /// Content of each block that holds more than white space, in order; nested tags are kept in it.
    pub reasoning: Vec<&'a str>,
    /// How the blocks end.
    pub status: ThinkStatus,
}

impl ThinkSplit<'_> {
    /// Whether the generation was cut while reasoning, before anything was said: no answer, reason
    /// `truncated_reasoning`.
    pub fn is_truncated_reasoning(&self) -> bool {
        self.status == ThinkStatus::Unclosed && self.visible.trim().is_empty()
    }
}

/// Parts `text` into visible text and reasoning.
///
/// Knows `<think>`, `<thinking>` (any case, attributes, a namespace), `[THINK]`, the markers
/// `<|begin_of_thought|>` and `<|START_THINKING|>`, and `<|channel|>` messages (all but `final` are
/// reasoning). Rules where the tags do not pair up:
/// 1. Blocks nest; two opening tags with only white space between them may share one closing tag.
/// 2. A block that never closes runs to the end of the text.
/// 3. A closing tag without an opening one makes everything before it reasoning, unless nothing
///    follows it and a closed block came before: then it is dropped.
/// 4. Tags in closed code fences, inline code or quotation marks, or named in a sentence (`the
///    <think> tag`), are text. A closing tag on a line of its own still counts if nothing else would
///    close the block.
/// 5. A block that never closes still ends before a closed `<answer>` if nothing but closed tags (such as
///    `<confidence>`) stand from there to the end of the text: the model went on and forgot the closing
///    tag, as real outputs do. The status stays [`ThinkStatus::Unclosed`].
///
/// Text without such tags is borrowed. Time is linear in the length of the text.
///
/// # Examples
/// ```
/// # use humbly_text::think::{ThinkStatus, split};
/// let parts = split("<think>1911? or 1914</think>\nIn 1911.");
/// assert_eq!(parts.visible, "In 1911.");
/// assert_eq!(parts.reasoning, ["1911? or 1914"]);
/// assert!(split("<think> maybe B, or perhaps C and").is_truncated_reasoning());
/// assert_eq!(split("let me recall\n</think>\n1911").status, ThinkStatus::CloseOnly);
/// ```
pub fn split(text: &str) -> ThinkSplit<'_> {
    if let Some(segments) = channels::segments(text) {
        return split_channels(&segments);
    }
    let tags: Vec<Tag> = tags::tags(text).collect();
    if tags.is_empty() {
        return ThinkSplit { visible: Cow::Borrowed(text), reasoning: Vec::new(), status: ThinkStatus::None };
    }
    let code = code_regions(text);
    let (real, fence_hid_close) = mentions::keep_real(text, tags.clone(), &code, true);
    let mut blocks = Blocks::pair(text, &real);
    if blocks.status == ThinkStatus::Unclosed && fence_hid_close {
        // The fence was opened while reasoning and closed by one of the answer.
        let (real, _) = mentions::keep_real(text, tags, &code, false);
        let without_fences = Blocks::pair(text, &real);
        if without_fences.status != ThinkStatus::Unclosed {
            blocks = without_fences;
        }
    }
    blocks.cut(text)
}

/// Visible text of `text` alone; see [`split`].
///
/// # Examples
/// ```
/// # use humbly_text::think::visible;
/// assert_eq!(visible("<think>hm</think> Paris"), "Paris");
/// assert_eq!(visible("end it with `</think>`"), "end it with `</think>`");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    split(text).visible
}

/// Blocks found by pairing tags.
struct Blocks {
    /// Bytes taken out, tags included, and the content inside.
    cuts: Vec<(Range<usize>, Range<usize>)>,
    status: ThinkStatus,
}

/// A block being read.
struct OpenBlock {
    opening: Tag,
    depth: usize,
    /// Opening tags that directly follow another one.
    doubled: usize,
    last_opening_end: usize,
    last_closing: Option<Range<usize>>,
}

impl Blocks {
    fn pair(text: &str, tags: &[Tag]) -> Self {
        let mut blocks = Self { cuts: Vec::new(), status: ThinkStatus::None };
        let mut open: Option<OpenBlock> = None;
        for tag in tags {
            match &mut open {
                Some(block) if block.opening.family != tag.family => {}
                Some(block) if tag.is_close => {
                    block.depth -= 1;
                    block.last_closing = Some(tag.range.clone());
                    if block.depth == 0 {
                        blocks.close(block.opening.range.clone(), tag.range.clone());
                        open = None;
                    }
                }
                Some(block) => {
                    block.depth += 1;
                    let gap = &text[block.last_opening_end..tag.range.start];
                    block.doubled += usize::from(block.last_closing.is_none() && is_blank(gap));
                    block.last_opening_end = tag.range.end;
                }
                None if tag.is_close => blocks.close_without_opening(text, &tag.range),
                None => {
                    open = Some(OpenBlock {
                        last_opening_end: tag.range.end,
                        opening: tag.clone(),
                        depth: 1,
                        doubled: 0,
                        last_closing: None,
                    });
                }
            }
        }
        if let Some(block) = open {
            match block.last_closing {
                Some(closing) if block.depth <= block.doubled => blocks.close(block.opening.range, closing),
                _ => {
                    let opening = block.opening.range;
                    let end = opening.end + closing_answer(&text[opening.end..]);
                    blocks.cuts.push((opening.start..end, opening.end..end));
                    blocks.status = ThinkStatus::Unclosed;
                }
            }
        }
        blocks
    }

    fn close(&mut self, opening: Range<usize>, closing: Range<usize>) {
        self.cuts.push((opening.start..closing.end, opening.end..closing.start));
        if self.status == ThinkStatus::None {
            self.status = ThinkStatus::Closed;
        }
    }

    fn close_without_opening(&mut self, text: &str, closing: &Range<usize>) {
        if !self.cuts.is_empty() && is_blank(&text[closing.end..]) {
            self.cuts.push((closing.clone(), closing.end..closing.end));
            return;
        }
        self.cuts.clear();
        self.cuts.push((0..closing.end, 0..closing.start));
        self.status = ThinkStatus::CloseOnly;
    }

    fn cut(self, text: &str) -> ThinkSplit<'_> {
        if self.cuts.is_empty() {
            return ThinkSplit { visible: Cow::Borrowed(text), reasoning: Vec::new(), status: self.status };
        }
        let mut pieces = Vec::with_capacity(self.cuts.len() + 1);
        let mut reasoning = Vec::with_capacity(self.cuts.len());
        let mut kept_from = 0;
        for (outer, inner) in self.cuts {
            pieces.push(&text[kept_from..outer.start]);
            kept_from = outer.end;
            reasoning.push(&text[inner]);
        }
        pieces.push(&text[kept_from..]);
        assemble(&pieces, reasoning, self.status)
    }
}

fn split_channels<'a>(segments: &[channels::Segment<'a>]) -> ThinkSplit<'a> {
    let (mut pieces, mut reasoning) = (Vec::new(), Vec::new());
    let mut status = ThinkStatus::None;
    for segment in segments {
        match segment.name {
            None | Some("final") => pieces.push(segment.text),
            Some(_) => {
                reasoning.push(segment.text);
                status = if segment.is_closed { ThinkStatus::Closed } else { ThinkStatus::Unclosed };
            }
        }
    }
    assemble(&pieces, reasoning, status)
}

fn assemble<'a>(pieces: &[&'a str], reasoning: Vec<&'a str>, status: ThinkStatus) -> ThinkSplit<'a> {
    let mut spoken = pieces.iter().filter(|piece| !piece.trim().is_empty());
    let visible = match (spoken.next(), spoken.next()) {
        (None, _) => Cow::Borrowed(""),
        (Some(only), None) => Cow::Borrowed(only.trim()),
        _ => Cow::Owned(pieces.concat().trim().to_owned()),
    };
    let reasoning = reasoning.into_iter().filter(|block| !block.trim().is_empty()).collect();
    ThinkSplit { visible, reasoning, status }
}

/// Closed tags looked at behind an open block, at most.
const MOST_CLOSING_TAGS: usize = 8;

/// Where the closed tags that end `text` start, if `<answer>` is the first of them; else the end.
fn closing_answer(text: &str) -> usize {
    let mut end = text.len();
    for _ in 0..MOST_CLOSING_TAGS {
        let Some(before) = text[..end].trim_end().strip_suffix('>') else { break };
        let Some((content, name)) = before.rsplit_once("</") else { break };
        let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let start = content.rfind(&format!("<{name}>")).filter(|_| is_name);
        let Some(start) = start else { break };
        if name.eq_ignore_ascii_case("answer") {
            return start;
        }
        end = start;
    }
    text.len()
}

/// Unlike `trim().is_empty()` this stops at the first character that is not white space.
fn is_blank(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

#[cfg(test)]
mod tests;
