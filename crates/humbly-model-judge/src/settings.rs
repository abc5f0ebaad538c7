//! How a judge is asked.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::correctness::CorrectnessRubric;
use crate::{ModelJudgeError, Result, Rubric};

/// How one rubric is asked.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RubricSettings {
    /// Temperature; `None` leaves the provider's default (some models take no other).
    pub temperature: Option<f64>,
    /// Longest reply in tokens; `None` for no cap.
    pub max_tokens: Option<u32>,
}

impl RubricSettings {
    /// As in the papers: temperature 0 for `correctness-ua`, 1 for all others, no cap on the output.
    pub fn of(rubric: Rubric) -> Self {
        let temperature = if rubric == Rubric::CorrectnessUa { 0.0 } else { 1.0 };
        Self { temperature: Some(temperature), max_tokens: None }
    }
}

/// Which list of criteria decides Escalate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EscalateRubric {
    /// The paper's Fig. 8.
    #[default]
    Strict,
    /// The laxer list of its App. A.3.
    Lax,
}

impl EscalateRubric {
    pub(crate) fn rubric(self) -> Rubric {
        match self {
            Self::Strict => Rubric::Escalate,
            Self::Lax => Rubric::EscalateLax,
        }
    }
}

/// How a judge is asked; part of its name by a hash, and of a run's settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgeSettings {
    /// Model, as the client names it.
    pub model: String,
    /// Rubrics that are asked otherwise than by [`RubricSettings::of`].
    #[serde(default)]
    pub rubrics: BTreeMap<Rubric, RubricSettings>,
    /// Rubrics that [`crate::ModelJudge::judge`] does not ask: their verdicts are undefined
    /// (`not_applicable`, "not asked").
    #[serde(default)]
    pub left_out: BTreeSet<Rubric>,
    /// Criteria of Escalate.
    #[serde(default)]
    pub escalate: EscalateRubric,
    /// Correctness judge, where one is wanted beside the rules.
    #[serde(default)]
    pub correctness: Option<CorrectnessRubric>,
    /// How often an unusable reply is asked for again, at most 2.
    pub more_asks: u32,
    /// Most characters of judged text in one request. Longer: turns are shown in windows of whole turns
    /// (Identify), everything else is undefined (`context_too_long`).
    pub longest_text: usize,
    /// Which of several independent draws of the judge this is, from 0.
    #[serde(default)]
    pub draw: u32,
    /// Seed, for providers that take one.
    #[serde(default)]
    pub seed: Option<u64>,
}

/// Some 100,000 tokens of English, which the judges of the paper hold.
const LONGEST_TEXT: usize = 400_000;
/// More asks after the first, at most.
pub(crate) const MOST_MORE_ASKS: u32 = 2;

impl JudgeSettings {
    /// The papers' settings for `model`.
    pub fn new(model: impl Into<String>) -> Self {
        Self {
            model: model.into(),
            rubrics: BTreeMap::new(),
            left_out: BTreeSet::new(),
            escalate: EscalateRubric::Strict,
            correctness: None,
            more_asks: MOST_MORE_ASKS,
            longest_text: LONGEST_TEXT,
            draw: 0,
            seed: None,
        }
    }

    /// How `rubric` is asked.
    pub fn of(&self, rubric: Rubric) -> RubricSettings {
        self.rubrics.get(&rubric).copied().unwrap_or_else(|| RubricSettings::of(rubric))
    }

    pub(crate) fn check(&self) -> Result<()> {
        let setting = |name, found: String, expected| ModelJudgeError::Setting { name, found, expected };
        if self.model.trim().is_empty() {
            return Err(setting("model", "empty".to_owned(), "the name of a model"));
        }
        if self.more_asks > MOST_MORE_ASKS {
            return Err(setting("more_asks", self.more_asks.to_string(), "0, 1 or 2"));
        }
        if self.longest_text == 0 {
            return Err(setting("longest_text", "0".to_owned(), "at least 1 character"));
        }
        for settings in self.rubrics.values() {
            if let Some(temperature) = settings.temperature
                && !(0.0..=2.0).contains(&temperature)
            {
                return Err(setting("temperature", temperature.to_string(), "a number from 0 to 2"));
            }
            if settings.max_tokens == Some(0) {
                return Err(setting("max_tokens", "0".to_owned(), "at least 1 token"));
            }
        }
        Ok(())
    }
}
