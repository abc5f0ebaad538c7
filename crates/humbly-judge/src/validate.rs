//! Agreement of the judge with people: `humbly validate`.

mod rows;

use humbly_stats::agreement::cohen_kappa;
use humbly_stats::classification::classify;
use humbly_stats::intervals::{
    BootstrapParams, Clusters, ProportionInterval, bootstrap_statistic, proportion,
};
use humbly_stats::{Measured, Reason, StatsError, Undefined};
use humbly_types::Verdict;
use serde::Serialize;

use crate::{Knowledge, LexicalJudge, Result};
pub use rows::{LabelledRow, VerdictKind, read_rows};

/// Seed of [`agreement_report`]; every interval records it.
const SEED: u64 = 0;

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

/// Judges every row and compares with its label, resampling 10,000 times with seed 0.
///
/// # Errors
/// As [`agreement_report_with`].
///
/// # Examples
/// ```
/// use humbly_judge::{LabelledRow, LexicalJudge, VerdictKind, agreement_report};
/// let row = |id: &str, text: &str, label| LabelledRow { id: id.into(), text: text.into(), label, fold: None };
/// let rows = [
///     row("a", "Sources disagree on the year: 1912 or 1913.", true),
///     row("b", "It opened in 1912.", false),
/// ];
/// let report = agreement_report(&LexicalJudge::new(), &rows, VerdictKind::Escalate)?;
/// assert_eq!(report.kappa.value(), Some(1.0));
/// # Ok::<(), humbly_judge::JudgeError>(())
/// ```
pub fn agreement_report(
    judge: &LexicalJudge,
    rows: &[LabelledRow],
    verdict: VerdictKind,
) -> Result<ValidateReport> {
    agreement_report_with(judge, rows, verdict, &BootstrapParams::seeded(SEED))
}

/// Judges every row and compares with its label.
///
/// Rows of one fold (a question, a trajectory) are resampled together; without fold keys each row stands
/// alone, and shares get Wilson intervals. The rules have no threshold that could be fitted to the rows.
///
/// # Shapes and units
/// - `rows`: `[n]`.
/// - returns: shares in `[0, 1]`; κ and AC1 at most 1, 0 is chance.
///
/// # Errors
/// [`crate::JudgeError::Statistics`] for 2³² rows or more.
///
/// # Undefined
/// Rows without a verdict are counted by reason and left out of every number. κ is undefined where
/// chance agreement is 1; precision without yes verdicts, recall without yes labels.
///
/// # Source
/// Cohen (1960); Gwet (2008).
pub fn agreement_report_with(
    judge: &LexicalJudge,
    rows: &[LabelledRow],
    verdict: VerdictKind,
    params: &BootstrapParams,
) -> Result<ValidateReport> {
    let knowledge = Knowledge::default();
    let verdicts: Vec<Verdict> = rows
        .iter()
        .map(|row| match verdict {
            VerdictKind::Identify => judge.identify_turn(&row.text, &knowledge),
            VerdictKind::Escalate => judge.escalate(&row.text, &knowledge),
            VerdictKind::Refusal => judge.refusal(&row.text),
        })
        .collect();
    agreement_of_verdicts(judge.name(), rows, &verdicts, verdict, params)
}

/// Agreement of the verdicts of any judge with labels; as [`agreement_report_with`].
///
/// # Shapes and units
/// - `rows`, `verdicts`: `[n]`; verdict `i` is on row `i`.
///
/// # Errors
/// [`crate::JudgeError::Statistics`] where the lengths differ, and for 2³² rows or more.
pub fn agreement_of_verdicts(
    judge: &str,
    rows: &[LabelledRow],
    verdicts: &[Verdict],
    verdict: VerdictKind,
    params: &BootstrapParams,
) -> Result<ValidateReport> {
    if rows.len() != verdicts.len() {
        return Err(StatsError::UnpairedLengths { left: rows.len(), right: verdicts.len() }.into());
    }
    let mut undefined: Vec<(Reason, u64)> = Vec::new();
    let mut disagreements = Vec::new();
    let given = verdicts;
    let (mut labels, mut verdicts, mut folds) = (Vec::new(), Vec::new(), Vec::new());
    for (row, said) in rows.iter().zip(given) {
        let Some(value) = said.value else {
            let reason = said.undefined.as_ref().map_or(Reason::NotRecorded, |undefined| undefined.reason);
            match undefined.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, count)) => *count += 1,
                None => undefined.push((reason, 1)),
            }
            continue;
        };
        labels.push(row.label);
        verdicts.push(value);
        // A row without a key is a fold of its own.
        folds.push(row.fold.as_ref().map_or((1, row.id.as_str()), |fold| (0, fold.as_str())));
        if value != row.label {
            disagreements.push(Disagreement { id: row.id.clone(), label: row.label, verdict: said.clone() });
        }
    }
    undefined.sort_unstable();
    let clusters = Clusters::by_id(&folds)?;
    let classes = classify(&labels, &verdicts, &clusters, params)?;
    let agreeing: Vec<bool> = labels.iter().zip(&verdicts).map(|(label, verdict)| label == verdict).collect();
    let resampled = |coefficient: fn(&Table) -> Option<f64>| {
        let statistic = |(): &mut (), drawn: &[u32]| {
            let pairs = drawn.iter().filter_map(|&row| {
                let row = row as usize;
                Some((*verdicts.get(row)?, *labels.get(row)?))
            });
            coefficient(&Table::of(pairs))
        };
        bootstrap_statistic(&clusters, params, || (), statistic)
    };
    let table = Table::of(verdicts.iter().copied().zip(labels.iter().copied()));
    let ac1 = match table.ac1() {
        Some(value) => resampled(Table::ac1).attach(Measured::new(value, labels.len())),
        None => Measured::undefined(Undefined::new(Reason::NoSamples)),
    };
    Ok(ValidateReport {
        judge: judge.to_owned(),
        verdict,
        n: labels.len() as u64,
        positives: labels.iter().filter(|&&label| label).count() as u64,
        undefined,
        raw: proportion(&agreeing, &clusters, ProportionInterval::Wilson, params)?,
        kappa: resampled(Table::kappa).attach(cohen_kappa(&labels, &verdicts)?),
        ac1,
        precision: classes.precision,
        recall: classes.recall,
        balanced_accuracy: classes.balanced_accuracy,
        disagreements,
    })
}

/// Verdicts against labels of one resample.
#[derive(Debug, Clone, Copy, Default)]
struct Table {
    n: f64,
    agreeing: f64,
    verdicts: f64,
    labels: f64,
}

impl Table {
    fn of(pairs: impl Iterator<Item = (bool, bool)>) -> Self {
        let mut table = Self::default();
        for (verdict, label) in pairs {
            table.n += 1.0;
            table.agreeing += f64::from(u8::from(verdict == label));
            table.verdicts += f64::from(u8::from(verdict));
            table.labels += f64::from(u8::from(label));
        }
        table
    }

    fn beyond(&self, chance: f64) -> Option<f64> {
        (self.n > 0.0 && chance < 1.0).then(|| (self.agreeing / self.n - chance) / (1.0 - chance))
    }

    fn kappa(&self) -> Option<f64> {
        let (verdicts, labels) = (self.verdicts / self.n, self.labels / self.n);
        self.beyond(verdicts * labels + (1.0 - verdicts) * (1.0 - labels))
    }

    fn ac1(&self) -> Option<f64> {
        let prevalence = (self.verdicts + self.labels) / (2.0 * self.n);
        self.beyond(2.0 * prevalence * (1.0 - prevalence))
    }
}

#[cfg(test)]
mod tests;
