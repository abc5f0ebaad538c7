//! MASH: a right answer earns less, the more searches it took beyond the fewest that sufficed.

use std::f64::consts::PI;
use std::str::FromStr;
use std::sync::Arc;

use super::mash_ledger::MashLedger;
use crate::components::{Component, Scored, Unscorable};
use crate::error::{Result, RewardError};
use crate::parameter::{Parameter, SettingEntry, setting};
use crate::sample::{Reward, Sample};
use crate::scoring::TextScoring;
use crate::settings::Settings;

// As in the released configuration.
const LAMBDA: Parameter = Parameter::base(setting("lambda", "0.7", "base of exp"), 0.7);
const PENALTY: SettingEntry = setting("penalty", "exp", "exp, otc, otc-strict or linear");
const MOST_SEARCHES: SettingEntry = setting("max_searches", "5", "most searches that the environment allows");
const MOST_SEARCHES_DEFAULT: u32 = 5;

/// How searches beyond the fewest are weighed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MashPenalty {
    /// λ to the power of the searches beyond the fewest.
    #[default]
    Exponential,
    /// OTC: a cosine where the fewest is 0, else a sine.
    Otc,
    /// As OTC; where the fewest is 0 any search gives 0.
    OtcStrict,
    /// 1 less the searches as a share of one more than the most; the fewest does not matter.
    Linear,
}

impl FromStr for MashPenalty {
    type Err = RewardError;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "exp" => Ok(Self::Exponential),
            "otc" => Ok(Self::Otc),
            "otc-strict" => Ok(Self::OtcStrict),
            "linear" => Ok(Self::Linear),
            _ => Err(RewardError::Setting {
                name: PENALTY.name.to_owned(),
                found: text.to_owned(),
                expected: "exp, otc, otc-strict or linear".to_owned(),
            }),
        }
    }
}

/// Kind of penalty, λ and the most searches that the environment allows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MashParams {
    penalty: MashPenalty,
    lambda: f64,
    most_searches: u32,
}

impl MashParams {
    /// # Errors
    /// [`RewardError::Parameter`] unless `lambda` is in `(0, 1]` and `most_searches` at least 1.
    pub fn new(penalty: MashPenalty, lambda: f64, most_searches: u32) -> Result<Self> {
        if most_searches == 0 {
            let expected = "at least 1".to_owned();
            return Err(RewardError::Parameter { name: MOST_SEARCHES.name, value: 0.0, expected });
        }
        Ok(Self { penalty, lambda: LAMBDA.checked(lambda)?, most_searches })
    }

    pub(crate) const SETTINGS: &'static [SettingEntry] = &[PENALTY, LAMBDA.entry(), MOST_SEARCHES];

    pub(crate) fn from_settings(settings: &Settings) -> Result<Self> {
        let penalty = settings.text(PENALTY.name).map(str::parse).transpose()?.unwrap_or_default();
        let most = settings.parsed(MOST_SEARCHES.name, "a whole number")?.unwrap_or(MOST_SEARCHES_DEFAULT);
        Self::new(penalty, LAMBDA.read(settings)?, most)
    }

    /// The factor for `searches` where the fewest so far is `fewest`.
    ///
    /// # Shapes and units
    /// Returns a number in `[0, 1]`; 1 where `searches` is `fewest` (not under `linear`).
    ///
    /// # Source
    /// momergul/mash (commit 1c02b24b). With m searches and n the fewest, OTC is cos(π m / (2 m + most)) for
    /// n = 0, else sin(π f / (2 n)) with f = 2 m n / (m + n). Below 0 we stop at 0.
    ///
    /// # Examples
    /// ```
    /// # use humbly_rewards::{MashParams, MashPenalty};
    /// let params = MashParams::new(MashPenalty::Exponential, 0.5, 5)?;
    /// assert_eq!(params.efficiency(2, 1), 0.5);
    /// # Ok::<(), humbly_rewards::RewardError>(())
    /// ```
    pub fn efficiency(&self, searches: u32, fewest: u32) -> f64 {
        let (taken, least, most) = (f64::from(searches), f64::from(fewest), f64::from(self.most_searches));
        let factor = match self.penalty {
            MashPenalty::Exponential => self.lambda.powf(taken - least),
            MashPenalty::OtcStrict if fewest == 0 => f64::from(u8::from(searches == 0)),
            MashPenalty::Otc | MashPenalty::OtcStrict if fewest == 0 => {
                (PI * taken / (2.0 * taken + most)).cos()
            }
            MashPenalty::Otc | MashPenalty::OtcStrict => {
                let mean = 2.0 * taken * least / (taken + least);
                if mean == 0.0 { 1.0 } else { (PI * mean / (2.0 * least)).sin() }
            }
            MashPenalty::Linear => 1.0 - taken / (most + 1.0),
        };
        factor.clamp(0.0, 1.0)
    }
}

