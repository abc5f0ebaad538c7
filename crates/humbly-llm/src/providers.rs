//! Providers by name: one file and one line in `registry.rs` each.

#[cfg(feature = "embedded")]
mod embedded;
mod registry;
mod scripted;

#[cfg(feature = "network")]
mod failure;
#[cfg(feature = "network")]
mod genai;
#[cfg(feature = "network")]
mod http;
#[cfg(feature = "network")]
mod openai_compatible;

#[cfg(feature = "network")]
pub use genai::GenaiClient;
#[cfg(feature = "network")]
pub use http::prepare_tls;
#[cfg(feature = "network")]
pub use openai_compatible::OpenAiCompatible;
pub use registry::{ConnectParams, Connected, ModelSpec, connect, providers};
