//! The run file itself: open, plan, finish, read.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use humbly_types::Usage;
use rusqlite::{Connection, OpenFlags, Row, params};
use serde_json::Value;

use crate::{
    Finished, PlannedSample, Result, SampleState, Shard, StoreError, StoredSample, StoredVerdict, Totals,
    schema,
};

/// One run.
///
/// # Examples
/// ```
/// use humbly_store::{Finished, PlannedSample, RunFile, Shard};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("run.sqlite");
/// let run = RunFile::open_or_create(&path, &serde_json::json!({"seed": 7}))?;
/// run.plan(&[PlannedSample { key: "a".into(), plan: serde_json::Value::Null }])?;
/// run.finish("a", &Finished { record: Some("{}".into()), ..Finished::default() })?;
/// assert!(run.waiting(Shard::WHOLE, false)?.is_empty());
/// assert_eq!(run.totals()?.done, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct RunFile {
    connection: Mutex<Connection>,
    path: PathBuf,
    /// Held while the file is open for writing; the system gives it back when the process dies.
    _lock: Option<File>,
}

const COLUMNS: &str = "position, key, plan, state, attempts, record, error_code, error, \
                       input, cached, output, reasoning, cost_usd, seconds";

impl RunFile {
    /// Starts a new run, also in the blank file of one that was killed before it began.
    ///
    /// # Errors
    /// [`StoreError::Exists`], [`StoreError::InUse`], and what the disk says.
    pub fn create(path: &Path, settings: &Value) -> Result<Self> {
        let was_there = path.exists();
        let lock = lock(path)?;
        let mut connection = Connection::open(path).map_err(|source| StoreError::sqlite(path, source))?;
        // Whatever is no database is somebody's file.
        if was_there && !schema::is_blank(&connection).unwrap_or(false) {
            return Err(StoreError::Exists { path: path.to_owned() });
        }
        schema::create(&mut connection, path, settings)?;
        Ok(Self { connection: Mutex::new(connection), path: path.to_owned(), _lock: Some(lock) })
    }

    /// Opens a run for writing.
    ///
    /// # Errors
    /// [`StoreError::Missing`], [`StoreError::NotARun`], [`StoreError::Newer`], [`StoreError::InUse`].
    pub fn open(path: &Path) -> Result<Self> {
        if !path.exists() {
            return Err(StoreError::Missing { path: path.to_owned() });
        }
        let lock = lock(path)?;
        let connection = Connection::open(path).map_err(|source| StoreError::sqlite(path, source))?;
        schema::check(&connection, path)?;
        connection
            .pragma_update(None, "synchronous", "NORMAL")
            .map_err(|source| StoreError::sqlite(path, source))?;
        Ok(Self { connection: Mutex::new(connection), path: path.to_owned(), _lock: Some(lock) })
    }

    /// Opens a run for reading, also while another process writes to it.
    ///
    /// # Errors
    /// [`StoreError::Missing`], [`StoreError::NotARun`], [`StoreError::Newer`].
    pub fn read(path: &Path) -> Result<Self> {
        if !path.exists() {
            return Err(StoreError::Missing { path: path.to_owned() });
        }
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
            .map_err(|source| StoreError::sqlite(path, source))?;
        schema::check(&connection, path)?;
        Ok(Self { connection: Mutex::new(connection), path: path.to_owned(), _lock: None })
    }

