//! First mentions: how early the answer is named that was not given.

use humbly_score::{MentionSeries, SummaryRow};
use maud::{Markup, html};

use super::Context;
use crate::number::count;
use crate::plots::{Histogram, histogram};

type SeriesOf = fn(&SummaryRow) -> &MentionSeries;

pub(crate) fn section(context: &Context<'_>) -> Markup {
    let summary = &context.report.summary;
    let series: [(&str, SeriesOf); 2] = [
        ("The gold answer, in trajectories that end wrong", |row| &row.first_mention.gold_in_wrong),
        ("The parametric answer, in trajectories that end right", |row| {
            &row.first_mention.parametric_in_right
        }),
    ];
    html! {
        h2 { "First mention" }
        p { "When an answer is named that is not given in the end. “First” counts each trajectory once, “all” every turn that names it." }
        ul.legend {
            li { span.swatch.first {} "first" }
            li { span.swatch.all {} "all" }
        }
        div.figures.two {
            @for (name, of) in &series {
                (figure(name, &pooled(summary.iter().map(of))))
            }
        }
        @if summary.len() > 1 {
            details {
                summary { "By group" }
                div.figures.two {
                    @for (index, row) in summary.iter().enumerate() {
                        @for (name, of) in &series {
                            @if of(row).trajectories > 0 {
                                @let (key, label) = context.group(index);
                                (figure(&format!("{key}  {label}: {}", name.to_lowercase()), of(row)))
                            }
                        }
                    }
                }
            }
        }
    }
}

fn figure(name: &str, series: &MentionSeries) -> Markup {
    let named: u64 = series.first.iter().sum();
    html! {
        figure {
            figcaption {
                (name)
                span.sub { "named in " (count(named)) " of " (count(series.trajectories)) " trajectories" }
            }
            @if series.trajectories == 0 {
                p.empty { "No trajectory ended so with an answer that could be looked for." }
            } @else {
                (histogram(Histogram { title: name, first: &series.first, all: &series.all }))
            }
        }
    }
}

fn pooled<'a>(series: impl Iterator<Item = &'a MentionSeries>) -> MentionSeries {
    series.fold(MentionSeries::default(), |mut sum, series| {
        sum.trajectories += series.trajectories;
        for (sum, n) in sum.all.iter_mut().zip(series.all) {
            *sum += n;
        }
        for (sum, n) in sum.first.iter_mut().zip(series.first) {
            *sum += n;
        }
        sum
    })
}
