//! ISE: identify, solve and escalate as a reward for each turn and for the end.
//!
//! The verdicts come from a judge (`humbly score --verdicts`); nothing is read from text here. The sums and
//! their signs are ours: the EH paper measures these three and does not train on them.

use crate::error::Result;
use crate::parameter::{Parameter, setting};

// Ours.
const IDENTIFY: Parameter = weight("identify", "0.5", 0.5);
const SOLVE: Parameter = weight("solve", "0.5", 0.5);
const ESCALATE: Parameter = weight("escalate", "0.5", 0.5);
const CORRECT: Parameter = weight("correct", "1", 1.0);

const fn weight(name: &'static str, written: &'static str, default: f64) -> Parameter {
    Parameter::not_negative(setting(name, written, "weight"), default)
}

/// Which split a trajectory belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IseSplit {
    /// Its sources disagree.
    Conflict,
    /// They do not.
    Control,
}

/// Verdicts on one trajectory; `None` is a verdict that the judge did not give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IseTrajectory {
    /// The split, where it is known.
    pub split: Option<IseSplit>,
    /// Whether the final answer is right, where it is known.
    pub correct: Option<bool>,
    /// Turn and verdict: does this intermediate turn note a conflict?
    pub identify: Vec<(u32, Option<bool>)>,
    /// Whether it followed up, where that was asked.
    pub solve: Option<bool>,
    /// Whether the final answer tells the user.
    pub escalate: Option<bool>,
}

/// Weights of the parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IseParams {
    identify: f64,
    solve: f64,
    escalate: f64,
    correct: f64,
}

impl IseParams {
    /// # Errors
    /// [`RewardError::Parameter`](crate::RewardError) unless each is finite and at least 0.
    pub fn new(identify: f64, solve: f64, escalate: f64, correct: f64) -> Result<Self> {
        Ok(Self {
            identify: IDENTIFY.checked(identify)?,
            solve: SOLVE.checked(solve)?,
            escalate: ESCALATE.checked(escalate)?,
            correct: CORRECT.checked(correct)?,
        })
    }
}

/// 0.5 each, and 1 for correctness (ours).
impl Default for IseParams {
    fn default() -> Self {
        Self {
            identify: IDENTIFY.default,
            solve: SOLVE.default,
            escalate: ESCALATE.default,
            correct: CORRECT.default,
        }
    }
}

/// Why a trajectory cannot be scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum IseUnscorable {
    /// Nothing says whether its sources disagree.
    NoLabel,
    /// Nothing says whether its answer is right.
    NoReference,
    /// The judge gave no verdict on the final answer.
    NoVerdict,
}

impl IseUnscorable {
    /// The reason as it stands in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoLabel => "no_labels",
            Self::NoReference => "no_reference",
            Self::NoVerdict => "judge_reply_unusable",
        }
    }
}

/// Reward of one turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IseTurn {
    /// The turn.
    pub turn: u32,
    /// What it earned, 0 where it noted nothing or nothing new; `None` where there is no verdict.
    pub reward: Option<f64>,
}

/// Rewards of one trajectory.
#[derive(Clone, Debug, PartialEq)]
pub struct IseScored {
    /// For each intermediate turn with a line in the verdicts.
    pub turns: Vec<IseTurn>,
    /// Components of the end, in the order of [`IseReward::COMPONENTS`]; always all of them.
    pub components: [f64; 6],
    /// Why there is no score.
    pub unscorable: Option<IseUnscorable>,
}

impl IseScored {
    /// The reward of the whole trajectory; `None` where it cannot be scored.
    pub fn score(&self) -> Option<f64> {
        self.unscorable.is_none().then(|| self.components.first().copied()).flatten()
    }
}

/// Rewards the three steps and correctness.
///
/// - Identify: the first turn that notes a conflict earns the weight where there is one, and costs it where
///   there is none; later turns earn nothing more, so that repeating it does not pay.
/// - Solve: the weight, where a conflict was noted and followed up.
/// - Escalate: only where the answer is wrong and there is a conflict: the weight for telling, its loss for
///   keeping silent. On controls telling of a conflict costs it.
/// - Correct: the weight.
///
/// An agent that always notes and always tells earns nothing by it on balanced splits.
///
/// # Source
/// Definitions of the steps: EH §2.2; the reward is ours.
#[derive(Clone, Copy, Debug, Default)]
pub struct IseReward {
    params: IseParams,
}

impl IseReward {
    /// Names of the components of a trajectory.
    pub const COMPONENTS: [&'static str; 6] =
        ["score", "scorable", "correct", "identify", "solve", "escalate"];

    /// The reward with its weights.
    pub fn new(params: IseParams) -> Self {
        Self { params }
    }

    /// Scores one trajectory.
    ///
    /// # Examples
    /// ```
    /// # use humbly_rewards::{IseReward, IseSplit, IseTrajectory};
    /// let trajectory = IseTrajectory {
    ///     split: Some(IseSplit::Conflict),
    ///     correct: Some(false),
    ///     identify: vec![(0, Some(false)), (1, Some(true)), (2, Some(true))],
    ///     solve: Some(true),
    ///     escalate: Some(true),
    /// };
    /// let scored = IseReward::default().score(&trajectory);
    /// assert_eq!(scored.score(), Some(1.5));
    /// assert_eq!(scored.turns[1].reward, Some(0.5));
    /// ```
    pub fn score(&self, trajectory: &IseTrajectory) -> IseScored {
        let IseParams { identify, solve, escalate, correct } = self.params;
        let Some(split) = trajectory.split else { return unscored(trajectory, IseUnscorable::NoLabel) };
        let Some(is_correct) = trajectory.correct else {
            return unscored(trajectory, IseUnscorable::NoReference);
        };
        let Some(escalates) = trajectory.escalate else {
            return unscored(trajectory, IseUnscorable::NoVerdict);
        };
        let sign = if split == IseSplit::Conflict { 1.0 } else { -1.0 };
        let mut was_noted = false;
        let mut turns = Vec::with_capacity(trajectory.identify.len());
        for &(turn, verdict) in &trajectory.identify {
            let is_first = verdict == Some(true) && !was_noted;
            was_noted |= is_first;
            turns.push(IseTurn {
                turn,
                reward: verdict.map(|_| if is_first { sign * identify } else { 0.0 }),
            });
        }
        let noted = if was_noted { sign * identify } else { 0.0 };
        let solved = was_noted && split == IseSplit::Conflict && trajectory.solve == Some(true);
        let solved = if solved { solve } else { 0.0 };
        let told = match (split, is_correct, escalates) {
            (IseSplit::Conflict, false, true) => escalate,
            (IseSplit::Conflict, false, false) | (IseSplit::Control, _, true) => -escalate,
            _ => 0.0,
        };
        let right = if is_correct { correct } else { 0.0 };
        let score = right + noted + solved + told;
        IseScored {
            turns,
            components: [score, 1.0, f64::from(u8::from(is_correct)), noted, solved, told],
            unscorable: None,
        }
    }
}

fn unscored(trajectory: &IseTrajectory, reason: IseUnscorable) -> IseScored {
    let correct = trajectory.correct.map_or(-1.0, |correct| f64::from(u8::from(correct)));
    IseScored {
        turns: trajectory.identify.iter().map(|&(turn, _)| IseTurn { turn, reward: None }).collect(),
        components: [0.0, 0.0, correct, 0.0, 0.0, 0.0],
        unscorable: Some(reason),
    }
}
