//! One input file (or stream, or archive member) as bytes, lines or a document.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use humbly_types::{Location, Problem};
use serde::Deserialize;
use serde_json::Value;

use crate::compressed;
use crate::lenient::{described, parse_record};
use crate::registry::Sink;

/// A longer line is refused: no log format has one, and it would fill the memory.
pub(crate) const LONGEST_LINE: usize = 256 << 20;
/// A larger document is refused: it would have to be held whole.
pub(crate) const LARGEST_DOCUMENT: u64 = 2 << 30;

/// One input, as a reader gets it.
pub struct Input {
    /// Path as the user named it.
    pub path: Arc<str>,
    /// Files that belong to this one (sub-agents, event files, continuations).
    pub companions: Vec<PathBuf>,
    source: Source,
}

enum Source {
    File(PathBuf),
    Bytes(Shared),
}

/// Bytes in memory, read by several.
#[derive(Clone)]
struct Shared(Arc<Vec<u8>>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Input {
    /// An input from a file.
    pub fn file(path: &Path, companions: Vec<PathBuf>) -> Self {
        let shown = path.to_string_lossy();
        Self { path: Arc::from(shown.as_ref()), companions, source: Source::File(path.to_owned()) }
    }

    /// An input from a file that is shown under another name (standard input that was spooled).
    pub fn file_as(shown: &str, path: &Path) -> Self {
        Self { path: Arc::from(shown), companions: Vec::new(), source: Source::File(path.to_owned()) }
    }

    /// An input from memory (standard input, a member of an archive, a test).
    pub fn bytes(path: &str, bytes: impl Into<Vec<u8>>) -> Self {
        let shared = Shared(Arc::new(bytes.into()));
        Self { path: Arc::from(path), companions: Vec::new(), source: Source::Bytes(shared) }
    }

    /// The memory of an input from memory, to be used again; empty for a file.
    pub fn into_bytes(self) -> Vec<u8> {
        match self.source {
            Source::File(_) => Vec::new(),
            Source::Bytes(shared) => Arc::unwrap_or_clone(shared.0),
        }
    }

    /// A buffered reader from the start; of a compressed file, of what it holds.
    ///
    /// # Errors
    /// A [`Problem`] where the file cannot be opened.
    pub fn open(&self) -> Result<Box<dyn BufRead + Send>, Problem> {
        match &self.source {
            Source::File(path) => {
                let file = File::open(path).map_err(|error| self.cannot_read(&error))?;
                let size = file.metadata().map_or(0, |metadata| metadata.len());
                compressed::open(BufReader::with_capacity(256 << 10, file), size)
            }
            Source::Bytes(bytes) => compressed::open(Cursor::new(bytes.clone()), bytes.as_ref().len() as u64),
        }
        .map_err(|error| self.cannot_read(&error))
    }

    /// A seekable reader (archives).
    ///
    /// # Errors
    /// A [`Problem`] where the file cannot be opened.
    pub fn open_seekable(&self) -> Result<Box<dyn ReadSeek>, Problem> {
        match &self.source {
            Source::File(path) => {
                let file = File::open(path).map_err(|error| self.cannot_read(&error))?;
                Ok(Box::new(BufReader::new(file)))
            }
            Source::Bytes(bytes) => Ok(Box::new(Cursor::new(bytes.clone()))),
        }
    }

    /// The first bytes, for recognition.
    ///
    /// # Errors
    /// A [`Problem`] where the file cannot be read.
    pub fn first_bytes(&self, count: usize) -> Result<Vec<u8>, Problem> {
        let mut bytes = Vec::with_capacity(count.min(64 << 10));
        match self.open()?.take(count as u64).read_to_end(&mut bytes) {
            // A packed file that is cut tells what it is all the same; reading it will say the rest.
            Err(error) if bytes.is_empty() => Err(self.cannot_read(&error)),
            _ => Ok(bytes),
        }
    }

    /// All bytes.
    ///
    /// # Errors
    /// A [`Problem`] where the file cannot be read or is larger than can be held.
    pub fn all_bytes(&self) -> Result<Vec<u8>, Problem> {
        let mut bytes = Vec::new();
        self.open()?
            .take(LARGEST_DOCUMENT + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| self.cannot_read(&error))?;
        if bytes.len() as u64 > LARGEST_DOCUMENT {
            return Err(Problem::new(&*self.path, "one JSON document of more than 2 GiB")
                .hint("write one record a line (JSONL), which is read as a stream"));
        }
        Ok(bytes)
    }

    /// The whole input as one JSON value; repairs are reported to `sink`.
    ///
    /// # Errors
    /// A [`Problem`] where it is no JSON.
    pub fn document(&self, sink: &mut dyn Sink) -> Result<Value, Problem> {
        self.document_as(sink)
    }

    /// The whole input as one typed JSON document; repairs are reported to `sink`.
    ///
    /// # Errors
    /// A [`Problem`] where it is no such JSON.
    pub fn document_as<T: for<'de> Deserialize<'de>>(&self, sink: &mut dyn Sink) -> Result<T, Problem> {
        let bytes = self.all_bytes()?;
        let (value, repairs) = parse_record(&bytes).map_err(|error| {
            Problem::new(&*self.path, format!("not a complete JSON document: {error}"))
                .line(error.line() as u64)
                .hint("a cut file cannot be read as a whole; log as JSONL, or export it again")
        })?;
        for repair in repairs {
            sink.problem(Problem::new(&*self.path, repair.message()).hint(repair.hint()));
        }
        Ok(value)
    }

    /// The lines of a JSONL file.
    ///
    /// # Errors
    /// A [`Problem`] where the file cannot be opened.
    pub fn lines(&self) -> Result<Lines, Problem> {
        Ok(Lines {
            reader: self.open()?,
            path: Arc::clone(&self.path),
            number: 0,
            buffer: Vec::new(),
            shown: 0,
            has_failed: false,
        })
    }

    /// Where `line` of this input stands.
    pub fn at(&self, line: u64) -> Location {
        Location { file: Arc::clone(&self.path), line }
    }

    /// File name without folders.
    pub fn file_name(&self) -> &str {
        self.path.rsplit(['/', '\\']).next().unwrap_or(&self.path)
    }

    /// File name without folders, the ending of a compression and the last extension.
    pub fn stem(&self) -> &str {
        let name = compressed::plain_name(self.file_name());
        name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
    }

    pub(crate) fn cannot_read(&self, error: &std::io::Error) -> Problem {
        Problem::new(&*self.path, format!("cannot be read: {error}"))
    }
}

/// A reader that can seek.
pub trait ReadSeek: Read + std::io::Seek + Send {}
impl<T: Read + std::io::Seek + Send> ReadSeek for T {}

/// A stream of lines that holds one line at a time.
pub struct Lines {
    reader: Box<dyn BufRead + Send>,
    path: Arc<str>,
    number: u64,
    /// The line, where it does not stand whole in what the reader holds.
    buffer: Vec<u8>,
    /// Bytes of the reader that the last line showed.
    shown: usize,
    has_failed: bool,
}

/// Where a line was found.
#[derive(Debug, Clone, Copy)]
enum Found {
    /// The first bytes that the reader holds.
    InPlace(usize),
    /// The buffer.
    Copied,
    /// Nowhere: it was not read to its end.
    TooLong,
}

/// One line that is not empty.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    /// Its number, from 1.
    pub number: u64,
    /// Its bytes without the line end.
    pub bytes: &'a [u8],
    /// Whether a line end followed (a last line without one may be cut).
    pub is_terminated: bool,
}

