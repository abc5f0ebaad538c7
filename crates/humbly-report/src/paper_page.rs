//! The paper's tables and figures as one HTML page that works offline.

use std::io::Write;

use maud::{Markup, html};

use crate::cell;
use crate::error::Result;
use crate::number::count;
use crate::options::ReportOptions;
use crate::page;
use crate::plots::{
    ChangePoint, Changes, Histogram, PublishedPoint, ReliabilityBin, Scatter, ScatterPoint, changes,
    histogram, reliability, scatter,
};
use crate::redact::{Redactions, Redactor};
use crate::sections::{fact, scrolling};
use crate::tables::calibration::reliability as reliability_table;
use crate::tables::{
    Item, Material, PaperItem, PaperReport, PaperTable, Source, TableCell, Unit, figure3, figure4, figure5,
};

/// Figures show so many cells; the tables beneath have all.
const MOST_PLOTTED: usize = 40;

/// Writes the page; `facts` say how it was measured, `against` draws the paper's points too.
///
/// # Errors
/// [`ReportError::Write`](crate::ReportError).
///
/// # Examples
/// ```
/// use humbly_report::tables::{Item, Material, paper_report};
/// use humbly_report::{ReportOptions, write_paper_page};
/// let material = Material::default();
/// let report = paper_report(&material, &Item::ALL, false);
/// let mut page = Vec::new();
/// write_paper_page(&mut page, &report, &material, &[], false, &ReportOptions::default())?;
/// assert!(String::from_utf8_lossy(&page).contains("Not determined"));
/// # Ok::<(), humbly_report::ReportError>(())
/// ```
pub fn write_paper_page(
    mut out: impl Write,
    report: &PaperReport,
    material: &Material,
    facts: &[(String, String)],
    against: bool,
    options: &ReportOptions,
) -> Result<Redactions> {
    let redactor = Redactor::new(options.redact);
    let page = Page { report, material, against, redactor: &redactor };
    let names: Vec<(String, String)> = report
        .items
        .iter()
        .filter_map(|item| match item {
            PaperItem::Determined(table) => Some((table.item.code(), table.item.to_string())),
            PaperItem::NotDetermined { .. } => None,
        })
        .collect();
    let missing = page.missing();
    let mut links: Vec<(&str, &str)> =
        names.iter().map(|(code, name)| (code.as_str(), name.as_str())).collect();
    if missing.is_some() {
        links.push(("missing", "Not determined"));
    }
    out.write_all(page::opening(&redactor.text(&options.title), &links).as_bytes())?;
    let head = html! {
        section #overview {
            header.title {
                h1 { (redactor.text(&options.title)) }
                p.lead { (page.lead()) }
            }
            dl.facts { @for (name, value) in facts { (fact(name, &redactor.text(value))) } }
        }
    };
    out.write_all(head.into_string().as_bytes())?;
    for item in &report.items {
        if let PaperItem::Determined(table) = item {
            out.write_all(page.section(table).into_string().as_bytes())?;
        }
    }
    if let Some(missing) = missing {
        out.write_all(missing.into_string().as_bytes())?;
    }
    let end = html! {
        p {
            "Nothing undefined is counted as zero. "
            (count(redactor.counts().total())) " places were redacted."
        }
    };
    out.write_all(page::closing(&end).as_bytes())?;
    out.flush()?;
    Ok(redactor.counts())
}

struct Page<'a> {
    report: &'a PaperReport,
    material: &'a Material,
    against: bool,
    redactor: &'a Redactor,
}

