//! Trajectories, tasks and verdicts: the types that every log format fits and every judge returns.
//!
//! A turn is one generation of the agent, not a line and not a message. References found in a log are
//! kept apart ([`References`]) and no judge is given them.

mod call;
mod judgement;
mod log_record;
mod problem;
mod record;
mod step;
mod task;
mod trajectory;
mod verdict;

pub use call::{ErrorOrigin, ToolCall, ToolResult, canonical_json};
pub use humbly_stats::{Interval, IntervalMethod, Measured, Reason, Undefined};
pub use judgement::{AnswerSource, Judgement, TurnVerdict};
pub use log_record::LogRecord;
pub use problem::Problem;
pub use record::{CallRecord, Record, TurnRecord};
pub use step::{Location, Reasoning, ReasoningOrigin, Role, Step, StepFlags, Usage};
pub use task::{NumberRange, ReferenceMode, Split, Task};
pub use trajectory::{
    AnswerLogProbability, AnswerOrigin, FinalAnswer, Outcome, References, Stop, StopKind, Trajectory,
    Truncation, Warning,
};
pub use verdict::Verdict;
