//! Exclusions and gaps by reason.

use humbly_types::Reason;
use maud::{Markup, html};

use super::{Context, scrolling};
use crate::number::count;

pub(crate) fn section(context: &Context<'_>) -> Markup {
    let summary = &context.report.summary;
    let mut codes: Vec<&str> = Vec::new();
    for code in summary.iter().flat_map(|row| row.counts.reasons.keys()) {
        if !codes.contains(&code.as_str()) {
            codes.push(code);
        }
    }
    html! {
        h2 { "Exclusions and gaps" }
        @if codes.is_empty() {
            p.empty { "Nothing was left out." }
        } @else {
            (scrolling(&html! {
                table {
                    thead { tr {
                        th scope="col" { "Group" }
                        th scope="col" { "Trajectories" }
                        @for code in &codes {
                            th scope="col" { (words(code)) span.sub { (context.redactor.text(code)) } }
                        }
                    } }
                    tbody {
                        @for (index, row) in summary.iter().enumerate() {
                            tr {
                                (context.group_cell(index))
                                td { span.num { (count(row.counts.trajectories)) } }
                                @for code in &codes {
                                    td { span.num { (count(row.counts.reasons.get(*code).copied().unwrap_or(0))) } }
                                }
                            }
                        }
                    }
                }
            }))
        }
    }
}

fn words(code: &str) -> &str {
    Reason::ALL.iter().find(|reason| reason.code() == code).map_or("left out", |reason| reason.text())
}
