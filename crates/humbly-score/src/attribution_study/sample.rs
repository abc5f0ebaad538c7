//! One output for one question.

use humbly_stats::attribution::Form;
use humbly_text::attribution::{AnswerForm, parse_form, parse_form_released};
use humbly_types::{Measured, Reason, Task, Undefined};
use serde::{Deserialize, Serialize};

use super::rule_decides;

/// How the decision is found in an output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Extraction {
    /// The last balanced box outside of think blocks; without one the output is unparsable.
    #[default]
    Strict,
    /// As the released evaluation: without a box the last 100 characters are an answer, think blocks count.
    Released,
}

/// An output with what is known of its question.
#[derive(Debug, Clone, PartialEq)]
pub struct AttributionSample {
    /// Model.
    pub model: String,
    /// The model that this one stands in for in its condition, where it does.
    pub base_model: Option<String>,
    /// Condition of the run.
    pub condition: String,
    /// Prompt, as tables name it.
    pub prompt: Option<String>,
    /// Whether the model was to think; `None` where the run does not say.
    pub thinking: Option<bool>,
    /// The task: its scenario is the category, its data set the source.
    pub task: Task,
    /// What a reader sees.
    pub text: String,
    /// Form of the decision.
    pub form: AnswerForm,
    /// Whether the answer is right: `Err` says why that is not known. `Ok(false)` for everything but an answer.
    pub correct: Result<bool, Undefined>,
}

impl AttributionSample {
    /// Extracts the decision and asks the rules whether it is right.
    pub fn new(task: Task, text: &str, reasoning: Option<&str>, extraction: Extraction) -> Self {
        let form = match (extraction, reasoning) {
            (Extraction::Strict, _) => parse_form(text),
            (Extraction::Released, None) => parse_form_released(text),
            (Extraction::Released, Some(reasoning)) => {
                parse_form_released(&format!("<think>{reasoning}</think>{text}"))
            }
        };
        let correct = match &form {
            AnswerForm::Answer(_) if task.answerable != Some(true) => Ok(false),
            AnswerForm::Answer(_) if task.references.is_empty() => Err(Undefined::new(Reason::NoReference)),
            AnswerForm::Answer(answer) => {
                rule_decides(answer, &task).ok_or_else(|| Undefined::new(Reason::NeedsModelJudge))
            }
            _ => Ok(false),
        };
        Self {
            model: String::new(),
            base_model: None,
            condition: String::new(),
            prompt: None,
            thinking: None,
            task,
            text: text.to_owned(),
            form,
            correct,
        }
    }

    /// The answer that a judge is to be asked about.
    pub fn undecided(&self) -> Option<&str> {
        let needs = matches!(&self.correct, Err(why) if why.reason == Reason::NeedsModelJudge);
        match &self.form {
            AnswerForm::Answer(answer) if needs => Some(answer),
            _ => None,
        }
    }

    /// Whether the question has an answer.
    pub fn is_answerable(&self) -> bool {
        self.task.answerable == Some(true)
    }

    /// Whether the model abstained, whatever it named as the reason.
    pub fn abstains(&self) -> bool {
        matches!(self.stats_form(), Form::DataUncertain | Form::ModelUncertain)
    }

    /// The form as statistics know it.
    pub fn stats_form(&self) -> Form {
        match self.form {
            AnswerForm::Answer(_) => Form::Answer,
            AnswerForm::DataUncertain => Form::DataUncertain,
            AnswerForm::ModelUncertain | AnswerForm::DontKnow => Form::ModelUncertain,
            AnswerForm::Unparsable => Form::Unparsable,
        }
    }

    /// Category, `knowledge` or `reasoning`.
    pub fn category(&self) -> &str {
        self.task.scenario.as_deref().unwrap_or("all")
    }

    /// The source that the question is from.
    pub fn source(&self) -> &str {
        self.task.dataset.as_deref().unwrap_or("all")
    }
}

/// An undefined number of `n` rows.
pub(super) fn undefined(reason: Reason, detail: String, n: usize) -> Measured {
    Measured::undefined(Undefined::with_detail(reason, detail)).with_n(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(text: &str, extraction: Extraction) -> AttributionSample {
        let task = Task { answerable: Some(true), references: vec!["7".into()], ..Task::default() };
        AttributionSample::new(task, text, Some(r"perhaps \boxed{8}"), extraction)
    }

    #[test]
    fn answer_and_token_in_one_box_are_the_token() {
        let both = sample(r"\boxed{7 <DATA_UNCERTAIN>}", Extraction::Strict);
        assert_eq!((both.form, both.correct), (AnswerForm::DataUncertain, Ok(false)));
        let three = sample(r"\boxed{7 <DATA_UNCERTAIN> <MODEL_UNCERTAIN>}", Extraction::Strict);
        assert_eq!(three.form, AnswerForm::ModelUncertain, "MODEL before DATA");
    }

    #[test]
    fn of_two_boxes_the_last_counts() {
        assert_eq!(sample(r"\boxed{8} no: \boxed{7}", Extraction::Strict).correct, Ok(true));
        assert_eq!(sample(r"\boxed{7} no: \boxed{8}", Extraction::Strict).correct, Ok(false));
        let second = sample(r"\boxed{7}, or \boxed{<MODEL_UNCERTAIN>}", Extraction::Strict);
        assert_eq!(second.form, AnswerForm::ModelUncertain);
    }

    #[test]
    fn of_nested_boxes_the_inner_counts() {
        assert_eq!(sample(r"\boxed{is \boxed{7}}", Extraction::Strict).correct, Ok(true));
        let inner = sample(r"\boxed{\text{\boxed{<DATA_UNCERTAIN>}}}", Extraction::Strict);
        assert_eq!(inner.form, AnswerForm::DataUncertain);
        assert_eq!(
            sample(r"\boxed{\boxed{7}", Extraction::Strict).correct,
            Ok(true),
            "the outer one is open"
        );
    }

    #[test]
    fn an_fbox_is_a_box() {
        assert_eq!(sample(r"\fbox{7}", Extraction::Strict).correct, Ok(true));
        assert_eq!(sample(r"\boxed{8} no: \fbox{7}", Extraction::Strict).correct, Ok(true));
    }

    #[test]
    fn without_a_box_nothing_is_an_answer_except_for_the_released_code() {
        let strict = sample("It is 7", Extraction::Strict);
        assert_eq!((strict.form, strict.correct), (AnswerForm::Unparsable, Ok(false)));
        let released = sample("It is 7", Extraction::Released);
        assert_eq!(released.form, AnswerForm::Answer("8".into()), "the box of the think block");
        let task = Task { answerable: Some(true), references: vec!["It is 7".into()], ..Task::default() };
        let released = AttributionSample::new(task, "It is 7", None, Extraction::Released);
        assert_eq!(released.correct, Ok(true));
    }

    #[test]
    fn an_answerable_row_without_a_reference_is_undefined() {
        let task = Task { answerable: Some(true), ..Task::default() };
        let sample = AttributionSample::new(task, r"\boxed{7}", None, Extraction::Strict);
        assert_eq!(sample.correct.unwrap_err().reason, Reason::NoReference);
    }

    #[test]
    fn an_apostrophe_may_be_curly() {
        assert_eq!(sample("\\boxed{I don’t know}", Extraction::Strict).form, AnswerForm::DontKnow);
    }
}
