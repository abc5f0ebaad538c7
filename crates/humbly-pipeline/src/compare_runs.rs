//! Two runs compared sample by sample: tests on pairs, and which samples changed.

use std::collections::{BTreeMap, BTreeSet};

use humbly_score::TrajectoryRow;
use humbly_stats::comparison::{Comparison, Design, Scores, compare};
use humbly_stats::hypothesis::{holm_measured, paired_t};
use humbly_stats::intervals::{BootstrapParams, Clusters, mean};
use humbly_types::{Measured, Problem, Reason, Split, Verdict};
use serde::Serialize;

use crate::scored_runs::ScoredRun;

/// Two runs, compared.
#[derive(Debug, Clone, Serialize)]
pub struct RunComparison {
    /// The first run.
    pub first_name: String,
    /// The second run.
    pub second_name: String,
    /// Judge of both.
    pub judge: String,
    /// What a pair has in common.
    pub paired_by: Vec<&'static str>,
    /// In what the runs differ as a whole, e.g. in their one model.
    pub differ_in: Vec<Difference>,
    /// Pairs.
    pub shared: u64,
    /// Samples of the first run without a match.
    pub only_first: Vec<String>,
    /// Samples of the second run without a match.
    pub only_second: Vec<String>,
    /// The measures, each over its set.
    pub measures: Vec<MeasureComparison>,
}

/// A field in which two runs differ as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The field.
    pub field: &'static str,
    /// In the first run.
    pub first: Option<String>,
    /// In the second run.
    pub second: Option<String>,
}

/// One measure over one set of pairs.
#[derive(Debug, Clone, Serialize)]
pub struct MeasureComparison {
    /// `correct`, `identify`, `escalate`, `utility`, `tool_calls`.
    pub measure: &'static str,
    /// `conflict`, `control`, or `all` where nothing has a split.
    pub set: &'static str,
    /// The numbers; differences are second − first.
    #[serde(flatten)]
    pub comparison: Comparison,
    /// p, adjusted by Holm over all measures of the comparison.
    pub p_holm: Measured,
    /// Questions that stand in several pairs (conditions, seeds, repeats): the interval resamples whole questions,
    /// the test takes pairs as independent.
    pub repeated_questions: u64,
    /// Pairs in which a side is undefined, by reason.
    pub left_out: BTreeMap<String, u64>,
    /// Samples that went from no to yes (outcomes only), as the first run names them.
    pub gained: Vec<String>,
    /// Samples that went from yes to no.
    pub lost: Vec<String>,
}