impl Lines {
    /// The next line that is not blank.
    ///
    /// # Errors
    /// A [`Problem`] where reading fails (the lines end there) or a line is longer than 256 MiB (it is skipped): call
    /// again after both.
    pub fn next_line(&mut self) -> Result<Option<Line<'_>>, Problem> {
        while !self.has_failed {
            self.reader.consume(std::mem::take(&mut self.shown));
            let place = match self.find_line() {
                Ok(Some(place)) => place,
                Ok(None) => return Ok(None),
                Err(error) => {
                    self.has_failed = true;
                    return Err(Problem::new(&*self.path, format!("cannot be read on: {error}"))
                        .line(self.number + 1)
                        .hint("a packed file may be cut, or still be written; the lines before are used"));
                }
            };
            self.number += 1;
            let is_terminated = match place {
                Found::InPlace(_) => true,
                Found::Copied => self.buffer.last() == Some(&b'\n'),
                Found::TooLong => {
                    self.skip_line()?;
                    return Err(Problem::new(&*self.path, "a line longer than 256 MiB, passed over")
                        .line(self.number)
                        .hint("split the record, or leave binary content out of the log"));
                }
            };
            if let Found::InPlace(length) = place {
                self.shown = length;
            }
            if !self.found(place).trim_ascii().is_empty() {
                let number = self.number;
                return Ok(Some(Line { number, bytes: self.found(place).trim_ascii(), is_terminated }));
            }
        }
        Ok(None)
    }

    /// Where the next line stands: where the reader holds it whole it is not copied. `None` at the end.
    fn find_line(&mut self) -> std::io::Result<Option<Found>> {
        let held = loop {
            match self.reader.fill_buf() {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                held => break held?,
            }
        };
        if let Some(newline) = memchr::memchr(b'\n', held) {
            return Ok(Some(Found::InPlace(newline + 1)));
        }
        self.buffer.clear();
        let limit = LONGEST_LINE as u64 + 1;
        let count = (&mut self.reader).take(limit).read_until(b'\n', &mut self.buffer)?;
        let is_too_long = count as u64 >= limit && self.buffer.last() != Some(&b'\n');
        Ok(match count {
            0 => None,
            _ if is_too_long => Some(Found::TooLong),
            _ => Some(Found::Copied),
        })
    }

    fn found(&mut self, place: Found) -> &[u8] {
        match place {
            // Nothing was consumed since it was found: the reader shows the same bytes again.
            Found::InPlace(length) => self.reader.fill_buf().ok().and_then(|held| held.get(..length)),
            Found::Copied => Some(self.buffer.as_slice()),
            Found::TooLong => None,
        }
        .unwrap_or_default()
    }

    fn skip_line(&mut self) -> Result<(), Problem> {
        loop {
            self.buffer.clear();
            let count = (&mut self.reader)
                .take(1 << 20)
                .read_until(b'\n', &mut self.buffer)
                .map_err(|error| Problem::new(&*self.path, format!("cannot be read on: {error}")))?;
            if count == 0 || self.buffer.last() == Some(&b'\n') {
                return Ok(());
            }
        }
    }

    /// Calls `each` for every line; a line that is too long becomes a problem.
    ///
    /// # Errors
    /// A [`Problem`] where the file cannot be read on.
    pub(crate) fn for_each_line(
        &mut self,
        sink: &mut dyn Sink,
        mut each: impl FnMut(Line<'_>, &mut dyn Sink),
    ) -> Result<(), Problem> {
        loop {
            match self.next_line() {
                Ok(Some(line)) => each(line, sink),
                Ok(None) => return Ok(()),
                Err(problem) if problem.line.is_some() => sink.problem(problem),
                Err(problem) => return Err(problem),
            }
        }
    }

    /// Calls `each` for every record that parses as `T`; the others become problems.
    ///
    /// # Errors
    /// A [`Problem`] where the file cannot be read on.
    pub fn for_each_record<T: for<'de> Deserialize<'de>>(
        &mut self,
        sink: &mut dyn Sink,
        mut each: impl FnMut(u64, T, &mut dyn Sink),
    ) -> Result<(), Problem> {
        let path = Arc::clone(&self.path);
        loop {
            let line = match self.next_line() {
                Ok(Some(line)) => line,
                Ok(None) => return Ok(()),
                Err(problem) if problem.line.is_some() => {
                    sink.problem(problem);
                    continue;
                }
                Err(problem) => return Err(problem),
            };
            match parse_record::<T>(line.bytes) {
                Ok((record, repairs)) => {
                    for repair in repairs {
                        sink.problem(
                            Problem::new(&*path, repair.message()).line(line.number).hint(repair.hint()),
                        );
                    }
                    each(line.number, record, sink);
                }
                Err(error) => sink.problem(unreadable_record(&path, line, &error)),
            }
        }
    }
}

