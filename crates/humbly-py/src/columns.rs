//! Columns of texts as Python hands them over: read where they lie, not copied.
//!
//! Lists may change in other threads while a batch is scored without the GIL, so what is read is held: the entries of
//! a column by a tuple, which costs one count a text, and those of the lists in it each by itself.

use std::borrow::Cow;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};

/// The entries of a list or tuple, held.
pub(crate) fn held<'py>(column: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
    if let Ok(list) = column.cast::<PyList>() {
        return Ok(list.to_tuple());
    }
    Ok(column.cast::<PyTuple>()?.clone())
}

/// The texts of a column.
pub(crate) fn strings<'a, 'py>(
    entries: &'a Bound<'py, PyTuple>,
) -> PyResult<Vec<Borrowed<'a, 'py, PyString>>> {
    entries.iter_borrowed().map(|entry| Ok(entry.cast::<PyString>()?)).collect()
}

/// The texts of a column in which `None` may stand.
pub(crate) fn optional_strings<'a, 'py>(
    entries: &'a Bound<'py, PyTuple>,
) -> PyResult<Vec<Option<Borrowed<'a, 'py, PyString>>>> {
    entries
        .iter_borrowed()
        .map(|entry| if entry.is_none() { Ok(None) } else { Ok(Some(entry.cast::<PyString>()?)) })
        .collect()
}

/// The text; a lone surrogate, which no UTF-8 holds, becomes U+FFFD.
pub(crate) fn lossy<'a>(text: &'a Bound<'_, PyString>) -> Cow<'a, str> {
    text.to_string_lossy()
}

/// Texts in rows of any length, one after the other.
pub(crate) struct Rows<'py> {
    texts: Vec<Bound<'py, PyString>>,
    /// Where each row ends.
    ends: Vec<usize>,
}

impl<'py> Rows<'py> {
    /// Rows that are each a text, a list or tuple of texts, or `None`.
    pub(crate) fn hold(entries: &Bound<'py, PyTuple>) -> PyResult<Self> {
        let mut texts = Vec::with_capacity(entries.len());
        let mut ends = Vec::with_capacity(entries.len());
        for entry in entries.iter_borrowed() {
            if let Ok(list) = entry.cast::<PyList>() {
                for text in list.iter() {
                    texts.push(text.cast_into::<PyString>()?);
                }
            } else if let Ok(text) = entry.cast::<PyString>() {
                texts.push(text.to_owned());
            } else if let Ok(tuple) = entry.cast::<PyTuple>() {
                for text in tuple.iter_borrowed() {
                    texts.push(text.cast::<PyString>()?.to_owned());
                }
            } else if !entry.is_none() {
                return Err(PyTypeError::new_err("a row is no text, list, tuple or None"));
            }
            ends.push(texts.len());
        }
        Ok(Self { texts, ends })
    }

    /// Every text, and where each row ends.
    pub(crate) fn parts(&self) -> (Vec<Cow<'_, str>>, &[usize]) {
        (self.texts.iter().map(lossy).collect(), &self.ends)
    }
}