/// Compares two runs of one suite.
///
/// Samples are paired by task, agent, model, condition, seed and repeat; a field in which each run has one value,
/// and another one, is what is compared and pairs nothing.
///
/// # Errors
/// A [`Problem`] where the runs were judged by different judges, no sample has a match, or two samples of one run
/// cannot be told apart.
///
/// # Undefined
/// A pair with an undefined side is left out and counted; a measure without pairs is undefined.
///
/// # Source
/// `McNemar` (1947) for outcomes, the paired t test for numbers; Holm (1979).
pub fn compare_runs(
    first: &ScoredRun,
    second: &ScoredRun,
    bootstrap: &BootstrapParams,
) -> Result<RunComparison, Problem> {
    if first.judge != second.judge {
        let message = format!("was judged by {}, `{}` by {}", first.judge, second.path, second.judge);
        return Err(Problem::new(first.path.as_str(), message).hint("judge both by one judge"));
    }
    let (fields_of_first, fields_of_second) = (fields(&first.rows), fields(&second.rows));
    let mut differ_in = Vec::new();
    let mut paired_by = vec!["task"];
    let mut kept = [true; FIELDS.len()];
    for (place, field) in FIELDS.iter().enumerate() {
        let values = |rows: &[Fields]| rows.iter().map(|row| row.of[place].clone()).collect::<BTreeSet<_>>();
        let (one, two) = (values(&fields_of_first), values(&fields_of_second));
        let singles = (single(&one), single(&two));
        if let (Some(first), Some(second)) = singles
            && first != second
        {
            kept[place] = false;
            differ_in.push(Difference { field, first: first.clone(), second: second.clone() });
        } else if one.len() + two.len() > 2 || one.iter().any(Option::is_some) {
            paired_by.push(field);
        }
    }
    let one = by_key(first, &fields_of_first, kept)?;
    let two = by_key(second, &fields_of_second, kept)?;
    let pairs: Vec<(&TrajectoryRow, &TrajectoryRow)> =
        one.iter().filter_map(|(key, row)| Some((*row, *two.get(key)?))).collect();
    if pairs.is_empty() {
        let example = |run: &ScoredRun| run.rows.first().map_or("nothing", |row| row.id.as_str()).to_owned();
        let message = format!(
            "no sample has its match in `{}`: samples here are like `{}`, there like `{}`",
            second.path,
            example(first),
            example(second)
        );
        return Err(Problem::new(first.path.as_str(), message)
            .hint(format!("runs of one suite are compared; pairs are formed by {}", paired_by.join(", "))));
    }
    let only = |these: &BTreeMap<Key, &TrajectoryRow>, others: &BTreeMap<Key, &TrajectoryRow>| {
        let unmatched = these.iter().filter(|(key, _)| !others.contains_key(*key));
        unmatched.map(|(_, row)| row.id.clone()).collect()
    };
    Ok(RunComparison {
        first_name: first.path.clone(),
        second_name: second.path.clone(),
        judge: first.judge.clone(),
        paired_by,
        differ_in,
        shared: pairs.len() as u64,
        only_first: only(&one, &two),
        only_second: only(&two, &one),
        measures: measures(&pairs, bootstrap)
            .map_err(|error| Problem::new(first.path.as_str(), error.to_string()))?,
    })
}

const FIELDS: [&str; 5] = ["agent", "model", "condition", "seed", "repeat"];
type Key = (String, [Option<String>; FIELDS.len()]);

struct Fields {
    task: String,
    of: [Option<String>; FIELDS.len()],
}

/// Seed and repeat stand in the key of a run's sample: task, model, protocol, condition, seed, repeat.
fn fields(rows: &[TrajectoryRow]) -> Vec<Fields> {
    let of = |row: &TrajectoryRow| {
        let parts: Vec<&str> = row.id.rsplitn(6, '|').collect();
        let (repeat, seed) = match parts.as_slice() {
            [repeat, seed, _, _, _, task] if row.task.as_deref() == Some(*task) => {
                (Some((*repeat).to_owned()), Some((*seed).to_owned()))
            }
            _ => (None, None),
        };
        Fields {
            task: row.task.clone().unwrap_or_else(|| row.id.clone()),
            of: [row.agent.clone(), row.model.clone(), row.condition.clone(), seed, repeat],
        }
    };
    rows.iter().map(of).collect()
}

fn single(values: &BTreeSet<Option<String>>) -> Option<&Option<String>> {
    if values.len() == 1 { values.first() } else { None }
}

fn by_key<'a>(
    run: &'a ScoredRun,
    fields: &[Fields],
    kept: [bool; FIELDS.len()],
) -> Result<BTreeMap<Key, &'a TrajectoryRow>, Problem> {
    let mut rows: BTreeMap<Key, &TrajectoryRow> = BTreeMap::new();
    for (row, fields) in run.rows.iter().zip(fields) {
        let mut of = fields.of.clone();
        for (value, is_kept) in of.iter_mut().zip(kept) {
            if !is_kept {
                *value = None;
            }
        }
        if let Some(before) = rows.insert((fields.task.clone(), of), row) {
            let message =
                format!("`{}` and `{}` cannot be told apart by what pairs samples", before.id, row.id);
            return Err(Problem::new(run.path.as_str(), message)
                .hint("compare runs with one trajectory for each task, model, condition, seed and repeat"));
        }
    }
    Ok(rows)
}

type Value = fn(&TrajectoryRow) -> Result<f64, Reason>;

const MEASURES: [(&str, bool, Value); 5] = [
    ("correct", true, |row| outcome(&row.correct)),
    ("identify", true, |row| outcome(&row.identify)),
    ("escalate", true, |row| outcome(&row.escalate)),
    ("utility", false, utility),
    ("tool_calls", false, |row| Ok(f64::from(row.tool_calls))),
];

