//! Reading a judge's reply: strictly, and nothing but the reply.
//!
//! A reply has one of a few stated forms. What is not of that form is unusable; there is no default label,
//! and no search through prose for something that looks like one.

mod choice;
mod json;
mod lines;
mod marker;
mod word;

use std::collections::BTreeMap;

use humbly_llm::{ChatReply, Finish};
use humbly_text::think;
use serde::{Deserialize, Serialize};

/// The form that a reply has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyForm {
    /// One label and nothing else; only case and white space around it are free.
    Exact,
    /// One label; a code fence, emphasis, a full stop and a heading such as `Grade:` are passed over.
    Word,
    /// One JSON object with the label under the rubric's key.
    Json,
    /// Lines `key: value`, one of them under the rubric's key; `confidence` is read too.
    Lines,
    /// The last `[[label]]`.
    Marker,
    /// Prose that names one option by its number from 1, in the order of the labels.
    Choice,
}

impl ReplyForm {
    pub(crate) const CODES: &'static str = "exact, word, json, lines, marker or choice";

    /// The name in a prompt file.
    pub fn code(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Word => "word",
            Self::Json => "json",
            Self::Lines => "lines",
            Self::Marker => "marker",
            Self::Choice => "choice",
        }
    }

    pub(crate) fn from_code(code: &str) -> Option<Self> {
        [Self::Exact, Self::Word, Self::Json, Self::Lines, Self::Marker, Self::Choice]
            .into_iter()
            .find(|form| form.code() == code)
    }
}

/// The labels among which a reply chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Labels {
    /// Field of a JSON object, or key of a line.
    pub key: &'static str,
    /// The labels; of two, the first is yes.
    pub words: &'static [&'static str],
}

impl Labels {
    /// Position of the label that `text` is, case and the way of joining words aside.
    fn position(&self, text: &str) -> Option<usize> {
        let spelled = |text: &str| text.to_ascii_uppercase().replace(['-', ' '], "_");
        let text = spelled(text);
        self.words.iter().position(|word| *word == text)
    }

    /// As [`Labels::position`], where two labels may also be called yes and no, true and false, 1 and 0.
    fn position_or_truth(&self, text: &str) -> Option<usize> {
        self.position(text).or_else(|| {
            (self.words.len() == 2)
                .then(|| match text.to_ascii_lowercase().as_str() {
                    "yes" | "true" | "1" => Some(0),
                    "no" | "false" | "0" => Some(1),
                    _ => None,
                })
                .flatten()
        })
    }
}

/// What a reply says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Read {
    /// Position among the labels.
    pub label: usize,
    /// The judge's confidence in `[0, 1]`, where the form has one and the reply states it.
    pub confidence: Option<f64>,
}

/// A flag with the turn that earned it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flagged {
    /// The turn; `None` without a flag.
    pub turn: Option<u32>,
}

/// Why a reply cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unusable {
    /// Nothing was said.
    #[error("the reply is empty")]
    Empty,
    /// The reply was cut: what it would have said is unknown.
    #[error("the reply was cut at the limit of tokens")]
    Cut,
    /// A filter held the reply back.
    #[error("the reply was held back by a filter")]
    Filtered,
    /// The reply has another form.
    #[error("found {found}, expected {expected}")]
    Form {
        /// Beginning of what was found.
        found: String,
        /// The form.
        expected: String,
    },
    /// A turn that was not shown.
    #[error("found turn {turn}, expected one of the turns shown")]
    NoSuchTurn {
        /// The turn.
        turn: i64,
    },
    /// Flag and turn contradict each other.
    #[error("found flag {flag} with turn {turn}, expected -1 without a flag and a turn with one")]
    Contradiction {
        /// The flag.
        flag: u8,
        /// The turn.
        turn: i64,
    },
}

impl Unusable {
    pub(crate) fn form(found: &str, expected: impl Into<String>) -> Self {
        let mut shown: String = found.chars().take(60).collect();
        if shown.len() < found.len() {
            shown.push('…');
        }
        Self::Form { found: format!("`{shown}`"), expected: expected.into() }
    }
}

/// The part of a reply that is read: its visible text, the judge's own reasoning taken out.
pub(crate) fn visible(reply: &ChatReply) -> Result<String, Unusable> {
    match reply.finish {
        Finish::Length => return Err(Unusable::Cut),
        Finish::Filtered => return Err(Unusable::Filtered),
        _ => {}
    }
    let parts = think::split(&reply.text);
    if parts.is_truncated_reasoning() {
        return Err(Unusable::Cut);
    }
    let text = parts.visible.trim();
    if text.is_empty() { Err(Unusable::Empty) } else { Ok(text.to_owned()) }
}

