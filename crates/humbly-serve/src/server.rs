//! The server.

use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::rejection::JsonRejection;
use axum::extract::{DefaultBodyLimit, State};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures::future::try_join_all;
use futures::stream;
use humbly_llm::{ChatClient, ChatRequest};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::answer::Envelope;
use crate::{Result, ServeError, question};

/// Longest body that is read unless told otherwise.
const BODY_LIMIT: usize = 8 << 20;

/// What is served.
#[derive(Clone)]
pub struct Served {
    /// Answers.
    pub client: Arc<dyn ChatClient>,
    /// Model as the client must name it.
    pub model: String,
    /// Model as it is named to callers.
    pub shown: String,
    /// Longest body of a request in bytes.
    pub body_limit: usize,
    /// Seconds since 1970, for `created`.
    pub clock: fn() -> u64,
}

impl Served {
    /// A client under its model's name, with bodies of 8 MiB at most and a clock that stands at 0.
    pub fn new(client: Arc<dyn ChatClient>, model: impl Into<String>) -> Self {
        let model = model.into();
        Self { client, shown: model.clone(), model, body_limit: BODY_LIMIT, clock: || 0 }
    }
}

struct Shared {
    served: Served,
    answers: AtomicU64,
}

/// Answers on `listener` until `shutdown` is ready; what is in flight then is finished.
///
/// The caller binds, so that loopback is the caller's default and a free port can be chosen.
///
/// # Errors
/// [`ServeError::Server`].
pub async fn serve(
    listener: TcpListener,
    served: Served,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Result<()> {
    axum::serve(listener, router(served))
        .with_graceful_shutdown(shutdown)
        .await
        .map_err(|source| ServeError::Server { source })
}

/// The routes, for a server of one's own.
pub fn router(served: Served) -> Router {
    let limit = DefaultBodyLimit::max(served.body_limit);
    let shared = Arc::new(Shared { served, answers: AtomicU64::new(0) });
    Router::new()
        .route("/v1/chat/completions", post(complete))
        .route("/v1/models", get(models))
        .fallback(|| async { ServeError::NoSuchPath })
        .layer(limit)
        .with_state(shared)
}

async fn models(State(shared): State<Arc<Shared>>) -> Json<Value> {
    Json(json!({"object": "list", "data": [
        {"id": shared.served.shown, "object": "model", "created": 0, "owned_by": "humbly"}
    ]}))
}

/// A body must say that it is JSON: a foreign page in a browser cannot say so without being asked first.
async fn complete(
    State(shared): State<Arc<Shared>>,
    body: std::result::Result<Json<Value>, JsonRejection>,
) -> Result<Response> {
    let Json(body) = body.map_err(|rejection| ServeError::Body {
        status: rejection.status().as_u16(),
        detail: rejection.body_text(),
    })?;
    let question = question::read(body)?;
    let served = &shared.served;
    if question.model != served.shown && question.model != served.model {
        return Err(ServeError::UnknownModel { asked: question.model, served: served.shown.clone() });
    }
    let requests: Vec<ChatRequest> = (0..question.choices)
        .map(|index| ChatRequest {
            model: served.model.clone(),
            sample_index: index,
            ..question.request.clone()
        })
        .collect();
    let replies = try_join_all(requests.iter().map(|request| served.client.chat(request))).await?;
    let envelope = Envelope {
        id: format!("chatcmpl-{}", shared.answers.fetch_add(1, Ordering::Relaxed)),
        created: (served.clock)(),
        model: served.shown.clone(),
    };
    if !question.streams {
        return Ok(Json(envelope.whole(&replies)).into_response());
    }
    let data = envelope.pieces(&replies, question.with_usage).into_iter().map(|event| event.to_string());
    let events =
        data.chain(["[DONE]".to_owned()]).map(|data| Ok::<_, Infallible>(Event::default().data(data)));
    Ok(Sse::new(stream::iter(events)).into_response())
}
