//! Chat completions as OpenAI defined them, which most hosts and local servers speak.
//!
//! An own small client, because `genai` 0.7 gives no log-probabilities, takes a cached-token count of 0 for
//! an unknown one, and loses a reply whose tool arguments are not JSON, all of which are results here. The
//! other providers go through `genai`.

mod client;
mod hosts;
mod reply;
mod request;

pub use client::OpenAiCompatible;
pub(super) use hosts::{COMPATIBLE, DEEPSEEK, GROQ, MISTRAL, OLLAMA, OPENAI, OPENROUTER, TOGETHER, XAI};
