//! Reading a growing transcript from where the last call left off.
//!
//! A place lies before the last turn that was seen: that turn is read again, since only what follows tells
//! whether it was the last. A transcript that was rewritten before the place is read from its start.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use humbly_readers::{Input, Sink, read_input};
use humbly_types::{Problem, Trajectory};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::watch::Base;
use crate::{GuardError, PathFault, Places, Result};

/// So many bytes before a place tell whether the transcript is still the same.
const CHECKED: usize = 256;
/// A longer transcript that was never seen is read from its last part.
const LONGEST_FIRST: u64 = 192 << 20;
/// A shorter run of letters stands in many lines by chance.
const SHORTEST_NEEDLE: usize = 8;
/// So much is read at once, where nothing speaks for more: memory that was used once is used again.
pub(crate) const WINDOW: u64 = 512 << 10;
/// That part.
const LAST_PART: u64 = 48 << 20;

/// A transcript whose path was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transcript {
    /// Claude Code's session file.
    ClaudeCode(PathBuf),
    /// Codex's rollout.
    Codex(PathBuf),
    /// Events of `OpenHands` in one file.
    OpenHandsFile(PathBuf),
    /// A conversation of `OpenHands`, a file an event.
    OpenHandsFolder(PathBuf),
    /// Gemini CLI's session.
    GeminiCli(PathBuf),
}

impl Transcript {
    /// Its path.
    pub fn path(&self) -> &Path {
        match self {
            Self::ClaudeCode(path)
            | Self::Codex(path)
            | Self::OpenHandsFile(path)
            | Self::OpenHandsFolder(path)
            | Self::GeminiCli(path) => path,
        }
    }

