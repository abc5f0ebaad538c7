//! The tables of a run file.

use std::path::Path;

use rusqlite::Connection;
use serde_json::Value;

use crate::{Result, StoreError};

/// Newest version that this program reads and writes.
pub(crate) const VERSION: i64 = 1;
/// Marks the file as ours: `HUMB`.
const APPLICATION: i64 = 0x4855_4d42;

const TABLES: &str = "
CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE sample (
    position INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    plan TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting',
    attempts INTEGER NOT NULL DEFAULT 0,
    record TEXT,
    error_code TEXT,
    error TEXT,
    input INTEGER, cached INTEGER, output INTEGER, reasoning INTEGER,
    cost_usd REAL,
    seconds REAL
);
CREATE INDEX sample_state ON sample (state);
CREATE TABLE verdict (
    key TEXT NOT NULL, judge TEXT NOT NULL, judgement TEXT NOT NULL, raw TEXT,
    PRIMARY KEY (key, judge)
) WITHOUT ROWID;
";

/// Makes the tables in a new, empty file, with the settings in the same transaction: who is killed here leaves either
/// a blank file or a whole one.
pub(crate) fn create(connection: &mut Connection, path: &Path, settings: &Value) -> Result<()> {
    let mut run = || -> rusqlite::Result<()> {
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        let transaction = connection.transaction()?;
        transaction.execute_batch(&format!(
            "{TABLES} PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION};"
        ))?;
        for (name, value) in settings.as_object().into_iter().flatten() {
            transaction.execute("INSERT INTO setting VALUES (?1, ?2)", [name, &value.to_string()])?;
        }
        transaction.commit()
    };
    run().map_err(|source| StoreError::sqlite(path, source))
}

/// Whether the file holds nothing at all: a run that was killed before it began.
pub(crate) fn is_blank(connection: &Connection) -> rusqlite::Result<bool> {
    let application: i64 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let tables: i64 = connection.query_row("SELECT COUNT(*) FROM sqlite_master", [], |row| row.get(0))?;
    Ok(application == 0 && tables == 0)
}

/// Refuses what is no run file, or one of a newer version.
pub(crate) fn check(connection: &Connection, path: &Path) -> Result<()> {
    let pragma = |name: &str| {
        connection
            .pragma_query_value(None, name, |row| row.get::<_, i64>(0))
            .map_err(|source| StoreError::sqlite(path, source))
    };
    if pragma("application_id")? != APPLICATION {
        return Err(StoreError::NotARun { path: path.to_owned() });
    }
    let found = pragma("user_version")?;
    if found > VERSION {
        return Err(StoreError::Newer { path: path.to_owned(), found, known: VERSION });
    }
    Ok(())
}
