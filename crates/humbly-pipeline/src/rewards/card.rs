//! The reward card: what a reward says of a set of rollouts.

use std::collections::BTreeMap;

use humbly_stats::StatsError;
use humbly_stats::calibration::{Collapse, confidence_collapse};
use humbly_stats::intervals::{
    BootstrapParams, Clusters, ProportionInterval, bootstrap_statistic, mean, proportion,
};
use humbly_types::{Measured, Problem, Reason, Undefined};
use schemars::JsonSchema;
use serde::Serialize;

use super::alarms::{self, Alarm};
use super::tally::Tally;

/// Bins of a histogram.
const BINS: usize = 20;
/// Components whose −1 means that nobody knows, and that are then left out.
const UNKNOWN_IS_MINUS_ONE: [&str; 3] = ["correct", "confidence", "retrieval_hit"];

/// What a reward says of a set of rollouts.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RewardCard {
    /// `humbly.reward/1`.
    pub schema: &'static str,
    /// Reward, protocol and every setting that was given, seed and version.
    pub settings: BTreeMap<String, String>,
    /// Rows (of `ise`: trajectories) that were read.
    pub rows: u64,
    /// Rows with a reward.
    pub scored: u64,
    /// Share of rows with a reward.
    pub scorable: Measured,
    /// Rows without one, by reason.
    pub unscorable: BTreeMap<String, u64>,
    /// Share of right answers among the scored rows.
    pub accuracy: Measured,
    /// The reward.
    pub score: Distribution,
    /// The reward of right answers.
    pub right: Distribution,
    /// The reward of wrong answers.
    pub wrong: Distribution,
    /// Mean reward of right answers minus that of wrong ones.
    pub gap: Measured,
    /// Every component.
    pub components: Vec<ComponentSummary>,
    /// How concentrated the stated confidences are.
    pub confidence: Collapse,
    /// How concentrated the answers are.
    pub answers: AnswerCollapse,
    /// Broken rules of the format, the most frequent first.
    pub faults: Vec<FaultCount>,
    /// Unusable confidences, by reason.
    pub confidence_faults: BTreeMap<String, u64>,
    /// What somebody should look at.
    pub alarms: Vec<Alarm>,
    /// Lines that could not be read.
    pub problems: Vec<Problem>,
}

/// How numbers are spread.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Distribution {
    /// Mean with its interval.
    pub mean: Measured,
    /// Sample standard deviation.
    pub sd: Measured,
    /// Least value.
    pub low: Measured,
    /// 5 % quantile.
    pub p05: Measured,
    /// Lower quartile.
    pub p25: Measured,
    /// Median.
    pub median: Measured,
    /// Upper quartile.
    pub p75: Measured,
    /// 95 % quantile.
    pub p95: Measured,
    /// Greatest value.
    pub high: Measured,
    /// Counts in bins of equal width from the least to the greatest value.
    pub histogram: Vec<Bin>,
}

/// A bin of a histogram, `[low, high)`; the last one is closed.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct Bin {
    /// Lower edge.
    pub low: f64,
    /// Upper edge.
    pub high: f64,
    /// Values in it.
    pub n: u64,
}

/// One component over the scored rows in which it is known.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ComponentSummary {
    /// Its name.
    pub name: String,
    /// How it is spread.
    #[serde(flatten)]
    pub distribution: Distribution,
}

/// How concentrated answers are.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AnswerCollapse {
    /// The commonest answer, in normal form.
    pub commonest: Option<String>,
    /// The share of answers that are it.
    pub share: Measured,
    /// How many different answers were given.
    pub distinct: u64,
}

/// How often a rule was broken.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FaultCount {
    /// The rule.
    pub rule: String,
    /// Responses whose first fault it is.
    pub n: u64,
    /// The first of them.
    pub example: FaultExample,
}

