//! What is kept of scored rows: numbers, not texts.

use std::collections::BTreeMap;

use humbly_types::Problem;

use super::card::{FaultCount, FaultExample};
use super::groups::Groups;

/// Bytes of an answer that are kept for counting.
const LONGEST_ANSWER: usize = 100;

/// Counts over all rows, numbers of the scored ones.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) names: &'static [&'static str],
    /// `[scored rows × names]`.
    pub(super) values: Vec<f64>,
    /// Question ids of the scored rows, where given.
    pub(super) questions: Vec<Option<String>>,
    pub(super) rows: u64,
    pub(super) scored: usize,
    pub(super) unscorable: BTreeMap<String, u64>,
    pub(super) answers: BTreeMap<String, u64>,
    pub(super) faults: BTreeMap<&'static str, FaultCount>,
    pub(super) confidence_faults: BTreeMap<&'static str, u64>,
    pub(super) without_tags: u64,
    pub(super) groups: Groups,
    pub(super) problems: Vec<Problem>,
}

impl Tally {
    pub(super) fn new(names: &'static [&'static str]) -> Self {
        Self { names, ..Self::default() }
    }

    pub(super) fn add_scored(&mut self, values: &[f64], question: Option<String>) {
        self.values.extend_from_slice(values);
        self.questions.push(question);
        self.scored += 1;
        self.rows += 1;
    }

    pub(super) fn add_unscorable(&mut self, reason: &str) {
        *self.unscorable.entry(reason.to_owned()).or_default() += 1;
        self.rows += 1;
    }

    pub(super) fn add_answer(&mut self, answer: &str) {
        let kept = answer.get(..answer.floor_char_boundary(LONGEST_ANSWER)).unwrap_or_default();
        *self.answers.entry(kept.to_owned()).or_default() += 1;
    }

    pub(super) fn add_fault(&mut self, rule: &'static str, example: impl FnOnce() -> FaultExample) {
        self.faults
            .entry(rule)
            .or_insert_with(|| FaultCount { rule: rule.to_owned(), n: 0, example: example() })
            .n += 1;
    }

    /// One column of the scored rows.
    pub(super) fn column(&self, name: &str) -> Vec<f64> {
        let Some(at) = self.names.iter().position(|known| *known == name) else { return Vec::new() };
        self.values.chunks_exact(self.names.len().max(1)).filter_map(|row| row.get(at).copied()).collect()
    }
}
