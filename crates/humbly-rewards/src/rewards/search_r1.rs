//! Search-R1: exact match with a share for structure.

use humbly_text::normalize::squad;
use humbly_text::tags::all_tags;

use crate::components::{Component, Scored};
use crate::error::{Result, share};
use crate::sample::{Reward, Sample};
use crate::scoring::TextScoring;

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
            structure: share("structure", structure)?,
            final_answer: share("final", final_answer)?,
            retrieval: share("retrieval", retrieval)?,
        })
    }
}

/// 0.2, 0.1 and 0, as in Search-R1's v0.3 scripts.
impl Default for SearchR1Params {
    fn default() -> Self {
        Self { structure: 0.2, final_answer: 0.1, retrieval: 0.0 }
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
#[derive(Clone, Debug)]
pub struct SearchR1 {
    params: SearchR1Params,
    scoring: TextScoring,
}

impl SearchR1 {
    /// The reward with its rules of reading.
    pub fn new(params: SearchR1Params, scoring: TextScoring) -> Self {
        Self { params, scoring }
    }
}

impl Reward for SearchR1 {
    fn name(&self) -> &'static str {
        "em"
    }

    fn score(&self, sample: &Sample<'_>) -> Scored {
        let judged = self.scoring.judge(sample);
        let mut components = judged.components;
        let is_correct = match judged.is_correct {
            Ok(is_correct) => is_correct,
            Err(reason) => return Scored::without(components, reason),
        };
        let SearchR1Params { structure, final_answer, retrieval } = self.params;
        let is_valid = judged.reading.is_valid();
        let mut outcome = f64::from(u8::from(is_correct));
        if retrieval > 0.0 {
            let is_hit = was_retrieved(sample.text(), sample.references);
            components.flag(Component::RetrievalHit, is_hit);
            if is_hit && is_valid && !is_correct {
                outcome = retrieval;
            }
        }
        let format = match (is_correct, is_valid) {
            (true, false) => -structure,
            (false, true) => structure,
            (false, false) if judged.reading.answer.is_some() => final_answer,
            (true, true) | (false, false) => 0.0,
        };
        components.set_parts(outcome, 0.0, format);
        Scored::new(components)
    }

    fn scoring(&self) -> &TextScoring {
        &self.scoring
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