    /// Goes on with a run, or starts it.
    ///
    /// # Errors
    /// [`StoreError::SettingsDiffer`] where the run was started with other settings, else as
    /// [`RunFile::open`] and [`RunFile::create`].
    pub fn open_or_create(path: &Path, settings: &Value) -> Result<Self> {
        let run = match Self::create(path, settings) {
            Err(StoreError::Exists { .. }) => Self::open(path)?,
            begun => return begun,
        };
        let before = run.settings()?;
        for (name, value) in settings.as_object().into_iter().flatten() {
            let found = before.get(name).unwrap_or(&Value::Null);
            if found != value {
                return Err(StoreError::SettingsDiffer {
                    path: path.to_owned(),
                    setting: name.clone(),
                    found: brief(found),
                    expected: brief(value),
                });
            }
        }
        Ok(run)
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All settings: one object.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn settings(&self) -> Result<Value> {
        let connection = self.connection();
        let rows: BTreeMap<String, String> = connection
            .prepare("SELECT name, value FROM setting")
            .and_then(|mut statement| {
                statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
            })
            .map_err(|source| self.error(source))?;
        let mut object = serde_json::Map::new();
        for (name, text) in rows {
            let value = serde_json::from_str(&text).map_err(|source| StoreError::Content {
                what: "setting",
                key: name.clone(),
                source,
            })?;
            object.insert(name, value);
        }
        Ok(Value::Object(object))
    }

    /// Sets one setting.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn set(&self, name: &str, value: &Value) -> Result<()> {
        self.connection()
            .execute(
                "INSERT INTO setting VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2",
                params![name, value.to_string()],
            )
            .map(drop)
            .map_err(|source| self.error(source))
    }

