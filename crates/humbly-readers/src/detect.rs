//! Recognising a format from content, cheap first.

use humbly_types::Problem;
use serde_json::Value;

use crate::input::Input;
use crate::lenient::{described, parse_record};
use crate::registry::{Reader, formats};

/// So many records are looked at: real sessions start with housekeeping lines.
const MOST_RECORDS: usize = 50;

/// The form of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A zip archive.
    Zip,
    /// One JSON document (also a JSONL file of one line).
    Document,
    /// One JSON record a line.
    Lines,
    /// Text that is no JSON.
    Text,
}

/// What is known of an input before it is read.
pub struct Head<'a> {
    /// Its form.
    pub shape: Shape,
    /// The input, for its path and companions.
    pub input: &'a Input,
    /// The first bytes (up to 64 KiB).
    pub start: &'a [u8],
    /// The document, or the records read so far (the newest last).
    pub records: &'a [Value],
}

impl Head<'_> {
    /// The newest record (or the document).
    pub fn record(&self) -> Option<&Value> {
        self.records.last()
    }

    /// The newest record where it is an object with all of these keys.
    pub fn has_keys(&self, keys: &[&str]) -> bool {
        self.record().is_some_and(|record| keys.iter().all(|key| record.get(key).is_some()))
    }

    /// The items of a document that is an array, else nothing.
    pub fn items(&self) -> &[Value] {
        match self.record() {
            Some(Value::Array(items)) if self.shape == Shape::Document => items,
            _ => &[],
        }
    }

    /// The first bytes as text.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.start)
    }
}

/// The reader for this input, `None` where no format fits.
pub(crate) fn detect(input: &Input) -> Result<Option<&'static dyn Reader>, Problem> {
    let start = input.first_bytes(64 << 10)?;
    if start.trim_ascii().is_empty() {
        return Err(Problem::new(&*input.path, "the file is empty, expected an agent log"));
    }
    if start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06") {
        return Ok(sniff(Shape::Zip, input, &start, &[]));
    }
    if let Some(reader) = formats().iter().copied().find(|reader| reader.sniff_start(&start)) {
        return Ok(Some(reader));
    }
    let body = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&start).trim_ascii_start();
    if !matches!(body.first(), Some(b'{' | b'[')) {
        return Ok(sniff(Shape::Text, input, &start, &[]));
    }
    if let Some(reader) = detect_lines(input, &start)? {
        return Ok(Some(reader));
    }
    let bytes = input.all_bytes()?;
    match parse_record::<Value>(&bytes) {
        Ok((document, _)) => Ok(sniff(Shape::Document, input, &start, &[document])),
        Err(error) => {
            if let Some(reader) = sniff(Shape::Text, input, &start, &[]) {
                return Ok(Some(reader));
            }
            Err(Problem::new(&*input.path, format!("neither a JSON document nor JSONL: {}", described(&error)))
                .line(error.line() as u64)
                .hint("a JSON document that is cut or damaged cannot be read; list the formats with `humbly formats`"))
        }
    }
}

/// Tries the first lines as records, one more at a time.
fn detect_lines(input: &Input, start: &[u8]) -> Result<Option<&'static dyn Reader>, Problem> {
    let mut lines = input.lines()?;
    let mut records = Vec::new();
    for _ in 0..MOST_RECORDS {
        match lines.next_line() {
            Ok(Some(line)) => match parse_record::<Value>(line.bytes) {
                Ok((record, _)) => records.push(record),
                // A pretty-printed document breaks on its first line.
                Err(_) if records.is_empty() && line.number == 1 && line.bytes.len() <= 2 => return Ok(None),
                Err(_) => continue,
            },
            Ok(None) => break,
            Err(_) => continue,
        }
        if let Some(reader) = sniff(Shape::Lines, input, start, &records) {
            return Ok(Some(reader));
        }
    }
    Ok(None)
}

fn sniff(shape: Shape, input: &Input, start: &[u8], records: &[Value]) -> Option<&'static dyn Reader> {
    let head = Head { shape, input, start, records };
    formats().iter().copied().find(|reader| reader.sniff(&head))
}
