//! MCIP on the questions that every setting got wrong, compared by question.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Measured, Reason, Result, Undefined,
    hypothesis::{TestOutcome, holm_measured, paired_t, student_t, welch_t},
    input,
    intervals::{BootstrapParams, Clusters, plain_mean},
};

/// Answers of one setting, one row an answer.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a, Id> {
    /// Its name, e.g. `direct` or `search`.
    pub name: &'a str,
    /// Question of each answer; a question may stand several times.
    pub ids: &'a [Id],
    /// Stated confidence of each answer.
    pub confidences: &'a [f64],
    /// Whether each answer is right.
    pub outcomes: &'a [bool],
}

/// MCIP of all settings on their common wrong questions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct McipCommon {
    /// Questions that stand in every setting.
    pub shared_questions: u64,
    /// Those that every setting got wrong each time it answered.
    pub common_wrong_questions: u64,
    /// One row a setting, in the order given.
    pub settings: Vec<SettingMcip>,
    /// One row for each pair of settings.
    pub pairs: Vec<PairComparison>,
}

/// One setting's number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SettingMcip {
    /// The setting.
    pub name: String,
    /// Mean confidence on the common wrong questions, with its bootstrap interval.
    pub mcip_common: Measured,
}

/// Two settings on the same questions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PairComparison {
    /// First setting.
    pub first: String,
    /// Second setting.
    pub second: String,
    /// Mean of first minus second over questions, with its paired bootstrap interval.
    pub difference: Measured,
    /// Paired t test by question: the one that fits the design.
    pub paired: TestOutcome,
    /// Student's t of independent samples, as the paper has it.
    pub student: TestOutcome,
    /// Welch's t of independent samples.
    pub welch: TestOutcome,
    /// Holm-adjusted p of the paired tests over all pairs.
    pub paired_p_holm: Measured,
    /// Holm-adjusted p of Student's tests.
    pub student_p_holm: Measured,
    /// Holm-adjusted p of Welch's tests.
    pub welch_p_holm: Measured,
}

