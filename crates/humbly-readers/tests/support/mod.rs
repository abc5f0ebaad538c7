//! Reading samples in tests: the real ones of `../shared` where they are, and written ones beside the test.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::allow_attributes,
    clippy::print_stderr,
    reason = "each test binary uses its own part"
)]

use std::path::{Path, PathBuf};

use humbly_readers::{Input, ReadOutcome, Sink, read_input};
use humbly_types::{Problem, Trajectory};

/// Everything that a reader gave.
#[derive(Default)]
pub struct Collected {
    pub trajectories: Vec<Trajectory>,
    pub problems: Vec<Problem>,
}

impl Sink for Collected {
    fn trajectory(&mut self, trajectory: Trajectory) {
        self.trajectories.push(trajectory);
    }

    fn problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }
}

/// The folder of real logs; `None` (with a message) where a clone lacks it, a failure where CI asks for it.
pub fn trajectories_folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/trajectories");
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(std::env::var("HUMBLY_REQUIRE").as_deref() != Ok("all"), "{} is missing", folder.display());
    eprintln!("skipped: {} is not here", folder.display());
    None
}

/// Reads a real sample by its path inside the folder of real logs.
pub fn read_sample(relative: &str) -> Option<(ReadOutcome, Collected)> {
    let path = trajectories_folder()?.join(relative);
    let mut collected = Collected::default();
    let outcome = read_input(&Input::file(&path, Vec::new()), None, &mut collected);
    Some((outcome, collected))
}

/// Reads a log given as text.
pub fn read_text(name: &str, text: &str) -> (ReadOutcome, Collected) {
    let mut collected = Collected::default();
    let outcome = read_input(&Input::bytes(name, text.as_bytes()), None, &mut collected);
    (outcome, collected)
}
