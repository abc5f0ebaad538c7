//! From digests to the summary: one row for each agent × model × data set × condition.
//!
//! Differences from the EH paper:
//! 1. Proportions carry Wilson's interval; `settings.paper` brings back the percentile bootstrap.
//! 2. Where questions repeat, whole questions are resampled.
//! 3. Trajectories whose log stops while the agent runs are left out of every rate and counted.

mod accuracy;
mod attribution;
mod calibration;
mod diagnostics;
mod ise;
mod points;
mod rates;

use humbly_types::Split;
use indexmap::IndexMap;

use crate::digest::{Digest, Digests, GroupKey};
use crate::report::Settings;
use crate::summary::{Counts, FirstMention, MentionSeries, SummaryRow};
use rates::Estimator;

pub use points::{AccuracyPoint, ConditionChange, accuracy_points, condition_changes};

/// Summarises all digests, rows in the order of the groups' names.
pub fn summarise(digests: &Digests, settings: &Settings) -> Vec<SummaryRow> {
    let estimator = Estimator::new(settings);
    let mut rows: Vec<SummaryRow> = digests
        .by_group()
        .into_iter()
        .map(|(key, members)| summarise_group(key, &members, settings, &estimator))
        .collect();
    accuracy::adjust_for_rows(&mut rows);
    rows
}

fn summarise_group(
    key: &GroupKey,
    members: &[&Digest],
    settings: &Settings,
    estimator: &Estimator,
) -> SummaryRow {
    let included: Vec<&Digest> = members.iter().copied().filter(|digest| digest.excluded.is_none()).collect();
    let labelled = included.iter().any(|digest| digest.split.is_some());
    SummaryRow {
        agent: key.agent.clone(),
        model: key.model.clone(),
        dataset: key.dataset.clone(),
        scenario: key.scenario.clone(),
        condition: key.condition.clone(),
        judge: settings.judge.clone(),
        counts: counts(members),
        accuracy: accuracy::accuracy(&included, settings, estimator),
        similarity: accuracy::similarity(&included, estimator),
        identify: ise::identify(&included, estimator),
        solve: ise::solve(&included, settings, estimator),
        solve_bounds: ise::solve_bounds(&included, settings, estimator),
        solve_successful: ise::solve_successful(&included, settings, estimator),
        escalate: ise::escalate(&included, estimator),
        utility: accuracy::utility(&included, estimator),
        unlabelled: ise::unlabelled(&included, estimator),
        diagnostics: diagnostics::diagnostics(&included, labelled, estimator),
        calibration: calibration::calibration(&included, settings, estimator),
        attribution: attribution::attribution(&included, settings, estimator),
        first_mention: first_mention(&included),
    }
}

fn counts(members: &[&Digest]) -> Counts {
    let mut reasons: IndexMap<String, u64> = IndexMap::new();
    let mut add = |code: &str| *reasons.entry(code.to_owned()).or_default() += 1;
    for digest in members {
        if let Some(reason) = digest.excluded {
            add(reason.code());
            continue;
        }
        if !digest.has_answer {
            add("no_final_answer");
        }
        for verdict in [digest.identify, digest.escalate] {
            if let crate::digest::Tri::Undefined(reason) = verdict {
                add(reason.code());
            }
        }
    }
    reasons.sort_keys();
    let of_split = |split| members.iter().filter(|digest| digest.split == split).count() as u64;
    Counts {
        trajectories: members.len() as u64,
        conflict: of_split(Some(Split::Conflict)),
        control: of_split(Some(Split::Control)),
        unlabelled: of_split(None),
        reasons,
    }
}

fn first_mention(members: &[&Digest]) -> FirstMention {
    let series = |ended: bool, of: fn(&Digest) -> Option<&crate::digest::Tenths>| {
        let mut series = MentionSeries::default();
        for digest in members.iter().filter(|digest| digest.correct.value() == Some(ended)) {
            let Some(tenths) = of(digest) else { continue };
            series.trajectories += 1;
            for (total, count) in series.all.iter_mut().zip(tenths.all) {
                *total += u64::from(count);
            }
            if let Some(first) = tenths.first.and_then(|tenth| series.first.get_mut(usize::from(tenth))) {
                *first += 1;
            }
        }
        series
    };
    FirstMention {
        gold_in_wrong: series(false, |digest| digest.gold.as_deref()),
        parametric_in_right: series(true, |digest| digest.parametric.as_deref()),
    }
}
