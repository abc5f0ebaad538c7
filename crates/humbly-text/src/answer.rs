//! The final answer of a response: what it marks as its answer, never what it only thought.

mod choice;

use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde::{Deserialize, Serialize};

use crate::boxed::last_boxed;
use crate::tags::last_tag;
use crate::think;
pub use choice::choice_letter;

/// What marks an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerSource {
    /// `<answer>…</answer>`.
    Tag,
    /// A line of its own: `Final answer: …`, `#### …`.
    Line,
    /// `\boxed{…}`.
    Boxed,
    /// In a sentence: "the answer is …".
    Sentence,
    /// The whole text is the answer.
    Whole,
}

/// Why no answer was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MissingAnswer {
    /// Cut while reasoning; what stands in the open think block was never said.
    TruncatedReasoning,
    /// Nothing is marked as the answer.
    NoAnswer,
    /// Several options are named as the answer.
    SeveralAnswers,
}

impl MissingAnswer {
    /// The reason as it stands in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::TruncatedReasoning => "truncated_reasoning",
            Self::NoAnswer => "no_answer",
            Self::SeveralAnswers => "several_answers",
        }
    }
}

/// An answer with what marks it, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extraction<T> {
    /// The answer.
    Found {
        /// The answer itself.
        answer: T,
        /// What marks it.
        source: AnswerSource,
    },
    /// No answer.
    Missing(MissingAnswer),
}

impl<T> Extraction<T> {
    /// The answer, where there is one.
    pub fn answer(&self) -> Option<&T> {
        match self {
            Self::Found { answer, .. } => Some(answer),
            Self::Missing(_) => None,
        }
    }

    /// Why there is no answer.
    pub fn missing(&self) -> Option<MissingAnswer> {
        match self {
            Self::Found { .. } => None,
            Self::Missing(reason) => Some(*reason),
        }
    }
}

/// The final answer that `response` marks, outside think blocks.
///
/// The last `<answer>` decides; without one the later of the last answer line and the last box; without
/// these the last sentence "the answer is …". A box inside what is found is unwrapped, as is Markdown
/// emphasis, and a full stop behind it. Text that marks nothing is [`MissingAnswer::NoAnswer`]: whether
/// a bare text is an answer is the caller's to know.
///
/// # Examples
/// ```
/// # use humbly_text::answer::{AnswerSource, Extraction, MissingAnswer, extract_answer};
/// let found = extract_answer("So 3 + 4.\n\n**Final answer:** 7.");
/// assert_eq!(found, Extraction::Found { answer: "7".to_owned(), source: AnswerSource::Line });
/// let cut = extract_answer(r"<think> maybe \boxed{7}");
/// assert_eq!(cut.missing(), Some(MissingAnswer::TruncatedReasoning));
/// ```
pub fn extract_answer(response: &str) -> Extraction<String> {
    let parts = think::split(response);
    let visible = parts.visible.as_ref();
    match marked(visible) {
        Some((content, source)) => Extraction::Found { answer: unwrapped(content).to_owned(), source },
        None if parts.is_truncated_reasoning() => Extraction::Missing(MissingAnswer::TruncatedReasoning),
        None => Extraction::Missing(MissingAnswer::NoAnswer),
    }
}

fn marked(visible: &str) -> Option<(&str, AnswerSource)> {
    if let Some(tag) = last_tag(visible, "answer").filter(|tag| !tag.content.is_empty()) {
        return Some((tag.content, AnswerSource::Tag));
    }
    let line = last_line(visible);
    let boxed = last_boxed(visible).filter(|content| !content.is_empty());
    match (line, boxed) {
        (Some(line), Some(boxed)) if position(visible, line) + line.len() <= position(visible, boxed) => {
            Some((boxed, AnswerSource::Boxed))
        }
        (Some(line), _) => Some((line, AnswerSource::Line)),
        (None, Some(boxed)) => Some((boxed, AnswerSource::Boxed)),
        (None, None) => last_sentence(visible).map(|content| (content, AnswerSource::Sentence)),
    }
}

/// Byte at which `part`, a slice of `whole`, starts.
fn position(whole: &str, part: &str) -> usize {
    part.as_ptr().addr().saturating_sub(whole.as_ptr().addr())
}

/// What the last answer line gives, on the line itself or, where nothing follows, on the next one.
pub(crate) fn last_line(text: &str) -> Option<&str> {
    static LINE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?im)^[ \t>#*_\-•`]*(?:\d+[.)][ \t]*)?",
            r"(?:(?:so|therefore|thus|hence),?[ \t]+)?(?:(?:the|my|our)[ \t]+)?(?:final|correct|best|exact)?[ \t]*",
            r"answer[ \t]*[*_`]{0,4}(?:[ \t]*[:=：]|[ \t]+is[ \t]*:)[ \t*_`]*",
            r"(?:\n[ \t]*){0,2}([^\n]*)|^####[ \t]*([^\n]*)",
        ))
        .ok()
    });
    last_content(LINE.as_ref()?, text)
}

/// What the last "the answer is" gives, up to the end of its sentence.
pub(crate) fn last_sentence(text: &str) -> Option<&str> {
    static SENTENCE: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?i)(?-u:\b)answer(?:[ \t]+is|[ \t]*[:=])[ \t]*:?[ \t]*([^\n]*)").ok());
    let content = last_content(SENTENCE.as_ref()?, text)?;
    let end = content.find(". ").unwrap_or(content.len());
    Some(&content[..end])
}

fn last_content<'a>(pattern: &Regex, text: &'a str) -> Option<&'a str> {
    let content = |found: Captures<'a>| found.iter().skip(1).flatten().map(|group| group.as_str()).next();
    pattern.captures_iter(text).filter_map(content).filter(|content| !bare(content).is_empty()).last()
}

fn bare(content: &str) -> &str {
    content.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_' | '`'))
}

/// The answer without a box, Markdown emphasis, dollar signs and a full stop around it.
fn unwrapped(content: &str) -> &str {
    if let Some(inner) = last_boxed(content).filter(|inner| !inner.is_empty()) {
        return inner;
    }
    let bare = bare(content);
    let bare = bare.strip_suffix('.').filter(|rest| !rest.ends_with('.')).unwrap_or(bare);
    let bare = self::bare(bare);
    let inner = bare.strip_prefix('$').and_then(|rest| rest.strip_suffix('$'));
    inner.filter(|inner| !inner.is_empty() && !inner.contains('$')).unwrap_or(bare).trim()
}

#[cfg(test)]
mod tests;
