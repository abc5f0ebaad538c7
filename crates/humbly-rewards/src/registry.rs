//! All rewards on text, by name.

use std::sync::Arc;

use crate::error::{Result, RewardError};
use crate::rewards::{
    Brier, BrierParams, MashLedger, MashParams, MashReward, Mscr, MscrParams, RlUa, RlUaParams, Rlcr,
    RlcrParams, SearchR1, SearchR1Params, UtilityParams, UtilityReward,
};
use crate::sample::Reward;
use crate::settings::Settings;

/// A setting and its default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettingEntry {
    /// Name.
    pub name: &'static str,
    /// Default, as it would be written.
    pub default: &'static str,
    /// What it is.
    pub summary: &'static str,
}

/// A reward that can be built by name.
#[derive(Clone, Copy, Debug)]
pub struct RewardEntry {
    /// Name.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Protocol that it reads unless another is set.
    pub protocol: &'static str,
    /// Its own settings; [`RewardEntry::COMMON`] stand beside them.
    pub settings: &'static [SettingEntry],
    build: Build,
}

/// From the settings, the usual protocol and the state.
type Build = fn(&Settings, &'static str, &Arc<MashLedger>) -> Result<Box<dyn Reward>>;

const fn setting(name: &'static str, default: &'static str, summary: &'static str) -> SettingEntry {
    SettingEntry { name, default, summary }
}

const LAMBDA_F: SettingEntry = setting("lambda_f", "0.2", "what a bad format costs (ours)");

impl RewardEntry {
    /// Settings of every reward.
    pub const COMMON: &'static [SettingEntry] = &[
        setting("protocol", "by reward", "tags and their order"),
        setting("scale", "unit", "scale of confidences: unit, percent or MIN..MAX"),
        setting("match", "by protocol", "exact or math"),
        setting("prefilled_think", "auto", "whether the template opened <think>: auto, always or never"),
        setting("empty_think", "by protocol", "whether an empty think block passes"),
        setting("end_markers", "by protocol", "markers that may end a response, separated by commas"),
        setting("max_answer_bytes", "10000", "longest answer that is compared"),
    ];

    fn all_settings(&self) -> impl Iterator<Item = &'static SettingEntry> {
        self.settings.iter().chain(Self::COMMON)
    }
}