    /// Adds samples to the plan; those that are there stay as they are. Returns how many are new.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn plan(&self, samples: &[PlannedSample]) -> Result<usize> {
        if self.has_plan(samples)? {
            return Ok(0);
        }
        let mut connection = self.connection();
        let mut run = || -> rusqlite::Result<usize> {
            let transaction = connection.transaction()?;
            let mut added = 0;
            {
                let mut next: i64 = transaction.query_row(
                    "SELECT COALESCE(MAX(position) + 1, 0) FROM sample",
                    [],
                    |row| row.get(0),
                )?;
                let mut insert = transaction
                    .prepare("INSERT OR IGNORE INTO sample (position, key, plan) VALUES (?1, ?2, ?3)")?;
                for sample in samples {
                    let new = insert.execute(params![next, sample.key, sample.plan.to_string()])?;
                    added += new;
                    next += i64::from(new == 1);
                }
            }
            transaction.commit()?;
            Ok(added)
        };
        run().map_err(|source| self.error(source))
    }

    /// Whether these samples stand in the file in this order: a resumed run, which need not be written again.
    fn has_plan(&self, samples: &[PlannedSample]) -> Result<bool> {
        let connection = self.connection();
        let compare = || -> rusqlite::Result<bool> {
            let mut statement = connection.prepare("SELECT key FROM sample ORDER BY position")?;
            let mut rows = statement.query([])?;
            for sample in samples {
                let is_there = rows.next()?.map(|row| {
                    row.get_ref(0)?.as_str().map(|key| key == sample.key).map_err(rusqlite::Error::from)
                });
                if !is_there.transpose()?.unwrap_or(false) {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        compare().map_err(|source| self.error(source))
    }

    /// Samples of the shard that are not done, in the order of the plan; failed ones too where asked for.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn waiting(&self, shard: Shard, with_failed: bool) -> Result<Vec<PlannedSample>> {
        let connection = self.connection();
        let rows: Vec<(i64, String, String)> = connection
            .prepare(
                "SELECT position, key, plan FROM sample \
                 WHERE state = 'waiting' OR (?1 AND state = 'failed') ORDER BY position",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([with_failed], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
                    .collect()
            })
            .map_err(|source| self.error(source))?;
        rows.into_iter()
            .filter(|(position, ..)| shard.holds(position.unsigned_abs()))
            .map(|(_, key, plan)| {
                serde_json::from_str(&plan)
                    .map(|plan| PlannedSample { key: key.clone(), plan })
                    .map_err(|source| StoreError::Content { what: "plan", key, source })
            })
            .collect()
    }

    /// Writes down how a sample ended, at once. Tokens and cost of earlier attempts stay in its sums: they
    /// were paid.
    ///
    /// # Errors
    /// [`StoreError::UnknownSample`], [`StoreError::DiskFull`], and what SQLite says.
    pub fn finish(&self, key: &str, finished: &Finished) -> Result<()> {
        let state = if finished.error.is_some() { SampleState::Failed } else { SampleState::Done };
        self.write(key, state, finished)
    }

    /// Puts a sample back among those that wait, with what its attempt cost.
    ///
    /// # Errors
    /// As [`RunFile::finish`].
    pub fn put_back(&self, key: &str, usage: Usage, cost_usd: Option<f64>) -> Result<()> {
        self.write(key, SampleState::Waiting, &Finished { usage, cost_usd, ..Finished::default() })
    }

    fn write(&self, key: &str, state: SampleState, finished: &Finished) -> Result<()> {
        let (code, text) =
            finished.error.as_ref().map_or((None, None), |(code, text)| (Some(code), Some(text)));
        let Usage { input, cached, output, reasoning } = finished.usage;
        let changed = self
            .connection()
            .prepare_cached(&format!(
                "UPDATE sample SET state = ?2, attempts = attempts + 1, record = ?3, error_code = ?4, \
                 error = ?5, {}, {}, {}, {}, {}, seconds = ?11 WHERE key = ?1",
                summed("input", 6),
                summed("cached", 7),
                summed("output", 8),
                summed("reasoning", 9),
                summed("cost_usd", 10)
            ))
            .and_then(|mut statement| {
                statement.execute(params![
                    key,
                    state.code(),
                    finished.record,
                    code,
                    text,
                    integer(input),
                    integer(cached),
                    integer(output),
                    integer(reasoning),
                    finished.cost_usd,
                    finished.seconds
                ])
            })
            .map_err(|source| self.error(source))?;
        if changed == 0 {
            return Err(StoreError::UnknownSample { key: key.to_owned() });
        }
        Ok(())
    }

    /// Sums over the whole run.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn totals(&self) -> Result<Totals> {
        let connection = self.connection();
        let run = || -> rusqlite::Result<Totals> {
            let mut totals = connection.query_row(
                "SELECT COUNT(*), COALESCE(SUM(state = 'done'), 0), SUM(input), SUM(cached), SUM(output), \
                 SUM(reasoning), SUM(cost_usd), COALESCE(SUM(state != 'waiting' AND cost_usd IS NULL), 0) \
                 FROM sample",
                [],
                |row| {
                    Ok(Totals {
                        planned: count(row, 0)?,
                        done: count(row, 1)?,
                        failed: BTreeMap::new(),
                        usage: Usage {
                            input: optional(row, 2)?,
                            cached: optional(row, 3)?,
                            output: optional(row, 4)?,
                            reasoning: optional(row, 5)?,
                        },
                        cost_usd: row.get(6)?,
                        without_cost: count(row, 7)?,
                    })
                },
            )?;
            let mut statement = connection
                .prepare("SELECT error_code, COUNT(*) FROM sample WHERE state = 'failed' GROUP BY 1")?;
            totals.failed = statement
                .query_map([], |row| Ok((row.get(0)?, count(row, 1)?)))?
                .collect::<rusqlite::Result<_>>()?;
            Ok(totals)
        };
        run().map_err(|source| self.error(source))
    }

    /// Hands every sample on, in the order of the plan.
    ///
    /// # Errors
    /// What SQLite says, or [`StoreError::Content`].
    pub fn for_each_sample(&self, mut each: impl FnMut(StoredSample)) -> Result<()> {
        let connection = self.connection();
        let mut statement = connection
            .prepare(&format!("SELECT {COLUMNS} FROM sample ORDER BY position"))
            .map_err(|source| self.error(source))?;
        let mut rows = statement.query([]).map_err(|source| self.error(source))?;
        while let Some(row) = rows.next().map_err(|source| self.error(source))? {
            each(self.sample(row)?);
        }
        Ok(())
    }

    /// One sample.
    ///
    /// # Errors
    /// [`StoreError::UnknownSample`], and what SQLite says.
    pub fn sample_by_key(&self, key: &str) -> Result<StoredSample> {
        let connection = self.connection();
        let mut statement = connection
            .prepare_cached(&format!("SELECT {COLUMNS} FROM sample WHERE key = ?1"))
            .map_err(|source| self.error(source))?;
        let mut rows = statement.query([key]).map_err(|source| self.error(source))?;
        match rows.next().map_err(|source| self.error(source))? {
            Some(row) => self.sample(row),
            None => Err(StoreError::UnknownSample { key: key.to_owned() }),
        }
    }

    /// Keeps what a judge said; a second judgement by the same judge replaces the first.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn put_verdict(&self, verdict: &StoredVerdict) -> Result<()> {
        self.connection()
            .prepare_cached("INSERT OR REPLACE INTO verdict VALUES (?1, ?2, ?3, ?4)")
            .and_then(|mut statement| {
                statement.execute(params![verdict.key, verdict.judge, verdict.judgement, verdict.raw])
            })
            .map(drop)
            .map_err(|source| self.error(source))
    }

    /// What one judge said, by sample key.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn verdicts(&self, judge: &str) -> Result<BTreeMap<String, StoredVerdict>> {
        self.connection()
            .prepare("SELECT key, judge, judgement, raw FROM verdict WHERE judge = ?1")
            .and_then(|mut statement| {
                statement
                    .query_map([judge], |row| {
                        let key: String = row.get(0)?;
                        let verdict = StoredVerdict {
                            key: key.clone(),
                            judge: row.get(1)?,
                            judgement: row.get(2)?,
                            raw: row.get(3)?,
                        };
                        Ok((key, verdict))
                    })?
                    .collect()
            })
            .map_err(|source| self.error(source))
    }

    /// The judges that have judged something here.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn judges(&self) -> Result<Vec<String>> {
        self.connection()
            .prepare("SELECT DISTINCT judge FROM verdict ORDER BY 1")
            .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
            .map_err(|source| self.error(source))
    }

    pub(crate) fn connection(&self) -> MutexGuard<'_, Connection> {
        // A panic elsewhere leaves the connection usable: every write is one statement or one transaction.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn error(&self, source: rusqlite::Error) -> StoreError {
        StoreError::sqlite(&self.path, source)
    }

    fn sample(&self, row: &Row<'_>) -> Result<StoredSample> {
        let (mut sample, plan) = stored(row).map_err(|source| self.error(source))?;
        sample.plan = serde_json::from_str(&plan).map_err(|source| StoreError::Content {
            what: "plan",
            key: sample.key.clone(),
            source,
        })?;
        Ok(sample)
    }
}

