//! Replies kept in a `SQLite` file.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use rusqlite::{Connection, OptionalExtension, params};

use crate::{ChatClient, ChatError, ChatReply, ChatRequest, Endpoint, ReplySource, RequestKey, Result};

/// Form of the file; a newer one is refused.
const VERSION: i64 = 1;

/// Answers from a file what was asked before, and keeps what is new.
///
/// The key is the whole request with the index of its draw ([`RequestKey`]), so thirty draws are thirty
/// replies and a changed temperature asks again. A hit has [`ReplySource::Cache`] and costs 0. Failed calls
/// are not kept. Where a reply cannot be kept (disk full) it is still returned, and counted
/// ([`Self::problems`]). Several processes may share the file.
pub struct Cached<C> {
    inner: C,
    endpoint: Endpoint,
    path: PathBuf,
    connection: Mutex<Connection>,
    hits: AtomicU64,
    misses: AtomicU64,
    problems: Mutex<(u64, Option<String>)>,
}

impl<C: ChatClient> Cached<C> {
    /// Opens or creates the file.
    ///
    /// # Errors
    /// [`ChatError::File`] where it cannot be opened, is no `SQLite` file, or was made by a newer version.
    pub fn open(inner: C, endpoint: Endpoint, path: &Path) -> Result<Self> {
        let wrong =
            |error: rusqlite::Error| ChatError::File { path: path.to_owned(), detail: error.to_string() };
        let connection = Connection::open(path).map_err(wrong)?;
        connection.busy_timeout(Duration::from_secs(10)).map_err(wrong)?;
        connection.pragma_update(None, "journal_mode", "WAL").map_err(wrong)?;
        connection.pragma_update(None, "synchronous", "NORMAL").map_err(wrong)?;
        let found: i64 =
            connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(wrong)?;
        if found > VERSION {
            return Err(ChatError::File {
                path: path.to_owned(),
                detail: format!(
                    "it is a reply cache of version {found}: expected at most {VERSION}; use a newer humbly \
                     or another file"
                ),
            });
        }
        connection
            .execute_batch(
                "CREATE TABLE IF NOT EXISTS replies (
                     key TEXT PRIMARY KEY, provider TEXT NOT NULL, model TEXT NOT NULL, reply TEXT NOT NULL
                 ) WITHOUT ROWID;",
            )
            .map_err(wrong)?;
        connection.pragma_update(None, "user_version", VERSION).map_err(wrong)?;
        Ok(Self {
            inner,
            endpoint,
            path: path.to_owned(),
            connection: Mutex::new(connection),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            problems: Mutex::new((0, None)),
        })
    }

    /// Requests answered from the file.
    pub fn hits(&self) -> u64 {
        self.hits.load(Ordering::Relaxed)
    }

    /// Requests handed on.
    pub fn misses(&self) -> u64 {
        self.misses.load(Ordering::Relaxed)
    }

    /// How many replies could not be kept, with what `SQLite` said of the last.
    pub fn problems(&self) -> (u64, Option<String>) {
        self.problems.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The client behind.
    pub fn inner(&self) -> &C {
        &self.inner
    }

    fn find(&self, key: &RequestKey) -> Result<Option<ChatReply>> {
        let wrong = |detail: String| ChatError::File { path: self.path.clone(), detail };
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let text: Option<String> = connection
            .prepare_cached("SELECT reply FROM replies WHERE key = ?1")
            .and_then(|mut statement| statement.query_row([key.as_str()], |row| row.get(0)).optional())
            .map_err(|error| wrong(error.to_string()))?;
        text.map(|text| {
            serde_json::from_str(&text).map_err(|error| wrong(format!("the reply of {key}: {error}")))
        })
        .transpose()
    }

    fn keep(&self, key: &RequestKey, request: &ChatRequest, reply: &ChatReply) {
        let kept = serde_json::to_string(reply).map_err(|error| error.to_string()).and_then(|text| {
            let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
            connection
                .prepare_cached("INSERT OR IGNORE INTO replies VALUES (?1, ?2, ?3, ?4)")
                .and_then(|mut statement| {
                    statement.execute(params![key.as_str(), self.endpoint.provider, request.model, text])
                })
                .map_err(|error| error.to_string())
        });
        if let Err(problem) = kept {
            let mut problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
            *problems = (problems.0 + 1, Some(problem));
        }
    }
}

