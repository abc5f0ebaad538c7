//! Calibration: one reliability diagram and one risk–coverage curve a group and source of confidence.

use humbly_score::CalibrationRow;
use maud::{Markup, html};

use super::{Context, MOST_PLOTTED, scrolling};
use crate::cell;
use crate::number::{count, fine};
use crate::plots::{CoveragePoint, ReliabilityBin, reliability, risk_coverage};

pub(crate) fn section(context: &Context<'_>) -> Markup {
    let rows: Vec<(usize, &CalibrationRow)> = context
        .report
        .summary
        .iter()
        .enumerate()
        .flat_map(|(index, row)| row.calibration.iter().map(move |calibration| (index, calibration)))
        .collect();
    html! {
        h2 { "Calibration" }
        @if rows.is_empty() {
            p.empty { "No answer stated a confidence, or none of those that did could be checked." }
        } @else {
            p { "A dot under the dashed diagonal means overconfidence. The bars below each diagram count the answers of a bin. Sources of confidence are never mixed." }
            (scrolling(&table(context, &rows)))
            @for (index, row) in rows.iter().take(MOST_PLOTTED) { (diagrams(context, *index, row)) }
        }
    }
}

fn table(context: &Context<'_>, rows: &[(usize, &CalibrationRow)]) -> Markup {
    let redactor = context.redactor;
    html! {
        table {
            thead { tr {
                th scope="col" { "Group" }
                th scope="col" { "Source" }
                th scope="col" { "n" }
                th scope="col" { "Accuracy" }
                th scope="col" { "ECE" }
                th scope="col" { "Brier" }
                th scope="col" { "AUROC" }
                th scope="col" { "MCIP" span.sub { "mean confidence when wrong" } }
                th scope="col" { "AURC" }
            } }
            tbody {
                @for (index, row) in rows {
                    tr {
                        (context.group_cell(*index))
                        td { (redactor.text(&row.source)) }
                        td { span.num { (count(row.n)) } }
                        @for number in [&row.accuracy, &row.ece, &row.brier, &row.auroc, &row.mcip, &row.aurc] {
                            td { (cell::measured(number, fine, redactor)) }
                        }
                    }
                }
            }
        }
    }
}

fn diagrams(context: &Context<'_>, index: usize, row: &CalibrationRow) -> Markup {
    let (key, label) = context.group(index);
    let source = context.redactor.text(&row.source);
    let name = format!("{key}  {label} · {source}");
    let bins: Vec<ReliabilityBin<'_>> = row
        .bins
        .iter()
        .map(|bin| ReliabilityBin {
            low: bin.low,
            high: bin.high,
            n: bin.n,
            confidence: bin.confidence,
            accuracy: &bin.accuracy,
        })
        .collect();
    let points: Vec<CoveragePoint> = row
        .risk_coverage
        .iter()
        .map(|point| CoveragePoint { coverage: point.coverage, risk: point.risk })
        .collect();
    html! {
        div.calibration {
            div.figures.two {
                figure {
                    figcaption { span.key { (key) } " " (label) span.sub { "reliability, confidence by " (source) ", bins " (context.redactor.text(&row.edges)) } }
                    @if bins.is_empty() { p.empty { "No bins." } }
                    @else { (reliability(&format!("Reliability of {name}"), &bins)) }
                }
                figure {
                    figcaption { span.key { (key) } " " (label) span.sub { "risk and coverage, confidence by " (source) "; dashed: risk of answering all" } }
                    @if points.is_empty() { p.empty { "No curve." } }
                    @else { (risk_coverage(&format!("Risk and coverage of {name}"), &points)) }
                }
            }
        }
    }
}
