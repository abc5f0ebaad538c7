//! Every number that is undefined and every kind of verdict that is, with the reason in words.

use std::collections::BTreeMap;

use humbly_score::TrajectoryRow;
use humbly_types::{Reason, Undefined};
use maud::{Markup, html};

use super::{Context, VerdictOf, scrolling};
use crate::cell;
use crate::measured::measured_numbers;
use crate::number::count;

pub(crate) fn section(context: &Context<'_>) -> Markup {
    let numbers = numbers(context);
    let verdicts = verdicts(&context.report.trajectories);
    html! {
        h2 { "Undefined" }
        p { "What the data do not determine is left out of every rate and listed here. None of it counts as 0 or as “no”." }
        h3 { "Numbers" }
        @if numbers.is_empty() {
            p.empty { "Every measured number has a value." }
        } @else {
            (scrolling(&html! {
                table.listing {
                    thead { tr {
                        th scope="col" { "Number" }
                        th scope="col" { "Reason" }
                        th scope="col" { "In words" }
                        th scope="col" { "Groups" }
                    } }
                    tbody {
                        @for ((name, words), cell) in &numbers {
                            tr {
                                th scope="row" { code { (name) } }
                                td { (cell::undefined(cell.undefined, context.redactor)) }
                                td { (words) }
                                td.keys {
                                    @if cell.groups.len() == context.groups.len() && cell.groups.len() > 1 { "all " (count(cell.groups.len() as u64)) " groups" }
                                    @else { @for &index in &cell.groups {
                                        @let (key, label) = context.group(index);
                                        span.key title=(label) { (key) } " "
                                    } }
                                }
                            }
                        }
                    }
                }
            }))
        }
        h3 { "Verdicts on trajectories" }
        @if verdicts.is_empty() {
            p.empty { "Every verdict is yes or no." }
        } @else {
            (scrolling(&html! {
                table.listing {
                    thead { tr {
                        th scope="col" { "Verdict" }
                        th scope="col" { "Reason" }
                        th scope="col" { "In words" }
                        th scope="col" { "Trajectories" }
                    } }
                    tbody {
                        @for ((name, reason), n) in &verdicts {
                            tr {
                                th scope="row" { (name) }
                                td { (cell::undefined(&Undefined::new(*reason), context.redactor)) }
                                td { (reason.text()) }
                                td { span.num { (count(*n)) } }
                            }
                        }
                    }
                }
            }))
        }
    }
}

struct UndefinedNumber<'a> {
    undefined: &'a Undefined,
    groups: Vec<usize>,
}

/// Undefined numbers by name and reason in words, in the order of the summary's fields.
fn numbers<'a>(context: &Context<'a>) -> Vec<((String, String), UndefinedNumber<'a>)> {
    let mut found: Vec<((String, String), UndefinedNumber<'a>)> = Vec::new();
    let mut places: BTreeMap<(String, String), usize> = BTreeMap::new();
    for (index, row) in context.report.summary.iter().enumerate() {
        for (name, number) in measured_numbers(row) {
            let Some(undefined) = number.undefined_because() else { continue };
            let key = (context.redactor.text(&name).into_owned(), cell::words(undefined, context.redactor));
            let place = *places.entry(key.clone()).or_insert_with(|| {
                found.push((key, UndefinedNumber { undefined, groups: Vec::new() }));
                found.len() - 1
            });
            if let Some((_, number)) = found.get_mut(place) {
                number.groups.push(index);
            }
        }
    }
    found
}

fn verdicts(rows: &[TrajectoryRow]) -> Vec<((&'static str, Reason), u64)> {
    let asked: [(&'static str, VerdictOf); 8] = [
        ("correct", |row| &row.correct),
        ("identify", |row| &row.identify),
        ("solve", |row| &row.solve),
        ("solve, successful", |row| &row.solve_successful),
        ("escalate", |row| &row.escalate),
        ("acknowledged", |row| &row.acknowledged),
        ("final reasoning", |row| &row.final_reasoning),
        ("refusal", |row| &row.refusal),
    ];
    let mut counts = Vec::new();
    for (name, verdict) in asked {
        let mut reasons: BTreeMap<Reason, u64> = BTreeMap::new();
        for undefined in rows.iter().filter_map(|row| verdict(row).undefined.as_ref()) {
            *reasons.entry(undefined.reason).or_default() += 1;
        }
        counts.extend(reasons.into_iter().map(|(reason, n)| ((name, reason), n)));
    }
    counts
}
