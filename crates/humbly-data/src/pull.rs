//! Files into the cache, and questions out of it.

use std::io::Read;
use std::path::{Path, PathBuf};

use crate::cache::{Cache, Receipt, ReceiptFile, Staging};
use crate::error::{DataError, Result};
use crate::load::{LoadReport, files, load_files};
use crate::question::Question;
use crate::registry::DataSet;

/// What a pull did.
#[derive(Debug, Clone, PartialEq)]
pub struct Pulled {
    /// The files, with their checksums.
    pub receipt: Receipt,
    /// What stands in them.
    pub report: LoadReport,
    /// Whether everything was there already.
    pub was_local: bool,
}

/// Copies files of a data set, or of a folder of them, into the cache and checks that they can be loaded.
///
/// # Errors
/// [`DataError::Io`]; [`DataError::NoQuestions`] where no row is one of the data set: nothing is kept then.
///
/// # Examples
/// ```
/// use humbly_data::{Cache, data_set, load_local, register};
/// let folder = std::env::temp_dir().join("humbly-doc-register");
/// std::fs::create_dir_all(&folder)?;
/// let file = folder.join("rows.jsonl");
/// std::fs::write(&file, r#"{"question": "who wrote emma", "answer": ["Jane Austen"]}"#)?;
/// let cache = Cache::at(folder.join("cache"));
/// let set = data_set("nq-open")?;
/// assert_eq!(register(&cache, set, &[file])?.report.questions, 1);
/// let mut asked = Vec::new();
/// load_local(&cache, set, &mut |question| asked.push(question.question))?;
/// assert_eq!(asked, ["who wrote emma"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn register(cache: &Cache, set: &DataSet, paths: &[PathBuf]) -> Result<Pulled> {
    let mut sources = Vec::new();
    for path in paths {
        sources.extend(files(path).map_err(|problem| no_questions(set, path, vec![problem]))?);
    }
    // Loaded where they are first: what is no file of this data set never replaces one.
    let report = checked(set, &sources)?;
    let staging = cache.stage(set.name)?;
    let mut kept: Vec<ReceiptFile> = Vec::new();
    for source in &sources {
        let file = copy(&staging, source, &kept)?;
        kept.push(file);
    }
    let receipt = Receipt { name: set.name.to_owned(), files: kept };
    staging.commit(&receipt)?;
    Ok(Pulled { receipt, report, was_local: false })
}

/// Reads the questions of a data set from the cache.
///
/// # Errors
/// Those of [`Cache::files`]; [`DataError::NoQuestions`] where a file cannot be read.
pub fn load_local(cache: &Cache, set: &DataSet, each: &mut dyn FnMut(Question)) -> Result<LoadReport> {
    let paths = cache.files(set.name)?;
    load_files(set, &paths, each).map_err(|problem| no_questions(set, &cache.folder(set.name), vec![problem]))
}

/// Loads the files for their report alone.
pub(crate) fn checked(set: &DataSet, paths: &[PathBuf]) -> Result<LoadReport> {
    let first = paths.first().map_or_else(PathBuf::new, Clone::clone);
    let report =
        load_files(set, paths, &mut drop).map_err(|problem| no_questions(set, &first, vec![problem]))?;
    if report.questions == 0 {
        return Err(no_questions(set, &first, report.problems));
    }
    Ok(report)
}

fn no_questions(set: &DataSet, path: &Path, problems: Vec<humbly_types::Problem>) -> DataError {
    DataError::NoQuestions { name: set.name.to_owned(), path: path.to_string_lossy().into_owned(), problems }
}

fn copy(staging: &Staging, source: &Path, kept: &[ReceiptFile]) -> Result<ReceiptFile> {
    let own =
        source.file_name().map_or_else(|| "rows.json".to_owned(), |name| name.to_string_lossy().into_owned());
    // Files of several folders may have one name.
    let mut name = own.clone();
    let mut number = 2;
    while kept.iter().any(|other| other.file == name) {
        name = format!("{number}-{own}");
        number += 1;
    }
    let cannot = |error| DataError::Io { action: "read", path: source.to_owned(), source: error };
    let mut reader = std::fs::File::open(source).map_err(cannot)?;
    let mut file = staging.file(&name)?;
    let mut buffer = vec![0; 256 << 10];
    loop {
        let count = reader.read(&mut buffer).map_err(cannot)?;
        if count == 0 {
            break;
        }
        file.write(buffer.get(..count).unwrap_or_default())?;
    }
    Ok(ReceiptFile {
        file: name,
        source: source.to_string_lossy().into_owned(),
        revision: None,
        commit: None,
        bytes: file.bytes(),
        sha256: file.finish()?,
    })
}