/// Exponential with λ = 0.7 and 5 searches.
impl Default for MashParams {
    fn default() -> Self {
        let (penalty, most_searches) = (MashPenalty::default(), MOST_SEARCHES_DEFAULT);
        Self { penalty, lambda: LAMBDA.default, most_searches }
    }
}

/// `c` × efficiency; a wrong answer earns 0 whatever it searched.
///
/// The fewest searches of a question are kept in a ledger, so the reward of a sample depends on what came
/// before. A batch is noted whole before any of it is scored: the order within it does not matter.
///
/// # Source
/// Gul et al. (2025); a baseline of CAR §4.1.2, which does not say which penalty it took.
#[derive(Clone, Debug)]
pub struct MashReward {
    params: MashParams,
    scoring: TextScoring,
    ledger: Arc<MashLedger>,
}

impl MashReward {
    /// The reward with its rules of reading and its state.
    pub fn new(params: MashParams, scoring: TextScoring, ledger: Arc<MashLedger>) -> Self {
        Self { params, scoring, ledger }
    }

    /// Notes a right answer in the ledger; what it earns is not known yet.
    fn note(&self, sample: &Sample<'_>) -> Noted {
        let judged = self.scoring.judge(sample);
        let is_correct = match (sample.question, judged.is_correct) {
            (None, _) => Err(Unscorable::NoQuestion),
            (Some(_), is_correct) => is_correct,
        };
        let searches = judged.reading.searches;
        if let (Some(question), Ok(true)) = (sample.question, is_correct) {
            self.ledger.record(question, searches);
        }
        Noted { scored: Scored::new(judged.components), is_correct, searches }
    }

    fn settle(&self, sample: &Sample<'_>, noted: &Noted) -> Scored {
        let mut components = noted.scored.components;
        let is_correct = match noted.is_correct {
            Ok(is_correct) => is_correct,
            Err(reason) => return Scored::without(components, reason),
        };
        let fewest = sample.question.and_then(|question| self.ledger.fewest(question));
        // No right answer yet: nothing to measure against, and nothing earned.
        let efficiency = fewest.map_or(1.0, |fewest| self.params.efficiency(noted.searches, fewest));
        components.set(Component::Efficiency, efficiency);
        components.set_parts(if is_correct { efficiency } else { 0.0 }, 0.0, 0.0);
        Scored::new(components)
    }
}

struct Noted {
    scored: Scored,
    is_correct: std::result::Result<bool, Unscorable>,
    searches: u32,
}

impl Reward for MashReward {
    fn name(&self) -> &'static str {
        "mash"
    }

    fn score(&self, sample: &Sample<'_>) -> Scored {
        self.settle(sample, &self.note(sample))
    }

    fn score_batch(&self, samples: &[Sample<'_>]) -> Vec<Scored> {
        let noted: Vec<Noted> = samples.iter().map(|sample| self.note(sample)).collect();
        samples.iter().zip(&noted).map(|(sample, noted)| self.settle(sample, noted)).collect()
    }

    fn has_state(&self) -> bool {
        true
    }

    fn scoring(&self) -> &TextScoring {
        &self.scoring
    }
}
