//! The embedded language model: a llama-family GGUF file in memory, without a server or another language.
//!
//! [`Model`] loads a file, generates for a batch of requests, gives logits and scores
//! continuations; [`Engine`] is a model in its own thread that batches whatever requests
//! wait; [`fetch`] brings a small real model. Decoding reads the weights in their block
//! format with f32 activations, prompts and large batches use f32 copies; both paths
//! agree to about 1e-4 in the logits, so that what runs beside a row does not change it.

mod cache;
mod config;
mod engine;
mod error;
pub mod fetch;
mod generation;
mod gguf;
mod kernel;
mod linear;
mod llama;
mod model;
mod ops;
mod packed;
mod quantisation;
mod sampling;
mod scheduler;
mod stops;
mod template;
mod tokenizer;
mod weights;

pub use config::Config;
pub use engine::{Engine, Pending};
pub use error::{ModelError, Result};
pub use generation::{Event, FinishReason, Generation, GenerationRequest, Prompt, TokenLogprob};
pub use linear::Linear;
pub use llama::{Layer, Llama, Weights};
pub use model::{Model, ModelInfo};
pub use ops::Ops;
pub use sampling::Sampling;
pub use scheduler::BatchOptions;
pub use template::{Chat, Message};
pub use tokenizer::{TextStream, Tokenizer};
