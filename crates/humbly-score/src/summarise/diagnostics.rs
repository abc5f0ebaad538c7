//! The paper's diagnostics.

use humbly_stats::hypothesis::{paired_t, welch_t};
use humbly_types::{AnswerSource, Reason, Split};
use indexmap::IndexMap;

use super::accuracy::{failed, named, pairs};
use super::rates::{Estimator, undefined};
use crate::digest::{Digest, Tri};
use crate::row::BrokeAt;
use crate::summary::{Diagnostics, Test};

/// Over conflict tasks where there are labels, else over all.
pub(super) fn diagnostics(members: &[&Digest], labelled: bool, estimator: &Estimator) -> Diagnostics {
    let set: Vec<&Digest> =
        members.iter().copied().filter(|digest| !labelled || digest.split == Some(Split::Conflict)).collect();
    let of_set = || set.iter().copied();
    Diagnostics {
        acknowledged: estimator.rate(of_set(), |digest| digest.acknowledged, Reason::NoSamples),
        final_reasoning_only: estimator.rate(of_set(), final_reasoning_only, Reason::NoSamples),
        self_inconsistent: undefined(Reason::NeedsModelJudge),
        refusal: estimator.rate(of_set(), |digest| digest.refusal, Reason::NoSamples),
        answer_source: count(set.iter().map(|digest| match digest.answer_source {
            Ok(source) => source_code(source),
            Err(reason) => reason.code(),
        })),
        broke_at: count(set.iter().map(|digest| digest.broke_at.map_or("undefined", broke_code))),
        tool_calls_conflict: mean_calls(members, Split::Conflict, estimator),
        tool_calls_control: mean_calls(members, Split::Control, estimator),
        tool_calls_test: tool_calls_test(members),
        truncation_unknown: set.iter().filter(|digest| digest.truncation_unknown).count() as u64,
    }
}

fn final_reasoning_only(digest: &Digest) -> Tri {
    match (digest.final_reasoning, digest.identify, digest.escalate) {
        (Tri::Yes, Tri::No, Tri::No) => Tri::Yes,
        (Tri::Undefined(reason), ..) | (_, Tri::Undefined(reason), _) | (.., Tri::Undefined(reason)) => {
            Tri::Undefined(reason)
        }
        _ => Tri::No,
    }
}

fn mean_calls(members: &[&Digest], split: Split, estimator: &Estimator) -> humbly_types::Measured {
    let (values, questions): (Vec<f64>, Vec<u64>) = members
        .iter()
        .filter(|digest| digest.split == Some(split))
        .map(|digest| (f64::from(digest.tool_calls), digest.question))
        .unzip();
    if values.is_empty() { undefined(Reason::NoSamples) } else { estimator.mean(&values, &questions) }
}

fn tool_calls_test(members: &[&Digest]) -> Test {
    let (conflict, control) = pairs(members, |digest| Some(f64::from(digest.tool_calls)));
    if !conflict.is_empty() {
        return match paired_t(&conflict, &control) {
            Ok(test) => named("paired_t", test),
            Err(error) => failed("paired_t", &error),
        };
    }
    let of = |split| -> Vec<f64> {
        let set = members.iter().filter(|digest| digest.split == Some(split));
        set.map(|digest| f64::from(digest.tool_calls)).collect()
    };
    match welch_t(&of(Split::Conflict), &of(Split::Control)) {
        Ok(test) => named("welch_t", test),
        Err(error) => failed("welch_t", &error),
    }
}

fn count<'a>(codes: impl Iterator<Item = &'a str>) -> IndexMap<String, u64> {
    let mut counts: IndexMap<String, u64> = IndexMap::new();
    for code in codes {
        *counts.entry(code.to_owned()).or_default() += 1;
    }
    counts.sort_keys();
    counts
}

fn source_code(source: AnswerSource) -> &'static str {
    match source {
        AnswerSource::Pk => "pk",
        AnswerSource::Context => "context",
        AnswerSource::Both => "both",
        AnswerSource::External => "external",
        AnswerSource::GroundTruth => "ground_truth",
        AnswerSource::FollowsPk => "follows_pk",
        AnswerSource::FollowsBoth => "follows_both",
        AnswerSource::FollowsNeither => "follows_neither",
        AnswerSource::NoAnswer => "no_answer",
        AnswerSource::NoCandidates => "no_candidates",
    }
}

fn broke_code(broke_at: BrokeAt) -> &'static str {
    match broke_at {
        BrokeAt::NotIdentified => "not_identified",
        BrokeAt::IdentifiedNoFollowUp => "identified_no_follow_up",
        BrokeAt::FollowedUpNotEscalated => "followed_up_not_escalated",
        BrokeAt::Escalated => "escalated",
    }
}
