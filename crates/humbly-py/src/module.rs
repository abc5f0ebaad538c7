//! The names of the extension module.

/// Native functions of the package `humbly`; use `humbly` itself.
#[pyo3::pymodule]
mod _humbly {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::command::main_from;
    #[pymodule_export]
    use crate::error::{HumblyError, InputError, ParameterError};
    #[pymodule_export]
    use crate::judges::LexicalJudge;
    #[pymodule_export]
    use crate::metrics::measure;
    #[pymodule_export]
    use crate::reading::{formats, read};
    #[pymodule_export]
    use crate::rewards::{Reward, component_names, reward_entries, score_ise};
    #[pymodule_export]
    use crate::scoring::{gather_logs, score, score_log};
    #[pymodule_export]
    use crate::tables::{agreement, attribution, calibration, compare};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
