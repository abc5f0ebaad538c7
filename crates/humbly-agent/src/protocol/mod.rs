//! How a model says what it wants to do.

pub(crate) mod direct;
pub(crate) mod guided;
pub(crate) mod native;
mod parse;
pub(crate) mod plain;
pub(crate) mod tagged;

pub(crate) use parse::TurnEnd;
pub use parse::{TaggedAction, TaggedTurn, parse_tagged};
