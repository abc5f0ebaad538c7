//! Replies from a recording, without a provider.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::FutureExt;
use futures::future::BoxFuture;

use super::recording::Recorded;
use crate::{ChatClient, ChatError, ChatReply, ChatRequest, Endpoint, ReplySource, RequestKey, Result};

/// Answers from a file that [`Recording`](crate::layers::Recording) wrote.
///
/// Replies to the same request come in the order of the recording; after the last one it stays. A request
/// that was not recorded is an error. A last line that a crash cut short is passed over.
pub struct Replay {
    endpoint: Endpoint,
    replies: HashMap<RequestKey, (AtomicUsize, Vec<ChatReply>)>,
}

impl Replay {
    /// Reads a recording; `endpoint` must be that of the recording.
    ///
    /// # Errors
    /// [`ChatError::File`] with the line where the file is no recording.
    pub fn read(path: &Path, endpoint: Endpoint) -> Result<Self> {
        let wrong = |detail: String| ChatError::File { path: path.to_owned(), detail };
        let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
        let mut replies: HashMap<RequestKey, (AtomicUsize, Vec<ChatReply>)> = HashMap::new();
        let lines = text.lines().count();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            match serde_json::from_str::<Recorded>(line) {
                Ok(recorded) => replies.entry(recorded.key).or_default().1.push(recorded.reply),
                Err(error) if error.is_eof() && index + 1 == lines && !text.ends_with('\n') => {}
                Err(error) => return Err(wrong(format!("line {}: {error}", index + 1))),
            }
        }
        Ok(Self { endpoint, replies })
    }
}

impl ChatClient for Replay {
    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply>> {
        let key = RequestKey::of(&self.endpoint, request);
        let reply = self.replies.get(&key).and_then(|(next, replies)| {
            let next = next.fetch_add(1, Ordering::Relaxed).min(replies.len().saturating_sub(1));
            replies.get(next).cloned()
        });
        let answer = match reply {
            Some(reply) => Ok(ChatReply { source: ReplySource::Replay, cost_usd: Some(0.0), ..reply }),
            None => Err(ChatError::NotRecorded { key: key.to_string() }),
        };
        std::future::ready(answer).boxed()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::Recording;
    use super::super::testing::{Slow, asks, says};
    use super::*;

    fn endpoint() -> Endpoint {
        Endpoint { provider: "p".to_owned(), base_url: None }
    }

    #[tokio::test]
    async fn a_recording_is_replayed_in_order_without_the_provider() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("replies.jsonl");
        let inner = Slow::new(Duration::ZERO, |call, _| Ok(says(format!("reply {call}"))));
        let recording = Recording::append(inner, endpoint(), &path).unwrap();
        for question in ["a", "b", "a"] {
            recording.chat(&asks(question)).await.unwrap();
        }
        let replay = Replay::read(&path, endpoint()).unwrap();
        for (question, text) in [("b", "reply 1"), ("a", "reply 0"), ("a", "reply 2"), ("a", "reply 2")] {
            let answer = replay.chat(&asks(question)).await.unwrap();
            assert_eq!((answer.text.as_str(), answer.source), (text, ReplySource::Replay));
            assert_eq!(answer.cost_usd, Some(0.0));
        }
        let error = replay.chat(&asks("c")).await.unwrap_err();
        assert_eq!(error.code(), "not_recorded");
    }

    #[tokio::test]
    async fn half_a_last_line_is_passed_over_and_a_broken_line_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("replies.jsonl");
        let client = || Slow::new(Duration::ZERO, |_, _| Ok(says("kept")));
        Recording::append(client(), endpoint(), &path).unwrap().chat(&asks("a")).await.unwrap();
        let whole = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{whole}{}", &whole[..whole.len() / 2])).unwrap();
        let replay = Replay::read(&path, endpoint()).unwrap();
        assert_eq!(replay.chat(&asks("a")).await.unwrap().text, "kept");

        Recording::append(client(), endpoint(), &path).unwrap().chat(&asks("b")).await.unwrap();
        let error = Replay::read(&path, endpoint()).err().unwrap();
        assert!(error.to_string().contains("line 2"), "{error}");
    }

    #[tokio::test]
    async fn a_secret_among_the_options_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("replies.jsonl");
        let client = Slow::new(Duration::ZERO, |_, _| Ok(says("kept")));
        let mut request = asks("a");
        request.sampling.provider = [
            ("api_key".to_owned(), "hidden-value".into()),
            ("headers".to_owned(), serde_json::json!({"Authorization": "Bearer hidden-value"})),
            ("top_k".to_owned(), 5.into()),
        ]
        .into();
        Recording::append(client, endpoint(), &path).unwrap().chat(&request).await.unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.contains("hidden-value"), "{text}");
        assert!(text.contains("top_k"));
        assert!(Replay::read(&path, endpoint()).unwrap().chat(&request).await.is_ok());
    }
}
