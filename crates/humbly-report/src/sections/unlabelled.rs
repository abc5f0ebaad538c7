//! Rates that need no labels.

use maud::{Markup, html};

use super::ise::panel;
use super::{Context, scrolling};
use crate::cell;
use crate::number::{count, rate};

pub(crate) fn section(context: &Context<'_>) -> Markup {
    let redactor = context.redactor;
    html! {
        h2 { "Rates that need no labels" }
        p { "Over all trajectories of a group, whatever their task. They say how often the agent reports a gap, not how often it is right to." }
        div.figures.four {
            (panel(context, "Flagged", |row| &row.unlabelled.flag_rate))
            (panel(context, "Followed up, of flagged", |row| &row.unlabelled.follow_up_rate))
            (panel(context, "Acknowledged", |row| &row.unlabelled.acknowledged_rate))
            (panel(context, "Escalated in the answer", |row| &row.unlabelled.escalated_rate))
        }
        (scrolling(&html! {
            table {
                thead { tr {
                    th scope="col" { "Group" }
                    th scope="col" { "Trajectories" }
                    th scope="col" { "Flagged" }
                    th scope="col" { "Followed up" }
                    th scope="col" { "Acknowledged" }
                    th scope="col" { "Escalated" }
                    th scope="col" { "Flags per 100 turns" }
                } }
                tbody {
                    @for (index, row) in context.report.summary.iter().enumerate() {
                        tr {
                            (context.group_cell(index))
                            td { span.num { (count(row.counts.trajectories)) } }
                            td { (cell::measured(&row.unlabelled.flag_rate, rate, redactor)) }
                            td { (cell::measured(&row.unlabelled.follow_up_rate, rate, redactor)) }
                            td { (cell::measured(&row.unlabelled.acknowledged_rate, rate, redactor)) }
                            td { (cell::measured(&row.unlabelled.escalated_rate, rate, redactor)) }
                            td { (cell::measured(&row.unlabelled.flags_per_100_turns, rate, redactor)) }
                        }
                    }
                }
            }
        }))
    }
}
