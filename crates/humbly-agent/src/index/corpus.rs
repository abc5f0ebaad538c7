//! Rows of a corpus: `{"id", "contents": "\"Title\"\ntext"}`, one a line.

use std::collections::HashSet;
use std::io::BufRead;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Longest line, in bytes.
const LINE_LIMIT: usize = 16 << 20;
/// Longest id, in bytes.
const ID_LIMIT: usize = 512;
/// Problems listed; all are counted.
const LISTED: usize = 20;

/// One text of a corpus.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// Id, unique in its corpus.
    pub id: String,
    /// Title in quotation marks on the first line, then the text.
    pub contents: String,
}

impl Document {
    /// The first line as it stands (Search-R1 keeps the quotation marks), and the rest.
    ///
    /// # Examples
    /// ```
    /// # use humbly_agent::index::Document;
    /// let document = Document { id: "7".into(), contents: "\"Ada\"\nA mathematician.".into() };
    /// assert_eq!(document.title_and_text(), ("\"Ada\"", "A mathematician."));
    /// ```
    pub fn title_and_text(&self) -> (&str, &str) {
        let (title, text) = self.contents.split_once('\n').unwrap_or((&self.contents, ""));
        (title.trim_end_matches('\r'), text)
    }
}

/// What was read of a corpus.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CorpusReport {
    /// Documents taken.
    pub documents: u64,
    /// Rows left out.
    pub unusable: u64,
    /// The first of those.
    pub problems: Vec<CorpusProblem>,
}

/// A row that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CorpusProblem {
    /// Line from 1.
    pub line: u64,
    /// What was found and what was expected.
    pub message: String,
}

/// Reads a corpus; unusable rows are left out, counted and (the first of them) listed.
///
/// Rows may also hold `title` and `text` in place of `contents`, and a number as id.
///
/// # Errors
/// Those of the reader, and those of `take`.
pub fn read_corpus<E: From<std::io::Error>>(
    mut reader: impl BufRead,
    mut take: impl FnMut(Document) -> Result<(), E>,
) -> Result<CorpusReport, E> {
    let mut report = CorpusReport::default();
    let mut known: HashSet<u64> = HashSet::new();
    let mut line = Vec::new();
    let mut number = 0;
    loop {
        line.clear();
        let read = (&mut reader).take_until(&mut line)?;
        if read == 0 {
            return Ok(report);
        }
        number += 1;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let parsed = if read > LINE_LIMIT {
            Err(format!("a line of {read} bytes, expected at most {LINE_LIMIT}"))
        } else {
            document(&line)
        };
        let checked = parsed.and_then(|document| {
            let is_new = known.insert(xxhash_rust::xxh3::xxh3_64(document.id.as_bytes()));
            if is_new { Ok(document) } else { Err(format!("the id `{}` stands here again", document.id)) }
        });
        match checked {
            Ok(document) => {
                take(document)?;
                report.documents += 1;
            }
            Err(message) => {
                report.unusable += 1;
                if report.problems.len() < LISTED {
                    report.problems.push(CorpusProblem { line: number, message });
                }
            }
        }
    }
}

/// Reads one line, of which no more than [`LINE_LIMIT`] bytes are kept.
trait TakeUntil {
    fn take_until(self, line: &mut Vec<u8>) -> std::io::Result<usize>;
}

impl<R: BufRead> TakeUntil for &mut R {
    fn take_until(self, line: &mut Vec<u8>) -> std::io::Result<usize> {
        let mut read = 0;
        loop {
            let available = match self.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let end = memchr::memchr(b'\n', available).map(|at| at + 1);
            let taken = end.unwrap_or(available.len());
            let room = (LINE_LIMIT + 1).saturating_sub(line.len()).min(taken);
            line.extend_from_slice(available.get(..room).unwrap_or_default());
            let is_over = end.is_some() || available.is_empty();
            self.consume(taken);
            read += taken;
            if is_over {
                return Ok(read);
            }
        }
    }
}

fn document(line: &[u8]) -> Result<Document, String> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let row: Value = serde_json::from_slice(line).map_err(|error| format!("not JSON: {error}"))?;
    let id = match row.get("id").or_else(|| row.get("_id")) {
        Some(Value::String(id)) if !id.is_empty() && id.len() <= ID_LIMIT => id.clone(),
        Some(Value::Number(id)) => id.to_string(),
        _ => return Err(format!("expected an `id` of 1 to {ID_LIMIT} bytes")),
    };
    let text = |key: &str| row.get(key).and_then(Value::as_str);
    let contents = match (text("contents"), text("title"), text("text")) {
        (Some(contents), _, _) => contents.to_owned(),
        (None, Some(title), Some(text)) => format!("\"{}\"\n{text}", title.trim_matches('"')),
        (None, None, Some(text)) => text.to_owned(),
        _ => return Err("expected a text `contents` (or `title` and `text`)".to_owned()),
    };
    if contents.trim().is_empty() {
        return Err("`contents` is empty".to_owned());
    }
    Ok(Document { id, contents })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &[u8]) -> (Vec<Document>, CorpusReport) {
        let mut documents = Vec::new();
        let report = read_corpus::<std::io::Error>(text, |document| {
            documents.push(document);
            Ok(())
        });
        (documents, report.unwrap())
    }

    #[test]
    fn unusable_rows_are_named_and_the_rest_is_read() {
        let (documents, report) = read(
            b"\xef\xbb\xbf{\"id\": 0, \"contents\": \"\\\"A\\\"\\na\"}\n\nnot json\n{\"id\": \"0\", \"contents\": \"x\"}\n\
              {\"contents\": \"x\"}\n{\"id\": \"b\", \"title\": \"B\", \"text\": \"b\"}\n{\"id\": \"c\", \"contents\": \" \"}\n\xff",
        );
        assert_eq!(documents.len(), 2);
        assert_eq!(documents[1], Document { id: "b".into(), contents: "\"B\"\nb".into() });
        assert_eq!((report.documents, report.unusable), (2, 5));
        let lines: Vec<u64> = report.problems.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [3, 4, 5, 7, 8]);
        assert_eq!(report.problems[1].message, "the id `0` stands here again");
    }

    proptest! {
        #[test]
        fn any_bytes_are_taken(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            read(&bytes);
        }
    }
}
