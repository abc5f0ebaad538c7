//! `POST /retrieve`: many queries in, their hits out.
//!
//! `{"queries": [..], "topk": null, "return_scores": true}` gives
//! `{"result": [[{"document": {"id", "contents"}, "score"}, ..], ..]}`, one list a query. No queries are no
//! lists; `topk` null or 0 is 3; a query without a hit has an empty list; without `return_scores` a hit is the
//! bare document. Where Search-R1's server fails with status 500, this one answers 400, 413 or 422 with
//! `{"detail": ".."}`.

use std::future::Future;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;

use crate::index::{Document, SearchIndex};

/// Where the server listens unless told otherwise: this machine alone, Search-R1's port.
pub const DEFAULT_ADDRESS: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 8000);

const DEFAULT_HITS: u32 = 3;
const HITS_LIMIT: u32 = 1_000;
/// Longest request, in bytes.
const BODY_LIMIT: usize = 16 << 20;
const QUERIES_LIMIT: usize = 10_000;

#[derive(Debug, Deserialize)]
struct Request {
    queries: Vec<String>,
    #[serde(default)]
    topk: Option<u32>,
    #[serde(default)]
    return_scores: bool,
}

#[derive(Debug, Serialize)]
struct Reply {
    result: Vec<Vec<Found>>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Found {
    Scored { document: Document, score: f32 },
    Bare(Document),
}

/// Why there is no reply, as the client reads it.
#[derive(Debug)]
struct Refusal(StatusCode, String);

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.0, Json(serde_json::json!({ "detail": self.1 }))).into_response()
    }
}

/// The routes of the server.
pub fn router(index: Arc<SearchIndex>) -> Router {
    Router::new()
        .route("/retrieve", post(retrieve))
        .method_not_allowed_fallback(elsewhere)
        .fallback(elsewhere)
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .with_state(index)
}

async fn elsewhere() -> Refusal {
    Refusal(StatusCode::NOT_FOUND, "nothing is here: expected POST /retrieve".to_owned())
}

async fn retrieve(State(index): State<Arc<SearchIndex>>, body: Bytes) -> Result<Json<Reply>, Refusal> {
    let request: Request = serde_json::from_slice(&body).map_err(|error| {
        let status = if error.is_data() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::BAD_REQUEST };
        let expected =
            "expected {\"queries\": [text, ..], \"topk\": number or null, \"return_scores\": bool}";
        Refusal(status, format!("{error}; {expected}"))
    })?;
    let hits = request.topk.filter(|topk| *topk > 0).unwrap_or(DEFAULT_HITS);
    let queries = request.queries.len();
    if hits > HITS_LIMIT || queries > QUERIES_LIMIT {
        let detail = format!(
            "{queries} queries and topk {hits}, expected at most {QUERIES_LIMIT} queries and topk {HITS_LIMIT}"
        );
        return Err(Refusal(StatusCode::UNPROCESSABLE_ENTITY, detail));
    }
    let failed = |detail: String| Refusal(StatusCode::INTERNAL_SERVER_ERROR, detail);
    tokio::task::spawn_blocking(move || answer(&index, &request, hits as usize))
        .await
        .map_err(|_| failed("the search broke off".to_owned()))?
        .map(Json)
        .map_err(|error| failed(error.to_string()))
}

fn answer(index: &SearchIndex, request: &Request, hits: usize) -> crate::Result<Reply> {
    let result = request
        .queries
        .iter()
        .map(|query| {
            let found = index.search(query, hits)?.into_iter().map(|hit| {
                if request.return_scores {
                    Found::Scored { document: hit.document, score: hit.score }
                } else {
                    Found::Bare(hit.document)
                }
            });
            Ok(found.collect())
        })
        .collect::<crate::Result<Vec<Vec<Found>>>>()?;
    Ok(Reply { result })
}

/// A bound server that has not begun to answer.
pub struct SearchServer {
    listener: TcpListener,
    index: Arc<SearchIndex>,
}

impl SearchServer {
    /// Binds an address; port 0 takes a free one. [`DEFAULT_ADDRESS`] is reachable from this machine alone.
    ///
    /// # Errors
    /// Those of the operating system (the port is taken).
    pub async fn bind(index: Arc<SearchIndex>, address: SocketAddr) -> io::Result<Self> {
        Ok(Self { listener: TcpListener::bind(address).await?, index })
    }

    /// The address that was bound.
    ///
    /// # Errors
    /// Those of the operating system.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers until `stop` is over; requests in flight are finished.
    ///
    /// # Errors
    /// Those of the operating system.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> io::Result<()> {
        axum::serve(self.listener, router(self.index)).with_graceful_shutdown(stop).await
    }
}
