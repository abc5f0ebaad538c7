//! CSV with a header.

use std::io::BufRead;

use csv::{ByteRecord, ReaderBuilder};
use serde_json::{Map, Value};

use super::each::{Found, Place};
use crate::row::Fault;

pub(super) fn each(mut reader: impl BufRead, sink: &mut dyn FnMut(Found)) -> Result<(), String> {
    let start = reader.fill_buf().map_err(|error| format!("cannot be read: {error}"))?;
    let first_end = start.iter().position(|byte| matches!(byte, b'\r' | b'\n')).unwrap_or(start.len());
    // Of `\r\n` the reader takes the second byte with the next record, whose line it counts one short.
    let short = u64::from(start.get(first_end..).is_some_and(|end| end.starts_with(b"\r\n")));
    let mut reader = ReaderBuilder::new().flexible(true).from_reader(reader);
    let unreadable = |error: csv::Error| format!("cannot be read as CSV: {error}");
    let header: Vec<String> = reader
        .byte_headers()
        .map_err(unreadable)?
        .iter()
        .map(|name| String::from_utf8_lossy(name).trim().to_owned())
        .collect();
    let mut record = ByteRecord::new();
    while reader.read_byte_record(&mut record).map_err(unreadable)? {
        let line = record.position().map_or(0, csv::Position::line) + short;
        sink((Place::Line(line), fields(&header, &record)));
    }
    Ok(())
}

fn fields(header: &[String], record: &ByteRecord) -> Result<Map<String, Value>, Fault> {
    if record.len() != header.len() {
        return Err(Fault::new(format!(
            "{} fields, expected {} as in the header",
            record.len(),
            header.len()
        )));
    }
    header
        .iter()
        .zip(record)
        .map(|(name, bytes)| {
            let text = std::str::from_utf8(bytes)
                .map_err(|_| Fault::new(format!("`{name}` holds bytes that are not UTF-8, expected text")))?;
            Ok((name.clone(), Value::String(text.to_owned())))
        })
        .collect()
}
