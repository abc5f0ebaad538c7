//! Writing JSONL, and finding the files of an import.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use humbly_types::Problem;
use serde::Serialize;

use crate::summary::{ImportSummary, WrittenFile};

/// A JSONL file that is being written; it takes its name when it is whole.
pub(crate) struct JsonLines {
    path: PathBuf,
    writer: BufWriter<File>,
    rows: usize,
}

impl JsonLines {
    /// Creates the file and the folders above it.
    pub(crate) fn create(folder: &Path, name: &str) -> Result<Self, Problem> {
        let path = folder.join(name);
        let made =
            path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| File::create(part(&path)));
        match made {
            Ok(file) => Ok(Self { path, writer: BufWriter::new(file), rows: 0 }),
            Err(error) => Err(cannot_write(&path, &error)),
        }
    }

    pub(crate) fn row(&mut self, row: &impl Serialize) -> Result<(), Problem> {
        serde_json::to_writer(&mut self.writer, row).map_err(|error| cannot_write(&self.path, &error))?;
        self.writer.write_all(b"\n").map_err(|error| cannot_write(&self.path, &error))?;
        self.rows += 1;
        Ok(())
    }

    /// Ends the file and notes it in the summary.
    pub(crate) fn finish(mut self, summary: &mut ImportSummary) -> Result<(), Problem> {
        let flushed = self.writer.flush().and_then(|()| std::fs::rename(part(&self.path), &self.path));
        flushed.map_err(|error| cannot_write(&self.path, &error))?;
        summary.files.push(WrittenFile { path: self.path.clone(), rows: self.rows });
        Ok(())
    }
}

impl Drop for JsonLines {
    /// An import that failed leaves nothing behind.
    fn drop(&mut self) {
        let _ = std::fs::remove_file(part(&self.path));
    }
}

fn part(path: &Path) -> PathBuf {
    path.with_extension("jsonl.part")
}

fn cannot_write(path: &Path, error: &dyn std::fmt::Display) -> Problem {
    Problem::new(path.to_string_lossy(), format!("cannot be written: {error}"))
        .hint("name a folder that can be written with --to")
}

/// The file itself, or the files of a folder (at any depth) that `accepts` takes, by path.
pub(crate) fn files(path: &Path, accepts: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>, Problem> {
    let unreadable = |path: &Path, error: &std::io::Error| {
        Problem::new(path.to_string_lossy(), format!("cannot be read: {error}"))
    };
    let kind = std::fs::metadata(path).map_err(|error| unreadable(path, &error))?;
    if !kind.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(|error| unreadable(&folder, &error))? {
            let entry = entry.map_err(|error| unreadable(&folder, &error))?;
            let kind = entry.file_type().map_err(|error| unreadable(&folder, &error))?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if accepts(&entry.path()) {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    if found.is_empty() {
        return Err(Problem::new(path.to_string_lossy(), "a folder without a file of this kind"));
    }
    Ok(found)
}
