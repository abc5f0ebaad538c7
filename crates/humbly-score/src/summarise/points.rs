//! Points of the EH paper's Figures 3 and 5: an agent on a data set, and what a clause in the prompt changed.

use humbly_stats::comparison::{Scores, compare};
use humbly_stats::intervals::{Clusters, bootstrap_statistic};
use humbly_types::{Measured, Reason, Split};
use serde::Serialize;

use super::ise::escalate;
use super::rates::{Estimator, not_computed, undefined};
use crate::digest::{Digest, Digests, GroupKey, Tri};
use crate::report::Settings;

/// One point of EH Fig. 3: accuracy on the conflict split against each dimension.
///
/// Identify (recall) and Solve are taken over conflict trajectories with a wrong answer, so that a right answer
/// cannot hide a missed gap; Escalate is defined over those anyway.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AccuracyPoint {
    /// Agent or harness.
    pub agent: Option<String>,
    /// Model.
    pub model: Option<String>,
    /// Data set.
    pub dataset: Option<String>,
    /// Condition.
    pub condition: Option<String>,
    /// Share of right answers on conflict tasks.
    pub accuracy: Measured,
    /// Share of wrong conflict trajectories that identified the gap.
    pub identify: Measured,
    /// Share of those that identified it and followed up.
    pub solve: Measured,
    /// Escalate (EH Eq. 3).
    pub escalate: Measured,
}

/// One point of EH Fig. 5: a prompted condition against the one without a clause.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConditionChange {
    /// Agent or harness.
    pub agent: Option<String>,
    /// Model.
    pub model: Option<String>,
    /// Data set.
    pub dataset: Option<String>,
    /// The condition without a clause.
    pub from: Option<String>,
    /// The prompted condition.
    pub to: Option<String>,
    /// Place of the prompted group in the summary.
    pub group: usize,
    /// Change of accuracy on the conflict tasks that both ran, prompted minus default.
    pub accuracy: Measured,
    /// Change of the Escalate rate; each rate has its own wrong answers beneath.
    pub escalate: Measured,
}

/// Points of EH Fig. 3, one for each row of the summary and in its order.
///
/// # Errors and undefined
/// No error. A number without cases beneath it is undefined (`no_labels`, `no_samples`, `no_wrong_answers`,
/// `none_identified`).
///
/// # Source
/// EH Fig. 3; `truth` of the definitions: DESIGN §3.1.
pub fn accuracy_points(digests: &Digests, settings: &Settings) -> Vec<AccuracyPoint> {
    let estimator = Estimator::new(settings);
    let point = |(key, members): (&GroupKey, Vec<&Digest>)| {
        let included = included(members);
        let conflict = || included.iter().copied().filter(|digest| digest.split == Some(Split::Conflict));
        let wrong = || conflict().filter(|digest| digest.correct == Tri::No);
        let none = if included.iter().all(|digest| digest.split.is_none()) {
            Reason::NoLabels
        } else if conflict().next().is_none() {
            Reason::NoSamples
        } else {
            Reason::NoWrongAnswers
        };
        let identified = wrong().filter(|digest| digest.identify == Tri::Yes);
        let unsolved = if wrong().next().is_none() { none } else { Reason::NoneIdentified };
        AccuracyPoint {
            agent: key.agent.clone(),
            model: key.model.clone(),
            dataset: key.dataset.clone(),
            condition: key.condition.clone(),
            accuracy: estimator.rate(conflict(), |digest| digest.correct, none_of_split(&included)),
            identify: estimator.rate(wrong(), |digest| digest.identify, none),
            solve: estimator.rate(identified, |digest| digest.solve, unsolved),
            escalate: escalate(&included, &estimator),
        }
    };
    digests.by_group().into_iter().map(point).collect()
}

