//! Answers, confidences, boxed and tagged spans, think blocks and answer matching in text.
//!
//! Layer 0: no files, no network, no clock. Every parser takes any string, never panics, answers in
//! linear time and cuts only at character boundaries. What a text does not say is an outcome of its
//! own and never a guess.

pub mod answer;
pub mod attribution;
pub mod boxed;
pub mod confidence;
mod error;
pub mod language;
pub mod latex;
pub mod markdown;
pub mod matching;
pub mod normalize;
pub mod sentences;
pub mod tags;
pub mod think;

pub use error::{Result, TextError};
