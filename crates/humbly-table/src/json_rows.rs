//! JSONL and JSON arrays of objects.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{BufRead, Read};

use humbly_types::Problem;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::cell::Cell;
use crate::names::unknown_column;
use crate::source::Source;
use crate::table::{Places, Table};

/// A longer line is refused: it would fill the memory.
const LONGEST_LINE: u64 = 256 << 20;
/// So many names are remembered for the list of those that exist.
const MOST_NAMES: usize = 1000;

pub(crate) fn names_of_lines(source: &Source) -> Result<Vec<String>, Problem> {
    let mut seen = Seen::new(&[]);
    let mut reader = source.open()?;
    let mut buffer = Vec::new();
    for _ in 0..100 {
        buffer.clear();
        let count = (&mut reader)
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut buffer)
            .map_err(|error| source.unreadable(&error))?;
        if count == 0 {
            break;
        }
        if let Ok(Value::Object(fields)) = serde_json::from_slice(&buffer) {
            for name in fields.keys() {
                seen.note(name);
            }
        }
    }
    Ok(seen.names.into_iter().collect())
}

pub(crate) fn names_of_array(source: &Source) -> Result<Vec<String>, Problem> {
    let mut seen = Seen::new(&[]);
    let mut rows = Vec::new();
    read_rows(source, &mut seen, &mut rows)?;
    Ok(seen.names.into_iter().collect())
}

pub(crate) fn read_lines(source: &Source, columns: &[&str]) -> Result<Table, Problem> {
    let mut table = Table::new(&source.path, columns, Places::Lines(Vec::new()));
    let mut seen = Seen::new(columns);
    let mut reader = source.open()?;
    let mut buffer = Vec::new();
    let mut number = 0;
    loop {
        buffer.clear();
        let count = (&mut reader)
            .take(LONGEST_LINE + 1)
            .read_until(b'\n', &mut buffer)
            .map_err(|error| source.unreadable(&error))?;
        if count == 0 {
            break;
        }
        number += 1;
        if count as u64 > LONGEST_LINE {
            return Err(Problem::new(source.path.as_str(), "a line longer than 256 MiB").line(number));
        }
        let is_terminated = buffer.last() == Some(&b'\n');
        let line = buffer.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&buffer).trim_ascii();
        if line.is_empty() {
            continue;
        }
        match row_of(line, &mut seen) {
            Ok(cells) => table.push_row(cells, Some(number)),
            Err(error) if error.is_eof() && !is_terminated => table.push_problem(
                Problem::new(
                    source.path.as_str(),
                    "the last line is cut off, expected a complete JSON object",
                )
                .line(number)
                .hint("the lines before are used"),
            ),
            Err(error) => table.push_problem(
                Problem::new(source.path.as_str(), format!("expected a JSON object: {error}"))
                    .line(number)
                    .hint("the other lines are used; write one object a line"),
            ),
        }
    }
    checked(source, &seen, columns, table)
}

pub(crate) fn read_array(source: &Source, columns: &[&str]) -> Result<Table, Problem> {
    let mut table = Table::new(&source.path, columns, Places::Counted);
    let mut seen = Seen::new(columns);
    let mut rows = Vec::new();
    read_rows(source, &mut seen, &mut rows)?;
    for row in rows {
        table.push_row(row, None);
    }
    checked(source, &seen, columns, table)
}

fn checked(source: &Source, seen: &Seen<'_>, columns: &[&str], table: Table) -> Result<Table, Problem> {
    if let Some(problem) = table.problems().first().filter(|_| table.is_empty()) {
        return Err(problem.clone());
    }
    let names: Vec<String> = seen.names.iter().cloned().collect();
    match columns.iter().zip(&seen.found).find(|(_, found)| !**found) {
        Some((wanted, _)) if !table.is_empty() => Err(unknown_column(&source.path, wanted, &names)),
        _ => Ok(table),
    }
}

fn row_of(line: &[u8], seen: &mut Seen<'_>) -> Result<Vec<Cell>, serde_json::Error> {
    let parse = |bytes: &[u8], seen: &mut Seen<'_>| {
        let mut deserializer = serde_json::Deserializer::from_slice(bytes);
        let row = Row { seen }.deserialize(&mut deserializer)?;
        deserializer.end()?;
        Ok(row)
    };
    parse(line, seen).or_else(|error: serde_json::Error| {
        if error.is_eof() {
            return Err(error);
        }
        match quoted_not_a_numbers(line) {
            Some(mended) => parse(&mended, seen).map_err(|_| error),
            None => Err(error),
        }
    })
}