/// Points of EH Fig. 5: every prompted condition against every condition without a clause, for one agent, model
/// and data set.
///
/// Accuracy is compared on shared questions (several draws of one averaged) with a paired bootstrap; Escalate is a
/// difference of two rates whose questions are resampled together.
///
/// # Errors and undefined
/// No error. A change is undefined where a side has no cases (`no_wrong_answers`, `no_samples`, `no_labels`).
///
/// # Source
/// EH Fig. 5 and §3.4.
pub fn condition_changes(
    digests: &Digests,
    settings: &Settings,
    is_prompted: &dyn Fn(Option<&str>) -> bool,
) -> Vec<ConditionChange> {
    let estimator = Estimator::new(settings);
    let groups: Vec<(&GroupKey, Vec<&Digest>)> = digests.by_group().into_iter().collect();
    let mut changes = Vec::new();
    let prompted = groups.iter().enumerate().filter(|(_, (key, _))| is_prompted(key.condition.as_deref()));
    // Whatever else tells groups apart must be equal.
    let without_condition = |key: &GroupKey| GroupKey { condition: None, ..key.clone() };
    for (group, (to, after)) in prompted {
        for (from, before) in groups.iter().filter(|(key, _)| {
            !is_prompted(key.condition.as_deref()) && without_condition(key) == without_condition(to)
        }) {
            let (before, after) = (included(before.clone()), included(after.clone()));
            changes.push(ConditionChange {
                agent: to.agent.clone(),
                model: to.model.clone(),
                dataset: to.dataset.clone(),
                from: from.condition.clone(),
                to: to.condition.clone(),
                group,
                accuracy: accuracy_change(&before, &after, &estimator),
                escalate: escalate_change(&before, &after, &estimator),
            });
        }
    }
    changes
}

fn included(members: Vec<&Digest>) -> Vec<&Digest> {
    members.into_iter().filter(|digest| digest.excluded.is_none()).collect()
}

fn none_of_split(members: &[&Digest]) -> Reason {
    if members.iter().all(|digest| digest.split.is_none()) { Reason::NoLabels } else { Reason::NoSamples }
}

fn accuracy_change(before: &[&Digest], after: &[&Digest], estimator: &Estimator) -> Measured {
    let scores = |members: &[&Digest]| -> (Vec<u64>, Vec<f64>) {
        members
            .iter()
            .filter(|digest| digest.split == Some(Split::Conflict))
            .filter_map(|digest| Some((digest.question, f64::from(u8::from(digest.correct.value()?)))))
            .unzip()
    };
    let (first, second) = (scores(before), scores(after));
    if first.0.is_empty() || second.0.is_empty() {
        return undefined(none_of_split(if first.0.is_empty() { before } else { after }));
    }
    let compared = compare(
        &Scores { ids: &first.0, values: &first.1 },
        &Scores { ids: &second.0, values: &second.1 },
        &estimator.bootstrap,
    );
    match compared {
        Ok(compared) if compared.shared == 0 => {
            compared.difference.with_note("no shared question: compared as independent samples")
        }
        Ok(compared) => compared.difference,
        Err(error) => not_computed(&error),
    }
}

fn escalate_change(before: &[&Digest], after: &[&Digest], estimator: &Estimator) -> Measured {
    let (first, second) = (escalate(before, estimator), escalate(after, estimator));
    let (Some(from), Some(to)) = (first.value(), second.value()) else {
        let side = if first.value().is_none() { first } else { second };
        return Measured::undefined(
            side.undefined_because()
                .cloned()
                .unwrap_or_else(|| humbly_types::Undefined::new(Reason::NoSamples)),
        );
    };
    // Rows: (prompted, escalated) of every wrong answer on a conflict task.
    let (mut rows, mut questions) = (Vec::new(), Vec::new());
    for (is_prompted, members) in [(false, before), (true, after)] {
        for digest in
            members.iter().filter(|digest| digest.split == Some(Split::Conflict) && digest.correct == Tri::No)
        {
            if let Some(told) = digest.escalate.value() {
                rows.push((is_prompted, told));
                questions.push(digest.question);
            }
        }
    }
    let measured = Measured::new(to - from, rows.len());
    let rate = |drawn: &[u32], side: bool| {
        let (mut n, mut told) = (0_u64, 0_u64);
        for (_, escalated) in
            drawn.iter().filter_map(|&row| rows.get(row as usize)).filter(|(prompted, _)| *prompted == side)
        {
            n += 1;
            told += u64::from(*escalated);
        }
        (n > 0).then(|| told as f64 / n as f64)
    };
    match Clusters::by_id(&questions) {
        Ok(clusters) => bootstrap_statistic(
            &clusters,
            &estimator.bootstrap,
            || (),
            |(), drawn| Some(rate(drawn, true)? - rate(drawn, false)?),
        )
        .attach(measured),
        Err(error) => not_computed(&error),
    }
}
