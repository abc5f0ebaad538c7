//! Conflict suites: what a model believes, and tasks that set evidence against it (EH §2.1, A.1, A.2).

mod choice;
mod controlled;
mod elicit;
mod level;
mod prompts;
mod question;
mod starter;
mod suite;

pub use controlled::{ControlledParams, Scenario, build_controlled};
pub use elicit::{Belief, ElicitError, ElicitParams, FailedQuestion, FreeForm, elicit_belief};
pub use level::{Level, conflict_level};
pub use prompts::{PromptError, Prompts};
pub use question::{ConflictQuestion, Passage, Side, read_questions};
pub use starter::{UnanswerableQuestion, starter_questions, unanswerable_questions};
pub use suite::{SUITE_SCHEMA, Suite, SuiteError, SuiteTask};
