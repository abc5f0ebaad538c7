//! Writing sheet and key.

use std::io::Write;

use super::{KeyRow, SheetRow};
use crate::Result;

/// Columns of a sheet.
pub(super) const COLUMNS: [&str; 5] = ["id", "question", "text", "label", "comment"];

/// Writes a sheet as CSV.
///
/// A text that a spreadsheet would take for a formula gets an apostrophe before it: the texts come from
/// models and web pages.
///
/// # Errors
/// [`crate::ModelJudgeError::Write`].
pub fn write_csv(out: impl Write, sheet: &[SheetRow]) -> Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    let cannot = |error: csv::Error| std::io::Error::other(error);
    writer.write_record(COLUMNS).map_err(cannot)?;
    for row in sheet {
        let text = guarded(&row.text);
        writer
            .write_record([&row.id, row.question.code(), &text, &row.label, &row.comment])
            .map_err(cannot)?;
    }
    Ok(writer.flush()?)
}

/// Writes a sheet as JSONL.
///
/// # Errors
/// [`crate::ModelJudgeError::Write`].
pub fn write_jsonl(mut out: impl Write, sheet: &[SheetRow]) -> Result<()> {
    for row in sheet {
        serde_json::to_writer(&mut out, row).map_err(std::io::Error::from)?;
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}

/// Writes the key as JSONL.
///
/// # Errors
/// [`crate::ModelJudgeError::Write`].
pub fn write_key(mut out: impl Write, key: &[KeyRow]) -> Result<()> {
    for row in key {
        serde_json::to_writer(&mut out, row).map_err(std::io::Error::from)?;
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}

fn guarded(text: &str) -> String {
    if text.trim_start_matches(' ').starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}