fn read_rows(source: &Source, seen: &mut Seen<'_>, rows: &mut Vec<Vec<Cell>>) -> Result<(), Problem> {
    let bytes = source.whole()?;
    let body = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
    let parse = |bytes: &[u8], seen: &mut Seen<'_>, rows: &mut Vec<Vec<Cell>>| {
        let mut deserializer = serde_json::Deserializer::from_slice(bytes);
        Rows { seen, rows }.deserialize(&mut deserializer)?;
        deserializer.end()
    };
    let Err(error) = parse(body, seen, rows) else { return Ok(()) };
    let mended = quoted_not_a_numbers(body);
    rows.clear();
    if mended.is_some_and(|mended| parse(&mended, seen, rows).is_ok()) {
        return Ok(());
    }
    Err(Problem::new(source.path.as_str(), format!("not a JSON array of objects: {error}"))
        .line(error.line() as u64)
        .hint("write one object a line (JSONL): then a bad line costs only itself"))
}

/// Bare `NaN` and `Infinity`, which Python writes, as strings, so that they can be refused one by one.
fn quoted_not_a_numbers(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(bytes.len() + 16);
    let mut is_changed = false;
    let mut in_string = false;
    let mut index = 0;
    while let Some(byte) = bytes.get(index) {
        if in_string {
            if *byte == b'\\' {
                out.push(*byte);
                index += 1;
                out.extend(bytes.get(index));
                index += 1;
                continue;
            }
            in_string = *byte != b'"';
        } else if *byte == b'"' {
            in_string = true;
        } else {
            let rest = bytes.get(index..).unwrap_or_default();
            let words = [&b"NaN"[..], b"-Infinity", b"Infinity"];
            if let Some(word) = words.into_iter().find(|word| rest.starts_with(word)) {
                out.push(b'"');
                out.extend_from_slice(word);
                out.push(b'"');
                index += word.len();
                is_changed = true;
                continue;
            }
        }
        out.push(*byte);
        index += 1;
    }
    is_changed.then_some(out)
}

/// The columns wanted and the names met.
struct Seen<'a> {
    wanted: &'a [&'a str],
    found: Vec<bool>,
    names: BTreeSet<String>,
}

impl<'a> Seen<'a> {
    fn new(wanted: &'a [&'a str]) -> Self {
        Self { wanted, found: vec![false; wanted.len()], names: BTreeSet::new() }
    }

    fn note(&mut self, name: &str) {
        if self.names.len() < MOST_NAMES && !self.names.contains(name) {
            self.names.insert(name.to_owned());
        }
    }
}

struct Row<'s, 'a> {
    seen: &'s mut Seen<'a>,
}

impl<'de> DeserializeSeed<'de> for Row<'_, '_> {
    type Value = Vec<Cell>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Row<'_, '_> {
    type Value = Vec<Cell>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut cells = vec![Cell::Missing; self.seen.wanted.len()];
        while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
            self.seen.note(&key);
            match self.seen.wanted.iter().position(|wanted| *wanted == key) {
                Some(index) => {
                    if let (Some(cell), Some(found)) = (cells.get_mut(index), self.seen.found.get_mut(index))
                    {
                        *cell = cell_of(&map.next_value::<Value>()?);
                        *found = true;
                    }
                }
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(cells)
    }
}

struct Rows<'s, 'a> {
    seen: &'s mut Seen<'a>,
    rows: &'s mut Vec<Vec<Cell>>,
}

impl<'de> DeserializeSeed<'de> for Rows<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Rows<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array of objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while let Some(row) = items.next_element_seed(Row { seen: self.seen })? {
            self.rows.push(row);
        }
        Ok(())
    }
}

/// A JSON value as a cell: a list of one value is that value, other lists and objects are their JSON text.
fn cell_of(value: &Value) -> Cell {
    match value {
        Value::Null => Cell::Missing,
        Value::Bool(flag) => Cell::Flag(*flag),
        Value::Number(number) => {
            number.as_i64().map_or_else(|| Cell::Number(number.as_f64().unwrap_or(f64::NAN)), Cell::Integer)
        }
        Value::String(text) => Cell::of_text(text),
        Value::Array(items) => match items.as_slice() {
            [single] if !single.is_array() => cell_of(single),
            _ => Cell::Text(value.to_string().into()),
        },
        Value::Object(_) => Cell::Text(value.to_string().into()),
    }
}
