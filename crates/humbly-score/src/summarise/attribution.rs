//! Attribution of uncertainty (UA §3.3) over tasks that say whether they are answerable.

use humbly_stats::attribution::{AttributionRows, F1Rule, Form, attribution as measure};
use humbly_stats::intervals::Clusters;
use humbly_types::Reason;
use indexmap::IndexMap;

use super::rates::{Estimator, not_computed, undefined};
use crate::digest::Digest;
use crate::report::Settings;
use crate::summary::AttributionSummary;

pub(super) fn attribution(
    members: &[&Digest],
    settings: &Settings,
    estimator: &Estimator,
) -> AttributionSummary {
    let mut forms_by_name: IndexMap<String, u64> = IndexMap::new();
    let (mut forms, mut answerable, mut correct, mut questions) = (vec![], vec![], vec![], vec![]);
    for digest in members {
        if let (Some(form), Some(is_answerable)) = (digest.attribution(), digest.answerable) {
            *forms_by_name.entry(form.to_owned()).or_default() += 1;
            forms.push(form_of(form));
            answerable.push(is_answerable);
            correct.push(digest.correct.value() == Some(true));
            questions.push(digest.question);
        }
    }
    forms_by_name.sort_keys();
    let rule = match settings.attribution_f1.as_str() {
        "balanced" => F1Rule::Balanced,
        _ => F1Rule::Released,
    };
    let summary = |accuracy, du_f1, mu_f1, avg_f1| AttributionSummary {
        accuracy,
        du_f1,
        mu_f1,
        avg_f1,
        estimator: settings.attribution_f1.clone(),
        forms: forms_by_name.clone(),
    };
    let all = |measured: humbly_types::Measured| {
        summary(measured.clone(), measured.clone(), measured.clone(), measured)
    };
    if forms.is_empty() {
        return all(undefined(Reason::NoLabels));
    }
    let rows = AttributionRows { forms: &forms, answerable: &answerable, correct: &correct };
    let measured = Clusters::by_id(&questions)
        .and_then(|clusters| measure(&rows, rule, &clusters, &estimator.bootstrap));
    match measured {
        Ok(found) => summary(found.accuracy, found.scores.data, found.scores.model, found.scores.average),
        Err(error) => all(not_computed(&error)),
    }
}

fn form_of(name: &str) -> Form {
    match name {
        "answer" => Form::Answer,
        "data_uncertain" => Form::DataUncertain,
        "model_uncertain" | "dont_know" => Form::ModelUncertain,
        _ => Form::Unparsable,
    }
}
