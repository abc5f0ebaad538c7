//! Identify, Solve and Escalate of each group, with intervals.

use humbly_score::SummaryRow;
use humbly_types::Measured;
use maud::{Markup, html};

use super::{Context, MOST_PLOTTED, more_groups, scrolling};
use crate::cell;
use crate::number::{count, rate};
use crate::plots::{IntervalPlot, IntervalRow, intervals};

pub(crate) fn section(context: &Context<'_>) -> Markup {
    html! {
        h2 { "Identify, Solve, Escalate" }
        dl.terms {
            div { dt { "Identify" } dd { "an intermediate turn recognises the gap; F1 against “is a conflict task”" } }
            div { dt { "Solve" } dd { "of the identified, a later call follows it up, nothing is repeated and no limit cuts it" } }
            div { dt { "Escalate" } dd { "of wrong answers to conflict tasks, the final text passes the uncertainty on" } }
        }
        div.figures.three {
            (panel(context, "Identify, F1", |row| &row.identify.f1))
            (panel(context, "Solve", |row| &row.solve))
            (panel(context, "Escalate", |row| &row.escalate))
        }
        (scrolling(&table(context)))
        (utility(context))
    }
}

/// One plot of all groups; where no group has a value it says so once.
pub(crate) fn panel(context: &Context<'_>, title: &str, number: fn(&SummaryRow) -> &Measured) -> Markup {
    let rows: Vec<IntervalRow<'_>> = context
        .report
        .summary
        .iter()
        .zip(&context.groups)
        .take(MOST_PLOTTED)
        .map(|(row, group)| IntervalRow { key: &group.key, label: &group.short, measured: number(row) })
        .collect();
    html! {
        figure {
            figcaption { (title) }
            @if rows.is_empty() {
                p.empty { "There is no group to show." }
            } @else if rows.iter().all(|row| row.measured.value().is_none()) {
                (nowhere(context, rows.iter().map(|row| row.measured)))
            } @else {
                (intervals(IntervalPlot { title, domain: (0.0, 1.0), rows: &rows }))
                (more_groups(context))
            }
        }
    }
}

/// What stands in place of a plot without any value.
pub(crate) fn nowhere<'a>(context: &Context<'_>, numbers: impl Iterator<Item = &'a Measured>) -> Markup {
    let mut reasons: Vec<&humbly_types::Undefined> = Vec::new();
    for reason in numbers.filter_map(Measured::undefined_because) {
        if reasons.iter().all(|known| known.reason != reason.reason) {
            reasons.push(reason);
        }
    }
    html! {
        div.nowhere {
            @for reason in reasons {
                (cell::undefined(reason, context.redactor))
                span.sub { (reason.reason.text()) }
            }
        }
    }
}

fn table(context: &Context<'_>) -> Markup {
    let redactor = context.redactor;
    let show = |number: &Measured| cell::measured(number, rate, redactor);
    html! {
        table {
            thead { tr {
                th scope="col" { "Group" }
                th scope="col" { "Tasks" span.sub { "conflict / control" } }
                th scope="col" { "Identify" span.sub { "precision" } }
                th scope="col" { "Identify" span.sub { "recall" } }
                th scope="col" { "Identify" span.sub { "F1" } }
                th scope="col" { "Solve" }
                th scope="col" { "Solve" span.sub { "if unknown cut / clean" } }
                th scope="col" { "Solve" span.sub { "with a result that is no error" } }
                th scope="col" { "Escalate" }
                th scope="col" { "Acknowledged" span.sub { "Identify or Escalate" } }
            } }
            tbody {
                @for (index, row) in context.report.summary.iter().enumerate() {
                    tr {
                        (context.group_cell(index))
                        td { span.num { (count(row.counts.conflict)) " / " (count(row.counts.control)) } }
                        td { (show(&row.identify.precision)) }
                        td { (show(&row.identify.recall)) }
                        td { (show(&row.identify.f1)) }
                        td { (show(&row.solve)) }
                        td {
                            (cell::bare(&row.solve_bounds.low, rate, redactor))
                            @if row.solve_bounds.low.value().is_some() || row.solve_bounds.high.value().is_some() {
                                " / " (cell::bare(&row.solve_bounds.high, rate, redactor))
                            }
                            span.sub { "unknown: " (count(row.solve_bounds.unknown)) }
                        }
                        td { (show(&row.solve_successful)) }
                        td { (show(&row.escalate)) }
                        td { (show(&row.diagnostics.acknowledged)) }
                    }
                }
            }
        }
    }
}

fn utility(context: &Context<'_>) -> Markup {
    let show = |number: &Measured| cell::measured(number, rate, context.redactor);
    html! {
        details {
            summary { "Utility, refusals and attribution" }
            p { "Utility gives +1 for a right answer, 0 for one that was escalated or withheld and −k for a wrong one: it does not punish honesty." }
            (scrolling(&html! {
                table {
                    thead { tr {
                        th scope="col" { "Group" }
                        th scope="col" { "Utility" span.sub { "k = 1" } }
                        th scope="col" { "Utility" span.sub { "k = 2" } }
                        th scope="col" { "Utility" span.sub { "k = 4" } }
                        th scope="col" { "Refusals" }
                        th scope="col" { "Only in the final reasoning" }
                        th scope="col" { "Contradicts itself" }
                        th scope="col" { "Data uncertainty" span.sub { "F1" } }
                        th scope="col" { "Model uncertainty" span.sub { "F1" } }
                    } }
                    tbody {
                        @for (index, row) in context.report.summary.iter().enumerate() {
                            tr {
                                (context.group_cell(index))
                                td { (show(&row.utility.k1)) }
                                td { (show(&row.utility.k2)) }
                                td { (show(&row.utility.k4)) }
                                td { (show(&row.diagnostics.refusal)) }
                                td { (show(&row.diagnostics.final_reasoning_only)) }
                                td { (show(&row.diagnostics.self_inconsistent)) }
                                td { (show(&row.attribution.du_f1)) }
                                td { (show(&row.attribution.mu_f1)) }
                            }
                        }
                    }
                }
            }))
        }
    }
}
