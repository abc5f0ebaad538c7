//! What every target does: read bytes as one format, and ask of the result what a scorer asks.

use humbly_readers::{Episodes, Input, Sink, read_input, split_episodes};
use humbly_types::{Problem, Trajectory};

struct Asking;

impl Sink for Asking {
    fn trajectory(&mut self, trajectory: Trajectory) {
        for episode in split_episodes(trajectory, Episodes::Each) {
            let _ = (episode.outcome(), episode.unanswered_calls().len(), episode.final_step().is_some());
        }
    }

    fn problem(&mut self, _: Problem) {}
}

/// Reads `bytes` as `format`, and once more with the format left to recognition.
pub fn read_as(format: &str, bytes: &[u8]) {
    read_input(&Input::bytes("fuzz", bytes), Some(format), &mut Asking);
    read_input(&Input::bytes("fuzz", bytes), None, &mut Asking);
}
