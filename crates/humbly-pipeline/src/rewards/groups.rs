//! Whether the ids of questions make groups of the rollouts.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What was seen of ids and prompts, as hashes: a file of rollouts may hold millions.
#[derive(Debug, Default)]
pub(super) struct Groups {
    ids: BTreeSet<u64>,
    prompts: BTreeSet<u64>,
    /// Rows whose prompt an earlier one had.
    repeated: u64,
    /// Whether two rows share an id, or one has none.
    is_settled: bool,
}

impl Groups {
    pub(super) fn add(&mut self, question: Option<&str>, prompt: Option<&str>) {
        if self.is_settled {
            return;
        }
        if !question.is_some_and(|question| self.ids.insert(hash(question))) {
            *self = Self { is_settled: true, ..Self::default() };
            return;
        }
        let is_new = prompt.is_none_or(|prompt| self.prompts.insert(hash(prompt)));
        self.repeated += u64::from(!is_new);
    }

    /// How many rows repeat a prompt, where no two rows share an id.
    ///
    /// Without prompts, or where none repeats, nothing says that there should be groups.
    pub(super) fn of_one(&self) -> Option<u64> {
        (self.repeated > 0).then_some(self.repeated)
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