impl<C: ChatClient> ChatClient for Cached<C> {
    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply>> {
        async move {
            let key = RequestKey::of(&self.endpoint, request);
            if let Some(reply) = self.find(&key)? {
                self.hits.fetch_add(1, Ordering::Relaxed);
                return Ok(ChatReply { source: ReplySource::Cache, cost_usd: Some(0.0), ..reply });
            }
            self.misses.fetch_add(1, Ordering::Relaxed);
            let reply = self.inner.chat(request).await?;
            self.keep(&key, request, &reply);
            Ok(reply)
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Slow, asks, busy, says};
    use super::*;

    fn counting() -> Slow {
        Slow::new(Duration::ZERO, |call, _| Ok(says(format!("reply {call}"))))
    }

    fn endpoint() -> Endpoint {
        Endpoint { provider: "p".to_owned(), base_url: None }
    }

    /// Case run-10.
    #[tokio::test]
    async fn thirty_draws_come_back_in_order_and_cost_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache.sqlite");
        let mut request = asks("x");
        request.sampling.temperature = Some(1.0);
        let first = Cached::open(counting(), endpoint(), &path).unwrap();
        for index in 0..30 {
            request.sample_index = index;
            let reply = first.chat(&request).await.unwrap();
            assert_eq!((reply.text, reply.source), (format!("reply {index}"), ReplySource::Live));
        }
        drop(first);
        let again = Cached::open(counting(), endpoint(), &path).unwrap();
        for index in 0..30 {
            request.sample_index = index;
            let reply = again.chat(&request).await.unwrap();
            assert_eq!((reply.text, reply.source), (format!("reply {index}"), ReplySource::Cache));
            assert_eq!(reply.cost_usd, Some(0.0));
        }
        assert_eq!((again.hits(), again.misses(), again.inner().calls()), (30, 0, 0));
        request.sampling.max_tokens = Some(7);
        assert_eq!(again.chat(&request).await.unwrap().source, ReplySource::Live);
        assert_eq!(again.problems(), (0, None));
    }

    #[tokio::test]
    async fn an_error_is_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache.sqlite");
        let inner =
            Slow::new(Duration::ZERO, |call, _| if call == 0 { Err(busy(None)) } else { Ok(says("ok")) });
        let client = Cached::open(inner, endpoint(), &path).unwrap();
        assert_eq!(client.chat(&asks("x")).await.unwrap_err().code(), "rate_limited");
        assert_eq!(client.chat(&asks("x")).await.unwrap().text, "ok");
        assert_eq!(client.chat(&asks("x")).await.unwrap().source, ReplySource::Cache);
    }

    #[tokio::test]
    async fn two_clients_share_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache.sqlite");
        let first = Cached::open(counting(), endpoint(), &path).unwrap();
        let second = Cached::open(counting(), endpoint(), &path).unwrap();
        for index in 0..20 {
            let request = asks(&format!("question {index}"));
            let kept = first.chat(&request).await.unwrap();
            let found = second.chat(&request).await.unwrap();
            assert_eq!((found.text, found.source), (kept.text, ReplySource::Cache));
        }
    }

    #[test]
    fn a_newer_or_foreign_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let newer = folder.path().join("newer.sqlite");
        Connection::open(&newer).unwrap().pragma_update(None, "user_version", 99).unwrap();
        let error = Cached::open(counting(), endpoint(), &newer).err().unwrap();
        assert!(error.to_string().contains("version 99: expected at most 1"), "{error}");

        let foreign = folder.path().join("notes.txt");
        std::fs::write(&foreign, "not a database, and long enough to be looked at as one".repeat(20))
            .unwrap();
        let error = Cached::open(counting(), endpoint(), &foreign).err().unwrap();
        assert_eq!(error.code(), "file");
        assert!(error.to_string().contains("notes.txt"), "{error}");
    }

    #[tokio::test]
    async fn a_reply_that_cannot_be_kept_is_still_returned() {
        let folder = tempfile::tempdir().unwrap();
        let client = Cached::open(counting(), endpoint(), &folder.path().join("cache.sqlite")).unwrap();
        client.connection.lock().unwrap().pragma_update(None, "query_only", true).unwrap();
        assert_eq!(client.chat(&asks("x")).await.unwrap().text, "reply 0");
        let (count, last) = client.problems();
        assert_eq!(count, 1);
        assert!(last.unwrap().contains("readonly"));
    }
}
