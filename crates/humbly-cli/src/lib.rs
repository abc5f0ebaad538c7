//! The `humbly` command as a library: parse, call, print. It computes nothing.
//!
//! The binary and the entry point of the Python package call [`main_from`].

mod args;
mod clients;
mod command_line;
mod commands;
mod exit;
mod output;
mod verdicts;

pub use command_line::main_from;
