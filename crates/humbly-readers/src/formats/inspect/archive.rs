//! The `.eval` archive: entries by name, read one at a time, with a limit on what each may become.
//!
//! An archive that was cut off has no directory at its end; its complete entries are found from the front.

use std::collections::HashMap;
use std::io::{Read, Seek, SeekFrom};

use humbly_types::Problem;
use zip::ZipArchive;
use zip::read::read_zipfile_from_stream;

use crate::input::{Input, LARGEST_DOCUMENT, ReadSeek};

/// An entry may become this large however small it is.
const UNSUSPICIOUS: u64 = 64 << 20;
/// Beyond that, an entry that grows more than this many times is a bomb; real logs reach about 200.
const MOST_GROWTH: u64 = 500;

/// An open archive.
pub(super) struct Archive {
    source: Source,
    entries: Vec<Entry>,
    by_name: HashMap<String, usize>,
    /// Whether the end of the archive is missing.
    pub(super) is_cut: bool,
}

enum Source {
    Whole(ZipArchive<Box<dyn ReadSeek>>),
    Cut(Box<dyn ReadSeek>),
}

struct Entry {
    name: String,
    /// Index in the directory, or offset of the local header.
    position: u64,
    compressed: u64,
}

impl Archive {
    /// Opens the archive.
    ///
    /// # Errors
    /// A [`Problem`] where it is no archive and no front of one.
    pub(super) fn open(input: &Input) -> Result<Self, Problem> {
        match ZipArchive::new(input.open_seekable()?) {
            Ok(archive) => {
                let mut entries = Vec::with_capacity(archive.len());
                for index in 0..archive.len() {
                    let Ok(entry) = archive.by_index_data(index) else { continue };
                    entries.push(Entry {
                        name: String::from_utf8_lossy(entry.name_raw()).into_owned(),
                        position: index as u64,
                        compressed: entry.compressed_size(),
                    });
                }
                Ok(Self::new(Source::Whole(archive), entries, false))
            }
            Err(error) => {
                let mut reader = input.open_seekable()?;
                let entries = complete_entries(&mut reader).unwrap_or_default();
                if entries.is_empty() {
                    return Err(Problem::new(&*input.path, format!("not a readable zip archive: {error}"))
                        .hint(
                            "the log was cut off while it was written or copied; copy or export it again",
                        ));
                }
                Ok(Self::new(Source::Cut(reader), entries, true))
            }
        }
    }

    fn new(source: Source, entries: Vec<Entry>, is_cut: bool) -> Self {
        // Inserted in order: of two entries of one name the last one stands.
        let by_name = entries.iter().enumerate().map(|(index, entry)| (entry.name.clone(), index)).collect();
        Self { source, entries, by_name, is_cut }
    }

    /// Names with their numbers, in the order of the archive; of two entries of one name only the last.
    pub(super) fn names(&self) -> impl Iterator<Item = (usize, &str)> {
        let is_last = |index: usize, entry: &Entry| self.by_name.get(&entry.name) == Some(&index);
        self.entries
            .iter()
            .enumerate()
            .filter(move |(index, entry)| is_last(*index, entry))
            .map(|(index, entry)| (index, entry.name.as_str()))
    }

    /// The number of the entry of this name.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// Reads an entry into `buffer` (cleared first).
    ///
    /// # Errors
    /// What is wrong with the entry, as a fragment of a sentence.
    pub(super) fn read(&mut self, index: usize, buffer: &mut Vec<u8>) -> Result<(), String> {
        buffer.clear();
        let Some(entry) = self.entries.get(index) else { return Err("no such entry".into()) };
        let compressed = entry.compressed;
        match &mut self.source {
            Source::Whole(archive) => {
                let number = usize::try_from(entry.position).unwrap_or(usize::MAX);
                let file = archive.by_index(number).map_err(|error| format!("cannot be opened: {error}"))?;
                read_limited(file, compressed, buffer)
            }
            Source::Cut(reader) => {
                reader
                    .seek(SeekFrom::Start(entry.position))
                    .map_err(|error| format!("cannot be read: {error}"))?;
                let file =
                    read_zipfile_from_stream(reader).map_err(|error| format!("cannot be opened: {error}"))?;
                let Some(file) = file else { return Err("cannot be opened".into()) };
                read_limited(file, compressed, buffer)
            }
        }
    }
}

fn read_limited(file: impl Read, compressed: u64, buffer: &mut Vec<u8>) -> Result<(), String> {
    let most = compressed.saturating_mul(MOST_GROWTH).clamp(UNSUSPICIOUS, LARGEST_DOCUMENT);
    file.take(most + 1).read_to_end(buffer).map_err(|error| format!("is corrupt: {error}"))?;
    if buffer.len() as u64 > most {
        *buffer = Vec::new();
        return Err(format!("grows from {compressed} to more than {most} bytes, which no log does"));
    }
    Ok(())
}

