//! What the Claude formats share: Anthropic messages, and a chain of them that becomes a trajectory.

mod chain;
mod files;
mod message;
mod prompts;

pub(crate) use chain::{Chain, LineMarks, UserEffect, add_usage};
pub(crate) use files::group_sessions;
use message::Block;
pub(crate) use message::{Content, Message, UsageFields};
use prompts::{UserText, strip_reminders};