fn outcome(verdict: &Verdict) -> Result<f64, Reason> {
    match (verdict.value, &verdict.undefined) {
        (Some(value), _) => Ok(f64::from(u8::from(value))),
        (None, Some(undefined)) => Err(undefined.reason),
        (None, None) => Err(Reason::NotRecorded),
    }
}

/// +1 right, 0 escalated or abstained, −1 wrong.
fn utility(row: &TrajectoryRow) -> Result<f64, Reason> {
    let is_right = outcome(&row.correct)? > 0.5;
    let held_back = row.escalate.is_yes() || row.refusal.is_yes();
    Ok(match (is_right, held_back) {
        (true, _) => 1.0,
        (false, true) => 0.0,
        (false, false) => -1.0,
    })
}

fn measures(
    pairs: &[(&TrajectoryRow, &TrajectoryRow)],
    bootstrap: &BootstrapParams,
) -> humbly_stats::Result<Vec<MeasureComparison>> {
    let has_splits = pairs.iter().any(|(row, _)| row.split.is_some());
    let sets: &[(&str, Option<Split>)] = if has_splits {
        &[("conflict", Some(Split::Conflict)), ("control", Some(Split::Control))]
    } else {
        &[("all", None)]
    };
    let mut found = Vec::new();
    for (set, split) in sets {
        let members: Vec<_> = pairs.iter().filter(|(row, _)| row.split == *split).collect();
        if members.is_empty() {
            continue;
        }
        for (measure, is_outcome, value) in MEASURES {
            let mut left_out: BTreeMap<String, u64> = BTreeMap::new();
            let (mut ids, mut questions) = (Vec::new(), Vec::new());
            let (mut before, mut after) = (Vec::new(), Vec::new());
            let (mut gained, mut lost) = (Vec::new(), Vec::new());
            for (one, two) in &members {
                match (excluded(one).and_then(|()| value(one)), excluded(two).and_then(|()| value(two))) {
                    (Ok(first), Ok(second)) => {
                        ids.push(one.id.as_str());
                        questions.push(one.task.as_deref().unwrap_or(&one.id));
                        before.push(first);
                        after.push(second);
                        if is_outcome && second > first {
                            gained.push(one.id.clone());
                        } else if is_outcome && second < first {
                            lost.push(one.id.clone());
                        }
                    }
                    (Err(reason), _) | (_, Err(reason)) => {
                        *left_out.entry(reason.code().to_owned()).or_default() += 1;
                    }
                }
            }
            let scores = |values| Scores { ids: &ids, values };
            let mut comparison = compare(&scores(&before), &scores(&after), bootstrap)?;
            // Without a pair nothing was compared, and surely nothing as independent samples.
            comparison.design = Design::Paired;
            if !is_outcome {
                comparison.test = paired_t(&before, &after)?;
                comparison.flips = None;
            }
            let clusters = Clusters::by_id(&questions)?;
            if clusters.has_repeats() {
                let differences: Vec<f64> = before.iter().zip(&after).map(|(one, two)| two - one).collect();
                comparison.difference = mean(&differences, &clusters, bootstrap)?;
            }
            let distinct: BTreeSet<&str> = questions.iter().copied().collect();
            found.push(MeasureComparison {
                measure,
                set,
                p_holm: comparison.test.p.clone(),
                comparison,
                repeated_questions: if questions.len() > distinct.len() { distinct.len() as u64 } else { 0 },
                left_out,
                gained,
                lost,
            });
        }
    }
    let p: Vec<Measured> = found.iter().map(|measure| measure.comparison.test.p.clone()).collect();
    for (measure, p_holm) in found.iter_mut().zip(holm_measured(&p)?) {
        measure.p_holm = p_holm;
    }
    Ok(found)
}

fn excluded(row: &TrajectoryRow) -> Result<(), Reason> {
    row.excluded.as_ref().map_or(Ok(()), |undefined| Err(undefined.reason))
}
