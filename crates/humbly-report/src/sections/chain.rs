//! From conflict tasks to answers that tell: the funnel, and where the chain broke in each group.

use humbly_score::TrajectoryRow;
use humbly_types::Split;
use maud::{Markup, html};

use super::{Context, MOST_PLOTTED, VerdictOf, more_groups};
use crate::number::counted;
use crate::plots::{ChainRow, Stage, chain, funnel};

/// Codes, in the order of the chain, and their names.
const PARTS: [(&str, &str); 4] = [
    ("not_identified", "not identified"),
    ("identified_no_follow_up", "identified, no follow-up"),
    ("followed_up_not_escalated", "followed up, not escalated"),
    ("escalated", "escalated"),
];

pub(crate) fn section(context: &Context<'_>) -> Markup {
    let rows: Vec<&TrajectoryRow> = context
        .report
        .trajectories
        .iter()
        .filter(|row| row.excluded.is_none() && (!context.is_labelled || row.split == Some(Split::Conflict)))
        .collect();
    let set = if context.is_labelled { "Conflict tasks" } else { "Trajectories" };
    let stages = stages(set, &rows);
    let escalated = rows.iter().filter(|row| row.escalate.is_yes()).count() as u64;
    let beside = escalated - stages.last().map_or(0, |stage| stage.n).min(escalated);
    let bars: Vec<ChainRow> =
        (0..context.report.summary.len().min(MOST_PLOTTED)).filter_map(|index| bar(context, index)).collect();
    html! {
        h2 { "The chain" }
        p { "Of each stage, those that reached it in order. The rates below have denominators of their own: Escalate, for one, is asked of wrong answers only and does not presuppose Identify." }
        div.figures.two {
            figure {
                figcaption { "From " (set.to_lowercase()) " to answers that tell" }
                (funnel("Funnel from identified to escalated", &stages))
                @if beside > 0 {
                    p.left-out { (counted(beside, "more answer", "more answers")) " escalated without the stages before: the bars by group count them as escalated." }
                }
            }
            figure {
                figcaption { "Where the chain broke, by group" }
                @if bars.is_empty() {
                    p.empty { "No trajectory of these groups has a place where the chain broke or held." }
                } @else {
                    (legend())
                    (chain("Where the chain broke", PARTS.map(|(_, name)| name), &bars))
                    (more_groups(context))
                }
            }
        }
    }
}

fn legend() -> Markup {
    html! {
        ul.legend {
            @for (index, (_, name)) in PARTS.iter().enumerate() {
                li { span class=(format!("swatch p{index}")) {} (name) }
            }
            li { span.swatch.undefined {} "undefined" }
        }
    }
}

fn bar(context: &Context<'_>, index: usize) -> Option<ChainRow> {
    let row = context.report.summary.get(index)?;
    let counts = PARTS.map(|(code, _)| row.diagnostics.broke_at.get(code).copied().unwrap_or(0));
    let undefined = row
        .diagnostics
        .broke_at
        .iter()
        .filter(|(code, _)| PARTS.iter().all(|(known, _)| known != code))
        .map(|(_, n)| n)
        .sum();
    let group = context.groups.get(index)?;
    let label = format!("{}  {}", group.key, group.short);
    (counts.iter().sum::<u64>() + undefined > 0).then_some(ChainRow { label, counts, undefined })
}

fn stages(set: &str, rows: &[&TrajectoryRow]) -> Vec<Stage> {
    let mut stages = vec![Stage { label: set.to_owned(), n: rows.len() as u64, lost: None, undefined: 0 }];
    let asked: [(&str, VerdictOf); 3] = [
        ("identified in an intermediate turn", |row| &row.identify),
        ("followed up by a later call", |row| &row.solve),
        ("escalated in the final answer", |row| &row.escalate),
    ];
    let mut left = rows.to_vec();
    for (label, verdict) in asked {
        let undefined = left.iter().filter(|row| verdict(row).value.is_none()).count();
        let before = left.len();
        left.retain(|row| verdict(row).is_yes());
        stages.push(Stage {
            label: label.to_owned(),
            n: left.len() as u64,
            lost: Some((before - left.len() - undefined) as u64),
            undefined: undefined as u64,
        });
    }
    stages
}
