//! The two failure modes, and what the labels are for.

use serde::Serialize;

use super::AttributionSample;
use humbly_stats::attribution::Form;

/// How an abstention names the wrong reason (UA §4.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureMode {
    /// The question has no answer, the model blames itself.
    DataTakenForModel,
    /// The question has an answer, the model blames the question.
    ModelTakenForData,
}

impl FailureMode {
    /// Both.
    pub const ALL: [Self; 2] = [Self::DataTakenForModel, Self::ModelTakenForData];

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::DataTakenForModel => "data taken for model",
            Self::ModelTakenForData => "model taken for data",
        }
    }

    fn is(self, sample: &AttributionSample) -> bool {
        match self {
            Self::DataTakenForModel => !sample.is_answerable() && sample.stats_form() == Form::ModelUncertain,
            Self::ModelTakenForData => sample.is_answerable() && sample.stats_form() == Form::DataUncertain,
        }
    }
}

/// The outputs that show a failure mode, in their order.
pub fn failures<'a>(samples: &[&'a AttributionSample], mode: FailureMode) -> Vec<&'a AttributionSample> {
    samples.iter().copied().filter(|sample| mode.is(sample)).collect()
}

/// What an agent that obeys the labels would do, and how often that would help.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Labels {
    /// `DATA`: it asks the user.
    pub asks_user: u64,
    /// Of those, on questions without an answer, where only the user can help.
    pub asks_user_rightly: u64,
    /// `MODEL` or "I don't know": it uses a tool.
    pub uses_tool: u64,
    /// Of those, on questions with an answer, which a tool can find.
    pub uses_tool_rightly: u64,
}

/// Counts what the labels of these outputs would set off.
///
/// # Examples
/// ```
/// use humbly_score::attribution_study::{AttributionSample, Extraction, labels};
/// use humbly_types::Task;
/// let task = Task { answerable: Some(true), ..Task::default() };
/// let sample = AttributionSample::new(task, r"\boxed{<DATA_UNCERTAIN>}", None, Extraction::Strict);
/// assert_eq!((labels(&[&sample]).asks_user, labels(&[&sample]).asks_user_rightly), (1, 0));
/// ```
pub fn labels(samples: &[&AttributionSample]) -> Labels {
    let mut found = Labels::default();
    for sample in samples {
        match sample.stats_form() {
            Form::DataUncertain => {
                found.asks_user += 1;
                found.asks_user_rightly += u64::from(!sample.is_answerable());
            }
            Form::ModelUncertain => {
                found.uses_tool += 1;
                found.uses_tool_rightly += u64::from(sample.is_answerable());
            }
            Form::Answer | Form::Unparsable => {}
        }
    }
    found
}
