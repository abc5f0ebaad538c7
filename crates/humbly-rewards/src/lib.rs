//! Rewards for reinforcement learning: a response in, the same numbers out for every sample.
//!
//! Layer 1: no files, no network, no clock. A reward takes the response alone, never fails on text,
//! answers in linear time and may be called from any thread. What cannot be scored is
//! [`Scored::unscorable`] with its reason; components then hold a number that no score can be taken for.
//!
//! # Examples
//! ```
//! use humbly_rewards::{Mscr, MscrParams, Reward, Sample, TextScoring};
//! let reward = Mscr::new(MscrParams::default(), TextScoring::car("percent".parse()?))?;
//! let response = "<think>of France</think><confidence>90</confidence><answer>Paris</answer>";
//! let scored = reward.score(&Sample::new(response, &["Paris"]));
//! assert!((scored.score().unwrap() - 1.495).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod components;
mod confidence;
mod error;
mod matching;
mod parameter;
mod protocol;
mod registry;
mod rewards;
mod sample;
mod scoring;
mod settings;

pub use components::{Component, Components, Scored, Unscorable};
pub use confidence::StatedConfidence;
pub use error::{Result, RewardError};
pub use matching::Matching;
pub use parameter::SettingEntry;
pub use protocol::{Excerpt, Fault, PrefilledThink, Protocol, Reading, RlcrOrder, Rule, Tag};
pub use registry::{RewardEntry, build, build_with, entries};
pub use rewards::{
    Brier, BrierParams, IseParams, IseReward, IseScored, IseSplit, IseTrajectory, IseTurn, IseUnscorable,
    MashLedger, MashParams, MashPenalty, MashReward, Mscr, MscrParams, Parts, RewardRule, RlUa, RlUaParams,
    Rlcr, RlcrParams, SearchR1, SearchR1Params, TextReward, UtilityParams, UtilityReward, mscr,
    mscr_best_confidence, weighted_brier,
};
pub use sample::{ItemLabel, Reward, Sample};
pub use scoring::{FormatPenalty, TextScoring};
pub use settings::Settings;
