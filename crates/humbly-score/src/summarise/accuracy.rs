//! Accuracy by split, the test between them, and utility.

use std::collections::BTreeMap;

use humbly_stats::hypothesis::{Counts, TestOutcome, holm_measured, mcnemar, two_proportion_z, welch_t};
use humbly_stats::utility::{Answered, utilities};
use humbly_types::{Measured, Reason, Split};

use super::rates::{Estimator, not_computed, undefined};
use crate::digest::{Digest, Tri};
use crate::report::Settings;
use crate::summary::{Accuracy, SummaryRow, Test, Utility};

pub(super) fn accuracy(members: &[&Digest], settings: &Settings, estimator: &Estimator) -> Accuracy {
    let of = |split: Split| {
        let set = members.iter().copied().filter(move |digest| digest.split == Some(split));
        estimator.rate(set, |digest| digest.correct, none_of_split(members))
    };
    Accuracy {
        conflict: of(Split::Conflict),
        control: of(Split::Control),
        all: estimator.rate(members.iter().copied(), |digest| digest.correct, Reason::NoSamples),
        test: between_splits(members, settings),
    }
}

fn none_of_split(members: &[&Digest]) -> Reason {
    if members.iter().all(|digest| digest.split.is_none()) { Reason::NoLabels } else { Reason::NoSamples }
}

/// Mean similarity by split with Welch's t between them, as the paper tests it; `None` where no row has one.
pub(super) fn similarity(members: &[&Digest], estimator: &Estimator) -> Option<Accuracy> {
    if members.iter().all(|digest| digest.similarity.is_none()) {
        return None;
    }
    let values = |split: Option<Split>| -> (Vec<f64>, Vec<u64>) {
        members
            .iter()
            .filter(|digest| split.is_none() || digest.split == split)
            .filter_map(|digest| Some((digest.similarity?.ok()?, digest.question)))
            .unzip()
    };
    let mean = |split: Option<Split>, none: Reason| {
        let (similarities, questions) = values(split);
        if similarities.is_empty() {
            let why = members
                .iter()
                .filter(|digest| split.is_none() || digest.split == split)
                .find_map(|digest| digest.similarity?.err());
            return undefined(why.unwrap_or(none));
        }
        estimator.mean(&similarities, &questions)
    };
    let splits = [Split::Conflict, Split::Control].map(|split| values(Some(split)).0);
    Some(Accuracy {
        conflict: mean(Some(Split::Conflict), none_of_split(members)),
        control: mean(Some(Split::Control), none_of_split(members)),
        all: mean(None, Reason::NoSamples),
        test: match welch_t(&splits[0], &splits[1]) {
            Ok(test) => named("welch_t", test),
            Err(error) => failed("welch_t", &error),
        },
    })
}

/// `McNemar` within pairs where every scored trajectory has its match, else two proportions; the paper
/// uses two proportions throughout.
fn between_splits(members: &[&Digest], settings: &Settings) -> Test {
    let outcomes = |split: Split| -> Vec<bool> {
        members
            .iter()
            .filter(|digest| digest.split == Some(split))
            .filter_map(|digest| digest.correct.value())
            .collect()
    };
    let (conflict, control) = (outcomes(Split::Conflict), outcomes(Split::Control));
    if !settings.paper {
        let (first, second) = pairs(members, |digest| digest.correct.value());
        if !first.is_empty() && first.len() == conflict.len() && second.len() == control.len() {
            return match mcnemar(&first, &second) {
                Ok(test) => named("mcnemar_exact", test.exact),
                Err(error) => failed("mcnemar_exact", &error),
            };
        }
    }
    match two_proportion_z(Counts::of(&conflict), Counts::of(&control)) {
        Ok(test) => named("two_proportion_z", test),
        Err(error) => failed("two_proportion_z", &error),
    }
}

/// Values of conflict and control of the pairs that have exactly one of each.
pub(super) fn pairs<T: Copy>(members: &[&Digest], value: impl Fn(&Digest) -> Option<T>) -> (Vec<T>, Vec<T>) {
    let mut by_pair: BTreeMap<u64, [Vec<T>; 2]> = BTreeMap::new();
    for digest in members {
        if let (Some(pair), Some(split), Some(value)) = (digest.pair, digest.split, value(digest)) {
            by_pair.entry(pair).or_default()[usize::from(split == Split::Control)].push(value);
        }
    }
    by_pair
        .values()
        .filter_map(|sides| match sides {
            [conflict, control] if conflict.len() == 1 && control.len() == 1 => {
                Some((*conflict.first()?, *control.first()?))
            }
            _ => None,
        })
        .unzip()
}

pub(super) fn named(name: &str, outcome: TestOutcome) -> Test {
    Test { name: name.to_owned(), statistic: outcome.statistic, p_holm: outcome.p.clone(), p: outcome.p }
}

pub(super) fn failed(name: &str, error: &humbly_stats::StatsError) -> Test {
    let nothing = not_computed(error);
    Test { name: name.to_owned(), statistic: nothing.clone(), p: nothing.clone(), p_holm: nothing }
}

/// Holm over the rows of the summary, each family of tests apart.
pub(super) fn adjust_for_rows(rows: &mut [SummaryRow]) {
    adjust(rows, |row| &mut row.accuracy.test);
    adjust(rows, |row| &mut row.diagnostics.tool_calls_test);
    let mut similar: Vec<&mut Test> =
        rows.iter_mut().filter_map(|row| row.similarity.as_mut().map(|found| &mut found.test)).collect();
    let p: Vec<Measured> = similar.iter().map(|test| test.p.clone()).collect();
    if let Ok(adjusted) = holm_measured(&p) {
        similar.iter_mut().zip(adjusted).for_each(|(test, p_holm)| test.p_holm = p_holm);
    }
}

fn adjust(rows: &mut [SummaryRow], test: impl Fn(&mut SummaryRow) -> &mut Test) {
    let p: Vec<Measured> = rows.iter_mut().map(|row| test(row).p.clone()).collect();
    if let Ok(adjusted) = holm_measured(&p) {
        for (row, p_holm) in rows.iter_mut().zip(adjusted) {
            test(row).p_holm = p_holm;
        }
    }
}

/// Right +1, escalated or abstained 0, wrong −k.
pub(super) fn utility(members: &[&Digest], estimator: &Estimator) -> Utility {
    let (answers, questions): (Vec<Answered>, Vec<u64>) = members
        .iter()
        .filter_map(|digest| {
            let answered = match (digest.correct, digest.escalate, digest.refusal) {
                (Tri::Yes, ..) => Answered::Right,
                (Tri::No, Tri::Yes, _) | (Tri::No, _, Tri::Yes) => Answered::Abstained,
                (Tri::No, ..) => Answered::Wrong,
                (Tri::Undefined(_), ..) => return None,
            };
            Some((answered, digest.question))
        })
        .unzip();
    if answers.is_empty() {
        let none = || undefined(Reason::NoReference);
        return Utility { k1: none(), k2: none(), k4: none() };
    }
    let found = humbly_stats::intervals::Clusters::by_id(&questions)
        .and_then(|clusters| utilities(&answers, &clusters, &estimator.bootstrap));
    match found {
        Ok([k1, k2, k4]) => Utility { k1: k1.utility, k2: k2.utility, k4: k4.utility },
        Err(error) => {
            let none = || not_computed(&error);
            Utility { k1: none(), k2: none(), k4: none() }
        }
    }
}