/// Where a rule was broken.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FaultExample {
    /// Line of the file, from 1.
    pub line: u64,
    /// Byte of the response.
    pub offset: usize,
    /// What could have stood there.
    pub expected: String,
    /// Text before the fault.
    pub before: String,
    /// Text from the fault on.
    pub after: String,
}

impl RewardCard {
    pub(super) fn new(
        tally: Tally,
        settings: BTreeMap<String, String>,
        bootstrap: &BootstrapParams,
    ) -> Result<Self, StatsError> {
        let questions: Option<Vec<&String>> = tally.questions.iter().map(Option::as_ref).collect();
        let clusters = match &questions {
            Some(questions) if !questions.is_empty() => Clusters::by_id(questions)?,
            _ => Clusters::independent(tally.scored)?,
        };
        let scores = tally.column("score");
        let correct = tally.column("correct");
        let is_right: Vec<bool> = correct.iter().map(|&correct| correct > 0.5).collect();
        let of = |wanted: bool| -> Vec<f64> {
            let rows = scores.iter().zip(&is_right).filter(|(_, is_right)| **is_right == wanted);
            rows.map(|(score, _)| *score).collect()
        };
        let confidences: Vec<f64> =
            tally.column("confidence").into_iter().filter(|&confidence| confidence >= 0.0).collect();
        let mut components = Vec::new();
        for name in tally.names {
            let values = tally.column(name);
            let is_known = |value: &f64| *value >= 0.0 || !UNKNOWN_IS_MINUS_ONE.contains(name);
            let distribution = if values.iter().all(is_known) {
                Distribution::new(&values, &clusters, bootstrap)?
            } else {
                let known: Vec<f64> = values.into_iter().filter(is_known).collect();
                Distribution::new(&known, &Clusters::independent(known.len())?, bootstrap)?
            };
            components.push(ComponentSummary { name: (*name).to_owned(), distribution });
        }
        let (right, wrong) = (of(true), of(false));
        let independent = |values: &[f64]| -> Result<Distribution, StatsError> {
            Distribution::new(values, &Clusters::independent(values.len())?, bootstrap)
        };
        let rows = usize::try_from(tally.rows).unwrap_or(usize::MAX);
        let mut card = Self {
            schema: "humbly.reward/1",
            settings,
            rows: tally.rows,
            scored: tally.scored as u64,
            scorable: Measured::proportion(tally.scored, rows),
            accuracy: proportion(&is_right, &clusters, ProportionInterval::Wilson, bootstrap)?,
            score: Distribution::new(&scores, &clusters, bootstrap)?,
            right: independent(&right)?,
            wrong: independent(&wrong)?,
            gap: gap(&scores, &correct, &clusters, bootstrap),
            components,
            confidence: confidence_collapse(&confidences)?,
            answers: answer_collapse(&tally.answers),
            faults: tally.faults.values().cloned().collect(),
            confidence_faults: tally
                .confidence_faults
                .iter()
                .map(|(reason, count)| ((*reason).to_owned(), *count))
                .collect(),
            alarms: Vec::new(),
            unscorable: tally.unscorable,
            problems: tally.problems,
        };
        card.faults.sort_by_key(|fault| std::cmp::Reverse(fault.n));
        card.alarms = alarms::raised(&card, tally.without_tags, &tally.groups);
        Ok(card)
    }

    /// One component by name.
    pub fn component(&self, name: &str) -> Option<&Distribution> {
        self.components.iter().find(|component| component.name == name).map(|found| &found.distribution)
    }
}

impl Distribution {
    fn new(values: &[f64], clusters: &Clusters, bootstrap: &BootstrapParams) -> Result<Self, StatsError> {
        let average = mean(values, clusters, bootstrap)?;
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |share: f64| quantile(&sorted, share);
        Ok(Self {
            sd: deviation(values, average.value()),
            mean: average,
            low: at(0.0),
            p05: at(0.05),
            p25: at(0.25),
            median: at(0.5),
            p75: at(0.75),
            p95: at(0.95),
            high: at(1.0),
            histogram: histogram(&sorted),
        })
    }
}

