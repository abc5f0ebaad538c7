//! Recognising the format and reading the columns.

use std::path::Path;

use humbly_types::Problem;

use crate::source::Source;
use crate::table::Table;
use crate::{columnar, csv_rows, json_rows};

/// Formats, from content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Csv { delimiter: u8 },
    Jsonl,
    JsonArray,
    Parquet,
    ArrowFile,
    ArrowStream,
}

/// Reads the named columns of a file.
///
/// # Errors
/// A [`Problem`] where the file cannot be opened, is in no known format, or lacks a column. Bad rows are left
/// out and listed by [`Table::problems`].
pub fn read(path: &Path, columns: &[&str]) -> Result<Table, Problem> {
    read_source(&Source::file(path), columns)
}

/// Reads the named columns of bytes (standard input), called `name` in messages.
///
/// # Errors
/// As [`read`].
///
/// # Examples
/// ```
/// let rows = b"{\"confidence\": 0.9, \"correct\": true}\n".to_vec();
/// let table = humbly_table::read_bytes("-", rows, &["confidence", "correct"])?;
/// assert_eq!(table.column_bool("correct")?.values, [Some(true)]);
/// # Ok::<(), humbly_types::Problem>(())
/// ```
pub fn read_bytes(name: &str, bytes: Vec<u8>, columns: &[&str]) -> Result<Table, Problem> {
    read_source(&Source::bytes(name, bytes), columns)
}

/// The names of a file's columns (of JSONL: those of the first 100 records).
///
/// # Errors
/// A [`Problem`] where the file cannot be opened or is in no known format.
pub fn column_names(path: &Path) -> Result<Vec<String>, Problem> {
    names(&Source::file(path))
}

/// [`column_names`] of bytes.
///
/// # Errors
/// As [`column_names`].
pub fn column_names_of_bytes(name: &str, bytes: Vec<u8>) -> Result<Vec<String>, Problem> {
    names(&Source::bytes(name, bytes))
}

fn read_source(source: &Source, columns: &[&str]) -> Result<Table, Problem> {
    match format(source)? {
        Format::Csv { delimiter } => csv_rows::read(source, delimiter, columns),
        Format::Jsonl => json_rows::read_lines(source, columns),
        Format::JsonArray => json_rows::read_array(source, columns),
        Format::Parquet => columnar::guarded(source, || columnar::read_parquet(source, columns)),
        Format::ArrowFile => columnar::guarded(source, || columnar::read_arrow_file(source, columns)),
        Format::ArrowStream => columnar::guarded(source, || columnar::read_arrow_stream(source, columns)),
    }
}

fn names(source: &Source) -> Result<Vec<String>, Problem> {
    match format(source)? {
        Format::Csv { delimiter } => csv_rows::names(source, delimiter),
        Format::Jsonl => json_rows::names_of_lines(source),
        Format::JsonArray => json_rows::names_of_array(source),
        Format::Parquet => columnar::guarded(source, || columnar::names_of_parquet(source)),
        Format::ArrowFile => columnar::guarded(source, || columnar::names_of_arrow_file(source)),
        Format::ArrowStream => columnar::guarded(source, || columnar::names_of_arrow_stream(source)),
    }
}

fn format(source: &Source) -> Result<Format, Problem> {
    let start = source.start(64 << 10)?;
    let problem = |message: &str| Problem::new(source.path.as_str(), message);
    if start.trim_ascii().is_empty() {
        return Err(
            problem("the file is empty, expected a table").hint("CSV with a header, JSONL, Parquet or Arrow")
        );
    }
    if start.starts_with(b"PAR1") {
        return Ok(Format::Parquet);
    }
    if start.starts_with(b"ARROW1") {
        return Ok(Format::ArrowFile);
    }
    if start.starts_with(&[0xFF; 4]) {
        return Ok(Format::ArrowStream);
    }
    if start.starts_with(&[0x1F, 0x8B])
        || start.starts_with(&[0x28, 0xB5, 0x2F, 0xFD])
        || start.starts_with(b"PK")
    {
        return Err(problem("compressed, expected CSV, JSONL, Parquet or Arrow").hint("unpack it first"));
    }
    let body = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&start).trim_ascii_start();
    match body.first() {
        Some(b'{') => return Ok(Format::Jsonl),
        Some(b'[') => return Ok(Format::JsonArray),
        _ => {}
    }
    if body.contains(&0) {
        return Err(problem("binary content, expected CSV, JSONL, Parquet or Arrow"));
    }
    let header = body.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let fields = |delimiter: u8| header.split(|byte| *byte == delimiter).count();
    let delimiter = [b',', b'\t', b';'].into_iter().max_by_key(|delimiter| {
        // Of equal counts the comma wins, which is the last to be compared as greater.
        (fields(*delimiter), u8::from(*delimiter == b','))
    });
    Ok(Format::Csv { delimiter: delimiter.unwrap_or(b',') })
}