/// The problem of a line that is no JSON record.
pub(crate) fn unreadable_record(path: &str, line: Line<'_>, error: &serde_json::Error) -> Problem {
    if error.is_eof() && !line.is_terminated {
        Problem::new(path, "the last line is cut off, expected a complete JSON record")
            .line(line.number)
            .hint("the writer was stopped, or is still writing; the lines before are used")
    } else {
        Problem::new(path, format!("expected a JSON record: {}", described(error)))
            .line(line.number)
            .hint("the other lines are used; mend or delete this one")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_are_passed_over_and_numbers_stay() {
        let input = Input::bytes("a.jsonl", &b"1\n\n  \n2"[..]);
        let mut lines = input.lines().unwrap();
        assert_eq!(lines.next_line().unwrap().unwrap().number, 1);
        let last = lines.next_line().unwrap().unwrap();
        assert_eq!((last.number, last.bytes, last.is_terminated), (4, &b"2"[..], false));
        assert!(lines.next_line().unwrap().is_none());
    }

    #[test]
    fn lines_are_the_same_whether_the_reader_holds_them_whole_or_not() {
        let text = b"first\n\n  second  \r\nthird is longer than the others\nlast";
        let expected = [(1, "first"), (3, "second"), (4, "third is longer than the others"), (5, "last")];
        for capacity in 1..70 {
            let mut lines = Input::bytes("a.jsonl", &b""[..]).lines().unwrap();
            lines.reader = Box::new(BufReader::with_capacity(capacity, &text[..]));
            for (number, bytes) in expected {
                let line = lines.next_line().unwrap().unwrap();
                assert_eq!((line.number, line.bytes), (number, bytes.as_bytes()), "{capacity}");
                assert_eq!(line.is_terminated, number != 5);
            }
            assert!(lines.next_line().unwrap().is_none());
        }
    }

    #[test]
    fn a_stem_loses_one_extension() {
        assert_eq!(Input::bytes("x/a.b.json", &b""[..]).stem(), "a.b");
        assert_eq!(Input::bytes("x/a.b.json.zst", &b""[..]).stem(), "a.b");
    }
}