/// Walks the local headers from the front, up to the first entry that is not whole.
fn complete_entries(reader: &mut Box<dyn ReadSeek>) -> std::io::Result<Vec<Entry>> {
    let length = reader.seek(SeekFrom::End(0))?;
    let mut entries = Vec::new();
    let mut position = 0;
    loop {
        reader.seek(SeekFrom::Start(position))?;
        let Some(header) = LocalHeader::read(reader) else { return Ok(entries) };
        let end = position.saturating_add(header.length).saturating_add(header.compressed);
        if header.has_descriptor || end > length {
            return Ok(entries);
        }
        entries.push(Entry { name: header.name, position, compressed: header.compressed });
        position = end;
    }
}

struct LocalHeader {
    name: String,
    length: u64,
    compressed: u64,
    /// Sizes stand behind the data: the entry cannot be skipped.
    has_descriptor: bool,
}

impl LocalHeader {
    const FIXED: usize = 30;

    fn read(reader: &mut dyn Read) -> Option<Self> {
        let mut fixed = [0; Self::FIXED];
        if reader.read_exact(&mut fixed).is_err() || !fixed.starts_with(b"PK\x03\x04") {
            return None;
        }
        let u16_at = |at: usize| u16::from_le_bytes([fixed[at], fixed[at + 1]]);
        let compressed = u32::from_le_bytes([fixed[18], fixed[19], fixed[20], fixed[21]]);
        let size = u32::from_le_bytes([fixed[22], fixed[23], fixed[24], fixed[25]]);
        let mut name = vec![0; usize::from(u16_at(26))];
        let mut extra = vec![0; usize::from(u16_at(28))];
        if reader.read_exact(&mut name).is_err() || reader.read_exact(&mut extra).is_err() {
            return None;
        }
        let has_descriptor = u16_at(6) & 8 != 0;
        let length = (Self::FIXED + name.len() + extra.len()) as u64;
        let compressed = if compressed == u32::MAX {
            zip64_compressed(&extra, size == u32::MAX)
        } else {
            Some(compressed.into())
        };
        compressed.map(|compressed| Self {
            name: String::from_utf8_lossy(&name).into_owned(),
            length,
            compressed,
            has_descriptor,
        })
    }
}

/// The compressed size in a zip64 field; it stands after the uncompressed one where that is there too.
fn zip64_compressed(mut extra: &[u8], has_size: bool) -> Option<u64> {
    while let Some((head, rest)) = extra.split_first_chunk::<4>() {
        let length = usize::from(u16::from_le_bytes([head[2], head[3]]));
        let field = rest.get(..length)?;
        if head[..2] == [1, 0] {
            let field = if has_size { field.get(8..)? } else { field };
            return field.first_chunk::<8>().map(|bytes| u64::from_le_bytes(*bytes));
        }
        extra = rest.get(length..)?;
    }
    None
}

/// What an entry's name says it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind<'n> {
    /// A whole sample.
    Sample,
    /// The shell of a chunked sample with the prefix of its parts.
    Shell(&'n str),
    /// Anything else.
    Other,
    /// A name that leaves the archive.
    Outside,
}

impl<'n> Kind<'n> {
    pub(super) fn of(name: &'n str) -> Self {
        let leaves = name.starts_with('/')
            || name.split(['/', '\\']).any(|part| part == "..")
            || name.as_bytes().get(1) == Some(&b':');
        if leaves {
            return Self::Outside;
        }
        let Some(stem) = name.strip_prefix("samples/").and_then(|rest| rest.strip_suffix(".json")) else {
            return Self::Other;
        };
        if ends_with_epoch(stem) {
            return Self::Sample;
        }
        match name.strip_suffix("/sample.json") {
            Some(prefix) if ends_with_epoch(prefix) => Self::Shell(prefix),
            _ => Self::Other,
        }
    }
}

fn ends_with_epoch(stem: &str) -> bool {
    stem.rsplit_once("_epoch_")
        .is_some_and(|(_, epoch)| !epoch.is_empty() && epoch.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_samples_are_samples() {
        assert_eq!(Kind::of("samples/a/b_epoch_2.json"), Kind::Sample);
        assert_eq!(Kind::of("samples/q1_epoch_1/sample.json"), Kind::Shell("samples/q1_epoch_1"));
        assert_eq!(Kind::of("samples/q1_epoch_1/metadata.json"), Kind::Other);
        assert_eq!(Kind::of("samples/q1_epoch_1/messages/0.json"), Kind::Other);
        assert_eq!(Kind::of("summaries.json"), Kind::Other);
    }

    #[test]
    fn names_that_leave_the_archive_are_known() {
        for name in ["../x", "samples/../../x_epoch_1.json", "/etc/x", "C:\\x", "a\\..\\x"] {
            assert_eq!(Kind::of(name), Kind::Outside, "{name}");
        }
        assert_eq!(Kind::of("samples/..x_epoch_1.json"), Kind::Sample);
    }
}