    fn format(&self) -> &'static str {
        match self {
            Self::ClaudeCode(_) => "claude-code",
            Self::Codex(_) => "codex-rollout",
            Self::OpenHandsFile(_) | Self::OpenHandsFolder(_) => "openhands-sdk",
            Self::GeminiCli(_) => "gemini-cli",
        }
    }

    /// How large it is now; grows whenever something was written.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Self::OpenHandsFolder(folder) => event_files(folder).len() as u64,
            other => std::fs::metadata(other.path()).map_or(0, |metadata| metadata.len()),
        }
    }

    /// What a line with a tool's result holds; empty where that cannot be said of a line.
    fn result_marks(&self) -> &'static [&'static [u8]] {
        match self {
            Self::ClaudeCode(_) => &[b"tool_result"],
            Self::Codex(_) => &[b"_output\"", b"_end\""],
            Self::OpenHandsFile(_) => &[b"bservation"],
            // A record a line, its results after what the agent says; a printed document has neither.
            Self::GeminiCli(path) if path.extension().is_some_and(|ending| ending == "jsonl") => {
                &[b"\"result", b"functionResponse"]
            }
            Self::OpenHandsFolder(_) | Self::GeminiCli(_) => &[],
        }
    }

    /// Whether this place in a line may lie in a tool's result.
    fn may_be_result(&self, line: &[u8], at: usize) -> bool {
        let mark = self.result_marks().iter().filter_map(|mark| memchr::memmem::find(line, mark)).min();
        mark.is_some_and(|mark| mark < at || !matches!(self, Self::GeminiCli(_)))
    }

    /// Whether a tool's result may hold all of these words, seen by its bytes, which is quicker than
    /// reading records. What an encoding of JSON may escape is left out of the search.
    ///
    /// # Errors
    /// [`GuardError::File`].
    pub(crate) fn may_repeat(&self, words: &str) -> Result<bool> {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || " ,.;:-()".contains(letter);
        let runs = words.split(|letter| !plain(letter));
        let needle = runs.max_by_key(|run| run.len()).unwrap_or_default().trim();
        if needle.len() < SHORTEST_NEEDLE || self.result_marks().is_empty() {
            return Ok(true);
        }
        let failed = |source| GuardError::File { path: self.path().to_owned(), action: "read", source };
        let finder = memchr::memmem::Finder::new(needle);
        let mut file = File::open(self.path()).map_err(failed)?;
        let mut bytes = Vec::new();
        loop {
            // What the last read left of a line comes first; a long line is read in ever larger parts.
            let longest = WINDOW.max(bytes.len() as u64);
            let count = Read::by_ref(&mut file).take(longest).read_to_end(&mut bytes).map_err(failed)?;
            let is_end = count == 0;
            let newline = memchr::memrchr(b'\n', &bytes);
            let whole = if is_end { bytes.len() } else { newline.map_or(0, |newline| newline + 1) };
            let mut lines = bytes.get(..whole).unwrap_or_default();
            while let Some(at) = finder.find(lines) {
                let (before, after) = lines.split_at(at);
                let start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
                let end = memchr::memchr(b'\n', after).map_or(lines.len(), |newline| at + newline);
                let line = lines.get(start..end).unwrap_or_default();
                let last = memchr::memmem::rfind(line, needle.as_bytes()).unwrap_or_default();
                if self.may_be_result(line, last) {
                    return Ok(true);
                }
                lines = lines.get(end..).unwrap_or_default();
            }
            if is_end {
                return Ok(false);
            }
            bytes.drain(..whole);
        }
    }

    /// What was written since `place`, about `longest` bytes of it where its records can be read in parts.
    /// `buffer` is memory to read into, that of the window before.
    ///
    /// # Errors
    /// [`GuardError::File`], [`GuardError::Transcript`].
    pub(crate) fn read_from(&self, place: &Place, longest: u64, buffer: Vec<u8>) -> Result<Window> {
        let asked = *place;
        let Part { place, before, mut bytes, reaches_end } = match self {
            Self::OpenHandsFolder(folder) => events_from(folder, place)?,
            // Later records change earlier ones: it is read whole.
            Self::GeminiCli(path) => read_part(path, &Place::start(), u64::MAX, buffer)?,
            Self::ClaudeCode(path) | Self::Codex(path) | Self::OpenHandsFile(path) => {
                let mut part = read_part(path, place, longest, buffer)?;
                drop_broken_end(&mut part.bytes);
                part
            }
        };
        let mut collected = Collected::default();
        if !bytes.trim_ascii().is_empty() {
            let input = Input::bytes(&self.path().to_string_lossy(), bytes);
            read_input(&input, Some(self.format()), &mut collected);
            bytes = input.into_bytes();
        }
        let trajectory_count = collected.trajectories.len();
        Ok(Window {
            trajectory: collected.trajectories.pop(),
            begins_anew: place.offset == 0 || place != asked || trajectory_count > 1,
            counted_in: match self {
                Self::GeminiCli(_) => CountedIn::Nothing,
                Self::OpenHandsFolder(_) => CountedIn::Events,
                Self::ClaudeCode(_) | Self::Codex(_) | Self::OpenHandsFile(_) => CountedIn::Bytes,
            },
            reaches_end,
            place,
            before,
            bytes,
        })
    }
}

/// How far a transcript was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Place {
    /// Bytes before it; events, where each is a file.
    pub(crate) offset: u64,
    /// Lines before it.
    pub(crate) lines: u64,
    /// Turns before it; `None` where they were not counted.
    pub(crate) turns: Option<u32>,
    /// Hash of the bytes just before it.
    check: u64,
}

impl Place {
    pub(crate) fn start() -> Self {
        Self { turns: Some(0), ..Self::default() }
    }
}

/// What places of a transcript count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CountedIn {
    Bytes,
    /// Each is a file.
    Events,
    /// It is read whole.
    Nothing,
}

/// What was read in one go.
pub(crate) struct Window {
    /// The last trajectory in it, where it holds a turn.
    pub(crate) trajectory: Option<Trajectory>,
    /// Whether nothing that was known before goes on in it.
    pub(crate) begins_anew: bool,
    /// Whether there is no more to read for now.
    pub(crate) reaches_end: bool,
    counted_in: CountedIn,
    place: Place,
    /// The bytes just before it.
    before: Vec<u8>,
    bytes: Vec<u8>,
}

impl Window {
    /// Where its steps are counted from.
    pub(crate) fn base(&self) -> Base {
        Base { lines: self.place.lines, turns: self.place.turns }
    }

