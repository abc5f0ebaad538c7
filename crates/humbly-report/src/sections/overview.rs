//! What was measured, how, and how much of it.

use humbly_score::{CorrectnessBy, Matching, SolveOver, SummaryRow};
use humbly_types::Measured;
use maud::{Markup, html};

use super::Context;
use crate::cell;
use crate::measured::measured_numbers;
use crate::number::{count, counted, rate};
use crate::redact::Redactor;

pub(crate) fn section(context: &Context<'_>) -> Markup {
    let report = context.report;
    let redactor = context.redactor;
    let sum =
        |part: fn(&humbly_score::Counts) -> u64| report.summary.iter().map(|row| part(&row.counts)).sum();
    let undefined = report
        .summary
        .iter()
        .flat_map(measured_numbers)
        .filter(|(_, number)| number.value().is_none())
        .count() as u64;
    html! {
        header.title {
            h1 { (redactor.text(&context.options.title)) }
            p.lead {
                "Does the agent notice what does not fit, follow it up, and tell the user? "
                (counted(report.trajectories.len() as u64, "trajectory", "trajectories"))
                " in " (counted(report.summary.len() as u64, "group", "groups"))
                ", judged by " b { (redactor.text(&report.settings.judge)) } "."
            }
        }
        @if let [row] = report.summary.as_slice() { (headline(context, row)) }
        div.tiles {
            (tile(sum(|counts| counts.conflict), "conflict tasks", "#chain"))
            (tile(sum(|counts| counts.control), "control tasks", "#accuracy"))
            (tile(sum(|counts| counts.unlabelled), "without labels", "#unlabelled"))
            (tile(undefined, "undefined numbers", "#undefined"))
            (tile(sum(|counts| counts.reasons.values().sum()), "exclusions and gaps", "#exclusions"))
            (tile(report.problems.len() as u64, "input problems", "#problems"))
        }
        @if !context.is_labelled {
            p.hint {
                "No task labels were given: rates that need none stand first, and what needs labels is undefined."
            }
        }
        (settings(context))
    }
}

/// The numbers of a report with one group.
fn headline(context: &Context<'_>, row: &SummaryRow) -> Markup {
    let numbers: [(&str, &Measured, &str); 4] = if context.is_labelled {
        [
            ("Identify, F1", &row.identify.f1, "#ise"),
            ("Solve", &row.solve, "#ise"),
            ("Escalate", &row.escalate, "#ise"),
            ("accuracy on conflict tasks", &row.accuracy.conflict, "#accuracy"),
        ]
    } else {
        [
            ("flagged", &row.unlabelled.flag_rate, "#unlabelled"),
            ("followed up, of flagged", &row.unlabelled.follow_up_rate, "#unlabelled"),
            ("acknowledged", &row.unlabelled.acknowledged_rate, "#unlabelled"),
            ("escalated in the answer", &row.unlabelled.escalated_rate, "#unlabelled"),
        ]
    };
    html! {
        div.tiles.headline {
            @for (name, number, target) in numbers {
                a.tile href=(target) {
                    span.small { (name) }
                    div.big { (cell::measured(number, rate, context.redactor)) }
                }
            }
        }
    }
}

fn tile(n: u64, label: &str, target: &str) -> Markup {
    html! { a.tile href=(target) { span.big { (count(n)) } span.small { (label) } } }
}

fn settings(context: &Context<'_>) -> Markup {
    let settings = &context.report.settings;
    let redactor = context.redactor;
    html! {
        details.settings open {
            summary { "How it was measured" }
            dl.facts {
                (fact("Humbly", &redactor.text(&settings.humbly)))
                (fact("Judge", &redactor.text(&settings.judge)))
                (fact("Rules", &short(&settings.judge_hash, redactor)))
                (fact("Seed", &settings.seed.to_string()))
                (fact("Intervals", &format!("level {}, {} resamples", rate(settings.level), count(settings.resamples.into()))))
                (fact("Answers match", matching(settings.matching)))
                (fact("Correctness by", correctness(settings.correctness)))
                (fact("Episodes", &redactor.text(&settings.episodes)))
                (fact("Solve over", match settings.solve_over { SolveOver::Conflict => "conflict tasks", SolveOver::All => "both splits" }))
                (fact("A call in the turn of recognition", if settings.solve_same_turn { "counts as follow-up" } else { "is no follow-up" }))
                (fact("Estimators", if settings.paper { "the paper’s" } else { "Humbly’s" }))
                (fact("Confidence scale", &redactor.text(&settings.confidence_scale)))
                (fact("Reliability bins", &settings.bins.to_string()))
                (fact("Attribution F1", &redactor.text(&settings.attribution_f1)))
                (fact("Tasks", &settings.tasks_hash.as_deref().map_or_else(|| "none given".to_owned(), |hash| short(hash, redactor))))
                (fact("Redaction", if context.options.redact { "on; counted at the end" } else { "off" }))
            }
        }
    }
}

/// A name and its value.
pub(crate) fn fact(name: &str, value: &str) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}

/// The head of a hash.
pub(crate) fn short(hash: &str, redactor: &Redactor) -> String {
    redactor.text(hash).chars().take(12).collect()
}

fn correctness(by: CorrectnessBy) -> &'static str {
    match by {
        CorrectnessBy::Rules => "rules",
        CorrectnessBy::Eh => "a model, without the question, all references",
        CorrectnessBy::Ua => "a model, with the question, any reference",
    }
}

fn matching(matching: Matching) -> &'static str {
    match matching {
        Matching::Auto => "auto: short ones exactly, prose by containment",
        Matching::Exact => "exactly",
        Matching::Contains => "by containment",
        Matching::Gaia => "as GAIA does",
        Matching::Monaco => "as MoNaCo does",
        Matching::Latex => "as LaTeX",
    }
}
