//! The list of trajectories: written row by row, filtered by the page's script.

use std::io::Write;

use humbly_score::{BrokeAt, TrajectoryRow};
use humbly_types::{Split, Verdict};
use maud::{Markup, PreEscaped, html};

use super::Context;
use crate::cell;
use crate::error::Result;
use crate::number::{count, counted, rate};
use crate::trajectory::{anchor, quote_anchor};

pub(crate) fn write(out: &mut impl Write, context: &Context<'_>) -> Result<()> {
    let rows = &context.report.trajectories;
    let listed = rows.len().min(context.options.max_rows);
    out.write_all(opening(context, rows.len(), listed).into_string().as_bytes())?;
    for (number, row) in rows.iter().enumerate().take(listed) {
        out.write_all(list_row(context, number, row).into_string().as_bytes())?;
    }
    let closing = html! {
        (PreEscaped("</tbody></table></div>"))
        @if rows.is_empty() { p.empty { "No trajectory was read." } }
        @if listed < rows.len() {
            p.left-out { (counted((rows.len() - listed) as u64, "more trajectory is", "more trajectories are")) " in the machine output; this list ends at " (count(listed as u64)) "." }
        }
        (PreEscaped("</section><section id=\"steps\">"))
        @if !context.with_steps.is_empty() { h2 { "Steps" } }
    };
    out.write_all(closing.into_string().as_bytes())?;
    Ok(())
}

fn opening(context: &Context<'_>, all: usize, listed: usize) -> Markup {
    let shown = context.with_steps.len();
    html! {
        (PreEscaped("<section id=\"trajectories\">"))
        h2 { "Trajectories" }
        p {
            @if shown == all {
                "All " (counted(all as u64, "trajectory", "trajectories")) " with their steps."
            } @else {
                (count(shown as u64)) " of " (count(all as u64)) " with their steps, those with something to tell first and all groups in turn; "
                (count((all - shown) as u64)) " are only listed."
            }
            " A verdict that is linked leads to the words that decided."
        }
        div.filters hidden {
            label { "Filter " input #filter type="search" placeholder="id, agent, model, data set …" autocomplete="off" {} }
            label { "Show " select #kind {
                option value="" { "all" }
                option value="identified" { "identified" }
                option value="escalated" { "escalated" }
                option value="wrong" { "wrong answers" }
                option value="undefined" { "with an undefined verdict" }
                option value="excluded" { "excluded" }
            } }
            output #shown aria-live="polite" data-all=(listed) {}
        }
        (PreEscaped("<div class=\"scroll\" role=\"region\" aria-label=\"Trajectories, scrolls sideways\" tabindex=\"0\"><table id=\"list\"><thead>"))
        tr {
            th scope="col" { "Trajectory" }
            th scope="col" { "Agent" span.sub { "model" } }
            th scope="col" { "Data set" span.sub { "condition" } }
            th scope="col" { "Split" }
            th scope="col" { "Turns" span.sub { "calls" } }
            th scope="col" { "Correct" }
            th scope="col" { "Identify" }
            th scope="col" { "Solve" }
            th scope="col" { "Escalate" }
            th scope="col" { "Confidence" }
            th scope="col" { "The chain" }
        }
        (PreEscaped("</thead><tbody>"))
    }
}

fn list_row(context: &Context<'_>, number: usize, row: &TrajectoryRow) -> Markup {
    let redactor = context.redactor;
    let has_steps = context.with_steps.contains(&number);
    html! {
        tr data-kind=(kinds(row)) {
            th scope="row" {
                @if has_steps { a href=(format!("#{}", anchor(number))) { bdi { (redactor.text(&row.id)) } } }
                @else { bdi { (redactor.text(&row.id)) } }
                span.sub { (redactor.text(&row.format)) }
                @if let Some(excluded) = &row.excluded { span.sub { "left out: " (cell::words(excluded, redactor)) } }
            }
            td { (cell::optional(row.agent.as_deref(), redactor)) span.sub { (cell::optional(row.model.as_deref(), redactor)) } }
            td { (cell::optional(row.dataset.as_deref(), redactor)) span.sub { (cell::optional(row.condition.as_deref(), redactor)) } }
            td { (split(row.split))  }
            td { span.num { (count(row.turns.into())) } span.sub { (count(row.tool_calls.into())) } }
            td { (cell::verdict(&row.correct, redactor)) }
            td { (linked(context, number, "identify", &row.identify, has_steps)) }
            td { (cell::verdict(&row.solve, redactor)) }
            td { (linked(context, number, "escalate", &row.escalate, has_steps)) }
            td { (confidence(context, row)) }
            td { (broke_at(row.broke_at)) }
        }
    }
}

fn linked(context: &Context<'_>, number: usize, kind: &str, verdict: &Verdict, has_steps: bool) -> Markup {
    let shown = cell::verdict(verdict, context.redactor);
    html! {
        @if has_steps && verdict.is_yes() && verdict.quote.is_some() {
            a.quote-link href=(format!("#{}", quote_anchor(number, kind))) {
                (shown) @if let Some(turn) = verdict.turn { span.sub { "turn " (turn) } }
            }
        } @else { (shown) }
    }
}

fn kinds(row: &TrajectoryRow) -> String {
    let marks = [
        ("identified", row.identify.is_yes()),
        ("escalated", row.escalate.is_yes()),
        ("wrong", row.correct.value == Some(false)),
        (
            "undefined",
            [&row.correct, &row.identify, &row.escalate].iter().any(|verdict| verdict.value.is_none()),
        ),
        ("excluded", row.excluded.is_some()),
    ];
    marks.iter().filter(|(_, holds)| *holds).map(|(name, _)| *name).collect::<Vec<_>>().join(" ")
}

/// The split in words.
pub(crate) fn split(split: Option<Split>) -> Markup {
    match split {
        Some(Split::Conflict) => html! { "conflict" },
        Some(Split::Control) => html! { "control" },
        None => html! { span.missing { "no label" } },
    }
}

/// The confidence, or why there is none.
pub(crate) fn confidence(context: &Context<'_>, row: &TrajectoryRow) -> Markup {
    let redactor = context.redactor;
    html! {
        @match (row.confidence.value, &row.confidence.undefined) {
            (Some(value), _) => {
                span.num { (rate(value)) }
                @if let Some(source) = &row.confidence.source { span.sub { (redactor.text(source)) } }
            },
            (None, Some(undefined)) => { (cell::undefined(undefined, redactor)) },
            (None, None) => { (cell::not_recorded()) },
        }
    }
}

/// Where the chain broke, in words.
pub(crate) fn broke_at(broke_at: Option<BrokeAt>) -> Markup {
    match broke_at {
        Some(BrokeAt::NotIdentified) => html! { "not identified" },
        Some(BrokeAt::IdentifiedNoFollowUp) => html! { "identified, no follow-up" },
        Some(BrokeAt::FollowedUpNotEscalated) => html! { "followed up, not escalated" },
        Some(BrokeAt::Escalated) => html! { "escalated" },
        None => html! { span.missing { "undefined" } },
    }
}
