//! One file for each reward.

mod brier;
mod ise;
mod mash;
mod mash_ledger;
mod mscr;
mod rl_ua;
mod rlcr;
mod search_r1;
mod text_reward;
mod utility;

pub use brier::{Brier, BrierParams, weighted_brier};
pub use ise::{IseParams, IseReward, IseScored, IseSplit, IseTrajectory, IseTurn, IseUnscorable};
pub use mash::{MashParams, MashPenalty, MashReward};
pub use mash_ledger::MashLedger;
pub use mscr::{Mscr, MscrParams, mscr, mscr_best_confidence};
pub use rl_ua::{RlUa, RlUaParams};
pub use rlcr::{Rlcr, RlcrParams};
pub use search_r1::{SearchR1, SearchR1Params};
pub use text_reward::{Parts, RewardRule, TextReward};
pub use utility::{UtilityParams, UtilityReward};
