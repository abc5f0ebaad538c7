//! Data sets: rows in their upstream form become [`Question`]s, and files are fetched or registered.
//!
//! A file is read as a stream, one row at a time. A row that cannot be used is a
//! [`Problem`](humbly_types::Problem) with its place, what was found and what was expected; the others are
//! loaded. What falls out on purpose (a repeated row, a row without its question) is counted by reason and is
//! no problem. Nothing unknown becomes a value: no reference is an empty list, `answerable` is `None` unless
//! the data set says it.
//!
//! Rows are read as JSON values and not through `humbly-table`: its cells take `None` and `N/A` for missing
//! (here they may be answers) and flatten nested lists.

mod acceptable;
mod answer_list;
mod cache;
mod canary;
mod copies;
mod error;
#[cfg(feature = "network")]
mod fetch;
mod gold_side;
mod load;
mod pull;
mod python_literal;
mod question;
mod registry;
mod row;
mod rows;
mod sets;
mod source;

pub use acceptable::AcceptableRange;
pub use cache::{Cache, Receipt, ReceiptFile};
pub use canary::{decrypt, encrypt};
pub use error::{DataError, Result};
#[cfg(feature = "network")]
pub use fetch::{FetchParams, pull};
pub use load::{LoadReport, Loaded, load, load_all};
pub use pull::{Pulled, load_local, register};
pub use question::{Passage, Question, Side, SideName};
pub use registry::{DATA_SETS, DataSet, MATHS, data_set};
pub use source::{Origin, RemoteFile};
