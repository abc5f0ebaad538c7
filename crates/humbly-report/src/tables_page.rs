//! Tables of text cells with plots of intervals before them, as one page that works offline.

use std::io::Write;

use maud::html;

use crate::error::Result;
use crate::number::count;
use crate::options::ReportOptions;
use crate::page;
use crate::plots::{IntervalPlot, IntervalRow, intervals};
use crate::redact::{Redactions, Redactor};
use crate::sections::scrolling;

/// Rates in one plot.
#[derive(Debug, Clone, Copy)]
pub struct PageFigure<'a> {
    /// What is measured.
    pub title: &'a str,
    /// The rates.
    pub rows: &'a [IntervalRow<'a>],
}

/// One table.
#[derive(Debug, Clone, Copy)]
pub struct PageTable<'a> {
    /// Its heading.
    pub heading: &'a str,
    /// Names of the columns.
    pub header: &'a [String],
    /// Cells; line breaks stay.
    pub rows: &'a [Vec<String>],
}

/// Writes the page: what was measured and how, the plots, the tables.
///
/// # Errors
/// [`ReportError::Write`](crate::ReportError).
///
/// # Examples
/// ```
/// use humbly_report::{PageTable, ReportOptions, write_tables_page};
/// let (header, rows) = (["model".to_owned()], [vec!["<b>".to_owned()]]);
/// let table = PageTable { heading: "Models", header: &header, rows: &rows };
/// let mut page = Vec::new();
/// write_tables_page(&mut page, &["built 1 of 2".to_owned()], &[], &[table], &ReportOptions::default())?;
/// let page = String::from_utf8_lossy(&page);
/// assert!(page.contains("built 1 of 2") && page.contains("&lt;b&gt;"));
/// # Ok::<(), humbly_report::ReportError>(())
/// ```
pub fn write_tables_page(
    mut out: impl Write,
    facts: &[String],
    figures: &[PageFigure<'_>],
    tables: &[PageTable<'_>],
    options: &ReportOptions,
) -> Result<Redactions> {
    let redactor = Redactor::new(options.redact);
    let anchors: Vec<String> = (0..tables.len()).map(|place| format!("table-{place}")).collect();
    let mut links: Vec<(&str, &str)> = vec![("overview", "Overview")];
    if !figures.is_empty() {
        links.push(("figures", "Figures"));
    }
    links.extend(anchors.iter().zip(tables).map(|(anchor, table)| (anchor.as_str(), table.heading)));
    out.write_all(page::opening(&redactor.text(&options.title), &links).as_bytes())?;
    let body = html! {
        section #overview {
            header.title { h1 { (redactor.text(&options.title)) } }
            @for fact in facts { p.lead { (redactor.text(fact)) } }
        }
        @if !figures.is_empty() {
            section #figures {
                h2 { "Figures" }
                @for figure in figures {
                    figure {
                        figcaption { (figure.title) }
                        (intervals(IntervalPlot { title: figure.title, domain: (0.0, 1.0), rows: figure.rows }))
                    }
                }
            }
        }
        @for (anchor, table) in anchors.iter().zip(tables) {
            section id=(anchor) {
                h2 { (table.heading) }
                (scrolling(&html! {
                    table {
                        thead { tr { @for name in table.header { th scope="col" { (name) } } } }
                        tbody {
                            @for row in table.rows {
                                tr { @for cell in row { td style="white-space: pre-line" { (redactor.text(cell)) } } }
                            }
                        }
                    }
                }))
            }
        }
    };
    out.write_all(body.into_string().as_bytes())?;
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
