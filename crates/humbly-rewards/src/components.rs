//! The numbers that every reward returns: one fixed set of names, for every sample and every branch.
//!
//! One set for all rewards, so that batches that mix data sources stay rectangular.

use crate::confidence::StatedConfidence;

macro_rules! components {
    ($($(#[$doc:meta])* $name:ident = $text:literal),+ $(,)?) => {
        /// One number of a scored response.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Component { $($(#[$doc])* $name),+ }

        impl Component {
            /// All of them, in the order of [`Components::values`].
            pub const ALL: &'static [Component] = &[$(Component::$name),+];
            /// Their names, in the same order.
            pub const NAMES: &'static [&'static str] = &[$($text),+];
            /// The name as trainers log it.
            pub fn name(self) -> &'static str {
                match self { $(Component::$name => $text),+ }
            }
        }
    };
}

components! {
    /// The reward: `outcome` + `calibration` + `format`.
    Score = "score",
    /// 1, or 0 where the sample cannot be scored at all.
    Scorable = "scorable",
    /// 1 where the answer is right, 0 where it is wrong or missing, −1 where nobody can tell.
    Correct = "correct",
    /// What correctness (or the right label) earns.
    Outcome = "outcome",
    /// What the confidence earns or costs.
    Calibration = "calibration",
    /// What the format earns or costs.
    Format = "format",
    /// Factor for few searches, 1 where the reward has none.
    Efficiency = "efficiency",
    /// 1 where every rule of the protocol is kept.
    FormatValid = "format_valid",
    /// Answers given; exactly one counts.
    Answers = "answers",
    /// Confidence as a probability, −1 where none is stated, usable or asked for.
    Confidence = "confidence",
    /// 1 where a confidence is stated and usable.
    ConfidenceValid = "confidence_valid",
    /// 1 where the answer says that there is none.
    Abstained = "abstained",
    /// 1 where the response escalates.
    Escalated = "escalated",
    /// Searches.
    Searches = "searches",
    /// 1 where a reference stands in what was retrieved, −1 where this is not asked.
    RetrievalHit = "retrieval_hit",
    /// 1 where the answer is too long to be compared; it is then wrong.
    TooLong = "too_long",
}

const COUNT: usize = Component::ALL.len();

/// The numbers of one scored response; always all of them, always finite.
///
/// # Examples
/// ```
/// # use humbly_rewards::{Component, Components};
/// assert_eq!(Component::NAMES.len(), Components::default().values().len());
/// assert_eq!(Components::default().value(Component::Confidence), -1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Components {
    values: [f64; COUNT],
}

impl Default for Components {
    /// A sample of which nothing is known.
    fn default() -> Self {
        let mut components = Self { values: [0.0; COUNT] };
        components.set(Component::Correct, -1.0);
        components.set(Component::Efficiency, 1.0);
        components.set(Component::Confidence, -1.0);
        components.set(Component::RetrievalHit, -1.0);
        components
    }
}

impl Components {
    /// The numbers in the order of [`Component::NAMES`].
    pub fn values(&self) -> &[f64; COUNT] {
        &self.values
    }

    /// One number.
    pub fn value(&self, component: Component) -> f64 {
        self.values.get(component as usize).copied().unwrap_or(-1.0)
    }

    /// Name and number, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        Component::NAMES.iter().copied().zip(self.values.iter().copied())
    }

    pub(crate) fn set(&mut self, component: Component, value: f64) {
        if let Some(slot) = self.values.get_mut(component as usize) {
            // Adding 0.0 removes −0.0, which JSON would show.
            *slot = value + 0.0;
        }
    }

    pub(crate) fn flag(&mut self, component: Component, is_set: bool) {
        self.set(component, f64::from(u8::from(is_set)));
    }

    pub(crate) fn set_confidence(&mut self, confidence: StatedConfidence) {
        let stated = confidence.probability();
        self.set(Component::Confidence, stated.unwrap_or(-1.0));
        self.flag(Component::ConfidenceValid, stated.is_some());
    }

    /// Sets the three parts and their sum.
    pub(crate) fn set_parts(&mut self, outcome: f64, calibration: f64, format: f64) {
        self.set(Component::Outcome, outcome);
        self.set(Component::Calibration, calibration);
        self.set(Component::Format, format);
        self.set(Component::Score, outcome + calibration + format);
        self.set(Component::Scorable, 1.0);
    }
}

/// Why a sample cannot be scored at all; the fault of the data, not of the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Unscorable {
    /// No reference answer.
    NoReference,
    /// No question id, which a reward with state needs.
    NoQuestion,
    /// No label that says what kind of question it is.
    NoLabel,
}

impl Unscorable {
    /// The reason as it stands in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoReference => "no_reference",
            Self::NoQuestion => "no_question",
            Self::NoLabel => "no_label",
        }
    }
}

/// One scored response.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    /// All numbers.
    pub components: Components,
    unscorable: Option<Unscorable>,
}

impl Scored {
    pub(crate) fn new(components: Components) -> Self {
        Self { components, unscorable: None }
    }

    pub(crate) fn without(mut components: Components, reason: Unscorable) -> Self {
        components.set(Component::Score, 0.0);
        components.set(Component::Scorable, 0.0);
        components.set(Component::Correct, -1.0);
        Self { components, unscorable: Some(reason) }
    }

    /// The reward; `None` where the sample cannot be scored.
    pub fn score(&self) -> Option<f64> {
        self.unscorable.is_none().then(|| self.components.value(Component::Score))
    }

    /// Why there is no reward.
    pub fn unscorable(&self) -> Option<Unscorable> {
        self.unscorable
    }
}
