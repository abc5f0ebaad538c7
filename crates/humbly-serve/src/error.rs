//! What can go wrong, in OpenAI's form.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use humbly_llm::ChatError;
use serde_json::json;

/// Result of this crate.
pub type Result<T> = std::result::Result<T, ServeError>;

/// Why a request has no answer, or a server cannot run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The request is not of the form that is expected.
    #[error("{detail}")]
    BadRequest {
        /// The parameter, where one is at fault.
        parameter: Option<String>,
        /// What was found and what was expected.
        detail: String,
    },
    /// The body is not JSON, too long, or without its content type.
    #[error("{detail}")]
    Body {
        /// HTTP status.
        status: u16,
        /// What was found.
        detail: String,
    },
    /// Another model than the one that is served.
    #[error("the model `{asked}` does not exist here: expected `{served}`")]
    UnknownModel {
        /// Model asked for.
        asked: String,
        /// Model that is served.
        served: String,
    },
    /// No such path.
    #[error("no such path: expected POST /v1/chat/completions or GET /v1/models")]
    NoSuchPath,
    /// The client behind failed.
    #[error(transparent)]
    Chat(#[from] ChatError),
    /// The server cannot run.
    #[error("the server ended")]
    Server {
        /// Why.
        source: std::io::Error,
    },
}

impl ServeError {
    pub(crate) fn bad(parameter: &str, detail: impl Into<String>) -> Self {
        Self::BadRequest { parameter: Some(parameter.to_owned()), detail: detail.into() }
    }

    fn status(&self) -> StatusCode {
        match self {
            Self::BadRequest { .. } => StatusCode::BAD_REQUEST,
            Self::Body { status, .. } => StatusCode::from_u16(*status).unwrap_or(StatusCode::BAD_REQUEST),
            Self::UnknownModel { .. } | Self::NoSuchPath => StatusCode::NOT_FOUND,
            Self::Server { .. } => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Chat(error) => match error {
                ChatError::ContextTooLong { .. }
                | ChatError::Refused { .. }
                | ChatError::NoRule { .. }
                | ChatError::NotRecorded { .. }
                | ChatError::Unsupported { .. } => StatusCode::BAD_REQUEST,
                ChatError::RateLimited { .. } | ChatError::CostLimit { .. } => StatusCode::TOO_MANY_REQUESTS,
                ChatError::TimedOut { .. } | ChatError::DeadlinePassed => StatusCode::GATEWAY_TIMEOUT,
                ChatError::Connection { .. }
                | ChatError::NotAReply { .. }
                | ChatError::EmptyReply
                | ChatError::BrokenOff { .. }
                | ChatError::Server { .. } => StatusCode::BAD_GATEWAY,
                _ => StatusCode::INTERNAL_SERVER_ERROR,
            },
        }
    }

    fn code(&self) -> Option<&'static str> {
        match self {
            Self::UnknownModel { .. } => Some("model_not_found"),
            Self::Chat(ChatError::ContextTooLong { .. }) => Some("context_length_exceeded"),
            Self::Chat(error) => Some(error.code()),
            _ => None,
        }
    }
}

impl IntoResponse for ServeError {
    fn into_response(self) -> Response {
        let status = self.status();
        let kind = if status.is_client_error() { "invalid_request_error" } else { "server_error" };
        let parameter = match &self {
            Self::BadRequest { parameter, .. } => parameter.clone(),
            _ => None,
        };
        let body = json!({"error": {
            "message": self.to_string(), "type": kind, "param": parameter, "code": self.code(),
        }});
        (status, axum::Json(body)).into_response()
    }
}