    /// Its memory, for the next window.
    pub(crate) fn into_buffer(self) -> Vec<u8> {
        self.bytes
    }

    /// The place just before `line` (from 1, of this window), with `turns` of this window before it.
    pub(crate) fn place_before(&self, line: u64, turns: u32) -> Place {
        if self.counted_in == CountedIn::Nothing {
            return Place::start();
        }
        let before = line.saturating_sub(1);
        let turns = self.place.turns.map(|known| known.saturating_add(turns));
        if self.counted_in == CountedIn::Events {
            let offset = self.place.offset + before;
            return Place { offset, lines: offset, turns, check: 0 };
        }
        let newlines = memchr::memchr_iter(b'\n', &self.bytes);
        let start = match before {
            0 => 0,
            // Blank lines count as lines: the reader counts them too.
            before => usize::try_from(before - 1)
                .ok()
                .and_then(|index| newlines.into_iter().nth(index))
                .map_or(0, |newline| newline + 1),
        };
        let mut checked = self.before.clone();
        checked.extend_from_slice(self.bytes.get(start.saturating_sub(CHECKED)..start).unwrap_or_default());
        let checked = checked.get(checked.len().saturating_sub(CHECKED)..).unwrap_or_default();
        Place {
            offset: self.place.offset + start as u64,
            lines: self.place.lines + before,
            turns,
            check: xxh3_64(checked),
        }
    }
}

#[derive(Default)]
struct Collected {
    trajectories: Vec<Trajectory>,
}

impl Sink for Collected {
    fn trajectory(&mut self, trajectory: Trajectory) {
        self.trajectories.push(trajectory);
    }

    fn problem(&mut self, _: Problem) {}
}

/// What a file holds from a place on.
struct Part {
    place: Place,
    before: Vec<u8>,
    bytes: Vec<u8>,
    reaches_end: bool,
}

fn read_part(path: &Path, place: &Place, longest: u64, buffer: Vec<u8>) -> Result<Part> {
    let failed = |source| GuardError::File { path: path.to_owned(), action: "read", source };
    let mut file = File::open(path).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    let mut before = bytes_before(&mut file, place).unwrap_or_default();
    let is_known = place.offset <= length && (place.offset == 0 || xxh3_64(&before) == place.check);
    let mut place = if is_known { *place } else { Place::start() };
    let is_too_long = length - place.offset > LONGEST_FIRST;
    if is_too_long {
        place = Place { offset: length - LAST_PART, ..Place::default() };
    }
    if !is_known || is_too_long {
        before.clear();
    }
    file.seek(SeekFrom::Start(place.offset)).map_err(failed)?;
    let rest = length - place.offset;
    let wanted = rest.min(longest);
    let mut bytes = buffer;
    bytes.clear();
    bytes.reserve(usize::try_from(wanted).unwrap_or(0));
    file.take(wanted).read_to_end(&mut bytes).map_err(failed)?;
    if is_too_long {
        // The part begins within a line.
        let cut = memchr::memchr(b'\n', &bytes).map_or(bytes.len(), |newline| newline + 1);
        before = bytes.drain(..cut).collect();
        place.offset += cut as u64;
    }
    Ok(Part { place, before, bytes, reaches_end: wanted == rest })
}

/// The bytes just before a place.
fn bytes_before(file: &mut File, place: &Place) -> std::io::Result<Vec<u8>> {
    let from = place.offset.saturating_sub(CHECKED as u64);
    let mut before = Vec::new();
    file.seek(SeekFrom::Start(from))?;
    Read::by_ref(file).take(place.offset - from).read_to_end(&mut before)?;
    Ok(before)
}

/// Takes off a last line that is still being written.
fn drop_broken_end(bytes: &mut Vec<u8>) {
    let end = memchr::memrchr(b'\n', bytes).map_or(0, |newline| newline + 1);
    let is_complete = bytes.get(end..).is_some_and(|last| serde_json::from_slice::<IgnoredAny>(last).is_ok());
    if !is_complete {
        bytes.truncate(end);
    }
}

