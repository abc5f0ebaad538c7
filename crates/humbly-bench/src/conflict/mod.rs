//! Conflict suites: what a model believes, and tasks that set evidence against it (EH §2.1, A.1, A.2).

mod build;
mod choice;
mod controlled;
mod elicit;
mod level;
mod natural;
mod prompts;
mod question;
mod rows;
mod starter;
mod suite;
mod unanswerable;

pub use build::{BuildParams, BuildProgress, build_suite};
pub use controlled::{ControlledParams, build_controlled};
pub use elicit::{Belief, ChoiceBy, ElicitError, ElicitParams, FailedQuestion, FreeForm, elicit_belief};
pub use humbly_agent::{Passage, Scenario};
pub use level::{Level, conflict_level};
pub use natural::{Equivalence, Funnel, NaturalBelief, NaturalKind, NaturalParams, build_natural_suite};
pub use prompts::{PromptError, Prompts};
pub use question::{ConflictQuestion, Side, read_questions};
pub(crate) use rows::shown;
pub use rows::{FromRows, conflict_questions, natural_tasks};
pub use starter::{UnanswerableQuestion, starter_questions, unanswerable_questions};
pub use suite::{SUITE_SCHEMA, Suite, SuiteError, SuiteTask};
pub use unanswerable::{Unanswered, UnansweredSet, ask_unanswerable};
