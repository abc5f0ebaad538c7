//! Search-R1: exact match with a share for structure.

use humbly_text::normalize::squad;
use humbly_text::tags::all_tags;

use super::text_reward::{Parts, RewardRule, TextReward};
use crate::components::{Component, Components};
use crate::error::Result;
use crate::parameter::{Parameter, SettingEntry, setting};
use crate::protocol::Reading;
use crate::sample::Sample;
use crate::settings::Settings;

// As in Search-R1's v0.3 scripts.
const STRUCTURE: Parameter = Parameter::share(setting("structure", "0.2", "share for a good format"), 0.2);
const FINAL: Parameter =
    Parameter::share(setting("final", "0.1", "share for an answer in a bad format"), 0.1);
const RETRIEVAL: Parameter =
    Parameter::share(setting("retrieval", "0", "share for a retrieved reference"), 0.0);

/// Shares for structure, for a mere answer and for a reference among the retrieved text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchR1Params {
    structure: f64,
    final_answer: f64,
    retrieval: f64,
}

impl SearchR1Params {
    /// # Errors
    /// [`RewardError::Parameter`](crate::RewardError) unless each is in `[0, 1]`.
    pub fn new(structure: f64, final_answer: f64, retrieval: f64) -> Result<Self> {
        Ok(Self {
            structure: STRUCTURE.checked(structure)?,
            final_answer: FINAL.checked(final_answer)?,
            retrieval: RETRIEVAL.checked(retrieval)?,
        })
    }
}

/// 0.2, 0.1 and 0.
impl Default for SearchR1Params {
    fn default() -> Self {
        Self { structure: STRUCTURE.default, final_answer: FINAL.default, retrieval: RETRIEVAL.default }
    }
}

/// Right: 1, less `structure` where the format is bad. Wrong: `structure` where it is good (and
/// `retrieval` where a reference was retrieved), `final_answer` where it is bad but an answer stands.
///
/// Two departures from the reference: exactly one answer counts (there the last one), and an answer in
/// retrieved text or reasoning is none.
///
/// # Source
/// Search-R1 v0.3 (commit a14dc3a4); the baseline of CAR §4.1.2.
pub type SearchR1 = TextReward<SearchR1Params>;

impl RewardRule for SearchR1Params {
    const NAME: &'static str = "em";
    const NEEDS_CONFIDENCE: bool = false;
    const SETTINGS: &'static [SettingEntry] = &[STRUCTURE.entry(), FINAL.entry(), RETRIEVAL.entry()];

    fn from_settings(settings: &Settings) -> Result<Self> {
        Self::new(STRUCTURE.read(settings)?, FINAL.read(settings)?, RETRIEVAL.read(settings)?)
    }

    fn parts(
        &self,
        sample: &Sample<'_>,
        reading: &Reading<'_>,
        is_correct: bool,
        components: &mut Components,
    ) -> Parts {
        let is_valid = reading.is_valid();
        let mut outcome = f64::from(u8::from(is_correct));
        if self.retrieval > 0.0 {
            let is_hit = was_retrieved(sample.text(), sample.references);
            components.flag(Component::RetrievalHit, is_hit);
            if is_hit && is_valid && !is_correct {
                outcome = self.retrieval;
            }
        }
        let format = match (is_correct, is_valid) {
            (true, false) => -self.structure,
            (false, true) => self.structure,
            (false, false) if reading.answer.is_some() => self.final_answer,
            (true, true) | (false, false) => 0.0,
        };
        Parts { outcome, calibration: 0.0, format }
    }
}

/// Whether a reference stands in retrieved text, both in SQuAD normal form.
fn was_retrieved(text: &str, references: &[&str]) -> bool {
    let references: Vec<String> =
        references.iter().map(|reference| squad(reference)).filter(|form| !form.is_empty()).collect();
    all_tags(text, "information").iter().filter(|span| span.is_closed).any(|span| {
        let retrieved = squad(span.content);
        references.iter().any(|reference| retrieved.contains(reference.as_str()))
    })
}
