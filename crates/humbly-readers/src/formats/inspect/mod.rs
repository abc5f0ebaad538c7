//! Inspect AI logs: the `.eval` archive and the older `.json` document.
//!
//! One trajectory for each sample and epoch. `messages` is the conversation; `events` is parsed only where
//! `messages` cannot be the whole of it (a limit, a compaction, sub-agents), since it is most of the bytes.

mod archive;
mod attachments;
mod chunked;
mod eval;
mod events;
mod json;
mod log;
mod messages;
mod sample;
mod text;

pub(crate) use eval::InspectEval;
pub(crate) use json::InspectJson;
