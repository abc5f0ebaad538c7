//! Agreement of the judge with people: `humbly validate`.

mod rows;

use humbly_stats::{Measured, Reason, Undefined};
use humbly_types::Verdict;
use serde::Serialize;

use crate::{Knowledge, LexicalJudge, Result};
pub use rows::{LabelledRow, VerdictKind, read_rows};

/// Agreement of a judge with labels.
#[derive(Debug, Clone, Serialize)]
pub struct ValidateReport {
    /// Name and version of the judge.
    pub judge: String,
    /// What was asked.
    pub verdict: VerdictKind,
    /// Rows with a verdict.
    pub n: u64,
    /// Rows among them that are labelled yes.
    pub positives: u64,
    /// Rows without a verdict, by reason.
    pub undefined: Vec<(Reason, u64)>,
    /// Share of rows where verdict and label agree.
    pub raw: Measured,
    /// Cohen's κ.
    pub kappa: Measured,
    /// Gwet's AC1.
    pub ac1: Measured,
    /// Share of yes verdicts that are labelled yes.
    pub precision: Measured,
    /// Share of yes labels that the judge finds.
    pub recall: Measured,
    /// Mean of recall and specificity.
    pub balanced_accuracy: Measured,
    /// Rows where verdict and label differ, in order.
    pub disagreements: Vec<Disagreement>,
}

/// A row where verdict and label differ.
#[derive(Debug, Clone, Serialize)]
pub struct Disagreement {
    /// Id of the row.
    pub id: String,
    /// What people say.
    pub label: bool,
    /// What the judge says.
    pub verdict: Verdict,
}

/// Judges every row and compares with its label.
///
/// # Errors
/// [`crate::JudgeError::Statistics`]; no row can cause one.
///
/// # Undefined
/// Rows without a verdict are counted by reason and left out of every number. κ is undefined where
/// chance agreement is 1; precision without yes verdicts, recall without yes labels.
///
/// # Source
/// Cohen (1960); Gwet (2008).
///
/// # Examples
/// ```
/// use humbly_judge::{LabelledRow, LexicalJudge, VerdictKind, agreement_report};
/// let row = |id: &str, text: &str, label| LabelledRow { id: id.into(), text: text.into(), label, fold: None };
/// let rows = [
///     row("a", "Sources disagree on the year: 1912 or 1913.", true),
///     row("b", "It opened in 1912.", false),
/// ];
/// let report = agreement_report(&LexicalJudge::new(), &rows, VerdictKind::Escalate).unwrap();
/// assert_eq!(report.kappa.value(), Some(1.0));
/// ```
pub fn agreement_report(
    judge: &LexicalJudge,
    rows: &[LabelledRow],
    verdict: VerdictKind,
) -> Result<ValidateReport> {
    let knowledge = Knowledge::default();
    let mut table = Table::default();
    let mut undefined: Vec<(Reason, u64)> = Vec::new();
    let mut disagreements = Vec::new();
    for row in rows {
        let said = match verdict {
            VerdictKind::Identify => judge.identify_turn(&row.text, &knowledge),
            VerdictKind::Escalate => judge.escalate(&row.text, &knowledge),
            VerdictKind::Refusal => judge.refusal(&row.text),
        };
        let Some(value) = said.value else {
            let reason = said.undefined.map_or(Reason::NotRecorded, |undefined| undefined.reason);
            match undefined.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, count)) => *count += 1,
                None => undefined.push((reason, 1)),
            }
            continue;
        };
        table.add(value, row.label);
        if value != row.label {
            disagreements.push(Disagreement { id: row.id.clone(), label: row.label, verdict: said });
        }
    }
    undefined.sort_unstable();
    Ok(ValidateReport {
        judge: judge.name().to_string(),
        verdict,
        n: table.n() as u64,
        positives: (table.both + table.missed) as u64,
        undefined,
        raw: Measured::proportion(table.both + table.neither, table.n()),
        kappa: table.kappa(),
        ac1: table.ac1(),
        precision: share(table.both, table.both + table.false_alarm),
        recall: share(table.both, table.both + table.missed),
        balanced_accuracy: table.balanced_accuracy(),
        disagreements,
    })
}

fn share(part: usize, whole: usize) -> Measured {
    if whole == 0 {
        Measured::undefined(Undefined::new(Reason::NoPositives))
    } else {
        Measured::proportion(part, whole)
    }
}

/// Verdicts against labels.
#[derive(Debug, Clone, Copy, Default)]
struct Table {
    both: usize,
    false_alarm: usize,
    missed: usize,
    neither: usize,
}

impl Table {
    fn add(&mut self, verdict: bool, label: bool) {
        *match (verdict, label) {
            (true, true) => &mut self.both,
            (true, false) => &mut self.false_alarm,
            (false, true) => &mut self.missed,
            (false, false) => &mut self.neither,
        } += 1;
    }

    fn n(&self) -> usize {
        self.both + self.false_alarm + self.missed + self.neither
    }

    fn agreement_beyond(&self, chance: impl Fn(f64, f64) -> f64) -> Measured {
        let n = self.n();
        if n == 0 {
            return Measured::undefined(Undefined::new(Reason::NoSamples));
        }
        let total = n as f64;
        let observed = (self.both + self.neither) as f64 / total;
        let verdicts = (self.both + self.false_alarm) as f64 / total;
        let labels = (self.both + self.missed) as f64 / total;
        let chance = chance(verdicts, labels);
        if chance >= 1.0 {
            return Measured::undefined(Undefined::new(Reason::ChanceAgreementIsOne)).with_n(n);
        }
        Measured::new((observed - chance) / (1.0 - chance), n)
    }

    fn kappa(&self) -> Measured {
        self.agreement_beyond(|verdicts, labels| verdicts * labels + (1.0 - verdicts) * (1.0 - labels))
    }

    fn ac1(&self) -> Measured {
        self.agreement_beyond(|verdicts, labels| {
            let prevalence = f64::midpoint(verdicts, labels);
            2.0 * prevalence * (1.0 - prevalence)
        })
    }

    fn balanced_accuracy(&self) -> Measured {
        let (positives, negatives) = (self.both + self.missed, self.neither + self.false_alarm);
        if positives == 0 || negatives == 0 {
            return Measured::undefined(Undefined::new(Reason::OneClass)).with_n(self.n());
        }
        let recall = self.both as f64 / positives as f64;
        let specificity = self.neither as f64 / negatives as f64;
        Measured::new(f64::midpoint(recall, specificity), self.n())
    }
}
