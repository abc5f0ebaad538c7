//! Reading filled sheets and keys.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::KeyRow;
use crate::{ModelJudgeError, Result};

/// The sheet of one person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotations {
    /// Who filled it in.
    pub annotator: String,
    /// Its rows.
    pub rows: Vec<FilledRow>,
}

/// A row that a person has filled in, or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilledRow {
    /// Row as a spreadsheet counts it.
    pub row: usize,
    /// Number on the sheet.
    pub id: String,
    /// The label; `None` where the cell is empty.
    pub label: Option<bool>,
}

/// Reads a filled sheet, CSV (with commas, semicolons or tabs) or JSONL.
///
/// Labels: yes, no, y, n, 1, 0, true, false in any case; an empty cell is no label. Other columns are passed over.
///
/// # Errors
/// [`ModelJudgeError::Cell`] with row and column; [`ModelJudgeError::Row`] where a row is no row.
///
/// # Examples
/// ```
/// use humbly_model_judge::read_filled;
/// let sheet = read_filled("id,text,label\n1,It was 1912.,No\n2,Or 1913?,\n", "ann")?;
/// assert_eq!(sheet.rows[0].label, Some(false));
/// assert_eq!(sheet.rows[1].label, None);
/// let error = read_filled("id,label\n1,maybe\n", "ann").unwrap_err();
/// assert!(error.to_string().starts_with("row 2, column `label`: found `maybe`"));
/// # Ok::<(), humbly_model_judge::ModelJudgeError>(())
/// ```
pub fn read_filled(content: &str, annotator: impl Into<String>) -> Result<Annotations> {
    let content = content.trim_start_matches('\u{feff}');
    let cells = if content.trim_start().starts_with('{') { jsonl(content)? } else { table(content)? };
    let mut seen = BTreeSet::new();
    let mut rows = Vec::with_capacity(cells.len());
    for (row, id, label) in cells {
        if id.is_empty() {
            return Err(cell(row, "id", "nothing", "the number of the row on the sheet"));
        }
        if !seen.insert(id.clone()) {
            return Err(cell(row, "id", &format!("`{id}` a second time"), "each number once"));
        }
        let label = match label.to_lowercase().as_str() {
            "" => None,
            "yes" | "y" | "1" | "true" => Some(true),
            "no" | "n" | "0" | "false" => Some(false),
            _ => return Err(cell(row, "label", &format!("`{label}`"), "yes, no or an empty cell")),
        };
        rows.push(FilledRow { row, id, label });
    }
    Ok(Annotations { annotator: annotator.into(), rows })
}

/// Reads a key.
///
/// # Errors
/// [`ModelJudgeError::Row`] with the line; [`ModelJudgeError::Cell`] where an id stands twice.
pub fn read_key(content: &str) -> Result<Vec<KeyRow>> {
    let mut key: Vec<KeyRow> = Vec::new();
    let mut seen = BTreeSet::new();
    for (line, text) in lines(content) {
        let row: KeyRow = serde_json::from_str(text).map_err(|error| ModelJudgeError::Row {
            row: line,
            detail: format!("no row of a key: {error}"),
        })?;
        if !seen.insert(row.id.clone()) {
            return Err(cell(line, "id", &format!("`{}` a second time", row.id), "each number once"));
        }
        key.push(row);
    }
    Ok(key)
}

type Cells = Vec<(usize, String, String)>;

fn table(content: &str) -> Result<Cells> {
    let header = content.lines().next().unwrap_or_default();
    let delimiter = [b',', b';', b'\t']
        .into_iter()
        .max_by_key(|delimiter| header.bytes().filter(|byte| byte == delimiter).count())
        .unwrap_or(b',');
    let mut reader =
        csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(content.as_bytes());
    let unreadable = |row, error: &csv::Error| ModelJudgeError::Row { row, detail: error.to_string() };
    let headers = reader.headers().map_err(|error| unreadable(1, &error))?.clone();
    let column = |name: &str| {
        headers
            .iter()
            .position(|header| header.trim().eq_ignore_ascii_case(name))
            .ok_or_else(|| cell(1, name, "no such column", "columns `id` and `label`"))
    };
    let (id, label) = (column("id")?, column("label")?);
    let mut cells = Cells::new();
    for (index, record) in reader.records().enumerate() {
        let row = index + 2;
        let record = record.map_err(|error| unreadable(row, &error))?;
        if record.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        let Some(found) = record.get(label) else {
            let found = format!("a row of {} cells", record.len());
            return Err(cell(row, "label", &found, &format!("{} cells as in the header", headers.len())));
        };
        cells.push((row, record.get(id).unwrap_or_default().trim().to_owned(), found.trim().to_owned()));
    }
    Ok(cells)
}

fn jsonl(content: &str) -> Result<Cells> {
    let mut cells = Cells::new();
    for (line, text) in lines(content) {
        let object: Map<String, Value> = serde_json::from_str(text).map_err(|error| {
            ModelJudgeError::Row { row: line, detail: format!("no JSON object: {error}") }
        })?;
        let text = |name: &str| match object.get(name) {
            None | Some(Value::Null) => Ok(String::new()),
            Some(Value::String(text)) => Ok(text.trim().to_owned()),
            Some(Value::Bool(flag)) => Ok(flag.to_string()),
            Some(Value::Number(number)) => Ok(number.to_string()),
            Some(other) => Err(cell(line, name, &format!("`{other}`"), "a text")),
        };
        cells.push((line, text("id")?, text("label")?));
    }
    Ok(cells)
}

fn lines(content: &str) -> impl Iterator<Item = (usize, &str)> {
    content
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| (index + 1, line))
}

pub(super) fn cell(row: usize, column: &str, found: &str, expected: &str) -> ModelJudgeError {
    ModelJudgeError::Cell {
        row,
        column: column.to_owned(),
        found: found.to_owned(),
        expected: expected.to_owned(),
    }
}
