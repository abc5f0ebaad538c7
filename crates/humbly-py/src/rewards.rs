//! Rewards on text.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::Arc;

use humbly_pipeline::rewards::{IseFiles, RewardColumns, score_lines};
use humbly_rewards::{
    Component, IseParams, IseReward, ItemLabel, MashLedger, RewardEntry, Sample, Scored, Settings,
    Unscorable, build_with, entries,
};
use humbly_stats::intervals::BootstrapParams;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use serde_json::json;

use crate::error::{self, InputError, ParameterError};

/// A text for each sample, where there are such texts at all.
type Texts<'py> = Option<Vec<Option<Bound<'py, PyString>>>>;
/// Components (little-endian `f64` bytes) and, for each sample, why it has no reward.
type Answer<'py> = (Bound<'py, PyBytes>, Vec<Option<&'static str>>);

/// A reward with its state.
#[pyclass(frozen, module = "humbly._humbly")]
pub(crate) struct Reward {
    reward: Box<dyn humbly_rewards::Reward>,
    ledger: Arc<MashLedger>,
}

#[pymethods]
impl Reward {
    #[new]
    fn new(name: &str, settings: Vec<(String, String)>, state: BTreeMap<String, u32>) -> PyResult<Self> {
        let settings: Settings = settings.into_iter().collect();
        let ledger = Arc::new(MashLedger::from(state));
        let reward = build_with(name, &settings, &ledger).map_err(|failed| error::reward(&failed))?;
        Ok(Self { reward, ledger })
    }

    /// Name of the protocol that is read.
    #[getter]
    fn protocol(&self) -> &str {
        self.reward.scoring().protocol.name()
    }

    /// Whether a score depends on what was scored before.
    #[getter]
    fn has_state(&self) -> bool {
        self.reward.has_state()
    }

    /// The state: the fewest searches by question.
    fn state(&self) -> BTreeMap<String, u32> {
        self.ledger.entries()
    }

    /// Scores a batch in order.
    #[pyo3(signature = (responses, references, prompts=None, questions=None, labels=None))]
    fn score<'py>(
        &self,
        py: Python<'py>,
        responses: Vec<Bound<'py, PyString>>,
        references: Vec<Vec<Bound<'py, PyString>>>,
        prompts: Texts<'py>,
        questions: Texts<'py>,
        labels: Texts<'py>,
    ) -> PyResult<Answer<'py>> {
        let n = responses.len();
        paired("references", references.len(), n)?;
        for (name, column) in [("prompts", &prompts), ("questions", &questions), ("labels", &labels)] {
            paired(name, column.as_ref().map_or(n, Vec::len), n)?;
        }
        let responses: Vec<Cow<'_, str>> = responses.iter().map(|text| text.to_string_lossy()).collect();
        let references: Vec<Vec<Cow<'_, str>>> =
            references.iter().map(|all| all.iter().map(|text| text.to_string_lossy()).collect()).collect();
        let (prompts, questions) = (lossy(&prompts), lossy(&questions));
        let labels = item_labels(&labels)?;
        let (bytes, reasons) = py.detach(|| {
            let references: Vec<Vec<&str>> =
                references.iter().map(|all| all.iter().map(Cow::as_ref).collect()).collect();
            let samples: Vec<Sample<'_>> = responses
                .iter()
                .zip(&references)
                .enumerate()
                .map(|(index, (response, references))| Sample {
                    response,
                    references,
                    prompt: at(&prompts, index),
                    question: at(&questions, index),
                    label: labels.get(index).copied().flatten(),
                })
                .collect();
            numbers(&self.reward.score_batch(&samples))
        });
        Ok((PyBytes::new(py, &bytes), reasons))
    }

    /// Scores lines of a file of rollouts, a block of a larger job: rows as JSON texts, problems as JSON text.
    #[pyo3(signature = (lines, path, columns))]
    fn score_lines(
        &self,
        py: Python<'_>,
        lines: Vec<(u64, String)>,
        path: &str,
        columns: BTreeMap<String, String>,
    ) -> PyResult<(Vec<String>, String)> {
        let columns = named_columns(columns)?;
        py.detach(|| {
            let (rows, problems) = score_lines(&lines, self.reward.as_ref(), &columns, path);
            let rows = rows.iter().map(serde_json::to_string).collect::<Result<_, _>>();
            let rows = rows.map_err(|failed| error::json(&failed))?;
            Ok((rows, serde_json::to_string(&problems).map_err(|failed| error::json(&failed))?))
        })
    }
}

