//! The lexical judge.

use humbly_judge::Knowledge;
use humbly_types::Verdict;
use pyo3::prelude::*;

use crate::error;

/// The lexical judge; its verdicts come back as JSON text.
#[pyclass(frozen, module = "humbly._humbly")]
pub(crate) struct LexicalJudge {
    judge: humbly_judge::LexicalJudge,
}

#[pymethods]
impl LexicalJudge {
    #[new]
    fn new() -> Self {
        Self { judge: humbly_judge::LexicalJudge::new() }
    }

    /// Name and version of the rules.
    #[getter]
    fn name(&self) -> &str {
        self.judge.name()
    }

    /// Whether a final answer passes an uncertainty on.
    #[pyo3(signature = (text, question, candidates))]
    fn escalate(
        &self,
        py: Python<'_>,
        text: &str,
        question: Option<String>,
        candidates: Vec<String>,
    ) -> PyResult<String> {
        let knowledge = Knowledge { question, candidates };
        written(&py.detach(|| self.judge.escalate(text, &knowledge)))
    }

    /// Whether an intermediate turn recognises a gap.
    #[pyo3(signature = (text, question, candidates))]
    fn identify(
        &self,
        py: Python<'_>,
        text: &str,
        question: Option<String>,
        candidates: Vec<String>,
    ) -> PyResult<String> {
        let knowledge = Knowledge { question, candidates };
        written(&py.detach(|| self.judge.identify_turn(text, &knowledge)))
    }

    /// Whether a final answer abstains or refuses.
    fn refusal(&self, py: Python<'_>, text: &str) -> PyResult<String> {
        written(&py.detach(|| self.judge.refusal(text)))
    }
}

fn written(verdict: &Verdict) -> PyResult<String> {
    serde_json::to_string(verdict).map_err(|failed| error::json(&failed))
}
