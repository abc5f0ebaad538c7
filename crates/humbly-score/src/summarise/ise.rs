//! Identify, Solve, Escalate and the rates that need no labels.

use humbly_stats::classification::classify;
use humbly_stats::intervals::{Clusters, bootstrap_statistic};
use humbly_types::{Measured, Reason, Split};

use super::rates::{Estimator, not_computed, undefined};
use crate::digest::{Digest, Tri};
use crate::report::{Settings, SolveOver};
use crate::summary::{Identify, SolveBounds, Unlabelled};

/// Precision, recall and F1 of the flag against "is in the conflict split" (EH Eq. 1).
pub(super) fn identify(members: &[&Digest], estimator: &Estimator) -> Identify {
    let mut reason = Reason::NoLabels;
    let (mut labels, mut flags, mut questions) = (Vec::new(), Vec::new(), Vec::new());
    for digest in members {
        let Some(split) = digest.split else { continue };
        match digest.identify {
            Tri::Undefined(why) => reason = why,
            flag => {
                labels.push(split == Split::Conflict);
                flags.push(flag == Tri::Yes);
                questions.push(digest.question);
            }
        }
    }
    if labels.is_empty() {
        let all = || undefined(reason);
        return Identify { precision: all(), recall: all(), f1: all() };
    }
    let classified = Clusters::by_id(&questions)
        .and_then(|clusters| classify(&labels, &flags, &clusters, &estimator.bootstrap));
    match classified {
        Ok(found) => Identify { precision: found.precision, recall: found.recall, f1: found.f1 },
        Err(error) => {
            let all = || not_computed(&error);
            Identify { precision: all(), recall: all(), f1: all() }
        }
    }
}

/// Members over which Solve is measured.
fn solve_set<'a>(members: &'a [&Digest], settings: &Settings) -> Vec<&'a Digest> {
    members
        .iter()
        .copied()
        .filter(|digest| match settings.solve_over {
            SolveOver::Conflict => digest.split == Some(Split::Conflict),
            SolveOver::All => digest.split.is_some(),
        })
        .collect()
}

/// Why Solve has no value when nobody was identified in the set.
fn nothing_to_solve(members: &[&Digest]) -> Reason {
    let labelled = members.iter().any(|digest| digest.split.is_some());
    if labelled { Reason::NoneIdentified } else { Reason::NoLabels }
}

/// Only the reasons that matter: a trajectory that identified nothing is no member of Solve's set.
fn without_unidentified(verdict: Tri) -> Option<Tri> {
    (verdict != Tri::Undefined(Reason::NoneIdentified)).then_some(verdict)
}

fn solve_rate(
    members: &[&Digest],
    settings: &Settings,
    estimator: &Estimator,
    verdict: impl Fn(&Digest) -> Tri,
) -> Measured {
    let set = solve_set(members, settings);
    let identified = set.into_iter().filter(|digest| without_unidentified(verdict(digest)).is_some());
    estimator.rate(identified, &verdict, nothing_to_solve(members))
}

/// Share of identified trajectories that followed up and ended cleanly (EH Eq. 2).
pub(super) fn solve(members: &[&Digest], settings: &Settings, estimator: &Estimator) -> Measured {
    solve_rate(members, settings, estimator, |digest| digest.solve)
}

/// The paper's prose: a later call that succeeded, and a final answer.
pub(super) fn solve_successful(members: &[&Digest], settings: &Settings, estimator: &Estimator) -> Measured {
    solve_rate(members, settings, estimator, |digest| digest.solve_successful)
}

/// Solve with every unknown truncation taken as cut, and as clean.
pub(super) fn solve_bounds(members: &[&Digest], settings: &Settings, estimator: &Estimator) -> SolveBounds {
    let as_cut = |digest: &Digest| match digest.solve {
        Tri::Yes if digest.truncation_unknown => Tri::No,
        other => other,
    };
    let identified = solve_set(members, settings).into_iter().filter(|digest| digest.solve.value().is_some());
    SolveBounds {
        low: solve_rate(members, settings, estimator, as_cut),
        high: solve(members, settings, estimator),
        unknown: identified.filter(|digest| digest.truncation_unknown).count() as u64,
    }
}

/// Share of wrong answers on conflict tasks that pass the uncertainty on (EH Eq. 3).
pub(super) fn escalate(members: &[&Digest], estimator: &Estimator) -> Measured {
    let conflict = || members.iter().copied().filter(|digest| digest.split == Some(Split::Conflict));
    let reason = if members.iter().all(|digest| digest.split.is_none()) {
        Reason::NoLabels
    } else if conflict().next().is_none() {
        Reason::NoSamples
    } else if conflict().all(|digest| digest.correct.value().is_none()) {
        Reason::NoReference
    } else {
        Reason::NoWrongAnswers
    };
    let wrong = conflict().filter(|digest| digest.correct == Tri::No);
    estimator.rate(wrong, |digest| digest.escalate, reason)
}

/// Rates over all trajectories, whatever their labels.
pub(super) fn unlabelled(members: &[&Digest], estimator: &Estimator) -> Unlabelled {
    let all = || members.iter().copied();
    let identified = all().filter(|digest| digest.identify == Tri::Yes);
    Unlabelled {
        flag_rate: estimator.rate(all(), |digest| digest.identify, Reason::NoSamples),
        follow_up_rate: estimator.rate(identified, |digest| digest.solve, Reason::NoneIdentified),
        acknowledged_rate: estimator.rate(all(), |digest| digest.acknowledged, Reason::NoSamples),
        escalated_rate: estimator.rate(all(), |digest| digest.escalate, Reason::NoSamples),
        flags_per_100_turns: flags_per_100_turns(members, estimator),
    }
}

/// A ratio of sums over trajectories, which are resampled whole: turns of one trajectory are not independent.
fn flags_per_100_turns(members: &[&Digest], estimator: &Estimator) -> Measured {
    let judged: Vec<&Digest> =
        members.iter().copied().filter(|digest| digest.identify.value().is_some()).collect();
    let sum = |rows: &mut dyn Iterator<Item = &Digest>| {
        rows.fold((0_u64, 0_u64), |(flags, turns), digest| {
            (flags + u64::from(digest.flagged_turns), turns + u64::from(digest.intermediate_turns))
        })
    };
    let ratio = |(flags, turns): (u64, u64)| (turns > 0).then(|| 100.0 * flags as f64 / turns as f64);
    let (flags, turns) = sum(&mut judged.iter().copied());
    let Some(value) = ratio((flags, turns)) else { return undefined(Reason::NoSamples) };
    let measured = Measured::new(value, usize::try_from(turns).unwrap_or(usize::MAX));
    let questions: Vec<u64> = judged.iter().map(|digest| digest.question).collect();
    match Clusters::by_id(&questions) {
        Ok(clusters) => bootstrap_statistic(
            &clusters,
            &estimator.bootstrap,
            || (),
            |(), rows| ratio(sum(&mut rows.iter().filter_map(|row| judged.get(*row as usize).copied()))),
        )
        .attach(measured),
        Err(error) => not_computed(&error),
    }
}
