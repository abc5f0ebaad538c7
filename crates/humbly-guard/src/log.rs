//! What the guard did, one JSON line each.

use std::io::Write;
use std::path::{Path, PathBuf};

use humbly_judge::LexicalJudge;
use serde::{Deserialize, Serialize};

use crate::quote::safe_quote;
use crate::watch::Flag;
use crate::{GuardError, Outcome, Places, Result, Silence, audit_file};

/// A longer log is put aside.
const LONGEST: u64 = 4 << 20;

/// One thing that the guard did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Seconds since 1970, UTC; set by the caller.
    pub time: u64,
    /// The harness.
    pub harness: String,
    /// Id of the session.
    pub session: String,
    /// Name of the event.
    pub event: String,
    /// The transcript.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transcript: Option<PathBuf>,
    /// `asked`, `noted`, `recorded`, `silent` or `failed`.
    pub did: String,
    /// Why it was silent or what failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Line of the episode's prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_line: Option<u64>,
    /// What was recognised.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quotes: Vec<EntryQuote>,
}

/// A quote in the log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryQuote {
    /// The turn.
    pub turn: Option<u32>,
    /// Its line (or index).
    pub line: u64,
    /// The agent's words.
    pub quote: Option<String>,
    /// The rule of the judge.
    pub rule: String,
}

impl From<&Flag> for EntryQuote {
    fn from(flag: &Flag) -> Self {
        Self {
            turn: flag.turn,
            line: flag.line,
            quote: flag.quote.as_deref().map(safe_quote),
            rule: flag.rule.clone(),
        }
    }
}

impl Entry {
    /// The time as `2026-11-30 18:00:00`, UTC.
    pub fn time_text(&self) -> String {
        let (days, second) = (self.time / 86_400, self.time % 86_400);
        // Days to a date after Hinnant's `civil_from_days`, years from March.
        let shifted = days + 719_468;
        let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        let year = year_of_era + era * 400 + u64::from(month <= 2);
        let (hour, minute) = (second / 3_600, second / 60 % 60);
        format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{:02}", second % 60)
    }
}

/// The log of a user.
#[derive(Debug, Clone)]
pub struct Log {
    path: PathBuf,
}

impl Log {
    /// The log among the user's caches; `None` where there is no home.
    pub fn of(places: &Places) -> Option<Self> {
        places.cache.as_deref().map(|cache| Self { path: cache.join("log.jsonl") })
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds an entry.
    ///
    /// # Errors
    /// [`GuardError::File`].
    pub fn append(&self, entry: &Entry) -> Result<()> {
        let failed = |source| GuardError::File { path: self.path.clone(), action: "written", source };
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        if std::fs::metadata(&self.path).is_ok_and(|metadata| metadata.len() > LONGEST) {
            std::fs::rename(&self.path, self.path.with_extension("old.jsonl")).map_err(failed)?;
        }
        let mut line = serde_json::to_vec(entry).unwrap_or_default();
        line.push(b'\n');
        // One write a line: two hooks may write at once.
        let mut file =
            std::fs::OpenOptions::new().create(true).append(true).open(&self.path).map_err(failed)?;
        file.write_all(&line).map_err(failed)
    }

    /// All entries that can be read, oldest first.
    ///
    /// # Errors
    /// [`GuardError::File`] where a log is there and cannot be read.
    pub fn entries(&self) -> Result<Vec<Entry>> {
        let bytes = match std::fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(GuardError::File { path: self.path.clone(), action: "read", source }),
        };
        Ok(bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect())
    }
}

/// What an agent did after it was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AfterAsking {
    /// Its answer tells the user.
    Told,
    /// A later turn settled it.
    Resolved,
    /// Its answer is about something else.
    OffTopic,
    /// It answered as before.
    Silent,
    /// The transcript is gone, unreadable, or not yet over.
    Unknown,
}

/// Reads the transcript of an entry again and judges how the episode ended.
pub fn after_asking(entry: &Entry, judge: &LexicalJudge) -> AfterAsking {
    let Some(path) = &entry.transcript else { return AfterAsking::Unknown };
    let Ok(findings) = audit_file(path, None, judge) else { return AfterAsking::Unknown };
    let episode = findings.iter().rev().find(|finding| finding.prompt_line == entry.prompt_line);
    let Some(episode) = episode else { return AfterAsking::Unknown };
    match &episode.outcome {
        Outcome::Silent(Silence::PassedOn) => AfterAsking::Told,
        Outcome::Silent(Silence::Resolved | Silence::LaterEvidence) => AfterAsking::Resolved,
        Outcome::Silent(Silence::OffTopic) => AfterAsking::OffTopic,
        Outcome::Ask(_) => AfterAsking::Silent,
        Outcome::Silent(_) => AfterAsking::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_dates() {
        let at = |time| Entry { time, ..Entry::default() }.time_text();
        assert_eq!(at(0), "1970-01-01 00:00:00");
        assert_eq!(at(951_782_399), "2000-02-28 23:59:59");
        assert_eq!(at(951_782_400), "2000-02-29 00:00:00");
        assert_eq!(at(1_796_061_600), "2026-11-30 18:00:00");
    }
}
