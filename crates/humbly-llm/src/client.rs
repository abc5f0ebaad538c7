//! The door to a model.

use futures::future::BoxFuture;

use crate::{ChatReply, ChatRequest, Result};

/// Something that answers chat requests: a provider, or a layer around another client.
pub trait ChatClient: Send + Sync {
    /// Answers one request.
    ///
    /// # Errors
    /// [`crate::ChatError`], whose [`crate::ChatError::is_transient`] says whether asking again may help.
    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply>>;
}

impl<T: ChatClient + ?Sized> ChatClient for std::sync::Arc<T> {
    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply>> {
        (**self).chat(request)
    }
}

impl<T: ChatClient + ?Sized> ChatClient for Box<T> {
    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply>> {
        (**self).chat(request)
    }
}
