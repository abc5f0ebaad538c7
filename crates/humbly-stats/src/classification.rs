//! Precision, recall, F1 and balanced accuracy of a yes/no label.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Measured, Reason, Result, Undefined, input,
    intervals::{BootstrapParams, Clusters, ProportionInterval, bootstrap_statistic, proportion},
};

/// How predictions and labels meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Confusion {
    /// Predicted and true.
    pub true_positives: u64,
    /// Predicted, not true.
    pub false_positives: u64,
    /// True, not predicted.
    pub false_negatives: u64,
    /// Neither.
    pub true_negatives: u64,
}

/// The numbers of one yes/no label.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Classification {
    /// The table behind the numbers.
    pub confusion: Confusion,
    /// Share of the predicted that are true.
    pub precision: Measured,
    /// Share of the true that are predicted.
    pub recall: Measured,
    /// Share of the others that are not predicted.
    pub specificity: Measured,
    /// Harmonic mean of precision and recall.
    pub f1: Measured,
    /// Mean of recall and specificity.
    pub balanced_accuracy: Measured,
}

impl Confusion {
    /// Counts the rows.
    ///
    /// # Errors
    /// [`StatsError::UnpairedLengths`](crate::StatsError).
    pub fn of(labels: &[bool], predictions: &[bool]) -> Result<Self> {
        input::paired(labels.len(), predictions.len())?;
        let mut confusion = Self::default();
        for (&label, &prediction) in labels.iter().zip(predictions) {
            confusion.add(label, prediction);
        }
        Ok(confusion)
    }

    fn add(&mut self, label: bool, prediction: bool) {
        *match (label, prediction) {
            (true, true) => &mut self.true_positives,
            (false, true) => &mut self.false_positives,
            (true, false) => &mut self.false_negatives,
            (false, false) => &mut self.true_negatives,
        } += 1;
    }

    fn f1(&self) -> Option<f64> {
        let twice = 2 * self.true_positives;
        let all = twice + self.false_positives + self.false_negatives;
        (all > 0).then(|| twice as f64 / all as f64)
    }

    fn balanced_accuracy(&self) -> Option<f64> {
        let positives = self.true_positives + self.false_negatives;
        let negatives = self.true_negatives + self.false_positives;
        (positives > 0 && negatives > 0).then(|| {
            f64::midpoint(
                self.true_positives as f64 / positives as f64,
                self.true_negatives as f64 / negatives as f64,
            )
        })
    }
}

/// Precision, recall, F1 and balanced accuracy of predictions, with intervals.
///
/// # Shapes and units
/// - `labels`, `predictions`: `[n]`; `clusters`: the questions of the same rows.
/// - returns: rates in `[0, 1]`. Precision, recall and specificity carry Wilson's interval (a cluster bootstrap where
///   questions repeat), F1 and balanced accuracy a percentile bootstrap of the rows.
///
/// # Errors
/// [`StatsError::UnpairedLengths`](crate::StatsError). Undefined: all with `no_samples` when `n` is 0; precision
/// with `no_positives` when nothing is predicted; recall with `no_positives` when nothing is labelled; F1 when
/// neither; specificity and balanced accuracy with `one_class` when a class is missing. F1 is 0, not undefined, when
/// there are labels or predictions and none meet.
///
/// # Source
/// van Rijsbergen (1979); equals `sklearn` `precision_recall_fscore_support(zero_division=nan)`; EH §2.2 (Identify).
///
/// # Examples
/// ```
/// use humbly_stats::classification::classify;
/// use humbly_stats::intervals::{BootstrapParams, Clusters};
/// let (labels, predictions) = ([true, true, false, false], [true, false, true, false]);
/// let result = classify(&labels, &predictions, &Clusters::independent(4)?, &BootstrapParams::seeded(1))?;
/// assert_eq!((result.precision.value(), result.f1.value()), (Some(0.5), Some(0.5)));
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn classify(
    labels: &[bool],
    predictions: &[bool],
    clusters: &Clusters,
    params: &BootstrapParams,
) -> Result<Classification> {
    let confusion = Confusion::of(labels, predictions)?;
    input::paired(labels.len(), clusters.observations())?;
    let rate = |value: Option<f64>, reason, statistic: fn(&Confusion) -> Option<f64>| {
        let n = labels.len();
        match value {
            _ if n == 0 => Measured::undefined(Undefined::new(Reason::NoSamples)),
            None => Measured::undefined(Undefined::new(reason)).with_n(n),
            Some(value) => bootstrap_statistic(
                clusters,
                params,
                || (),
                |(), rows| {
                    let mut resampled = Confusion::default();
                    for &row in rows {
                        resampled.add(labels[row as usize], predictions[row as usize]);
                    }
                    statistic(&resampled)
                },
            )
            .attach(Measured::new(value, n)),
        }
    };
    let share = Conditional { labels, predictions, clusters, params };
    Ok(Classification {
        precision: share.rate("no positive predictions", Reason::NoPositives, |_, prediction| prediction)?,
        recall: share.rate("no positive labels", Reason::NoPositives, |label, _| label)?,
        specificity: share.rate("no negative labels", Reason::OneClass, |label, _| !label)?,
        f1: rate(confusion.f1(), Reason::NoPositives, Confusion::f1),
        balanced_accuracy: rate(
            confusion.balanced_accuracy(),
            Reason::OneClass,
            Confusion::balanced_accuracy,
        ),
        confusion,
    })
}

/// Agreement of label and prediction among some of the rows.
struct Conditional<'a> {
    labels: &'a [bool],
    predictions: &'a [bool],
    clusters: &'a Clusters,
    params: &'a BootstrapParams,
}

impl Conditional<'_> {
    fn rate(&self, absent: &str, reason: Reason, among: fn(bool, bool) -> bool) -> Result<Measured> {
        let mut cluster_ids = Vec::new();
        let mut agreements = Vec::new();
        for (cluster, rows) in self.clusters.iter().enumerate() {
            for &row in rows {
                let (label, prediction) = (self.labels[row as usize], self.predictions[row as usize]);
                if among(label, prediction) {
                    cluster_ids.push(cluster);
                    agreements.push(label == prediction);
                }
            }
        }
        if agreements.is_empty() {
            let empty = self.labels.is_empty();
            let reason = if empty { Reason::NoSamples } else { reason };
            return Ok(Measured::undefined(Undefined::with_detail(reason, absent)));
        }
        let clusters = Clusters::by_id(&cluster_ids)?;
        proportion(&agreements, &clusters, ProportionInterval::Wilson, self.params)
    }
}
