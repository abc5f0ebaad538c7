//! Recognising a file from its content and walking over its rows.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek};
use std::path::Path;

use humbly_types::Problem;
use serde_json::{Map, Value};

use super::{array, columnar, csv_rows, lines};
use crate::row::Fault;

/// A longer line or item is refused: it would fill the memory.
pub(super) const LONGEST_ROW: u64 = 256 << 20;

/// Where a row stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// It starts in this line, from 1.
    Line(u64),
    /// It is the row with this number, from 1.
    Row(u64),
}

/// A row with its place, or why it is none.
pub(crate) type Found = (Place, Result<Map<String, Value>, Fault>);

/// Hands every row of a file to `sink`, in order, and holds one at a time (Parquet: one batch).
///
/// `wrapper` is the key under which a data set keeps its rows where the file is one object.
pub(crate) fn each_row(
    path: &Path,
    wrapper: Option<&str>,
    sink: &mut dyn FnMut(Found),
) -> Result<(), Problem> {
    let shown = path.to_string_lossy();
    let problem = |message: String| Problem::new(&*shown, message);
    let unreadable = |error: std::io::Error| problem(format!("cannot be read: {error}"));
    let mut file = File::open(path).map_err(unreadable)?;
    let mut start = Vec::new();
    (&mut file).take(4096).read_to_end(&mut start).map_err(unreadable)?;
    file.rewind().map_err(unreadable)?;
    let body = start.strip_prefix(BOM).unwrap_or(&start).trim_ascii_start();
    if body.is_empty() {
        return Err(problem("the file is empty, expected rows".to_owned()));
    }
    if start.starts_with(b"PAR1") {
        return columnar::each(file, sink).map_err(problem);
    }
    if let Some(kind) = other_kind(&start) {
        return Err(problem(format!("{kind}, expected JSONL, a JSON array, CSV or Parquet"))
            .hint("unpack or convert it first"));
    }
    let mut reader = BufReader::with_capacity(256 << 10, file);
    if start.starts_with(BOM) {
        reader.consume_exactly(BOM.len()).map_err(unreadable)?;
    }
    match (body.first(), wrapper) {
        (Some(b'['), _) => array::each(reader, sink).map_err(unreadable),
        (Some(b'{'), Some(key)) => {
            if let Some(items) = array::inside(reader, key).map_err(unreadable)? {
                return items.each(sink).map_err(unreadable);
            }
            let mut file = File::open(path).map_err(unreadable)?;
            let skipped = if start.starts_with(BOM) { BOM.len() as u64 } else { 0 };
            file.seek(std::io::SeekFrom::Start(skipped)).map_err(unreadable)?;
            lines::each(BufReader::with_capacity(256 << 10, file), sink).map_err(unreadable)
        }
        (Some(b'{'), None) => lines::each(reader, sink).map_err(unreadable),
        _ => csv_rows::each(reader, sink).map_err(problem),
    }
}

const BOM: &[u8] = b"\xEF\xBB\xBF";

fn other_kind(start: &[u8]) -> Option<&'static str> {
    let kinds: &[(&[u8], &str)] = &[
        (b"ARROW1", "an Arrow file"),
        (&[0xFF; 4], "an Arrow stream"),
        (&[0x1F, 0x8B], "gzip"),
        (&[0x28, 0xB5, 0x2F, 0xFD], "zstd"),
        (b"PK\x03\x04", "a zip archive"),
        (b"<!DOCTYPE", "a web page"),
        (b"<html", "a web page"),
        (b"version https://git-lfs", "a pointer to a large file that git did not fetch"),
    ];
    let known = kinds.iter().find(|(magic, _)| start.starts_with(magic)).map(|(_, kind)| *kind);
    known.or_else(|| start.contains(&0).then_some("binary content"))
}

trait ConsumeExactly {
    fn consume_exactly(&mut self, count: usize) -> std::io::Result<()>;
}

impl<R: BufRead> ConsumeExactly for R {
    fn consume_exactly(&mut self, count: usize) -> std::io::Result<()> {
        std::io::copy(&mut self.take(count as u64), &mut std::io::sink()).map(drop)
    }
}

/// The object in `bytes`.
pub(super) fn object(bytes: &[u8]) -> Result<Map<String, Value>, Fault> {
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(other) => Err(Fault::new(format!("{}, expected an object", crate::row::shown(&other)))),
        Err(error) => Err(match python_number(bytes, error.column()) {
            Some(word) => Fault::new(format!("{word} stands in the row, expected JSON: a number or null")),
            None => Fault::new(format!("no JSON object: {error}")),
        }),
    }
}

/// The word for a number that JSON does not have, where the parser stopped at one; `column` is 1-based.
fn python_number(bytes: &[u8], column: usize) -> Option<&'static str> {
    let start = column.saturating_sub(2);
    let near = bytes.get(start..bytes.len().min(column.saturating_add(10)))?;
    ["NaN", "Infinity"].into_iter().find(|word| near.windows(word.len()).any(|part| part == word.as_bytes()))
}
