//! Reads logs and prints what was found and how long it took: `cargo run --release --example read_log -- FILE…`.

#![expect(clippy::print_stdout, reason = "an example for the terminal")]

use std::path::Path;
use std::time::Instant;

use humbly_readers::{Input, Sink, read_input};
use humbly_types::{Problem, Trajectory};

#[derive(Default)]
struct Count {
    trajectories: usize,
    turns: usize,
    problems: usize,
}

impl Sink for Count {
    fn trajectory(&mut self, trajectory: Trajectory) {
        self.trajectories += 1;
        self.turns += trajectory.turns().count();
    }

    fn problem(&mut self, _: Problem) {
        self.problems += 1;
    }
}

fn main() {
    for path in std::env::args().skip(1) {
        let mut count = Count::default();
        let start = Instant::now();
        let outcome = read_input(&Input::file(Path::new(&path), Vec::new()), None, &mut count);
        let Count { trajectories, turns, problems } = count;
        let format = outcome.format.unwrap_or("unknown");
        println!(
            "{path}: {format}, {trajectories} trajectories, {turns} turns, {problems} problems, {:.3} s",
            start.elapsed().as_secs_f64()
        );
    }
}
