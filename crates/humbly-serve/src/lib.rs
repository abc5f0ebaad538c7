//! A chat client as an OpenAI-compatible server, so that outside harnesses can be driven.
//!
//! `POST /v1/chat/completions` (also streamed) and `GET /v1/models`. A streamed reply is sent in pieces once
//! it is whole, for a client answers whole. What cannot be honoured is refused, never passed over.

mod answer;
mod error;
mod pieces;
mod question;
mod server;

pub use error::{Result, ServeError};
pub use server::{Served, router, serve};