fn named_columns(names: BTreeMap<String, String>) -> PyResult<RewardColumns> {
    let mut columns = RewardColumns::default();
    for (role, name) in names {
        let column = match role.as_str() {
            "response" => &mut columns.response,
            "references" => &mut columns.references,
            "prompt" => &mut columns.prompt,
            "question" => &mut columns.question,
            "label" => &mut columns.label,
            other => {
                let expected = "response, references, prompt, question or label";
                return Err(error::unknown("a key of columns", other, expected));
            }
        };
        *column = Some(name);
    }
    Ok(columns)
}

fn paired(name: &str, found: usize, expected: usize) -> PyResult<()> {
    if found == expected {
        return Ok(());
    }
    Err(ParameterError::new_err(format!("{found} {name} for {expected} responses, expected as many")))
}

/// The texts; a lone surrogate, which no UTF-8 holds, becomes U+FFFD.
fn lossy<'a>(column: &'a Texts<'_>) -> Vec<Option<Cow<'a, str>>> {
    let column = column.as_deref().unwrap_or_default();
    column.iter().map(|text| text.as_ref().map(|text| text.to_string_lossy())).collect()
}

fn at<'a>(column: &'a [Option<Cow<'_, str>>], index: usize) -> Option<&'a str> {
    column.get(index).and_then(Option::as_deref)
}

fn item_labels(column: &Texts<'_>) -> PyResult<Vec<Option<ItemLabel>>> {
    lossy(column)
        .iter()
        .map(|text| text.as_deref().map(str::parse).transpose().map_err(|failed| error::reward(&failed)))
        .collect()
}

fn numbers(scored: &[Scored]) -> (Vec<u8>, Vec<Option<&'static str>>) {
    let mut bytes = Vec::with_capacity(scored.len() * size_of::<f64>() * Component::NAMES.len());
    for value in scored.iter().flat_map(|scored| scored.components.values()) {
        bytes.extend_from_slice(&value.to_le_bytes());
    }
    (bytes, scored.iter().map(|scored| scored.unscorable().map(Unscorable::name)).collect())
}

/// Names of the components, in the order of the numbers.
#[pyfunction]
pub(crate) fn component_names() -> Vec<&'static str> {
    Component::NAMES.to_vec()
}

/// Every reward with its settings, as JSON text.
#[pyfunction]
pub(crate) fn reward_entries() -> String {
    let settings = |settings: &[humbly_rewards::SettingEntry]| {
        settings
            .iter()
            .map(|it| json!({"name": it.name, "default": it.default, "summary": it.summary}))
            .collect::<Vec<_>>()
    };
    let rows: Vec<_> = entries()
        .iter()
        .map(|entry| {
            json!({
                "name": entry.name,
                "summary": entry.summary,
                "protocol": entry.protocol,
                "settings": settings(entry.settings),
                "common": settings(RewardEntry::COMMON),
            })
        })
        .collect();
    json!(rows).to_string()
}

/// The `ise` reward: `{"card", "rows"}` as JSON text, from a file of verdicts and the document of `score`.
#[pyfunction]
#[pyo3(signature = (verdicts, scores, weights, seed, resamples))]
pub(crate) fn score_ise(
    py: Python<'_>,
    verdicts: PathBuf,
    scores: &str,
    weights: (f64, f64, f64, f64),
    seed: u64,
    resamples: u32,
) -> PyResult<String> {
    let (identify, solve, escalate, correct) = weights;
    let params =
        IseParams::new(identify, solve, escalate, correct).map_err(|failed| error::reward(&failed))?;
    let bootstrap = BootstrapParams::new(resamples, 0.95, seed).map_err(|failed| error::stats(&failed))?;
    py.detach(|| {
        let path = verdicts.display().to_string();
        let file = File::open(&verdicts)
            .map_err(|failed| InputError::new_err(format!("cannot read `{path}`: {failed}")))?;
        let files = IseFiles {
            verdicts: &path,
            scores: "the document of scores",
            settings: BTreeMap::from([("reward".to_owned(), "ise".to_owned())]),
            bootstrap,
        };
        let mut rows = Vec::new();
        let card = humbly_pipeline::rewards::score_ise(
            &mut BufReader::new(file),
            scores,
            IseReward::new(params),
            files,
            &mut |row| {
                rows.push(serde_json::to_value(row)?);
                Ok(())
            },
        )
        .map_err(|problem| error::input(&problem))?;
        Ok(json!({"card": card, "rows": rows}).to_string())
    })
}
