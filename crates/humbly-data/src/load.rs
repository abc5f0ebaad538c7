//! Loading a file or folder of a data set.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use humbly_types::Problem;
use serde::Serialize;

use crate::copies::Copies;
use crate::question::Question;
use crate::registry::DataSet;
use crate::row::{Fault, Row};
use crate::rows::{Place, each_row};

/// So many problems are kept one by one; all are counted.
const MOST_PROBLEMS: usize = 1_000;

/// What a load found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct LoadReport {
    /// Rows met, also the bad ones.
    pub rows: u64,
    /// Questions made of them.
    pub questions: u64,
    /// Rows that fell out on purpose, by reason.
    pub left_out: BTreeMap<String, u64>,
    /// Rows that could not be used, the first 1,000.
    pub problems: Vec<Problem>,
    /// How many rows could not be used.
    pub bad_rows: u64,
}

/// Questions of a load that holds them all.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Loaded {
    /// In the order of the rows.
    pub questions: Vec<Question>,
    /// What was found.
    pub report: LoadReport,
}

/// Reads a file, or all files of a folder, and hands each question to `each`, in order.
///
/// Where a folder holds several copies of a question, the first is handed on and the others are counted in
/// [`LoadReport::left_out`]. Within one file nothing is taken for a copy, so that published counts hold.
///
/// The time is linear in the bytes, and one row is held at a time; ids and digests of questions are remembered.
///
/// # Errors
/// A [`Problem`] where a file cannot be opened or is in no known form. Bad rows are in the report.
///
/// # Examples
/// ```
/// let set = humbly_data::data_set("nq-open")?;
/// let file = std::env::temp_dir().join("humbly-doc-nq.jsonl");
/// std::fs::write(&file, "{\"question\": \"who wrote emma\", \"answer\": [\"Jane Austen\"]}\n{\"question\": 3}\n")?;
/// let mut questions = Vec::new();
/// let report = humbly_data::load(set, &file, &mut |question| questions.push(question)).unwrap();
/// assert_eq!(questions[0].references, ["Jane Austen"]);
/// assert_eq!((report.rows, report.questions, report.bad_rows), (2, 1, 1));
/// assert_eq!(report.problems[0].line, Some(2));
/// assert_eq!(report.problems[0].message, "`question` is `3`, expected text");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn load(set: &DataSet, path: &Path, each: &mut dyn FnMut(Question)) -> Result<LoadReport, Problem> {
    load_files(set, &files(path)?, each)
}

/// [`load`] into memory.
///
/// # Errors
/// As [`load`].
pub fn load_all(set: &DataSet, path: &Path) -> Result<Loaded, Problem> {
    let mut questions = Vec::new();
    let report = load(set, path, &mut |question| questions.push(question))?;
    Ok(Loaded { questions, report })
}

/// [`load`] of these files.
pub(crate) fn load_files(
    set: &DataSet,
    paths: &[PathBuf],
    each: &mut dyn FnMut(Question),
) -> Result<LoadReport, Problem> {
    let mut sink = Questions::new(set, each);
    for file in paths {
        read_file(file, &mut sink)?;
    }
    Ok(sink.report)
}

fn read_file(path: &Path, sink: &mut Questions<'_>) -> Result<(), Problem> {
    sink.enter(path);
    let set = sink.set;
    each_row(path, set.wrapper, &mut |(place, row)| {
        sink.start(place);
        let outcome = row.and_then(|fields| (set.read)(Row::new(&fields), sink));
        if let Err(fault) = outcome {
            sink.bad_row(fault);
        }
    })
}

/// Endings of files that hold rows.
const ENDINGS: &[&str] = &["json", "jsonl", "csv", "parquet"];

/// The file itself, or the files with rows at any depth of a folder, by path; hidden ones are no data.
pub(crate) fn files(path: &Path) -> Result<Vec<PathBuf>, Problem> {
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
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            let kind = entry.file_type().map_err(|error| unreadable(&folder, &error))?;
            let path = entry.path();
            if kind.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|ending| ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known)))
            {
                found.push(path);
            }
        }
    }
    found.sort();
    if found.is_empty() {
        return Err(Problem::new(path.to_string_lossy(), "a folder without a file of rows")
            .hint(format!("rows stand in files that end with {}", ENDINGS.join(", "))));
    }
    Ok(found)
}

/// Where a loader puts its questions.
pub(crate) struct Questions<'a> {
    set: &'a DataSet,
    each: &'a mut dyn FnMut(Question),
    report: LoadReport,
    path: String,
    stem: String,
    stems: BTreeMap<String, u64>,
    place: Place,
    /// Rows of this file so far, the present one included.
    row: u64,
    ids: HashSet<String>,
    keys: HashSet<String>,
    copies: Copies,
}

/// Why a question of a later file falls out.
const COPY: &str = "question that an earlier file asks";

impl<'a> Questions<'a> {
    fn new(set: &'a DataSet, each: &'a mut dyn FnMut(Question)) -> Self {
        Self {
            set,
            each,
            report: LoadReport::default(),
            path: String::new(),
            stem: String::new(),
            stems: BTreeMap::new(),
            place: Place::Row(0),
            row: 0,
            ids: HashSet::new(),
            keys: HashSet::new(),
            copies: Copies::new(set.is_reworded),
        }
    }

    fn enter(&mut self, path: &Path) {
        self.path = path.to_string_lossy().into_owned();
        let own = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        // Files of several folders may have one name; ids are made of it.
        let count = self.stems.entry(own.clone()).or_default();
        *count += 1;
        self.stem = if *count > 1 { format!("{count}-{own}") } else { own };
        self.row = 0;
        self.copies.next_file();
    }

    fn start(&mut self, place: Place) {
        self.place = place;
        self.row += 1;
        self.report.rows += 1;
    }

    /// File name without its ending.
    pub(crate) fn stem(&self) -> &str {
        &self.stem
    }

    /// Path of the present file.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// A question of the present row; without an id of its own it is called after file and row.
    pub(crate) fn question(&self, id: Option<&str>, text: &str) -> Question {
        let id = id.map_or_else(|| format!("{}-{}", self.stem, self.row - 1), str::to_owned);
        Question::new(id, self.set.name, text)
    }

    /// Whether a key of a row is met for the first time.
    pub(crate) fn is_new(&mut self, key: &str) -> bool {
        !self.keys.contains(key) && self.keys.insert(key.to_owned())
    }

    /// The row falls out on purpose.
    pub(crate) fn leave_out(&mut self, reason: &str) {
        *self.report.left_out.entry(reason.to_owned()).or_default() += 1;
    }

    /// Hands a question on, unless an earlier file asks it.
    pub(crate) fn push(&mut self, question: Question) -> Result<(), Fault> {
        if self.copies.is_copy(&question) {
            self.leave_out(COPY);
            return Ok(());
        }
        if !self.ids.insert(question.id.clone()) {
            return Err(Fault::new(format!(
                "the id `{}` stands twice, expected one row for each id",
                crate::row::shortened(&question.id)
            )));
        }
        self.report.questions += 1;
        (self.each)(question);
        Ok(())
    }

    fn bad_row(&mut self, fault: Fault) {
        self.report.bad_rows += 1;
        if self.report.problems.len() >= MOST_PROBLEMS {
            return;
        }
        let problem = Problem::new(self.path.as_str(), fault.0);
        let problem = match self.place {
            Place::Line(line) => problem.line(line),
            Place::Row(row) => problem.record(format!("row {row}")),
        };
        self.report.problems.push(
            problem.hint(format!("the row is left out; {} expects {}", self.set.name, self.set.expects)),
        );
    }
}