/// The event files of a conversation, by number.
fn event_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder.join("events")) else { return Vec::new() };
    let mut files: Vec<(u64, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name();
            let stem = name.to_str()?.strip_suffix(".json")?.strip_prefix("event-")?;
            Some((stem.split('-').next()?.parse().ok()?, entry.path()))
        })
        .collect();
    files.sort();
    files.into_iter().map(|(_, path)| path).collect()
}

/// The events since `place`, one a line.
fn events_from(folder: &Path, place: &Place) -> Result<Part> {
    let files = event_files(folder);
    let skipped = usize::try_from(place.offset).ok().filter(|skipped| *skipped <= files.len());
    let place = if skipped.is_some() { *place } else { Place::start() };
    let mut bytes = Vec::new();
    for path in files.iter().skip(skipped.unwrap_or(0)) {
        let event =
            match std::fs::symlink_metadata(path) {
                Ok(metadata) if metadata.is_file() => std::fs::read(path)
                    .map_err(|source| GuardError::File { path: path.clone(), action: "read", source })?,
                _ => Vec::new(),
            };
        let is_complete = serde_json::from_slice::<IgnoredAny>(&event).is_ok();
        // A broken event keeps its number.
        bytes.extend(
            event.iter().filter(|_| is_complete).map(|byte| if *byte == b'\n' { b' ' } else { *byte }),
        );
        bytes.push(b'\n');
    }
    Ok(Part { place, before: Vec::new(), bytes, reaches_end: true })
}

/// A transcript file: absolute, regular, and inside of `roots` or of the folders that the user named.
pub(crate) fn check_file(path: &Path, places: &Places, roots: &[PathBuf]) -> Result<PathBuf> {
    let path = places.expand(path);
    let refused = |fault| GuardError::Path { path: path.clone(), fault };
    if !path.is_absolute() {
        return Err(refused(PathFault::Relative));
    }
    if !path.extension().is_some_and(|ending| ending == "jsonl" || ending == "json") {
        return Err(refused(PathFault::Extension));
    }
    let real = path.canonicalize().map_err(|_| refused(PathFault::Missing))?;
    if !real.is_file() {
        return Err(refused(PathFault::NotAFile));
    }
    if !is_inside(&real, roots.iter().chain(&places.extra)) {
        return Err(refused(PathFault::Outside));
    }
    Ok(real)
}

/// A conversation's folder inside of `roots`.
pub(crate) fn check_folder(path: &Path, roots: &[PathBuf]) -> Result<PathBuf> {
    let refused = |fault| GuardError::Path { path: path.to_owned(), fault };
    let real = path.canonicalize().map_err(|_| refused(PathFault::Missing))?;
    if !is_inside(&real, roots.iter()) {
        return Err(refused(PathFault::Outside));
    }
    Ok(real)
}

fn is_inside<'a>(real: &Path, mut roots: impl Iterator<Item = &'a PathBuf>) -> bool {
    roots.any(|root| root.canonicalize().is_ok_and(|root| real.starts_with(root)))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    const WORDS: &str = "the register says 1874, the guide 1871";

    fn may_repeat(lines: &[String]) -> bool {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(lines.join("\n").as_bytes()).unwrap();
        Transcript::Codex(file.path().to_owned()).may_repeat(WORDS).unwrap()
    }

    fn said(words: &str) -> String {
        format!(r#"{{"payload":{{"type":"message","text":"{words}"}}}}"#)
    }

    fn result(words: &str) -> String {
        format!(r#"{{"payload":{{"type":"function_call_output","output":"{words}"}}}}"#)
    }

    #[test]
    fn words_count_in_results_alone_wherever_the_parts_of_the_file_end() {
        let window = usize::try_from(WINDOW).unwrap();
        for before in [0, window - 400, window - 60, window, 3 * window + 7] {
            let filler = said(&"x".repeat(before));
            assert!(!may_repeat(&[filler.clone(), said(WORDS), result("nothing")]), "{before}");
            assert!(may_repeat(&[filler.clone(), said(WORDS), result(WORDS)]), "{before}");
            assert!(may_repeat(&[result(&format!("{}{WORDS}", "y".repeat(before))), filler]), "{before}");
        }
        assert!(!may_repeat(&[said(&WORDS.repeat(20_000))]));
    }
}
