//! Attribution of uncertainty to the data or to the model (UA §3.3).
//!
//! The released evaluation divides the misses of each label by the size of the other set; `balanced` divides them
//! by their own. Which one was used is part of the result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Measured, Reason, Result, StatsError, Undefined, input,
    intervals::{BootstrapParams, Clusters, ProportionInterval, bootstrap_statistic, proportion},
};

/// What an agent finally gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// An answer.
    Answer,
    /// The question is uncertain: `<DATA_UNCERTAIN>`.
    DataUncertain,
    /// The model is uncertain: `<MODEL_UNCERTAIN>` or "I don't know".
    ModelUncertain,
    /// Nothing could be extracted: never an answer.
    Unparsable,
}

/// How the F1 of a label divides its misses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum F1Rule {
    /// By the other set, as the released evaluation computes it.
    #[default]
    Released,
    /// By the label's own set.
    Balanced,
}

/// Counts on the unanswerable set U and the missed answerable set `A_E`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct AttributionCounts {
    /// N, the unanswerable questions.
    pub unanswerable: u64,
    /// M, the answerable questions that were not answered correctly, abstentions included.
    pub missed: u64,
    /// DATA on the unanswerable: right.
    pub data_on_unanswerable: u64,
    /// DATA on the missed: wrong.
    pub data_on_missed: u64,
    /// MODEL on the missed: right.
    pub model_on_missed: u64,
    /// MODEL on the unanswerable: wrong.
    pub model_on_unanswerable: u64,
}

/// F1 of both labels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AttributionScores {
    /// How misses were divided.
    pub rule: F1Rule,
    /// DU-F1.
    pub data: Measured,
    /// MU-F1.
    pub model: Measured,
    /// AVG-F1, their mean.
    pub average: Measured,
}

/// One form in the confusion table: counts, and shares with Wilson's intervals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConfusionRow {
    /// The form.
    pub form: Form,
    /// On unanswerable questions.
    pub unanswerable: u64,
    /// On answerable questions answered correctly (only answers can be).
    pub answered_correctly: u64,
    /// On the other answerable questions.
    pub missed: u64,
    /// Share of the outputs on unanswerable questions that have this form.
    pub unanswerable_share: Measured,
    /// Share of the outputs on answerable questions that have it and are right.
    pub answered_correctly_share: Measured,
    /// Share of the outputs on answerable questions that have it and are not right.
    pub missed_share: Measured,
}

/// Attribution of one group of questions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Attribution {
    /// Share of the answerable questions answered correctly (ACC).
    pub accuracy: Measured,
    /// F1 of both labels, with bootstrap intervals.
    pub scores: AttributionScores,
    /// The counts behind them.
    pub counts: AttributionCounts,
    /// Forms against what the questions were.
    pub confusion: Vec<ConfusionRow>,
}

const FORMS: [Form; 4] = [Form::Answer, Form::DataUncertain, Form::ModelUncertain, Form::Unparsable];

impl AttributionCounts {
    /// DU-F1, MU-F1 and their mean from counts, without intervals.
    ///
    /// # Shapes and units
    /// - returns: scores in `[0, 1]`; `n` is N + M.
    ///
    /// # Errors
    /// [`StatsError::MoreSuccessesThanTrials`] when the labels given on a set outnumber it. All three undefined:
    /// `no_unanswerable` when N is 0, `no_wrong_answers` when M is 0, `no_samples` when both are.
    ///
    /// # Source
    /// UA §3.3 and its released evaluation: with tp, fp and fn as shares, F1 = 2 tp / (2 tp + fp + fn).
    ///
    /// # Examples
    /// ```
    /// use humbly_stats::attribution::{AttributionCounts, F1Rule};
    /// let counts = AttributionCounts {
    ///     unanswerable: 4, missed: 6, data_on_unanswerable: 3, data_on_missed: 2, model_on_missed: 3,
    ///     model_on_unanswerable: 1,
    /// };
    /// let scores = counts.scores(F1Rule::Released)?;
    /// assert!((scores.average.value().unwrap() - 0.625).abs() < 1e-12);
    /// # Ok::<(), humbly_stats::StatsError>(())
    /// ```
    pub fn scores(&self, rule: F1Rule) -> Result<AttributionScores> {
        let within = |labelled: u64, all: u64| {
            if labelled <= all {
                return Ok(());
            }
            let count = |value| usize::try_from(value).unwrap_or(usize::MAX);
            Err(StatsError::MoreSuccessesThanTrials { successes: count(labelled), trials: count(all) })
        };
        within(self.data_on_unanswerable + self.model_on_unanswerable, self.unanswerable)?;
        within(self.data_on_missed + self.model_on_missed, self.missed)?;
        let n = usize::try_from(self.unanswerable + self.missed).unwrap_or(usize::MAX);
        let score = |value: Option<f64>| match value {
            Some(value) => Measured::new(value, n),
            None => Measured::undefined(Undefined::new(self.absence())).with_n(n),
        };
        Ok(AttributionScores {
            rule,
            data: score(self.data_f1(rule)),
            model: score(self.model_f1(rule)),
            average: score(self.average_f1(rule)),
        })
    }

