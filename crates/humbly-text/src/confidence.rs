//! Stated confidences: from a tag, a number or words, on a scale that the caller declares.
//!
//! The scale is never guessed: `1` is 1 on the unit scale and 0.01 in percent. What is absent,
//! unreadable or off the scale is [`Confidence::Undefined`] with its reason, never 0.

mod field;
mod log_probability;
mod scale;
mod statement;
mod words;

use serde::{Deserialize, Serialize};

use crate::tags::last_tag;
use crate::think;
pub use log_probability::{TokenSpan, answer_tokens};
pub use scale::Scale;
pub use statement::without_confidence;
pub use words::{ProbabilityWord, last_probability_words, probability_words};

/// Where a confidence comes from. Sources are not comparable: numbers from two are never mixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConfidenceSource {
    /// A number in `<confidence>`.
    Tag,
    /// A number in the text or in a field of the log.
    Number,
    /// A probability word, by the median of how people read it.
    Words,
    /// Probability of the answer's tokens.
    LogProbability,
    /// Share of repeated answers that agree.
    Agreement,
}

/// What a text says about its confidence.
#[derive(Clone, Debug, PartialEq)]
pub enum Confidence {
    /// A probability in `[0, 1]`.
    Stated {
        /// The probability, on the unit scale.
        probability: f64,
        /// How it was stated.
        source: ConfidenceSource,
        /// The words or digits that state it.
        found: String,
    },
    /// No usable confidence.
    Undefined(UndefinedConfidence),
}

impl Confidence {
    /// The probability, where there is one.
    pub fn probability(&self) -> Option<f64> {
        match self {
            Self::Stated { probability, .. } => Some(*probability),
            Self::Undefined(_) => None,
        }
    }

    /// The source, where there is a probability.
    pub fn source(&self) -> Option<ConfidenceSource> {
        match self {
            Self::Stated { source, .. } => Some(*source),
            Self::Undefined(_) => None,
        }
    }

    /// Why there is no probability.
    pub fn undefined(&self) -> Option<&UndefinedConfidence> {
        match self {
            Self::Stated { .. } => None,
            Self::Undefined(undefined) => Some(undefined),
        }
    }
}

/// Why a confidence is undefined, with what was found and what to do.
#[derive(Clone, Debug, PartialEq)]
pub struct UndefinedConfidence {
    /// The kind of fault, counted in results.
    pub reason: ConfidenceFault,
    /// What stands where the confidence should be; empty where nothing does.
    pub found: String,
    /// What would make it usable, where that is known.
    pub hint: Option<&'static str>,
}

/// Kinds of unusable confidences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConfidenceFault {
    /// None stated, or stated as `n/a`.
    NoConfidence,
    /// Cut while reasoning: a confidence found there was never given.
    TruncatedReasoning,
    /// Neither a number nor a known word.
    ConfidenceUnreadable,
    /// NaN or infinite.
    ConfidenceNotFinite,
    /// Off the declared scale.
    ConfidenceOutOfRange,
    /// A range, a bound or several values.
    ConfidenceAmbiguous,
}

impl ConfidenceFault {
    /// The reason as it stands in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoConfidence => "no_confidence",
            Self::TruncatedReasoning => "truncated_reasoning",
            Self::ConfidenceUnreadable => "confidence_unreadable",
            Self::ConfidenceNotFinite => "confidence_not_finite",
            Self::ConfidenceOutOfRange => "confidence_out_of_range",
            Self::ConfidenceAmbiguous => "confidence_ambiguous",
        }
    }
}

/// Longest text, in words, that is taken as a statement of confidence where nothing marks one.
const LONGEST_STATEMENT: usize = 30;

/// The confidence that `text` states: a whole response, or the value of a field.
///
/// Looked for in this order, outside think blocks, the last of each kind:
/// 1. the `<confidence>` tag; where it stands but cannot be used, nothing else is tried;
/// 2. a label, `Confidence: 85%`, `"confidence": 0.85`, `85% confident`;
/// 3. the whole text, if it has at most 30 words: a number at its start, or probability words.
///
/// # Shapes and units
/// - a bare number is on `scale`; `7/10`, `7 out of 10` and `70 %` state their own;
/// - the answer is a probability in `[0, 1]`; a range scale is mapped by `(value - min) / (max - min)`;
/// - words get the median of 46 readers, on no scale.
///
/// # Undefined
/// Each [`ConfidenceFault`]. Nothing is clamped.
///
/// # Source
/// Medians: zonination/perceptions, `probly.csv`.
///
/// # Examples
/// ```
/// # use humbly_text::confidence::{ConfidenceFault, ConfidenceSource, Scale, parse_confidence};
/// let stated = parse_confidence("<answer>A</answer><confidence>85</confidence>", Scale::Percent);
/// assert_eq!((stated.probability(), stated.source()), (Some(0.85), Some(ConfidenceSource::Tag)));
///
/// let off = parse_confidence("<confidence>85</confidence>", Scale::Unit);
/// assert_eq!(off.undefined().unwrap().reason, ConfidenceFault::ConfidenceOutOfRange);
/// assert!(off.undefined().unwrap().hint.unwrap().contains("percent"));
/// ```
pub fn parse_confidence(text: &str, scale: Scale) -> Confidence {
    let parts = think::split(text);
    let visible = parts.visible.as_ref();
    if let Some(tag) = last_tag(visible, "confidence") {
        return field::parse(tag.content, scale, ConfidenceSource::Tag);
    }
    if parts.is_truncated_reasoning() {
        return undefined(ConfidenceFault::TruncatedReasoning, "", None);
    }
    if let Some(value) = field::labelled(visible) {
        return field::parse(value, scale, ConfidenceSource::Number);
    }
    if let Some(percent) = field::last_sure_percent(visible) {
        return field::parse(percent, scale, ConfidenceSource::Number);
    }
    if visible.split_whitespace().nth(LONGEST_STATEMENT).is_some() {
        return undefined(ConfidenceFault::NoConfidence, "", None);
    }
    field::parse_statement(visible, scale)
}

fn undefined(reason: ConfidenceFault, found: &str, hint: Option<&'static str>) -> Confidence {
    Confidence::Undefined(UndefinedConfidence { reason, found: found.to_owned(), hint })
}

#[cfg(test)]
mod tests;
