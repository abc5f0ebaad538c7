//! One reader for each agent log format, recognised from content.
//!
//! Every reader turns its records into calls of a [`Builder`], which groups generations into turns, splits
//! reasoning from visible text, joins results to calls and finds the final answer, so that one rule holds
//! for all formats. Readers know no scoring.

mod builder;
mod call_ids;
mod chat;
mod chat_record;
mod compressed;
mod content;
mod detect;
mod episodes;
mod fields;
mod final_answer;
mod formats;
mod input;
mod lenient;
mod records;
mod registry;
mod tagged;
mod units;

pub use builder::{Builder, CallDraft};
pub use compressed::plain_name;
pub use detect::{Head, Shape};
pub use episodes::{Episodes, split_episodes};
pub use final_answer::of_steps as final_answer_of_steps;
pub use input::{Input, Line, Lines};
pub use lenient::{Repair, parse_record};
pub use registry::{FormatInfo, ReadOutcome, Reader, Sink, formats, read, read_input};
pub use units::{Unit, group};