/// Mean confidence on the questions that every setting got wrong, with tests between each pair of settings.
///
/// # Shapes and units
/// - `settings`: each with `[n]` ids, probabilities in `[0, 1]` and outcomes; the lengths of settings may differ.
/// - returns: probabilities; differences are first minus second. A question that a setting answered several
///   times counts as wrong when all its answers are, with their mean confidence.
///
/// # Errors
/// [`StatsError::UnpairedLengths`](crate::StatsError), [`StatsError::NotAProbability`](crate::StatsError).
/// Undefined: `no_samples` without settings' answers, `no_common_items` when no question stands in every setting,
/// `no_wrong_answers` when each shared question was answered right by someone; tests as in [`paired_t`].
///
/// # Source
/// CAR §3.2 (MCIP on the intersection of wrong questions, t tests between configurations). Differences: paired test
/// and bootstrap, Holm adjustment.
///
/// # Examples
/// ```
/// use humbly_stats::{calibration::{Setting, mcip_common}, intervals::BootstrapParams};
/// let ids = ["a", "b", "c"];
/// let direct =
///     Setting { name: "direct", ids: &ids, confidences: &[0.5, 0.6, 0.9], outcomes: &[false, false, true] };
/// let search =
///     Setting { name: "search", ids: &ids, confidences: &[0.8, 0.7, 0.9], outcomes: &[false, false, false] };
/// let common = mcip_common(&[direct, search], &BootstrapParams::seeded(1))?;
/// assert_eq!(common.common_wrong_questions, 2);
/// assert!((common.pairs[0].difference.value().unwrap() + 0.2).abs() < 1e-12);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn mcip_common<Id: Ord>(settings: &[Setting<'_, Id>], params: &BootstrapParams) -> Result<McipCommon> {
    let questions: Vec<BTreeMap<&Id, Answers>> = settings.iter().map(by_question).collect::<Result<_>>()?;
    let shared: Vec<&Id> = match questions.split_first() {
        None => Vec::new(),
        Some((first, others)) => {
            first.keys().copied().filter(|id| others.iter().all(|other| other.contains_key(id))).collect()
        }
    };
    let confidences = |id: &Id| -> Option<Vec<f64>> {
        questions.iter().map(|answers| answers.get(id).and_then(Answers::mean_if_wrong)).collect()
    };
    // [question][setting]
    let rows: Vec<Vec<f64>> = shared.iter().filter_map(|id| confidences(id)).collect();
    let columns: Vec<Vec<f64>> =
        (0..settings.len()).map(|setting| rows.iter().map(|row| row[setting]).collect()).collect();
    let nothing = absence(&questions, shared.len());
    let clusters = Clusters::independent(rows.len())?;
    let measure = |values: &[f64]| {
        if values.is_empty() {
            Ok(Measured::undefined(nothing.clone()))
        } else {
            plain_mean(values, &clusters, params)
        }
    };

    let mut by_setting = Vec::with_capacity(settings.len());
    let mut pairs = Vec::new();
    for (position, (setting, column)) in settings.iter().zip(&columns).enumerate() {
        by_setting.push(SettingMcip { name: setting.name.to_owned(), mcip_common: measure(column)? });
        for (other, other_column) in settings.iter().zip(&columns).skip(position + 1) {
            let differences: Vec<f64> =
                column.iter().zip(other_column).map(|(first, second)| first - second).collect();
            let paired = paired_t(column, other_column)?;
            let student = student_t(column, other_column)?;
            let welch = welch_t(column, other_column)?;
            pairs.push(PairComparison {
                first: setting.name.to_owned(),
                second: other.name.to_owned(),
                difference: measure(&differences)?,
                paired_p_holm: paired.p.clone(),
                student_p_holm: student.p.clone(),
                welch_p_holm: welch.p.clone(),
                paired,
                student,
                welch,
            });
        }
    }
    adjust(&mut pairs, |pair| &mut pair.paired_p_holm)?;
    adjust(&mut pairs, |pair| &mut pair.student_p_holm)?;
    adjust(&mut pairs, |pair| &mut pair.welch_p_holm)?;
    Ok(McipCommon {
        shared_questions: shared.len() as u64,
        common_wrong_questions: rows.len() as u64,
        settings: by_setting,
        pairs,
    })
}

/// Answers of one setting to one question.
#[derive(Default)]
struct Answers {
    confidence: f64,
    n: usize,
    any_right: bool,
}

impl Answers {
    fn mean_if_wrong(&self) -> Option<f64> {
        (!self.any_right).then(|| self.confidence / self.n as f64)
    }
}

fn by_question<'a, Id: Ord>(setting: &Setting<'a, Id>) -> Result<BTreeMap<&'a Id, Answers>> {
    input::paired(setting.ids.len(), setting.confidences.len())?;
    input::forecasts(setting.confidences, setting.outcomes)?;
    let mut questions: BTreeMap<&Id, Answers> = BTreeMap::new();
    for ((id, confidence), &outcome) in setting.ids.iter().zip(setting.confidences).zip(setting.outcomes) {
        let answers = questions.entry(id).or_default();
        answers.confidence += confidence;
        answers.n += 1;
        answers.any_right |= outcome;
    }
    Ok(questions)
}

fn absence<Id>(questions: &[BTreeMap<&Id, Answers>], shared: usize) -> Undefined {
    if questions.iter().all(BTreeMap::is_empty) {
        Undefined::new(Reason::NoSamples)
    } else if shared == 0 {
        Undefined::new(Reason::NoCommonItems)
    } else {
        let detail = format!("none of {shared} shared questions is wrong in every setting");
        Undefined::with_detail(Reason::NoWrongAnswers, detail)
    }
}

fn adjust(pairs: &mut [PairComparison], p: impl Fn(&mut PairComparison) -> &mut Measured) -> Result<()> {
    let raw: Vec<Measured> = pairs.iter_mut().map(|pair| p(pair).clone()).collect();
    for (pair, adjusted) in pairs.iter_mut().zip(holm_measured(&raw)?) {
        *p(pair) = adjusted;
    }
    Ok(())
}
