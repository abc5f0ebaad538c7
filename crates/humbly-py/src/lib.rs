//! The native half of the Python package `humbly`: parse, call, convert, raise. It computes nothing.
//!
//! Numbers cross as little-endian `f64` bytes and records as JSON text, so that the package needs neither
//! `unsafe` nor one build for each version of Python or of `NumPy`. The Python half in `python/humbly` is what
//! users see. Whatever takes time runs without the GIL.

#![expect(clippy::needless_pass_by_value, reason = "arguments from Python are owned")]

mod columns;
mod command;
mod error;
mod judges;
mod metrics;
mod module;
mod reading;
mod rewards;
mod scoring;
mod tables;
