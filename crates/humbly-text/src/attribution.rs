//! Forms of an answer that may say why it gives none: uncertain data, an uncertain model, or neither.

use serde::{Deserialize, Serialize};

use crate::boxed::last_braced_box;
use crate::normalize::{fold_whitespace, nfkc_dash};
use crate::think;

/// What a response to a possibly unanswerable question amounts to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerForm {
    /// An answer, as it stands in the box.
    Answer(String),
    /// `<DATA_UNCERTAIN>`: the question does not determine an answer.
    DataUncertain,
    /// `<MODEL_UNCERTAIN>`: the model does not know.
    ModelUncertain,
    /// "I don't know"; counts as model uncertain.
    DontKnow,
    /// No balanced box, or an empty one: its own form, never an answer.
    Unparsable,
}

impl AnswerForm {
    /// Name of the form in tables and JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Answer(_) => "answer",
            Self::DataUncertain => "data_uncertain",
            Self::ModelUncertain => "model_uncertain",
            Self::DontKnow => "dont_know",
            Self::Unparsable => "unparsable",
        }
    }
}

/// Form of a response: what the last balanced `\boxed{…}` outside think blocks holds.
///
/// Tokens are compared without case, LaTeX escapes and kind of apostrophe; where several stand in one
/// box the order is model, "I don't know", data.
///
/// # Source
/// UA §3.3.
///
/// # Examples
/// ```
/// # use humbly_text::attribution::{AnswerForm, parse_form};
/// assert_eq!(parse_form(r"so \boxed{42}"), AnswerForm::Answer("42".into()));
/// assert_eq!(parse_form(r"\boxed{\text{<data\_uncertain>}}"), AnswerForm::DataUncertain);
/// assert_eq!(parse_form(r"\boxed{I don’t know}"), AnswerForm::DontKnow);
/// assert_eq!(parse_form("42"), AnswerForm::Unparsable);
/// ```
pub fn parse_form(response: &str) -> AnswerForm {
    last_braced_box(&think::visible(response)).map_or(AnswerForm::Unparsable, boxed_form)
}

/// Form of a response as the released UA evaluation has it: without a box the last 100 characters are
/// the answer, and think blocks are not taken out.
///
/// # Examples
/// ```
/// # use humbly_text::attribution::{AnswerForm, parse_form_released};
/// assert_eq!(parse_form_released("It is 42"), AnswerForm::Answer("It is 42".into()));
/// ```
pub fn parse_form_released(response: &str) -> AnswerForm {
    if let Some(content) = last_braced_box(response) {
        return boxed_form(content);
    }
    let start = response.char_indices().rev().nth(99).map_or(0, |(at, _)| at);
    AnswerForm::Answer(response[start..].to_owned())
}

fn boxed_form(content: &str) -> AnswerForm {
    let plain = nfkc_dash(content).replace('\\', "").replace('~', " ").to_lowercase();
    let plain = fold_whitespace(&plain.replace("&lt;", "<").replace("&gt;", ">"));
    let has_token = |token: &str, spaced: &str| plain.contains(token) || plain.contains(spaced);
    if has_token("model_uncertain", "<model uncertain>") {
        AnswerForm::ModelUncertain
    } else if ["i don't know", "i dont know", "i do not know"].iter().any(|phrase| plain.contains(phrase)) {
        AnswerForm::DontKnow
    } else if has_token("data_uncertain", "<data uncertain>") {
        AnswerForm::DataUncertain
    } else if plain.is_empty() {
        AnswerForm::Unparsable
    } else {
        AnswerForm::Answer(content.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tokens_are_read_in_any_case_and_wrapping() {
        for text in [
            r"\boxed{<MODEL_UNCERTAIN>}",
            r"\boxed{model_uncertain}",
            r"\boxed{\text{<Model\_Uncertain>}}",
            r"\boxed{&lt;MODEL_UNCERTAIN&gt;}",
            r"\boxed{<DATA_UNCERTAIN> or <MODEL_UNCERTAIN>}",
        ] {
            assert_eq!(parse_form(text), AnswerForm::ModelUncertain, "{text}");
        }
        for text in [r"\boxed{I don't know}", r"\boxed{\text{I don‘t know.}}", r"\boxed{i do not~know}"] {
            assert_eq!(parse_form(text), AnswerForm::DontKnow, "{text}");
        }
    }

    #[test]
    fn a_token_outside_the_last_box_decides_nothing() {
        assert_eq!(parse_form(r"<DATA_UNCERTAIN>? \boxed{7}"), AnswerForm::Answer("7".into()));
        assert_eq!(parse_form(r"\boxed{<DATA_UNCERTAIN>} no, \boxed{7}"), AnswerForm::Answer("7".into()));
        assert_eq!(parse_form("<DATA_UNCERTAIN>"), AnswerForm::Unparsable);
    }

    #[test]
    fn a_box_in_reasoning_or_cut_short_is_no_answer() {
        for text in
            [r"<think>\boxed{7}", r"<think>\boxed{7}</think> So", r"\boxed{\frac{7}{", r"\boxed{ }", ""]
        {
            assert_eq!(parse_form(text), AnswerForm::Unparsable, "{text}");
        }
    }

    #[test]
    fn the_released_form_takes_the_last_hundred_characters() {
        let text = format!("{}{}", "x".repeat(50), "é".repeat(100));
        assert_eq!(parse_form_released(&text), AnswerForm::Answer("é".repeat(100)));
        assert_eq!(parse_form_released(r"<think>\boxed{7}</think>"), AnswerForm::Answer("7".into()));
    }

    proptest! {
        #[test]
        fn any_text_has_a_form(text in any::<String>()) {
            parse_form(&text);
            parse_form_released(&text);
            parse_form(&format!("\\boxed{{{text}}}"));
        }
    }
}
