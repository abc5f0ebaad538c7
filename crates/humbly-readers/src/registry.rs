//! The formats that can be read, and the one way to read an input.

use std::sync::Arc;

use humbly_types::{Problem, Trajectory};

use crate::detect::{self, Head};
use crate::input::Input;
use crate::units::Unit;

/// One log format.
pub trait Reader: Sync {
    /// Name on the command line and in JSON.
    fn info(&self) -> FormatInfo;

    /// Whether the head of an input is of this format; called again for each further record of JSONL.
    fn sniff(&self, head: &Head<'_>) -> bool;

    /// Whether the first bytes (up to 64 KiB, the last line may be cut) settle it; asked before anything is
    /// parsed, for formats of which thousands of files are read at once.
    fn sniff_start(&self, start: &[u8]) -> bool {
        let _ = start;
        false
    }

    /// Reads the input and gives `sink` its trajectories and problems.
    ///
    /// # Errors
    /// A [`Problem`] that ends the reading of this input; what was given to `sink` before counts.
    fn read(&self, input: &Input, sink: &mut dyn Sink) -> Result<(), Problem>;
}

/// What a person needs to know of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormatInfo {
    /// Name on the command line and in JSON.
    pub name: &'static str,
    /// Title for people.
    pub title: &'static str,
    /// How it is recognised.
    pub recognised_by: &'static str,
}

/// Receives what a reader finds.
pub trait Sink {
    /// One trajectory of the whole log (episodes are split later).
    fn trajectory(&mut self, trajectory: Trajectory);
    /// Something that could not be read.
    fn problem(&mut self, problem: Problem);
}

/// All formats, in the order in which they are tried.
pub fn formats() -> &'static [&'static dyn Reader] {
    crate::formats::ALL
}

/// How reading an input went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadOutcome {
    /// The format, `None` where it was not recognised or could not be opened.
    pub format: Option<&'static str>,
    /// Trajectories given to the sink.
    pub trajectories: usize,
}

/// Reads one unit: recognises its format (or takes `forced`), reads it, and reports every fault to `sink`.
///
/// A recognised log without an assistant turn gives no trajectory and one problem.
pub fn read(unit: &Unit, forced: Option<&str>, sink: &mut dyn Sink) -> ReadOutcome {
    read_input(&Input::file(&unit.main, unit.companions.clone()), forced, sink)
}

/// [`read`] on an input that need not be a file.
pub fn read_input(input: &Input, forced: Option<&str>, sink: &mut dyn Sink) -> ReadOutcome {
    let mut counting = Counting { inner: sink, trajectories: 0, problems: 0, path: Arc::clone(&input.path) };
    let reader = match forced {
        Some(name) => formats().iter().copied().find(|reader| reader.info().name == name),
        None => match detect::detect(input) {
            Ok(reader) => reader,
            Err(problem) => {
                counting.problem(problem);
                return ReadOutcome { format: None, trajectories: 0 };
            }
        },
    };
    let Some(reader) = reader else {
        counting.problem(
            Problem::new(&*input.path, "format not recognised, expected an agent log")
                .hint("list the formats that can be read with `humbly formats`, name one with --format"),
        );
        return ReadOutcome { format: None, trajectories: 0 };
    };
    if let Err(problem) = reader.read(input, &mut counting) {
        counting.problem(problem);
    } else if counting.trajectories == 0 && counting.problems == 0 {
        let message = format!("recognised as {}, but it holds no assistant turn", reader.info().name);
        counting.problem(Problem::new(&*input.path, message));
    }
    ReadOutcome { format: Some(reader.info().name), trajectories: counting.trajectories }
}

struct Counting<'a> {
    inner: &'a mut dyn Sink,
    trajectories: usize,
    problems: usize,
    path: Arc<str>,
}

impl Sink for Counting<'_> {
    fn trajectory(&mut self, trajectory: Trajectory) {
        if trajectory.has_turns && trajectory.turns().next().is_none() && trajectory.final_answer.is_none() {
            let message = format!("`{}` holds no assistant turn", trajectory.id);
            self.problem(Problem::new(&*self.path, message));
            return;
        }
        self.trajectories += 1;
        self.inner.trajectory(trajectory);
    }

    fn problem(&mut self, problem: Problem) {
        self.problems += 1;
        self.inner.problem(problem);
    }
}
