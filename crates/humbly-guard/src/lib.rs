//! A hook that asks an agent, before it stops, to say what it noticed and did not settle.
//!
//! A harness runs the hook when its agent is about to stop. The hook reads what was written since the last
//! call, judges the turns of the running episode ([`Watch`]), and answers with one request where a gap was
//! recognised, not resolved and not passed on. Whatever is in doubt lets the agent stop: a noisy guard is
//! worse than none. Clock, environment and terminal come from the caller.

mod audit;
mod error;
mod facts;
mod finder;
mod gap_judge;
mod harness;
mod hook;
mod install;
mod log;
mod payload;
mod places;
mod quote;
mod resolved;
mod settings_text;
mod state;
mod told;
mod transcript;
mod watch;
mod word_list;

pub use audit::{EpisodeFinding, audit, audit_file};
pub use error::{GuardError, PathFault, Result};
pub use gap_judge::GapJudge;
pub use harness::{Harness, HookSettings, Reply, harness, harnesses, recognise};
pub use hook::{Answered, Mode, run_hook};
pub use install::{Change, DEADLINE_SECONDS, HookOptions, Scope, by_hand, plan_install, plan_uninstall};
pub use log::{AfterAsking, Entry, EntryQuote, Log, after_asking};
pub use payload::{LONGEST_PAYLOAD, StopEvent};
pub use places::Places;
pub use quote::{MOST_QUOTES, request, safe_quote};
pub use watch::{Flag, Outcome, Silence, Watch};
