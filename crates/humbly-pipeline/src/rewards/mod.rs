//! Rollouts to a reward card: score each response, then say what the reward does to the set.

mod alarms;
mod card;
mod groups;
mod ise;
mod responses;
mod row;
mod tally;

pub use alarms::{Alarm, AlarmKind};
pub use card::{AnswerCollapse, Bin, ComponentSummary, Distribution, FaultCount, FaultExample, RewardCard};
pub use ise::{IseFiles, IseRow, score_ise};
pub use responses::{RewardRequest, RewardRow, score_lines, score_responses};
pub use row::RewardColumns;
