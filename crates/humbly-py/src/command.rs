//! The `humbly` command.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs one command line of `humbly` (program name first) and returns its exit status.
#[pyfunction]
pub(crate) fn main_from(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| humbly_cli::main_from(arguments))
}
