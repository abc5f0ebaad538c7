//! Protocols: which tags a response holds, in which order, and what breaks.

mod boxed;
mod fault;
mod instruction;
mod places;
mod reading;
mod rules;
mod scan;
mod states;
mod tag;

pub use fault::{Excerpt, Fault, Rule};
pub use reading::Reading;
pub use rules::{PrefilledThink, Protocol, RlcrOrder};
pub use tag::Tag;
