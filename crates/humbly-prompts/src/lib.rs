//! Prompt files: ours by name, a user's in their place, one hash over those in use.
//!
//! Every crate that asks a model has its prompts as files of its own and hands them here with their names. A folder of
//! the user's replaces some of them; a file there that replaces none is a slip of the pen and an error.

mod digest;
mod error;
mod files;
mod template;

pub use digest::digest;
pub use error::{PromptFileError, Result};
pub use files::PromptFiles;
pub use template::{environment, fill, fill_untrimmed, variables};
