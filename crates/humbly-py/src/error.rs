//! The exceptions.

use humbly_rewards::RewardError;
use humbly_stats::StatsError;
use humbly_types::Problem;
use pyo3::PyErr;
use pyo3::exceptions::PyException;

pyo3::create_exception!(humbly, HumblyError, PyException, "Whatever this package raises on its own account.");
pyo3::create_exception!(
    humbly,
    ParameterError,
    HumblyError,
    "An argument that is out of range, unknown, or does not fit the others."
);
pyo3::create_exception!(
    humbly,
    InputError,
    HumblyError,
    "A file or table that cannot be used: what was found, where, what was expected, what to do."
);

/// An unusable input, as on the command line: place, message, hint.
pub(crate) fn input(problem: &Problem) -> PyErr {
    let mut text = problem.path.clone();
    if let Some(line) = problem.line {
        text.push_str(&format!(":{line}"));
    }
    if let Some(record) = &problem.record {
        text.push_str(&format!(" ({record})"));
    }
    text.push_str(&format!(": {}", problem.message));
    if let Some(hint) = &problem.hint {
        text.push_str(&format!("; hint: {hint}"));
    }
    InputError::new_err(text)
}

pub(crate) fn stats(error: &StatsError) -> PyErr {
    ParameterError::new_err(error.to_string())
}

pub(crate) fn reward(error: &RewardError) -> PyErr {
    ParameterError::new_err(error.to_string())
}

/// An argument with a name from a fixed set.
pub(crate) fn unknown(name: &str, found: &str, expected: &str) -> PyErr {
    ParameterError::new_err(format!("{name} is `{found}`, expected {expected}"))
}

/// JSON that cannot be written or options that cannot be read: both mean that the two halves do not match.
pub(crate) fn json(error: &serde_json::Error) -> PyErr {
    HumblyError::new_err(format!("cannot pass data between Python and Rust: {error}"))
}
