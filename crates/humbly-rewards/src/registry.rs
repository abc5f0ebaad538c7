//! All rewards on text, by name.

use std::sync::Arc;

use crate::error::{Result, RewardError};
use crate::parameter::{SettingEntry, setting};
use crate::rewards::{
    BrierParams, MashLedger, MashParams, MashReward, MscrParams, RewardRule, RlUa, RlUaParams, RlcrParams,
    SearchR1Params, TextReward, UtilityParams,
};
use crate::sample::Reward;
use crate::settings::Settings;

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

/// How a reward is built whose rule says everything.
fn by_rule<R: RewardRule + 'static>(
    settings: &Settings,
    protocol: &'static str,
    _: &Arc<MashLedger>,
) -> Result<Box<dyn Reward>> {
    Ok(Box::new(TextReward::new(R::from_settings(settings)?, settings.scoring(protocol)?)?))
}

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
        name: SearchR1Params::NAME,
        summary: "Search-R1: exact match with a share for structure",
        protocol: "search-r1",
        settings: SearchR1Params::SETTINGS,
        build: by_rule::<SearchR1Params>,
    },
    RewardEntry {
        name: BrierParams::NAME,
        summary: "weighted Brier: c - lambda (q - c)^2",
        protocol: "car",
        settings: BrierParams::SETTINGS,
        build: by_rule::<BrierParams>,
    },
    RewardEntry {
        name: MscrParams::NAME,
        summary: "MSCR: c [1 + beta1 (1 - (1 - q)^2)] - (1 - c) beta2 q^2",
        protocol: "car",
        settings: MscrParams::SETTINGS,
        build: by_rule::<MscrParams>,
    },
    RewardEntry {
        name: "mash",
        summary: "MASH: c x efficiency, by the fewest searches of the question so far",
        protocol: "search-r1",
        settings: MashParams::SETTINGS,
        build: |settings, protocol, ledger| {
            let (params, scoring) = (MashParams::from_settings(settings)?, settings.scoring(protocol)?);
            Ok(Box::new(MashReward::new(params, scoring, Arc::clone(ledger))))
        },
    },
    RewardEntry {
        name: RlcrParams::NAME,
        summary: "RLCR's mix: format + c + 1 - (c - q)^2, 0 for a bad format",
        protocol: "rlcr",
        settings: RlcrParams::SETTINGS,
        build: by_rule::<RlcrParams>,
    },
    RewardEntry {
        name: "rl-ua",
        summary: "RL-UA: right answers and right attributions of uncertainty",
        protocol: "boxed",
        settings: RlUaParams::SETTINGS,
        build: |settings, protocol, _| {
            Ok(Box::new(RlUa::new(RlUaParams::from_settings(settings)?, settings.scoring(protocol)?)))
        },
    },
    RewardEntry {
        name: UtilityParams::NAME,
        summary: "outcome: +1 right, 0 escalated or abstained, -k wrong",
        protocol: "search-r1-escalate",
        settings: UtilityParams::SETTINGS,
        build: by_rule::<UtilityParams>,
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