fn stored(row: &Row<'_>) -> rusqlite::Result<(StoredSample, String)> {
    let state: String = row.get(3)?;
    let code: Option<String> = row.get(6)?;
    let text: Option<String> = row.get(7)?;
    let sample = StoredSample {
        position: count(row, 0)?,
        key: row.get(1)?,
        plan: Value::Null,
        state: SampleState::from_code(&state),
        attempts: row.get(4)?,
        record: row.get(5)?,
        error: code.map(|code| (code, text.unwrap_or_default())),
        usage: Usage {
            input: optional(row, 8)?,
            cached: optional(row, 9)?,
            output: optional(row, 10)?,
            reasoning: optional(row, 11)?,
        },
        cost_usd: row.get(12)?,
        seconds: row.get(13)?,
    };
    Ok((sample, row.get(2)?))
}

/// Sets a column to its sum over the attempts. An attempt that failed without stating anything had no reply; one that
/// was done and states nothing leaves the sum unknown. A done sample is written anew and not added to.
fn summed(column: &str, parameter: u32) -> String {
    format!(
        "{column} = CASE WHEN state = 'done' THEN ?{parameter} \
         WHEN ?2 = 'done' THEN COALESCE({column}, 0) + ?{parameter} \
         ELSE COALESCE({column} + ?{parameter}, ?{parameter}, {column}) END"
    )
}

/// The lock stands beside the file: SQLite locks the file itself in its own way.
fn lock(path: &Path) -> Result<File> {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let io = |source| StoreError::Io { path: path.to_owned(), source };
    let file =
        File::options().create(true).truncate(false).write(true).open(PathBuf::from(name)).map_err(io)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(StoreError::InUse { path: path.to_owned() }),
        Err(std::fs::TryLockError::Error(source)) => Err(io(source)),
    }
}

fn integer(number: Option<u64>) -> Option<i64> {
    number.and_then(|number| i64::try_from(number).ok())
}

fn optional(row: &Row<'_>, index: usize) -> rusqlite::Result<Option<u64>> {
    Ok(row.get::<_, Option<i64>>(index)?.and_then(|number| u64::try_from(number).ok()))
}

fn count(row: &Row<'_>, index: usize) -> rusqlite::Result<u64> {
    Ok(row.get::<_, i64>(index)?.unsigned_abs())
}

fn brief(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests;
