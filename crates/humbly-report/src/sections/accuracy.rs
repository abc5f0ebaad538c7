//! Accuracy by split, and against Identify, Solve and Escalate.

use humbly_score::SummaryRow;
use humbly_types::Measured;
use maud::{Markup, html};

use super::ise::nowhere;
use super::{Context, MOST_PLOTTED, more_groups, scrolling};
use crate::cell;
use crate::number::{p_value, rate};
use crate::plots::{Scatter, ScatterPoint, scatter};

pub(crate) fn section(context: &Context<'_>) -> Markup {
    html! {
        h2 { "Accuracy" }
        p { "An agent can be accurate and not humble. Each letter is a group of the table; lines are intervals in both directions." }
        div.figures.three {
            (panel(context, "Identify, F1", |row| &row.identify.f1))
            (panel(context, "Solve", |row| &row.solve))
            (panel(context, "Escalate", |row| &row.escalate))
        }
        (scrolling(&table(context)))
        (similarity(context))
    }
}

/// Mean similarity, for groups of `MoNaCo`.
fn similarity(context: &Context<'_>) -> Markup {
    let redactor = context.redactor;
    let rows = || {
        let rows = context.report.summary.iter().enumerate();
        rows.filter_map(|(index, row)| row.similarity.as_ref().map(|similarity| (index, similarity)))
    };
    html! {
        @if rows().next().is_some() {
            h3 { "Similarity with the reference" }
            p { "1 − |r − p| / max(|r|, |p|) where the reference is one number, else 1 where the answer is right and 0 where not: the metric of MoNaCo." }
            (scrolling(&html! {
                table {
                    thead { tr {
                        th scope="col" { "Group" }
                        th scope="col" { "Conflict" }
                        th scope="col" { "Control" }
                        th scope="col" { "All" }
                        th scope="col" { "Conflict against control" span.sub { "p" } }
                        th scope="col" { "Holm-adjusted p" }
                    } }
                    tbody {
                        @for (index, similarity) in rows() {
                            tr {
                                (context.group_cell(index))
                                td { (cell::measured(&similarity.conflict, rate, redactor)) }
                                td { (cell::measured(&similarity.control, rate, redactor)) }
                                td { (cell::measured(&similarity.all, rate, redactor)) }
                                td {
                                    (cell::bare(&similarity.test.p, p_value, redactor))
                                    span.sub { (redactor.text(test_name(&similarity.test.name))) }
                                }
                                td { (cell::bare(&similarity.test.p_holm, p_value, redactor)) }
                            }
                        }
                    }
                }
            }))
        }
    }
}

fn panel(context: &Context<'_>, title: &str, number: fn(&SummaryRow) -> &Measured) -> Markup {
    let summary = &context.report.summary;
    let points: Vec<ScatterPoint<'_>> = summary
        .iter()
        .zip(&context.groups)
        .take(MOST_PLOTTED)
        .map(|(row, group)| ScatterPoint {
            key: &group.key,
            label: &group.short,
            x: &row.accuracy.conflict,
            y: number(row),
        })
        .collect();
    let is_empty = points.iter().all(|point| point.x.value().is_none() || point.y.value().is_none());
    html! {
        figure {
            figcaption { (title) " against accuracy" }
            @if is_empty {
                (nowhere(context, summary.iter().flat_map(|row| [&row.accuracy.conflict, number(row)])))
            } @else {
                (scatter(Scatter {
                    title: &format!("{title} against accuracy"),
                    x_label: "accuracy on conflict tasks",
                    y_label: title,
                    points: &points,
                    curve: None,
                }))
                (more_groups(context))
            }
        }
    }
}

fn table(context: &Context<'_>) -> Markup {
    let redactor = context.redactor;
    html! {
        table {
            thead { tr {
                th scope="col" { "Group" }
                th scope="col" { "Conflict" }
                th scope="col" { "Control" }
                th scope="col" { "All" }
                th scope="col" { "Conflict against control" span.sub { "p" } }
                th scope="col" { "Holm-adjusted p" }
                th scope="col" { "Tool calls" span.sub { "conflict" } }
                th scope="col" { "Tool calls" span.sub { "control" } }
                th scope="col" { "Within pairs" span.sub { "p" } }
            } }
            tbody {
                @for (index, row) in context.report.summary.iter().enumerate() {
                    tr {
                        (context.group_cell(index))
                        td { (cell::measured(&row.accuracy.conflict, rate, redactor)) }
                        td { (cell::measured(&row.accuracy.control, rate, redactor)) }
                        td { (cell::measured(&row.accuracy.all, rate, redactor)) }
                        td {
                            (cell::bare(&row.accuracy.test.p, p_value, redactor))
                            span.sub { (redactor.text(test_name(&row.accuracy.test.name))) }
                        }
                        td { (cell::bare(&row.accuracy.test.p_holm, p_value, redactor)) }
                        td { (cell::measured(&row.diagnostics.tool_calls_conflict, rate, redactor)) }
                        td { (cell::measured(&row.diagnostics.tool_calls_control, rate, redactor)) }
                        td {
                            (cell::bare(&row.diagnostics.tool_calls_test.p, p_value, redactor))
                            span.sub { (redactor.text(test_name(&row.diagnostics.tool_calls_test.name))) }
                        }
                    }
                }
            }
        }
    }
}

fn test_name(name: &str) -> &str {
    match name {
        "two_proportion_z" => "two-proportion z",
        "mcnemar" | "mcnemar_exact" => "McNemar",
        "paired_t" => "paired t",
        "welch_t" => "Welch’s t",
        other => other,
    }
}
