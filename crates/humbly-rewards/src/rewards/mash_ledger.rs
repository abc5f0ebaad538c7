//! The fewest searches that a right answer has needed, for each question.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

/// State of the MASH reward across the steps of a training; the caller owns, shares and saves it.
///
/// Grows by one entry for each question, not for each call.
///
/// # Examples
/// ```
/// # use humbly_rewards::MashLedger;
/// let ledger = MashLedger::default();
/// ledger.record("q1", 3);
/// ledger.record("q1", 1);
/// ledger.record("q1", 2);
/// assert_eq!((ledger.fewest("q1"), ledger.fewest("q2")), (Some(1), None));
/// ```
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(from = "BTreeMap<String, u32>", into = "BTreeMap<String, u32>")]
pub struct MashLedger {
    fewest: Mutex<BTreeMap<String, u32>>,
}

impl MashLedger {
    /// Notes that a right answer needed so many searches; returns the fewest so far.
    pub fn record(&self, question: &str, searches: u32) -> u32 {
        let mut fewest = self.fewest.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = fewest.get_mut(question) {
            *known = searches.min(*known);
            return *known;
        }
        fewest.insert(question.to_owned(), searches);
        searches
    }

    /// The fewest searches of any right answer to this question so far.
    pub fn fewest(&self, question: &str) -> Option<u32> {
        self.fewest.lock().unwrap_or_else(PoisonError::into_inner).get(question).copied()
    }

    /// All entries, by question.
    pub fn entries(&self) -> BTreeMap<String, u32> {
        self.fewest.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Clone for MashLedger {
    fn clone(&self) -> Self {
        Self::from(self.entries())
    }
}

impl From<BTreeMap<String, u32>> for MashLedger {
    fn from(entries: BTreeMap<String, u32>) -> Self {
        Self { fewest: Mutex::new(entries) }
    }
}

impl From<MashLedger> for BTreeMap<String, u32> {
    fn from(ledger: MashLedger) -> Self {
        ledger.entries()
    }
}
