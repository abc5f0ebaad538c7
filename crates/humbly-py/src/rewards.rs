//! Rewards on text.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::Arc;

use humbly_pipeline::rewards::{IseFiles, RewardColumns, score_lines};
use humbly_rewards::{
    Component, IseParams, IseReward, ItemLabel, MashLedger, RewardEntry, Sample, Settings, Unscorable,
    build_with, entries,
};
use humbly_stats::intervals::BootstrapParams;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use serde_json::json;

use crate::columns;
use crate::error::{self, InputError, ParameterError};

/// Samples that are scored between two writes of numbers: few enough that they stay in the cache.
const BLOCK: usize = 256;
/// Bytes of the numbers of one sample.
const ROW: usize = size_of::<f64>() * Component::NAMES.len();

/// A column of texts, where there is one.
type Column<'py> = Option<Bound<'py, PyAny>>;
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

    /// Scores a batch in order; every column is a list or a tuple.
    #[pyo3(signature = (responses, references, prompts=None, questions=None, labels=None))]
    fn score<'py>(
        &self,
        py: Python<'py>,
        responses: Bound<'py, PyAny>,
        references: Bound<'py, PyAny>,
        prompts: Column<'py>,
        questions: Column<'py>,
        labels: Column<'py>,
    ) -> PyResult<Answer<'py>> {
        let responses = columns::held(&responses)?;
        let references = columns::held(&references)?;
        let n = responses.len();
        paired("references", references.len(), n)?;
        let held = |name: &str, column: Column<'py>| {
            let column = column.as_ref().map(columns::held).transpose()?;
            paired(name, column.as_ref().map_or(n, PyTupleMethods::len), n)?;
            Ok::<_, PyErr>(column)
        };
        let prompts = held("prompts", prompts)?;
        let questions = held("questions", questions)?;
        let labels = held("labels", labels)?;

        let responses = columns::strings(&responses)?;
        let references = columns::Rows::hold(&references)?;
        let [prompts, questions, labels] =
            [&prompts, &questions, &labels].map(|column| column.as_ref().map(columns::optional_strings));
        let (prompts, questions, labels) =
            (prompts.transpose()?, questions.transpose()?, labels.transpose()?);
        let (texts, ends) = references.parts();
        let batch = Batch {
            responses: responses.iter().map(|text| columns::lossy(text)).collect(),
            references: texts,
            ends,
            prompts: lossy(prompts.as_deref()),
            questions: lossy(questions.as_deref()),
            labels: item_labels(&lossy(labels.as_deref()))?,
        };
        let mut reasons = Vec::with_capacity(n);
        let bytes = PyBytes::new_with(py, n * ROW, |bytes| {
            py.detach(|| batch.score(self.reward.as_ref(), bytes, &mut reasons));
            Ok(())
        })?;
        Ok((bytes, reasons))
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

/// The texts of a column; none where there is no such column.
fn lossy<'a>(column: Option<&'a [Option<Borrowed<'_, '_, PyString>>]>) -> Vec<Option<Cow<'a, str>>> {
    let column = column.unwrap_or_default();
    column.iter().map(|text| text.as_ref().map(|text| columns::lossy(text))).collect()
}

fn item_labels(column: &[Option<Cow<'_, str>>]) -> PyResult<Vec<Option<ItemLabel>>> {
    column
        .iter()
        .map(|text| text.as_deref().map(str::parse).transpose().map_err(|failed| error::reward(&failed)))
        .collect()
}

/// The texts of a batch, borrowed from Python.
struct Batch<'a> {
    responses: Vec<Cow<'a, str>>,
    /// Those of all responses, one after the other.
    references: Vec<Cow<'a, str>>,
    /// Where the references of each response end.
    ends: &'a [usize],
    prompts: Vec<Option<Cow<'a, str>>>,
    questions: Vec<Option<Cow<'a, str>>>,
    labels: Vec<Option<ItemLabel>>,
}

impl Batch<'_> {
    /// Writes the numbers of each sample, and appends why it has no reward.
    fn score(
        &self,
        reward: &dyn humbly_rewards::Reward,
        bytes: &mut [u8],
        reasons: &mut Vec<Option<&'static str>>,
    ) {
        let references: Vec<&str> = self.references.iter().map(Cow::as_ref).collect();
        // Rewards with state let the whole batch count for each of its samples.
        let block = if reward.has_state() { self.responses.len().max(1) } else { BLOCK };
        let mut samples: Vec<Sample<'_>> = Vec::with_capacity(block.min(self.responses.len()));
        let mut rows = bytes.chunks_exact_mut(ROW);
        let mut start = 0;
        let mut responses = self.responses.iter().zip(self.ends).enumerate();
        loop {
            samples.clear();
            samples.extend(responses.by_ref().take(block).map(|(index, (response, &end))| Sample {
                response,
                references: references.get(std::mem::replace(&mut start, end)..end).unwrap_or_default(),
                prompt: at(&self.prompts, index),
                question: at(&self.questions, index),
                label: self.labels.get(index).copied().flatten(),
            }));
            if samples.is_empty() {
                return;
            }
            for (scored, row) in reward.score_batch(&samples).iter().zip(&mut rows) {
                for (value, number) in scored.components.values().iter().zip(row.as_chunks_mut().0) {
                    *number = value.to_le_bytes();
                }
                reasons.push(scored.unscorable().map(Unscorable::name));
            }
        }
    }
}

fn at<'a>(column: &'a [Option<Cow<'_, str>>], index: usize) -> Option<&'a str> {
    column.get(index).and_then(Option::as_deref)
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
