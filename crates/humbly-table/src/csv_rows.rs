//! CSV and its relatives with tabs and semicolons.

use csv::{ByteRecord, ReaderBuilder};
use humbly_types::Problem;

use crate::cell::Cell;
use crate::names::unknown_column;
use crate::source::Source;
use crate::table::{Places, Table};

fn reader(source: &Source, delimiter: u8) -> Result<csv::Reader<Box<dyn std::io::BufRead>>, Problem> {
    Ok(ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(source.open()?))
}

pub(crate) fn names(source: &Source, delimiter: u8) -> Result<Vec<String>, Problem> {
    header(source, &mut reader(source, delimiter)?)
}

fn header(
    source: &Source,
    reader: &mut csv::Reader<Box<dyn std::io::BufRead>>,
) -> Result<Vec<String>, Problem> {
    let record = reader.byte_headers().map_err(|error| source.unreadable(&error))?;
    Ok(record
        .iter()
        .enumerate()
        .map(|(index, name)| {
            let name = if index == 0 { name.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(name) } else { name };
            String::from_utf8_lossy(name).trim().to_owned()
        })
        .collect())
}

pub(crate) fn read(source: &Source, delimiter: u8, columns: &[&str]) -> Result<Table, Problem> {
    let mut reader = reader(source, delimiter)?;
    let names = header(source, &mut reader)?;
    let positions = positions(source, &names, columns)?;
    let mut table = Table::new(&source.path, columns, Places::Lines(Vec::new()));
    let mut record = ByteRecord::new();
    let mut has_bad_bytes = false;
    loop {
        match reader.read_byte_record(&mut record) {
            Ok(false) => return Ok(table),
            Ok(true) => {}
            Err(error) => return Err(source.unreadable(&error)),
        }
        let line = record.position().map_or(0, csv::Position::line);
        if record.len() != names.len() {
            let message = format!("{} fields, expected {} as in the header", record.len(), names.len());
            table.push_problem(
                Problem::new(source.path.as_str(), message)
                    .line(line)
                    .hint("the row is left out; quote fields that hold the delimiter"),
            );
            continue;
        }
        let cells: Vec<Cell> = positions
            .iter()
            .map(|position| {
                let bytes = record.get(*position).unwrap_or_default();
                let text = String::from_utf8_lossy(bytes);
                if !has_bad_bytes && matches!(text, std::borrow::Cow::Owned(_)) {
                    has_bad_bytes = true;
                    table.push_problem(
                        Problem::new(source.path.as_str(), "bytes that are not UTF-8, read as U+FFFD")
                            .line(line),
                    );
                }
                Cell::of_text(&text)
            })
            .collect();
        table.push_row(cells, Some(line));
    }
}

fn positions(source: &Source, names: &[String], columns: &[&str]) -> Result<Vec<usize>, Problem> {
    columns
        .iter()
        .map(|wanted| {
            let mut found = names.iter().enumerate().filter(|(_, name)| name.as_str() == wanted.trim());
            let Some((position, _)) = found.next() else {
                return Err(unknown_column(&source.path, wanted, names));
            };
            if found.next().is_some() {
                return Err(Problem::new(source.path.as_str(), format!("two columns are named `{wanted}`"))
                    .line(1)
                    .hint("rename one of them"));
            }
            Ok(position)
        })
        .collect()
}
