//! Requests and replies written to a file.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use futures::FutureExt;
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};

use crate::secret::without_secret_options;
use crate::{ChatClient, ChatError, ChatReply, ChatRequest, Endpoint, RequestKey, Result};

/// One line of a recording.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Recorded {
    pub(super) key: RequestKey,
    pub(super) request: ChatRequest,
    pub(super) reply: ChatReply,
}

/// Hands requests on and appends each reply with its request to a JSONL file, for
/// [`Replay`](crate::layers::Replay).
///
/// Each line is written at once and whole. Failed calls are not recorded; provider options that hold a
/// secret by their name are left out of the request.
pub struct Recording<C> {
    inner: C,
    endpoint: Endpoint,
    path: PathBuf,
    file: Mutex<File>,
}

impl<C: ChatClient> Recording<C> {
    /// Opens the file to append to it, or creates it.
    ///
    /// # Errors
    /// [`ChatError::File`].
    pub fn append(inner: C, endpoint: Endpoint, path: &Path) -> Result<Self> {
        let wrong =
            |error: std::io::Error| ChatError::File { path: path.to_owned(), detail: error.to_string() };
        let mut file = OpenOptions::new().create(true).append(true).read(true).open(path).map_err(wrong)?;
        if ends_within_a_line(&mut file).map_err(wrong)? {
            file.write_all(b"\n").map_err(wrong)?;
        }
        Ok(Self { inner, endpoint, path: path.to_owned(), file: Mutex::new(file) })
    }

    fn write(&self, request: &ChatRequest, reply: &ChatReply) -> Result<()> {
        let wrong = |detail: String| ChatError::File { path: self.path.clone(), detail };
        let recorded = Recorded {
            key: RequestKey::of(&self.endpoint, request),
            request: without_secret_options(request),
            reply: reply.clone(),
        };
        let mut line = serde_json::to_vec(&recorded).map_err(|error| wrong(error.to_string()))?;
        line.push(b'\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(&line).map_err(|error| wrong(error.to_string()))
    }
}

/// A crash may have left half a line.
fn ends_within_a_line(file: &mut File) -> std::io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

impl<C: ChatClient> ChatClient for Recording<C> {
    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply>> {
        async move {
            let reply = self.inner.chat(request).await?;
            self.write(request, &reply)?;
            Ok(reply)
        }
        .boxed()
    }
}