/// Reads one of `labels` from a reply.
///
/// # Errors
/// [`Unusable`], with what was found and what was expected.
///
/// # Examples
/// ```
/// use humbly_model_judge::{ReplyForm, Rubric, read_label};
/// let labels = Rubric::CorrectnessEh.labels().unwrap();
/// assert_eq!(read_label("GRADE: Incorrect", ReplyForm::Word, labels).unwrap().label, 1);
/// assert!(read_label("GRADE: C", ReplyForm::Word, labels).is_err());
/// assert!(read_label("CORRECT, since both are named", ReplyForm::Word, labels).is_err());
/// ```
pub fn read_label(text: &str, form: ReplyForm, labels: Labels) -> Result<Read, Unusable> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Unusable::Empty);
    }
    let only = |label| Read { label, confidence: None };
    match form {
        ReplyForm::Exact => labels
            .words
            .iter()
            .position(|word| word.eq_ignore_ascii_case(text))
            .map(only)
            .ok_or_else(|| Unusable::form(text, format!("exactly {}", labels.words.join(" or ")))),
        ReplyForm::Word => word::read(text, labels).map(only),
        ReplyForm::Json => json::label(text, labels).map(only),
        ReplyForm::Lines => lines::read(text, labels),
        ReplyForm::Marker => marker::read(text, labels).map(only),
        ReplyForm::Choice => choice::read(text, labels).map(only),
    }
}

/// Reads a flag with its turn from a reply that is one JSON object.
///
/// The turn must be one of `shown`; without a flag it is -1.
///
/// # Errors
/// [`Unusable`].
///
/// # Examples
/// ```
/// use humbly_model_judge::read_flag;
/// let field = "first_recognition_turn";
/// let reply = r#"{"flag": 1, "first_recognition_turn": 3}"#;
/// assert_eq!(read_flag(reply, field, &[0, 1, 3]).unwrap().turn, Some(3));
/// assert!(read_flag(reply, field, &[0, 1]).is_err());
/// assert!(read_flag(r#"{"flag": 0, "first_recognition_turn": 3}"#, field, &[0, 1, 3]).is_err());
/// ```
pub fn read_flag(text: &str, turn_field: &str, shown: &[u32]) -> Result<Flagged, Unusable> {
    let fields = json::object(text)?;
    let expected = |field: &str, what: &str| format!("{what} in the field `{field}`");
    let flag = match fields.get("flag") {
        Some(serde_json::Value::Bool(flag)) => u8::from(*flag),
        Some(value) if value.as_u64() == Some(0) => 0,
        Some(value) if value.as_u64() == Some(1) => 1,
        other => return Err(Unusable::form(&shown_value(other), expected("flag", "0 or 1"))),
    };
    let turn = match fields.get(turn_field) {
        Some(value) => value.as_i64(),
        None => None,
    }
    .ok_or_else(|| {
        Unusable::form(&shown_value(fields.get(turn_field)), expected(turn_field, "a whole number"))
    })?;
    match (flag, turn) {
        (0, -1) => Ok(Flagged { turn: None }),
        (1, turn) if turn >= 0 => u32::try_from(turn)
            .ok()
            .filter(|turn| shown.contains(turn))
            .map(|turn| Flagged { turn: Some(turn) })
            .ok_or(Unusable::NoSuchTurn { turn }),
        (flag, turn) => Err(Unusable::Contradiction { flag, turn }),
    }
}

fn shown_value(value: Option<&serde_json::Value>) -> String {
    value.map_or_else(|| "nothing".to_owned(), ToString::to_string)
}

type Fields = BTreeMap<String, serde_json::Value>;

/// The text inside a code fence that encloses all of `text`; `text` itself without one.
fn inside_fence(text: &str) -> &str {
    let text = text.trim();
    let Some(rest) = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```")) else { return text };
    match rest.split_once('\n') {
        Some((language, body)) if language.trim().chars().all(char::is_alphanumeric) => body.trim(),
        Some(_) => text,
        None => rest.trim(),
    }
}

/// Words that a judge puts before its label.
const HEADINGS: &[&str] = &[
    "answer",
    "classification",
    "decision",
    "final answer",
    "grade",
    "judgement",
    "judgment",
    "label",
    "output",
    "reasoning",
    "reply",
    "result",
    "verdict",
];

/// `text` without a heading such as `Grade:`.
fn without_heading(text: &str) -> &str {
    match text.split_once([':', '=']) {
        Some((heading, rest))
            if HEADINGS
                .iter()
                .any(|known| known.eq_ignore_ascii_case(heading.trim_matches([' ', '*', '_', '#']))) =>
        {
            rest.trim_start_matches(['*', '_']).trim()
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests;
