//! People against each other, and judges against people.

use std::collections::{BTreeMap, BTreeSet};

use humbly_judge::VerdictKind;
use humbly_stats::agreement::{Ratings, fleiss_kappa, gwet_ac1, krippendorff_alpha};
use humbly_stats::intervals::{BootstrapParams, Clusters, bootstrap_mean, bootstrap_statistic};
use humbly_stats::{Measured, Reason, Undefined};
use serde::Serialize;

use super::read::cell;
use super::{Annotations, KeyRow};
use crate::{Coefficients, ModelJudgeError, Result};

/// What the filled sheets say.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SheetReport {
    /// What was asked; `None` for an empty key.
    pub question: Option<VerdictKind>,
    /// The people, in order.
    pub annotators: Vec<String>,
    /// Rows of the sheet.
    pub items: u64,
    /// Rows that every person labelled.
    pub complete: u64,
    /// Rows on which as many people say yes as no: they have no majority.
    pub ties: u64,
    /// Rows that nobody labelled.
    pub unlabelled: u64,
    /// People against each other.
    pub people: HumanAgreement,
    /// Each judge of the key against people.
    pub judges: Vec<JudgeAgainstPeople>,
}

/// People against each other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HumanAgreement {
    /// Mean share of agreeing pairs of people, over the rows that two or more labelled.
    pub raw: Measured,
    /// Fleiss' κ over the rows that everybody labelled.
    pub fleiss_kappa: Measured,
    /// Gwet's AC1.
    pub ac1: Measured,
    /// Krippendorff's α.
    pub krippendorff_alpha: Measured,
    /// Share of yes among all labels.
    pub prevalence: Measured,
    /// Each pair of people.
    pub pairs: Vec<PairOfPeople>,
}

/// Two people.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairOfPeople {
    /// One.
    pub first: String,
    /// The other.
    pub second: String,
    /// The numbers.
    #[serde(flatten)]
    pub coefficients: Coefficients,
}

/// A judge against people.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgeAgainstPeople {
    /// The judge.
    pub judge: String,
    /// Rows without a verdict of this judge: left out.
    pub without_verdict: u64,
    /// Against the majority of the people.
    pub majority: Coefficients,
    /// Against each person, by name.
    pub each: BTreeMap<String, Coefficients>,
    /// Mean of the raw agreements with each person.
    pub mean_raw: Measured,
}

/// Compares filled sheets with each other and with the judges of the key.
///
/// # Shapes and units
/// - `key`: one row a sheet row; `sheets`: one a person, rows in any order, some may be missing.
/// - returns: shares in `[0, 1]`, coefficients at most 1. Raw agreement and Fleiss' κ have bootstrap intervals
///   over rows.
///
/// # Errors
/// [`ModelJudgeError::Cell`] for a number that the key does not have, [`ModelJudgeError::RepeatedAnnotator`].
///
/// # Undefined
/// As in [`humbly_stats::agreement`]; a row without majority is in `ties` and in no comparison with a majority.
///
/// # Source
/// EH App. D.2, Table 7.
pub fn sheet_report(key: &[KeyRow], sheets: &[Annotations], params: &BootstrapParams) -> Result<SheetReport> {
    let places: BTreeMap<&str, usize> =
        key.iter().enumerate().map(|(place, row)| (row.id.as_str(), place)).collect();
    let mut names = BTreeSet::new();
    let mut labels: Vec<Vec<Option<bool>>> = Vec::with_capacity(sheets.len());
    for sheet in sheets {
        if !names.insert(sheet.annotator.as_str()) {
            return Err(ModelJudgeError::RepeatedAnnotator { name: sheet.annotator.clone() });
        }
        let mut own = vec![None; key.len()];
        for row in &sheet.rows {
            let slot =
                places.get(row.id.as_str()).and_then(|&place| own.get_mut(place)).ok_or_else(|| {
                    let found = format!("`{}` in the sheet of `{}`", row.id, sheet.annotator);
                    cell(row.row, "id", &found, "a number that the key has")
                })?;
            *slot = row.label;
        }
        labels.push(own);
    }
    let of_row = |place: usize| labels.iter().filter_map(move |own| own.get(place).copied().flatten());
    let counts: Vec<(usize, usize)> = (0..key.len())
        .map(|place| {
            let yes = of_row(place).filter(|label| *label).count();
            (yes, of_row(place).count() - yes)
        })
        .collect();
    let majority: Vec<Option<bool>> =
        counts.iter().map(|(yes, no)| (yes != no).then_some(yes > no)).collect();
    let count =
        |holds: &dyn Fn(&(usize, usize)) -> bool| counts.iter().filter(|row| holds(row)).count() as u64;
    let judges: BTreeSet<&str> =
        key.iter().flat_map(|row| row.item.verdicts.keys().map(String::as_str)).collect();
    let against = |judge: &str| -> Result<JudgeAgainstPeople> {
        let verdicts: Vec<Option<bool>> =
            key.iter().map(|row| row.item.verdicts.get(judge).copied().flatten()).collect();
        let with = |people: &[Option<bool>]| Coefficients::of(&pairs(&verdicts, people), params);
        let each = sheets
            .iter()
            .zip(&labels)
            .map(|(sheet, own)| Ok((sheet.annotator.clone(), with(own)?)))
            .collect::<Result<BTreeMap<_, _>>>()?;
        let raws: Vec<f64> = each.values().filter_map(|coefficients| coefficients.raw.value()).collect();
        Ok(JudgeAgainstPeople {
            judge: judge.to_owned(),
            without_verdict: verdicts.iter().filter(|verdict| verdict.is_none()).count() as u64,
            majority: with(&majority)?,
            mean_raw: if raws.is_empty() {
                Measured::undefined(Undefined::new(Reason::NoSamples))
            } else {
                Measured::new(raws.iter().sum::<f64>() / raws.len() as f64, raws.len())
            },
            each,
        })
    };
    Ok(SheetReport {
        question: key.first().map(|row| row.question),
        annotators: sheets.iter().map(|sheet| sheet.annotator.clone()).collect(),
        items: key.len() as u64,
        complete: count(&|(yes, no)| !sheets.is_empty() && yes + no == sheets.len()),
        ties: count(&|(yes, no)| yes == no && *yes > 0),
        unlabelled: count(&|(yes, no)| yes + no == 0),
        people: people(sheets, &labels, &counts, params)?,
        judges: judges.into_iter().map(against).collect::<Result<_>>()?,
    })
}

