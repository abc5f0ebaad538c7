//! Tables for the terminal, and the same as CSV.

use comfy_table::{ContentArrangement, Table as Drawn, presets};

/// Width where the output is no terminal.
const WIDTH: u16 = 120;
/// A narrower terminal wraps lines by itself: cells of three letters help nobody.
const NARROWEST: u16 = 80;

/// A table of text cells.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(header: &[&str]) -> Self {
        Self { header: header.iter().map(|cell| (*cell).to_owned()).collect(), rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    pub(crate) fn header(&self) -> &[String] {
        &self.header
    }

    pub(crate) fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    /// The same as CSV; line breaks in cells become spaces.
    pub(crate) fn csv(&self) -> anyhow::Result<String> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(&self.header)?;
        for row in &self.rows {
            writer.write_record(row.iter().map(|cell| cell.replace('\n', " ")))?;
        }
        Ok(String::from_utf8(writer.into_inner()?)?)
    }

    /// The same as a Markdown table.
    pub(crate) fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> =
                cells.iter().map(|cell| cell.replace('|', "\\|").replace('\n', " ")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let mut text = line(&self.header);
        text.push_str(&format!("|{}\n", " --- |".repeat(self.header.len())));
        for row in &self.rows {
            text.push_str(&line(row));
        }
        text
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut drawn = Drawn::new();
        let width = terminal_size::terminal_size().map_or(WIDTH, |(width, _)| width.0.max(NARROWEST));
        drawn
            .load_style(presets::UTF8_HORIZONTAL_ONLY)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(width);
        drawn.set_header(&self.header);
        for row in &self.rows {
            drawn.add_row(row);
        }
        for line in drawn.lines() {
            writeln!(formatter, "{}", line.trim_end())?;
        }
        Ok(())
    }
}