static ENTRIES: &[RewardEntry] = &[
    RewardEntry {
        name: "em",
        summary: "Search-R1: exact match with a share for structure",
        protocol: "search-r1",
        settings: &[
            setting("structure", "0.2", "share for a good format"),
            setting("final", "0.1", "share for an answer in a bad format"),
            setting("retrieval", "0", "share for a retrieved reference"),
        ],
        build: |settings, protocol, _| {
            let params = SearchR1Params::new(
                settings.number("structure", 0.2)?,
                settings.number("final", 0.1)?,
                settings.number("retrieval", 0.0)?,
            )?;
            Ok(Box::new(SearchR1::new(params, settings.scoring(protocol)?)))
        },
    },
    RewardEntry {
        name: "brier",
        summary: "weighted Brier: c - lambda (q - c)^2",
        protocol: "car",
        settings: &[setting("lambda", "1/3", "weight of the squared error"), LAMBDA_F],
        build: |settings, protocol, _| {
            let params = BrierParams::new(settings.number("lambda", 1.0 / 3.0)?, settings.format_penalty()?)?;
            Ok(Box::new(Brier::new(params, settings.scoring(protocol)?)?))
        },
    },
    RewardEntry {
        name: "mscr",
        summary: "MSCR: c [1 + beta1 (1 - (1 - q)^2)] - (1 - c) beta2 q^2",
        protocol: "car",
        settings: &[
            setting("beta1", "0.5", "bonus for confidence in a right answer (ours)"),
            setting("beta2", "0.5", "cost of confidence in a wrong answer (ours)"),
            LAMBDA_F,
        ],
        build: |settings, protocol, _| {
            let (beta1, beta2) = (settings.number("beta1", 0.5)?, settings.number("beta2", 0.5)?);
            let params = MscrParams::new(beta1, beta2, settings.format_penalty()?)?;
            Ok(Box::new(Mscr::new(params, settings.scoring(protocol)?)?))
        },
    },
    RewardEntry {
        name: "mash",
        summary: "MASH: c x efficiency, by the fewest searches of the question so far",
        protocol: "search-r1",
        settings: &[
            setting("penalty", "exp", "exp, otc, otc-strict or linear"),
            setting("lambda", "0.7", "base of exp"),
            setting("max_searches", "5", "most searches that the environment allows"),
        ],
        build: |settings, protocol, ledger| {
            let penalty = settings.text("penalty").unwrap_or("exp").parse()?;
            let most = settings.parsed("max_searches", "a whole number")?.unwrap_or(5);
            let params = MashParams::new(penalty, settings.number("lambda", 0.7)?, most)?;
            Ok(Box::new(MashReward::new(params, settings.scoring(protocol)?, Arc::clone(ledger))))
        },
    },
    RewardEntry {
        name: "rlcr",
        summary: "RLCR's mix: format + c + 1 - (c - q)^2, 0 for a bad format",
        protocol: "rlcr",
        settings: &[
            setting("format", "0.5", "weight of the format"),
            setting("accuracy", "0.5", "weight of correctness"),
            setting("brier", "0.5", "weight of 1 - (c - q)^2"),
        ],
        build: |settings, protocol, _| {
            let params = RlcrParams::new(
                settings.number("format", 0.5)?,
                settings.number("accuracy", 0.5)?,
                settings.number("brier", 0.5)?,
            )?;
            Ok(Box::new(Rlcr::new(params, settings.scoring(protocol)?)?))
        },
    },
    RewardEntry {
        name: "rl-ua",
        summary: "RL-UA: right answers and right attributions of uncertainty",
        protocol: "boxed",
        settings: &[
            setting("model_on_data", "-1", "model uncertain where the data are at fault: -1 or 0"),
            setting("answer_on_model", "1", "a confirmed answer beyond the model: 1 or -1"),
        ],
        build: |settings, protocol, _| {
            let params = RlUaParams::new(
                settings.number("model_on_data", -1.0)?,
                settings.number("answer_on_model", 1.0)?,
            )?;
            Ok(Box::new(RlUa::new(params, settings.scoring(protocol)?)))
        },
    },
    RewardEntry {
        name: "utility",
        summary: "outcome: +1 right, 0 escalated or abstained, -k wrong",
        protocol: "search-r1-escalate",
        settings: &[setting("penalty", "1", "k, what a wrong answer costs"), LAMBDA_F],
        build: |settings, protocol, _| {
            let params = UtilityParams::new(settings.number("penalty", 1.0)?, settings.format_penalty()?)?;
            Ok(Box::new(UtilityReward::new(params, settings.scoring(protocol)?)))
        },
    },
];

/// All rewards on text, in the order of the docs. `ise` is scored from verdicts: [`IseReward`](crate::IseReward).
pub fn entries() -> &'static [RewardEntry] {
    ENTRIES
}

/// Builds a reward by name; one with state gets a state of its own.
///
/// # Errors
/// [`RewardError::UnknownReward`], [`RewardError::UnknownSetting`], and what the reward itself refuses.
///
/// # Examples
/// ```
/// # use humbly_rewards::{Sample, Settings, build};
/// let reward = build("em", &Settings::default())?;
/// let scored = reward.score(&Sample::new("<think>a</think><answer>Paris</answer>", &["Paris"]));
/// assert_eq!(scored.score(), Some(1.0));
/// # Ok::<(), humbly_rewards::RewardError>(())
/// ```
pub fn build(name: &str, settings: &Settings) -> Result<Box<dyn Reward>> {
    build_with(name, settings, &Arc::new(MashLedger::default()))
}

/// [`build`] with a state that the caller keeps.
///
/// # Errors
/// As [`build`].
pub fn build_with(name: &str, settings: &Settings, ledger: &Arc<MashLedger>) -> Result<Box<dyn Reward>> {
    let entry = ENTRIES.iter().find(|entry| entry.name == name).ok_or_else(|| {
        let known: Vec<&str> = ENTRIES.iter().map(|entry| entry.name).collect();
        RewardError::UnknownReward { found: name.to_owned(), known: known.join(", ") }
    })?;
    for found in settings.names() {
        if !entry.all_settings().any(|known| known.name == found) {
            let known: Vec<&str> = entry.all_settings().map(|known| known.name).collect();
            return Err(RewardError::UnknownSetting {
                reward: entry.name,
                found: found.to_owned(),
                known: known.join(", "),
            });
        }
    }
    (entry.build)(settings, entry.protocol, ledger)
}
