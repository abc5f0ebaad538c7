//! The search index as a server in Search-R1's protocol.

mod retrieve;

pub use retrieve::{DEFAULT_ADDRESS, SearchServer, router};
