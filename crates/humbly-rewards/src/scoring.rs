//! What the rewards on text share: reading the response, finding the answer right or wrong.

use humbly_text::confidence::Scale;

use crate::components::{Component, Components, Unscorable};
use crate::error::{Result, RewardError};
use crate::matching::Matching;
use crate::parameter::{Parameter, SettingEntry, setting};
use crate::protocol::{Protocol, Reading};
use crate::sample::Sample;
use crate::settings::Settings;

/// Longest answer, in bytes, that is compared by default (ours).
const LONGEST_ANSWER: usize = 10_000;
const LAMBDA_F: Parameter =
    Parameter::not_negative(setting("lambda_f", "0.2", "what a bad format costs (ours)"), 0.2);

/// How a response is read and compared.
#[derive(Clone, Debug)]
pub struct TextScoring {
    /// The tags and their order.
    pub protocol: Protocol,
    /// When an answer is right.
    pub matching: Matching,
    /// Longest answer, in bytes, that is compared; a longer one is wrong and counted.
    pub longest_answer: usize,
}

impl TextScoring {
    /// A protocol with the matching that is usual with it.
    pub fn new(protocol: Protocol) -> Self {
        let matching = if protocol.is_boxed() { Matching::Math } else { Matching::Exact };
        Self { protocol, matching, longest_answer: LONGEST_ANSWER }
    }

    /// Search-R1's tags as its reference validator wants them, without confidence.
    pub fn search_r1() -> Self {
        Self::new(Protocol::search_r1())
    }

    /// Search-R1's tags with a confidence on `scale` and, where the model wants, an escalation.
    pub fn car(scale: Scale) -> Self {
        Self::new(Protocol::car(scale))
    }

    /// Reads one response: the text that is scored, without its prompt.
    pub fn read<'a>(&self, sample: &Sample<'a>) -> Reading<'a> {
        self.protocol.read(sample.text())
    }

    /// Reads and compares; the components that all rewards share are set.
    pub(crate) fn judge<'a>(&self, sample: &Sample<'a>) -> Judged<'a> {
        let reading = self.read(sample);
        let mut components = Components::default();
        components.flag(Component::FormatValid, reading.is_valid());
        components.set(Component::Answers, f64::from(reading.answers));
        components.flag(Component::Escalated, reading.escalations > 0);
        components.set(Component::Searches, f64::from(reading.searches));
        components.set_confidence(reading.confidence);
        let mut is_correct = Err(Unscorable::NoReference);
        if !sample.references.is_empty() {
            let is_long = reading.answer.as_ref().is_some_and(|answer| answer.len() > self.longest_answer);
            components.flag(Component::TooLong, is_long);
            let right = !is_long
                && reading
                    .answer
                    .as_ref()
                    .is_some_and(|answer| self.matching.is_match(answer, sample.references));
            components.flag(Component::Correct, right);
            is_correct = Ok(right);
        }
        Judged { reading, is_correct, components }
    }

    /// Refuses a protocol that states no confidence.
    pub(crate) fn with_confidence(self, reward: &'static str) -> Result<Self> {
        if self.protocol.asks_confidence() {
            return Ok(self);
        }
        let protocol = self.protocol.name();
        let instead = match protocol {
            "boxed" => "boxed-confidence",
            "rlcr-ta" => "rlcr",
            _ => "car",
        };
        Err(RewardError::NoConfidenceAsked { protocol, reward, instead })
    }
}

/// A response that was read and compared.
pub(crate) struct Judged<'a> {
    pub(crate) reading: Reading<'a>,
    /// Whether the answer is right; without references nobody can tell.
    pub(crate) is_correct: std::result::Result<bool, Unscorable>,
    pub(crate) components: Components,
}

/// What a bad format costs, `λ_f`.
///
/// # Source
/// CAR §4.1.2, which gives no value; the default 0.2 is ours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FormatPenalty(f64);

impl FormatPenalty {
    /// # Errors
    /// [`RewardError::Parameter`] unless finite and at least 0.
    pub fn new(lambda_f: f64) -> Result<Self> {
        LAMBDA_F.checked(lambda_f).map(Self)
    }

    pub(crate) const SETTING: SettingEntry = LAMBDA_F.entry();

    pub(crate) fn from_settings(settings: &Settings) -> Result<Self> {
        Self::new(LAMBDA_F.read(settings)?)
    }

    /// The penalty itself.
    pub fn value(self) -> f64 {
        self.0
    }

    /// What is added to the reward.
    pub(crate) fn applied(self, is_valid: bool) -> f64 {
        if is_valid { 0.0 } else { -self.0 }
    }
}

impl Default for FormatPenalty {
    fn default() -> Self {
        Self(LAMBDA_F.default)
    }
}
