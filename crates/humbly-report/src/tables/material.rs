//! What tables are built from: numbers of runs, counts of suites, agreement of judges and people.

use std::collections::{BTreeMap, BTreeSet};

use humbly_score::calibration_study::CalibrationStudy;
use humbly_score::{AccuracyPoint, ConditionChange, SummaryRow};
use humbly_types::Measured;

/// Everything that the runs at hand determine.
#[derive(Debug, Clone, Default)]
pub struct Material {
    /// Summary rows of all runs.
    pub summary: Vec<SummaryRow>,
    /// Points of Figure 3.
    pub points: Vec<AccuracyPoint>,
    /// Points of Figure 5.
    pub changes: Vec<ConditionChange>,
    /// Conditions with a clause in the prompt: Tables 8 and 9; all others stand in Tables 1 and 5.
    pub prompted: BTreeSet<String>,
    /// Suites that the runs were made on.
    pub suites: Vec<SuiteCounts>,
    /// Judges that judged the runs.
    pub raters: Vec<String>,
    /// Agreement of these judges, two at a time.
    pub agreement: Vec<AgreementLine>,
    /// Filled annotation sheets.
    pub people: Vec<PeopleLine>,
    /// The calibration study, where its tables are asked for.
    pub calibration: Option<CalibrationStudy>,
    /// Seed of the resampling of cells in Figure 3.
    pub seed: u64,
}

/// Counts of one suite.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SuiteCounts {
    /// The model that it was built for.
    pub model: String,
    /// Questions by level of belief, 0 to 3; `None` for a suite of naturally occurring conflict.
    pub levels: Option<[u64; 4]>,
    /// Questions without a level since their call failed.
    pub failed: u64,
    /// Tasks by scenario (`closed_book`, `rag`, `pck`) and split (`conflict`, `control`).
    pub tasks: BTreeMap<(String, String), u64>,
    /// One funnel a data set (naturally occurring conflict).
    pub funnels: Vec<FunnelCounts>,
}

/// Counts of EH Table 4 for one data set.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FunnelCounts {
    /// Data set.
    pub dataset: String,
    /// Questions with a determined belief.
    pub total: u64,
    /// With an answer.
    pub has_pk: u64,
    /// Of those, stood by.
    pub self_agrees: u64,
    /// Of those with an answer, disagreeing with the references.
    pub disagrees_gt: u64,
    /// Both.
    pub selected: u64,
    /// Controls: confidently right.
    pub agrees_gt: u64,
    /// Controls: no strong belief.
    pub no_strong_belief: u64,
}

/// Raw agreement, κ and AC1 of two raters.
#[derive(Debug, Clone, PartialEq)]
pub struct Agreement {
    /// Share of equal labels.
    pub raw: Measured,
    /// Cohen's or Fleiss' κ.
    pub kappa: Measured,
    /// Gwet's AC1.
    pub ac1: Measured,
    /// Share of yes.
    pub prevalence: Measured,
}

/// Two judges on one question.
#[derive(Debug, Clone, PartialEq)]
pub struct AgreementLine {
    /// `all`, `controlled` or `natural`.
    pub setting: String,
    /// `correctness`, `identify` or `escalate`.
    pub question: String,
    /// One judge.
    pub first: String,
    /// The other.
    pub second: String,
    /// The numbers.
    pub agreement: Agreement,
}

/// The people of one question's sheets, and the judges against their majority.
#[derive(Debug, Clone, PartialEq)]
pub struct PeopleLine {
    /// `identify` or `escalate`.
    pub question: String,
    /// Rows of the sheet.
    pub items: u64,
    /// People that filled it in.
    pub annotators: u64,
    /// People against each other.
    pub people: Agreement,
    /// Each judge against the majority, and its mean raw agreement with each person.
    pub judges: Vec<(String, Agreement, Measured)>,
}

impl Material {
    /// Whether a condition has a clause.
    pub fn is_prompted(&self, condition: Option<&str>) -> bool {
        condition.is_some_and(|condition| self.prompted.contains(condition))
    }
}
