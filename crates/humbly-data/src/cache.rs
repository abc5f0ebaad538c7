//! The user's folder of data sets, with a receipt for each.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::error::{DataError, Result};

const RECEIPT: &str = ".receipt.json";

/// Where data sets are kept: `FOLDER/datasets/NAME/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cache {
    root: PathBuf,
}

/// What was pulled, from where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The data set.
    pub name: String,
    /// Its files.
    pub files: Vec<ReceiptFile>,
}

/// One file of a pull.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceiptFile {
    /// Name in the folder of the data set.
    pub file: String,
    /// Address or path that it came from.
    pub source: String,
    /// Revision that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Commit that answered, as the hub says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// Its size.
    pub bytes: u64,
}

impl Cache {
    /// A cache in this folder.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The folder that the environment names: `HUMBLY_CACHE`, else the platform's cache folder.
    ///
    /// # Errors
    /// [`DataError::NoCacheFolder`].
    ///
    /// # Examples
    /// ```
    /// use humbly_data::Cache;
    /// let cache = Cache::from_variables(|name| (name == "HOME").then(|| "/home/ada".into()))?;
    /// assert!(cache.folder("gsm8k").ends_with("humbly/datasets/gsm8k"));
    /// # Ok::<(), humbly_data::DataError>(())
    /// ```
    pub fn from_variables(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self> {
        let folder = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let platform = || {
            if cfg!(windows) {
                folder("LOCALAPPDATA")
            } else if cfg!(target_os = "macos") {
                folder("HOME").map(|home| home.join("Library/Caches"))
            } else {
                folder("HOME").map(|home| home.join(".cache"))
            }
        };
        folder("HUMBLY_CACHE")
            .or_else(|| folder("XDG_CACHE_HOME").or_else(platform).map(|caches| caches.join("humbly")))
            .map(Self::at)
            .ok_or(DataError::NoCacheFolder)
    }

    /// The folder of a data set.
    pub fn folder(&self, name: &str) -> PathBuf {
        self.root.join("datasets").join(name)
    }

    /// What was pulled of a data set, `None` where nothing was.
    ///
    /// # Errors
    /// [`DataError::Receipt`] and [`DataError::Io`] where the receipt cannot be read.
    pub fn receipt(&self, name: &str) -> Result<Option<Receipt>> {
        let path = self.folder(name).join(RECEIPT);
        match std::fs::read(&path) {
            Ok(bytes) => {
                let receipt = serde_json::from_slice(&bytes);
                receipt.map(Some).map_err(|source| DataError::Receipt { path, source })
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(DataError::Io { action: "read", path, source }),
        }
    }

    /// The files of a data set, checked against their receipt.
    ///
    /// # Errors
    /// [`DataError::NotLocal`], [`DataError::Changed`], and those of [`Cache::receipt`].
    pub fn files(&self, name: &str) -> Result<Vec<PathBuf>> {
        let folder = self.folder(name);
        let receipt = self
            .receipt(name)?
            .ok_or_else(|| DataError::NotLocal { name: name.to_owned(), folder: folder.clone() })?;
        receipt
            .files
            .iter()
            .map(|file| {
                let path = folder.join(&file.file);
                let (found, _) = checksum(&path)?;
                if found == file.sha256 {
                    return Ok(path);
                }
                let expected = file.sha256.clone();
                Err(DataError::Changed { name: name.to_owned(), path, found, expected })
            })
            .collect()
    }

    /// A folder beside the files of a data set, for files that are not whole yet.
    pub(crate) fn stage(&self, name: &str) -> Result<Staging> {
        let folder = self.folder(name);
        std::fs::create_dir_all(&folder).map_err(|source| DataError::Io {
            action: "make the folder",
            path: folder.clone(),
            source,
        })?;
        let staged = tempfile::Builder::new().prefix(".part-").tempdir_in(&folder);
        let staged =
            staged.map_err(|source| DataError::Io { action: "write in", path: folder.clone(), source })?;
        Ok(Staging { folder, staged, earlier: self.receipt(name).ok().flatten() })
    }
}

/// Files of a data set before they take their names; dropped without [`Staging::commit`], it leaves nothing.
pub(crate) struct Staging {
    folder: PathBuf,
    staged: TempDir,
    earlier: Option<Receipt>,
}

impl Staging {
    pub(crate) fn file(&self, name: &str) -> Result<NewFile> {
        let path = self.path(name);
        let file = File::create(&path).map_err(|source| DataError::Io {
            action: "write",
            path: path.clone(),
            source,
        })?;
        Ok(NewFile { file, path, hasher: Sha256::new(), bytes: 0 })
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.staged.path().join(name)
    }

    /// Gives the files their names, writes the receipt, and removes what only an earlier receipt names.
    pub(crate) fn commit(self, receipt: &Receipt) -> Result<()> {
        let path = self.folder.join(RECEIPT);
        let text = serde_json::to_vec_pretty(receipt)
            .map_err(|source| DataError::Receipt { path: path.clone(), source })?;
        let mut file = self.file(RECEIPT)?;
        file.write(&text)?;
        file.finish()?;
        for name in receipt.files.iter().map(|file| file.file.as_str()).chain([RECEIPT]) {
            let path = self.folder.join(name);
            std::fs::rename(self.path(name), &path).map_err(|source| DataError::Io {
                action: "write",
                path,
                source,
            })?;
        }
        for old in self.earlier.iter().flat_map(|earlier| &earlier.files) {
            if receipt.files.iter().all(|kept| kept.file != old.file) && is_plain(&old.file) {
                let path = self.folder.join(&old.file);
                match std::fs::remove_file(&path) {
                    Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                        return Err(DataError::Io { action: "remove", path, source });
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

/// Whether a name stays inside its folder.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.contains(['/', '\\']) && name != ".." && name != "."
}

/// A file that is being written.
pub(crate) struct NewFile {
    file: File,
    path: PathBuf,
    hasher: Sha256,
    bytes: u64,
}

impl NewFile {
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.hasher.update(bytes);
        self.bytes += bytes.len() as u64;
        self.file.write_all(bytes).map_err(|source| self.cannot_write(source))
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Makes the bytes durable and gives their checksum.
    pub(crate) fn finish(self) -> Result<String> {
        self.file.sync_all().map_err(|source| self.cannot_write(source))?;
        Ok(hex(&self.hasher.finalize()))
    }

    fn cannot_write(&self, source: std::io::Error) -> DataError {
        DataError::Io { action: "write", path: self.path.clone(), source }
    }
}

/// SHA-256 and size of a file.
pub(crate) fn checksum(path: &Path) -> Result<(String, u64)> {
    let cannot = |source| DataError::Io { action: "read", path: path.to_owned(), source };
    let mut file = File::open(path).map_err(cannot)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 256 << 10];
    let mut bytes = 0;
    loop {
        let count = file.read(&mut buffer).map_err(cannot)?;
        if count == 0 {
            return Ok((hex(&hasher.finalize()), bytes));
        }
        hasher.update(buffer.get(..count).unwrap_or_default());
        bytes += count as u64;
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        text.push_str(&format!("{byte:02x}"));
        text
    })
}
