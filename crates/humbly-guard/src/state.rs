//! What is kept between two calls of one session, in the user's cache.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use crate::transcript::Place;
use crate::watch::Watch;
use crate::{GuardError, Result};

/// A state of another version is passed over.
const VERSION: u32 = 1;

/// How far a session's transcript was read, and its running episode.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct State {
    version: u32,
    pub(crate) place: Place,
    pub(crate) watch: Watch,
}

impl State {
    pub(crate) fn new() -> Self {
        Self { version: VERSION, place: Place::start(), watch: Watch::default() }
    }

    /// The state of a session, new where there is none that can be used.
    pub(crate) fn load(file: &Path) -> Self {
        std::fs::read(file)
            .ok()
            .and_then(|bytes| serde_json::from_slice::<Self>(&bytes).ok())
            .filter(|state| state.version == VERSION)
            .unwrap_or_else(Self::new)
    }

    /// Writes the state in one step.
    pub(crate) fn save(&self, file: &Path) -> Result<()> {
        let bytes = serde_json::to_vec(self).unwrap_or_default();
        write_atomically(file, &bytes)
    }
}

/// The file of a session's state; its name tells nothing.
pub(crate) fn state_file(cache: &Path, harness: &str, session: &str, transcript: &Path) -> PathBuf {
    let key = format!("{harness}\n{session}\n{}", transcript.display());
    cache.join("sessions").join(format!("{:032x}.json", xxh3_128(key.as_bytes())))
}

/// Writes a file so that a reader sees the old or the new content, never a part; the mode of an old file stays.
pub(crate) fn write_atomically(file: &Path, bytes: &[u8]) -> Result<()> {
    let failed = |source| GuardError::File { path: file.to_owned(), action: "written", source };
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut temporary = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    temporary.write_all(bytes).map_err(failed)?;
    if let Ok(metadata) = std::fs::metadata(file) {
        std::fs::set_permissions(temporary.path(), metadata.permissions()).map_err(failed)?;
    }
    temporary.persist(file).map_err(|error| failed(error.error))?;
    Ok(())
}