fn deviation(values: &[f64], average: Option<f64>) -> Measured {
    match (average, values.len()) {
        (Some(average), n) if n > 1 => {
            let squares: f64 = values.iter().map(|value| (value - average).powi(2)).sum();
            Measured::new((squares / (n as f64 - 1.0)).sqrt(), n)
        }
        (_, 0) => Measured::undefined(Undefined::new(Reason::NoSamples)),
        (_, n) => Measured::undefined(Undefined::new(Reason::TooFewSamples)).with_n(n),
    }
}

/// By linear interpolation between order statistics.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a position within the slice")]
fn quantile(sorted: &[f64], share: f64) -> Measured {
    let position = share * (sorted.len().saturating_sub(1)) as f64;
    let below = position.floor() as usize;
    match (sorted.get(below), sorted.get(below + 1)) {
        (Some(low), Some(high)) => {
            Measured::new(low + (high - low) * (position - below as f64), sorted.len())
        }
        (Some(only), None) => Measured::new(*only, sorted.len()),
        (None, _) => Measured::undefined(Undefined::new(Reason::NoSamples)),
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a bin of the histogram")]
fn histogram(sorted: &[f64]) -> Vec<Bin> {
    let (Some(&low), Some(&high)) = (sorted.first(), sorted.last()) else { return Vec::new() };
    if low >= high {
        return vec![Bin { low, high, n: sorted.len() as u64 }];
    }
    let width = (high - low) / BINS as f64;
    let edge = |k: usize| if k == BINS { high } else { low + width * k as f64 };
    let mut bins: Vec<Bin> = (0..BINS).map(|k| Bin { low: edge(k), high: edge(k + 1), n: 0 }).collect();
    for value in sorted {
        let at = (((value - low) / width) as usize).min(BINS - 1);
        if let Some(bin) = bins.get_mut(at) {
            bin.n += 1;
        }
    }
    bins
}

/// Difference of means with its bootstrap interval over questions.
fn gap(scores: &[f64], correct: &[f64], clusters: &Clusters, bootstrap: &BootstrapParams) -> Measured {
    let of = |rows: &mut dyn Iterator<Item = usize>| {
        let (mut sums, mut counts) = ([0.0; 2], [0.0; 2]);
        for row in rows {
            let (Some(score), Some(correct)) = (scores.get(row), correct.get(row)) else { continue };
            let [wrong, right] = &mut sums;
            let [wrongs, rights] = &mut counts;
            if *correct > 0.5 {
                *right += score;
                *rights += 1.0;
            } else {
                *wrong += score;
                *wrongs += 1.0;
            }
        }
        let [wrong, right] = sums;
        let [wrongs, rights] = counts;
        (wrongs > 0.0 && rights > 0.0).then(|| right / rights - wrong / wrongs)
    };
    let Some(difference) = of(&mut (0..scores.len())) else {
        let reason = if scores.is_empty() { Reason::NoSamples } else { Reason::OneClass };
        return Measured::undefined(Undefined::new(reason)).with_n(scores.len());
    };
    let resampled = bootstrap_statistic(
        clusters,
        bootstrap,
        || (),
        |(), rows: &[u32]| of(&mut rows.iter().map(|&row| row as usize)),
    );
    resampled.attach(Measured::new(difference, scores.len()))
}

fn answer_collapse(answers: &BTreeMap<String, u64>) -> AnswerCollapse {
    let total: u64 = answers.values().sum();
    let commonest = answers.iter().max_by_key(|&(_, count)| count);
    let size = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    AnswerCollapse {
        commonest: commonest.map(|(answer, _)| answer.clone()),
        share: Measured::proportion(commonest.map_or(0, |(_, count)| size(*count)), size(total)),
        distinct: answers.len() as u64,
    }
}