    fn absence(&self) -> Reason {
        match (self.unanswerable, self.missed) {
            (0, 0) => Reason::NoSamples,
            (0, _) => Reason::NoUnanswerable,
            _ => Reason::NoWrongAnswers,
        }
    }

    fn data_f1(&self, rule: F1Rule) -> Option<f64> {
        f1((self.data_on_unanswerable, self.unanswerable), (self.data_on_missed, self.missed), rule)
    }

    fn model_f1(&self, rule: F1Rule) -> Option<f64> {
        f1((self.model_on_missed, self.missed), (self.model_on_unanswerable, self.unanswerable), rule)
    }

    fn average_f1(&self, rule: F1Rule) -> Option<f64> {
        Some(f64::midpoint(self.data_f1(rule)?, self.model_f1(rule)?))
    }

    fn add(&mut self, form: Form, answerable: bool, correct: bool) {
        let labels = if !answerable {
            self.unanswerable += 1;
            (&mut self.data_on_unanswerable, &mut self.model_on_unanswerable)
        } else if form == Form::Answer && correct {
            return;
        } else {
            self.missed += 1;
            (&mut self.data_on_missed, &mut self.model_on_missed)
        };
        match form {
            Form::DataUncertain => *labels.0 += 1,
            Form::ModelUncertain => *labels.1 += 1,
            Form::Answer | Form::Unparsable => {}
        }
    }
}

/// F1 from (label given, size) on the label's own set and on the other one; `None` when a set is empty.
fn f1(own: (u64, u64), other: (u64, u64), rule: F1Rule) -> Option<f64> {
    if own.1 == 0 || other.1 == 0 {
        return None;
    }
    let (own_size, other_size) = (own.1 as f64, other.1 as f64);
    let hits = own.0 as f64 / own_size;
    let false_alarms = other.0 as f64 / other_size;
    let misses = (own.1 - own.0) as f64
        / match rule {
            F1Rule::Released => other_size,
            F1Rule::Balanced => own_size,
        };
    // Hits and misses are never both 0: the own set is not empty.
    Some(2.0 * hits / (2.0 * hits + false_alarms + misses))
}

/// Answer forms, and whether each question is answerable and was answered correctly, one row a question.
#[derive(Debug, Clone, Copy)]
pub struct AttributionRows<'a> {
    /// Form of each output.
    pub forms: &'a [Form],
    /// Whether each question has an answer.
    pub answerable: &'a [bool],
    /// Whether each answer is right; read only where an answer was given to an answerable question.
    pub correct: &'a [bool],
}

impl AttributionRows<'_> {
    fn is_right(&self, row: usize) -> bool {
        self.forms[row] == Form::Answer && self.correct[row]
    }
}

