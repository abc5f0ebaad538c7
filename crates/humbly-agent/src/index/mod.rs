//! Keyword search over a corpus in Search-R1's form.

mod corpus;
mod search;

pub use corpus::{CorpusProblem, CorpusReport, Document, read_corpus};
pub use search::{Hit, SearchIndex};