fn people(
    sheets: &[Annotations],
    labels: &[Vec<Option<bool>>],
    counts: &[(usize, usize)],
    params: &BootstrapParams,
) -> Result<HumanAgreement> {
    let slices: Vec<&[Option<bool>]> = labels.iter().map(Vec::as_slice).collect();
    let all = Ratings::from_raters(&slices)?;
    let complete: Vec<(usize, usize)> =
        counts.iter().copied().filter(|(yes, no)| yes + no == labels.len()).collect();
    let agreements: Vec<f64> = counts.iter().filter_map(pair_agreement).collect();
    let raw = all.raw_agreement();
    let raw = if agreements.len() > 1 {
        let clusters = Clusters::independent(agreements.len())?;
        bootstrap_mean(&agreements, &clusters, params)?.attach(raw)
    } else {
        raw
    };
    let fleiss = fleiss_kappa(&table(&complete)?);
    let fleiss = if complete.len() > 1 {
        let clusters = Clusters::independent(complete.len())?;
        let statistic = |(): &mut (), drawn: &[u32]| {
            fleiss_of(drawn.iter().filter_map(|&row| complete.get(row as usize)))
        };
        bootstrap_statistic(&clusters, params, || (), statistic).attach(fleiss)
    } else {
        fleiss
    };
    let mut pairs_of_people = Vec::new();
    for (index, (first, own)) in sheets.iter().zip(labels).enumerate() {
        for (second, other) in sheets.iter().zip(labels).skip(index + 1) {
            pairs_of_people.push(PairOfPeople {
                first: first.annotator.clone(),
                second: second.annotator.clone(),
                coefficients: Coefficients::of(&pairs(own, other), params)?,
            });
        }
    }
    let yes: usize = counts.iter().map(|(yes, _)| yes).sum();
    let given: usize = counts.iter().map(|(yes, no)| yes + no).sum();
    Ok(HumanAgreement {
        raw,
        fleiss_kappa: fleiss,
        ac1: gwet_ac1(&all).coefficient,
        krippendorff_alpha: krippendorff_alpha(&all),
        prevalence: Measured::proportion(yes, given),
        pairs: pairs_of_people,
    })
}

fn pairs(first: &[Option<bool>], second: &[Option<bool>]) -> Vec<(bool, bool)> {
    first.iter().zip(second).filter_map(|(one, two)| Some(((*one)?, (*two)?))).collect()
}

fn table(counts: &[(usize, usize)]) -> Result<Ratings<bool>> {
    let rows = counts.iter().map(|(yes, no)| vec![*no as u64, *yes as u64]).collect();
    Ok(Ratings::from_counts(vec![false, true], rows)?)
}

/// Share of agreeing pairs of labels of one row; `None` below two labels.
fn pair_agreement((yes, no): &(usize, usize)) -> Option<f64> {
    let (yes, no) = (*yes as f64, *no as f64);
    let total = yes + no;
    (total >= 2.0).then(|| (yes * (yes - 1.0) + no * (no - 1.0)) / (total * (total - 1.0)))
}

/// Fleiss' κ of one resample; `None` where chance agreement is 1.
fn fleiss_of<'a>(rows: impl Iterator<Item = &'a (usize, usize)>) -> Option<f64> {
    let (mut n, mut observed, mut yes, mut given) = (0.0, 0.0, 0.0, 0.0);
    for row in rows {
        n += 1.0;
        observed += pair_agreement(row)?;
        yes += row.0 as f64;
        given += (row.0 + row.1) as f64;
    }
    let share = yes / given;
    let chance = share * share + (1.0 - share) * (1.0 - share);
    (n > 0.0 && chance < 1.0).then(|| (observed / n - chance) / (1.0 - chance))
}
