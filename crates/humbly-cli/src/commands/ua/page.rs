//! The same as a page, with the prompts drawn side by side.

use std::io::Write;

use humbly_report::plots::IntervalRow;
use humbly_report::{PageFigure, PageTable, Redactions, ReportOptions, write_tables_page};

use super::tables::Row;
use crate::output::Table;

pub(super) fn write(
    out: impl Write,
    lines: &[String],
    rows: &[Row],
    tables: &[(&'static str, Table)],
    options: &ReportOptions,
) -> humbly_report::Result<Redactions> {
    let mut sets: Vec<(&str, bool)> = Vec::new();
    for row in rows.iter().filter(|row| row.set != "all") {
        if !sets.contains(&(row.set.as_str(), row.is_source)) {
            sets.push((&row.set, row.is_source));
        }
    }
    let mut titles = Vec::new();
    let mut plotted = Vec::new();
    for (set, is_source) in sets {
        let of_set = || rows.iter().filter(|row| row.set == set && row.is_source == is_source);
        let lines: Vec<IntervalRow<'_>> = of_set()
            .map(|row| IntervalRow {
                key: "",
                label: &row.name,
                measured: if is_source { &row.cell.abstention } else { &row.cell.accuracy },
            })
            .collect();
        titles.push(if is_source { format!("Abstention, {set}") } else { format!("ACC, {set}") });
        plotted.push(lines);
    }
    let figures: Vec<PageFigure<'_>> =
        titles.iter().zip(&plotted).map(|(title, rows)| PageFigure { title, rows }).collect();
    write_tables_page(out, lines, &figures, &self::tables(tables), options)
}

/// The tables as pages have them.
pub(in super::super) fn tables<'a>(tables: &'a [(&'static str, Table)]) -> Vec<PageTable<'a>> {
    let page = |(heading, table): &'a (&'static str, Table)| PageTable {
        heading,
        header: table.header(),
        rows: table.rows(),
    };
    tables.iter().map(page).collect()
}
