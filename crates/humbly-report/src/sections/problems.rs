//! What could not be read, joined or scored.

use maud::{Markup, html};

use super::{Context, scrolling};
use crate::number::{count, counted};

pub(crate) fn section(context: &Context<'_>) -> Markup {
    let problems = &context.report.problems;
    let redactor = context.redactor;
    let most = context.options.max_rows;
    html! {
        h2 { "Problems in the input" }
        @if problems.is_empty() {
            p.empty { "Everything could be read." }
        } @else {
            p { "The rest of the input was scored." }
            (scrolling(&html! {
                table.listing {
                    thead { tr {
                        th scope="col" { "Where" }
                        th scope="col" { "What" }
                        th scope="col" { "What to do" }
                    } }
                    tbody {
                        @for problem in problems.iter().take(most) {
                            tr {
                                th scope="row" {
                                    code { (redactor.text(&problem.path)) @if let Some(line) = problem.line { ":" (line) } }
                                    @if let Some(record) = &problem.record { span.sub { (redactor.text(record)) } }
                                }
                                td { (redactor.text(&problem.message)) }
                                td { @if let Some(hint) = &problem.hint { (redactor.text(hint)) } }
                            }
                        }
                    }
                }
            }))
            @if problems.len() > most {
                p.left-out { (counted((problems.len() - most) as u64, "more problem is", "more problems are")) " in the machine output; this list ends at " (count(most as u64)) "." }
            }
        }
    }
}
