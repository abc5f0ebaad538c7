//! Bytes from a file or from memory.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use humbly_types::Problem;

/// Where a table comes from.
pub(crate) struct Source {
    /// Path as the user named it.
    pub(crate) path: String,
    kind: Kind,
}

enum Kind {
    File(PathBuf),
    Bytes(Bytes),
}

impl Source {
    pub(crate) fn file(path: &Path) -> Self {
        Self { path: path.to_string_lossy().into_owned(), kind: Kind::File(path.to_owned()) }
    }

    pub(crate) fn bytes(name: &str, bytes: Vec<u8>) -> Self {
        Self { path: name.to_owned(), kind: Kind::Bytes(Bytes::from(bytes)) }
    }

    pub(crate) fn open(&self) -> Result<Box<dyn BufRead>, Problem> {
        match &self.kind {
            Kind::File(path) => {
                let file = File::open(path).map_err(|error| self.unreadable(&error))?;
                Ok(Box::new(BufReader::with_capacity(256 << 10, file)))
            }
            Kind::Bytes(bytes) => Ok(Box::new(Cursor::new(bytes.clone()))),
        }
    }

    /// Everything, as shared bytes (Parquet reads from the end).
    pub(crate) fn whole(&self) -> Result<Bytes, Problem> {
        match &self.kind {
            Kind::File(path) => std::fs::read(path).map(Bytes::from).map_err(|error| self.unreadable(&error)),
            Kind::Bytes(bytes) => Ok(bytes.clone()),
        }
    }

    /// The file, where it is one.
    pub(crate) fn as_file(&self) -> Option<Result<File, Problem>> {
        match &self.kind {
            Kind::File(path) => Some(File::open(path).map_err(|error| self.unreadable(&error))),
            Kind::Bytes(_) => None,
        }
    }

    pub(crate) fn start(&self, count: u64) -> Result<Vec<u8>, Problem> {
        let mut start = Vec::new();
        self.open()?.take(count).read_to_end(&mut start).map_err(|error| self.unreadable(&error))?;
        Ok(start)
    }

    pub(crate) fn unreadable(&self, error: &dyn std::fmt::Display) -> Problem {
        Problem::new(self.path.as_str(), format!("cannot be read: {error}"))
    }
}
