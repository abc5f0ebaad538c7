//! RL-UA: right answers and right attributions of uncertainty.

use humbly_text::attribution::{AnswerForm, parse_form};

use crate::components::{Component, Scored, Unscorable};
use crate::error::Result;
use crate::parameter::{Parameter, SettingEntry, setting};
use crate::sample::{ItemLabel, Reward, Sample};
use crate::scoring::TextScoring;
use crate::settings::Settings;

// Strict: −1, and 1 only for what a reference confirms.
const MODEL_ON_DATA: Parameter = Parameter::one_of(
    setting("model_on_data", "-1", "model uncertain where the data are at fault: -1 or 0"),
    -1.0,
    [-1.0, 0.0],
);
const ANSWER_ON_MODEL: Parameter = Parameter::one_of(
    setting("answer_on_model", "1", "a confirmed answer beyond the model: 1 or -1"),
    1.0,
    [1.0, -1.0],
);

/// The two cells that the paper leaves open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RlUaParams {
    model_on_data: f64,
    answer_on_model: f64,
}

impl RlUaParams {
    /// - `model_on_data`: what "I do not know" earns where the data do not determine an answer; −1 or 0.
    /// - `answer_on_model`: what an answer that matches a reference earns where the question is beyond the
    ///   model; 1 or −1. Without references it is −1, as nobody can check it.
    ///
    /// # Errors
    /// [`RewardError::Parameter`](crate::RewardError::Parameter) for any other value.
    pub fn new(model_on_data: f64, answer_on_model: f64) -> Result<Self> {
        Ok(Self {
            model_on_data: MODEL_ON_DATA.checked(model_on_data)?,
            answer_on_model: ANSWER_ON_MODEL.checked(answer_on_model)?,
        })
    }

    pub(crate) const SETTINGS: &'static [SettingEntry] = &[MODEL_ON_DATA.entry(), ANSWER_ON_MODEL.entry()];

    pub(crate) fn from_settings(settings: &Settings) -> Result<Self> {
        Self::new(MODEL_ON_DATA.read(settings)?, ANSWER_ON_MODEL.read(settings)?)
    }
}

/// −1 and 1.
impl Default for RlUaParams {
    fn default() -> Self {
        Self { model_on_data: MODEL_ON_DATA.default, answer_on_model: ANSWER_ON_MODEL.default }
    }
}

/// +1 for a right answer or the right label, 0 for "model uncertain" on an answerable question, −1 otherwise.
///
/// "I don't know" counts as model uncertain. A response without a readable box earns −1.
///
/// # Source
/// UA §5.
///
/// # Examples
/// ```
/// # use humbly_rewards::{ItemLabel, Protocol, Reward, RlUa, RlUaParams, Sample, TextScoring};
/// let reward = RlUa::new(RlUaParams::default(), TextScoring::new(Protocol::boxed()));
/// let sample = Sample { label: Some(ItemLabel::Data), ..Sample::new(r"\boxed{<DATA_UNCERTAIN>}", &[]) };
/// assert_eq!(reward.score(&sample).score(), Some(1.0));
/// ```
#[derive(Clone, Debug)]
pub struct RlUa {
    params: RlUaParams,
    scoring: TextScoring,
}

impl RlUa {
    /// The reward with its rules of reading.
    pub fn new(params: RlUaParams, scoring: TextScoring) -> Self {
        Self { params, scoring }
    }

    fn outcome(&self, form: &AnswerForm, label: ItemLabel, is_correct: bool) -> f64 {
        let is_model = matches!(form, AnswerForm::ModelUncertain | AnswerForm::DontKnow);
        match (label, form) {
            (ItemLabel::Answerable, AnswerForm::Answer(_)) if is_correct => 1.0,
            (ItemLabel::Answerable, _) if is_model => 0.0,
            (ItemLabel::Data, AnswerForm::DataUncertain) => 1.0,
            (ItemLabel::Data, _) if is_model => self.params.model_on_data,
            (ItemLabel::Model, AnswerForm::Answer(_)) if is_correct => self.params.answer_on_model,
            (ItemLabel::Model, _) if is_model => 1.0,
            _ => -1.0,
        }
    }
}

impl Reward for RlUa {
    fn name(&self) -> &'static str {
        "rl-ua"
    }

    fn score(&self, sample: &Sample<'_>) -> Scored {
        let judged = self.scoring.judge(sample);
        let mut components = judged.components;
        let Some(label) = sample.label else { return Scored::without(components, Unscorable::NoLabel) };
        if label == ItemLabel::Answerable && sample.references.is_empty() {
            return Scored::without(components, Unscorable::NoReference);
        }
        let form = match &judged.reading.answer {
            // A tag holds what a box would.
            Some(answer) if !self.scoring.protocol.is_boxed() => parse_form(&boxed(answer)),
            Some(_) => parse_form(sample.text()),
            None => AnswerForm::Unparsable,
        };
        let abstains = !matches!(form, AnswerForm::Answer(_) | AnswerForm::Unparsable);
        let is_correct = judged.is_correct == Ok(true) && !abstains;
        components.flag(Component::Correct, is_correct);
        components.flag(Component::Abstained, abstains);
        components.set_parts(self.outcome(&form, label, is_correct), 0.0, 0.0);
        Scored::new(components)
    }

    fn scoring(&self) -> &TextScoring {
        &self.scoring
    }
}

fn boxed(answer: &str) -> String {
    format!(r"\boxed{{{answer}}}")
}