/// ACC, DU-F1, MU-F1 and AVG-F1 of outputs, with intervals and the confusion table.
///
/// # Shapes and units
/// - `rows`: three columns `[n]`; `clusters`: the questions of the same rows.
/// - returns: scores in `[0, 1]`; accuracy with Wilson's interval, F1 with a percentile bootstrap of the rows.
///
/// # Errors
/// [`StatsError::UnpairedLengths`]. Accuracy is undefined (`no_samples`) without answerable questions; the F1 scores as in
/// [`AttributionCounts::scores`].
///
/// # Source
/// UA §3.3.
///
/// # Examples
/// ```
/// use humbly_stats::attribution::{AttributionRows, F1Rule, Form, attribution};
/// use humbly_stats::intervals::{BootstrapParams, Clusters};
/// let rows = AttributionRows {
///     forms: &[Form::DataUncertain, Form::Answer, Form::ModelUncertain],
///     answerable: &[false, true, true],
///     correct: &[false, true, false],
/// };
/// let params = BootstrapParams::seeded(1);
/// let result = attribution(&rows, F1Rule::Balanced, &Clusters::independent(3)?, &params)?;
/// assert_eq!((result.accuracy.value(), result.scores.average.value()), (Some(0.5), Some(1.0)));
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn attribution(
    rows: &AttributionRows<'_>,
    rule: F1Rule,
    clusters: &Clusters,
    params: &BootstrapParams,
) -> Result<Attribution> {
    let AttributionRows { forms, answerable, correct } = *rows;
    input::paired(forms.len(), answerable.len())?;
    input::paired(forms.len(), correct.len())?;
    input::paired(forms.len(), clusters.observations())?;
    let mut counts = AttributionCounts::default();
    for (index, &form) in forms.iter().enumerate() {
        counts.add(form, answerable[index], correct[index]);
    }
    let confusion = FORMS
        .iter()
        .map(|&form| confusion_row(rows, form, clusters, params))
        .collect::<Result<Vec<ConfusionRow>>>()?;
    let mut scores = counts.scores(rule)?;
    for (score, statistic) in [
        (&mut scores.data, AttributionCounts::data_f1 as fn(&AttributionCounts, F1Rule) -> Option<f64>),
        (&mut scores.model, AttributionCounts::model_f1),
        (&mut scores.average, AttributionCounts::average_f1),
    ] {
        if score.value().is_none() {
            continue;
        }
        let resampled = bootstrap_statistic(
            clusters,
            params,
            || (),
            |(), drawn| {
                let mut counts = AttributionCounts::default();
                for &row in drawn {
                    let row = row as usize;
                    counts.add(forms[row], answerable[row], correct[row]);
                }
                statistic(&counts, rule)
            },
        );
        *score = resampled.attach(score.clone());
    }
    Ok(Attribution { accuracy: accuracy(rows, clusters, params)?, scores, counts, confusion })
}

fn accuracy(rows: &AttributionRows<'_>, clusters: &Clusters, params: &BootstrapParams) -> Result<Measured> {
    share(clusters, params, |row| rows.answerable[row], |row| rows.is_right(row))
}

fn confusion_row(
    rows: &AttributionRows<'_>,
    form: Form,
    clusters: &Clusters,
    params: &BootstrapParams,
) -> Result<ConfusionRow> {
    let has_form = |row: usize| rows.forms[row] == form;
    let unanswerable = share(clusters, params, |row| !rows.answerable[row], has_form)?;
    let is_answerable = |row: usize| rows.answerable[row];
    let right = share(clusters, params, is_answerable, |row| has_form(row) && rows.is_right(row))?;
    let missed = share(clusters, params, is_answerable, |row| has_form(row) && !rows.is_right(row))?;
    let count = |share: &Measured| share.numerator.unwrap_or(0);
    Ok(ConfusionRow {
        form,
        unanswerable: count(&unanswerable),
        answered_correctly: count(&right),
        missed: count(&missed),
        unanswerable_share: unanswerable,
        answered_correctly_share: right,
        missed_share: missed,
    })
}

/// How many of these rows are so, as a share.
fn share(
    clusters: &Clusters,
    params: &BootstrapParams,
    of: impl Fn(usize) -> bool,
    is: impl Fn(usize) -> bool,
) -> Result<Measured> {
    let mut ids = Vec::new();
    let mut outcomes = Vec::new();
    for (cluster, members) in clusters.iter().enumerate() {
        for row in members.iter().map(|&row| row as usize).filter(|&row| of(row)) {
            ids.push(cluster);
            outcomes.push(is(row));
        }
    }
    proportion(&outcomes, &Clusters::by_id(&ids)?, ProportionInterval::Wilson, params)
}