impl Page<'_> {
    /// What the page is about, by the tables that were asked for.
    fn lead(&self) -> &'static str {
        let items = || {
            self.report.items.iter().map(|item| match item {
                PaperItem::Determined(table) => table.item,
                PaperItem::NotDetermined { item, .. } => *item,
            })
        };
        if items().all(|item| matches!(item, Item::Calibration(_))) {
            "Calibration of tool-use agents: settings compared on data sets, in the tables of the paper that studied them and beside."
        } else {
            "Identify, Solve and Escalate over conflict and control tasks, in the tables and figures of the paper that defined them."
        }
    }

    fn missing(&self) -> Option<Markup> {
        let missing: Vec<(&Item, &String)> = self
            .report
            .items
            .iter()
            .filter_map(|item| match item {
                PaperItem::NotDetermined { item, reason } => Some((item, reason)),
                PaperItem::Determined(_) => None,
            })
            .collect();
        (!missing.is_empty()).then(|| {
            html! {
                section #missing {
                    h2 { "Not determined" }
                    dl.terms {
                        @for (item, reason) in missing {
                            div { dt { (item) ": " (item.title()) } dd { (self.redactor.text(reason)) } }
                        }
                    }
                }
            }
        })
    }

    fn section(&self, table: &PaperTable) -> Markup {
        html! {
            section id=(table.item.code()) {
                h2 { (table.item) ": " (table.item.title()) }
                @match table.item {
                    Item::Figure(3) => { (self.figure3()) },
                    Item::Figure(4) => { (self.figure4()) },
                    Item::Figure(5) => { (self.figure5()) },
                    Item::Calibration(9) => { (self.reliability()) },
                    _ => {},
                }
                (scrolling(&self.table(table)))
                ul.notes { @for note in &table.notes { li { (self.redactor.text(note)) } } }
            }
        }
    }

    fn table(&self, table: &PaperTable) -> Markup {
        html! {
            table.paper {
                thead {
                    tr {
                        th rowspan="2" scope="col" { (table.stub) }
                        @for group in &table.groups {
                            th.head scope="colgroup" colspan=(group.columns.len()) { (self.redactor.text(&group.name)) }
                        }
                    }
                    tr { @for (_, column) in table.columns() { th scope="col" { (column) } } }
                }
                tbody {
                    @for row in &table.rows {
                        tr.paper-row[row.source == Source::Paper] {
                            th.group scope="row" {
                                bdi { (self.redactor.text(&row.name)) }
                                @if row.source == Source::Paper { span.sub { "paper" } }
                            }
                            @for cell in &row.cells { td { (self.cell(cell)) } }
                        }
                    }
                }
            }
        }
    }

    fn cell(&self, cell: &TableCell) -> Markup {
        let is_marked = crate::tables::is_significant(cell);
        match cell {
            TableCell::Measured { unit, number, .. } => {
                let format: fn(f64) -> String = match unit {
                    Unit::Percent => |value| crate::tables::in_unit(value, Unit::Percent),
                    Unit::Points => |value| crate::tables::in_unit(value, Unit::Points),
                    Unit::Coefficient => |value| crate::tables::in_unit(value, Unit::Coefficient),
                };
                html! { span.marked[is_marked] { (cell::measured(number, format, self.redactor)) } }
            }
            TableCell::NotRun => html! { span.missing { "not run" } },
            other => html! { span.num { (other.text()) } },
        }
    }

    /// One diagram for each setting and source of confidence.
    fn reliability(&self) -> Markup {
        let Some(study) = &self.material.calibration else { return html! {} };
        let shown: Vec<_> = reliability_table::shown(study).take(MOST_PLOTTED).collect();
        html! {
            div.figures.two {
                @for (name, _, source) in &shown {
                    @let bins: Vec<ReliabilityBin<'_>> = source.summary.bins.iter().filter_map(|bin| Some(ReliabilityBin {
                        low: bin.low?,
                        high: bin.high?,
                        n: bin.n,
                        confidence: bin.confidence.value(),
                        accuracy: &bin.accuracy,
                    })).collect();
                    figure {
                        figcaption { bdi { (self.redactor.text(name)) } }
                        (reliability(&self.redactor.text(name), &bins))
                    }
                }
            }
        }
    }

    fn figure3(&self) -> Markup {
        let points: Vec<_> = figure3::shown(self.material).take(MOST_PLOTTED).collect();
        let names: Vec<(String, String)> = points
            .iter()
            .enumerate()
            .map(|(index, (name, _))| (crate::group::letters(index), self.redactor.text(name).into_owned()))
            .collect();
        html! {
            div.figures.three {
                @for (dimension, of) in figure3::DIMENSIONS {
                    @let drawn: Vec<ScatterPoint<'_>> = points.iter().zip(&names).map(|((_, point), (key, label))| {
                        ScatterPoint { key, label, x: &point.accuracy, y: of(point) }
                    }).collect();
                    @let curve = self.report.curves.iter().find(|curve| curve.dimension == dimension);
                    figure {
                        figcaption { (dimension) " against accuracy" }
                        (scatter(Scatter {
                            title: dimension,
                            x_label: "accuracy on conflict tasks",
                            y_label: dimension,
                            points: &drawn,
                            curve: curve.and_then(|curve| curve.curve.as_ref()),
                        }))
                    }
                }
            }
            ul.legend { @for (key, label) in &names { li { span.key { (key) } " " bdi { (label) } } } }
        }
    }

    fn figure4(&self) -> Markup {
        let [gold, parametric] = figure4::series(self.material);
        let shown = [
            ("The gold answer, in trajectories that end wrong", gold),
            ("The parametric answer, in trajectories that end right", parametric),
        ];
        html! {
            ul.legend { li { span.swatch.first {} "first mention" } li { span.swatch.all {} "all mentions" } }
            div.figures.two {
                @for (name, series) in &shown {
                    figure {
                        figcaption { (name) }
                        @if series.trajectories == 0 {
                            p.empty { "No trajectory ended so with an answer that could be looked for." }
                        } @else {
                            (histogram(Histogram { title: name, first: &series.first, all: &series.all }))
                        }
                    }
                }
            }
        }
    }

    fn figure5(&self) -> Markup {
        let ours = self.material.changes.iter().take(MOST_PLOTTED).enumerate();
        let names: Vec<(String, String)> = ours
            .map(|(index, change)| {
                (
                    crate::group::letters(index),
                    self.redactor.text(&figure5::name(self.material, change)).into_owned(),
                )
            })
            .collect();
        let points: Vec<ChangePoint<'_>> = self
            .material
            .changes
            .iter()
            .zip(&names)
            .map(|(change, (key, label))| ChangePoint {
                key,
                label,
                x: &change.accuracy,
                y: &change.escalate,
            })
            .collect();
        let paper = if self.against { figure5::published_changes() } else { Vec::new() };
        let published: Vec<PublishedPoint<'_>> = paper
            .iter()
            .map(|point| PublishedPoint { label: &point.name, x: point.accuracy, y: point.escalate })
            .collect();
        html! {
            div.figures.two {
                figure {
                    (changes(Changes {
                        title: "Change of accuracy and of Escalate",
                        x_label: "change of accuracy, points",
                        y_label: "change of Escalate, points",
                        quadrant: "humbler, less accurate",
                        points: &points,
                        published: &published,
                    }))
                }
                ul.legend {
                    @for (key, label) in &names { li { span.key { (key) } " " bdi { (label) } } }
                    @if self.against { li { span.swatch.ring {} "the paper’s cells" } }
                }
            }
        }
    }
}
