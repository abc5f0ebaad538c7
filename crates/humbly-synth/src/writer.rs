//! Files of a set: each is written beside its place and moved there whole.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use humbly_table::VerlTable;

use crate::SynthRow;

/// A file could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write `{}`", path.display())]
#[non_exhaustive]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// Why.
    #[source]
    pub source: Box<dyn std::error::Error + Send + Sync>,
}

/// Writes `train` and `validation` into a folder, each as Parquet and as JSONL; returns the files with their rows.
///
/// A split without rows has no files.
///
/// # Errors
/// [`FileError`].
pub fn write_rows(folder: &Path, rows: &[SynthRow]) -> Result<Vec<(PathBuf, usize)>, FileError> {
    let mut files = Vec::new();
    for (name, is_validation) in [("train", false), ("validation", true)] {
        let split: Vec<&SynthRow> = rows.iter().filter(|row| row.is_validation == is_validation).collect();
        if split.is_empty() {
            continue;
        }
        let path = folder.join(format!("{name}.parquet"));
        whole(&path, |out| {
            let mut table = VerlTable::new(out)?;
            for row in &split {
                table.write(row.row.clone())?;
            }
            table.finish().map(drop)?;
            Ok(())
        })?;
        files.push((path, split.len()));
        let path = folder.join(format!("{name}.jsonl"));
        whole(&path, |out| {
            for row in &split {
                serde_json::to_writer(&mut *out, &row.row)?;
                out.write_all(b"\n")?;
            }
            Ok(())
        })?;
        files.push((path, split.len()));
    }
    Ok(files)
}

/// Writes a JSON document.
///
/// # Errors
/// [`FileError`].
pub fn write_json(path: &Path, value: &impl serde::Serialize) -> Result<(), FileError> {
    whole(path, |out| {
        serde_json::to_writer_pretty(&mut *out, value)?;
        out.write_all(b"\n")?;
        Ok(())
    })
}

type Fault = Box<dyn std::error::Error + Send + Sync>;

fn whole(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<(), Fault>,
) -> Result<(), FileError> {
    let failed = |source: Fault| FileError { path: path.to_owned(), source };
    let beside = path.with_extension("part");
    let mut out = BufWriter::new(File::create(&beside).map_err(|error| failed(error.into()))?);
    write(&mut out).map_err(failed)?;
    out.flush().map_err(|error| failed(error.into()))?;
    std::fs::rename(&beside, path).map_err(|error| failed(error.into()))
}
