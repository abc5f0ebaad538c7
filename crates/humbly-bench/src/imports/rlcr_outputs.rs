//! Outputs of the RLCR evaluation: five methods, each with an answer, a verdict and a confidence.
//!
//! Columns are `METHOD-output_0`, `METHOD-evals`, `METHOD-confidence_levels` and so on; each list holds one
//! value, for one sample. The methods state confidence in different ways, which is kept as the source.

use std::path::Path;

use humbly_table::{Table, column_names, read};
use humbly_types::Problem;
use serde::Serialize;

use crate::summary::ImportSummary;
use crate::write::JsonLines;

pub(super) const NAME: &str = "rlcr-outputs";
const CONFIDENCE: &str = "-confidence_levels";

#[derive(Serialize)]
struct Row<'a> {
    id: &'a str,
    index: usize,
    dataset: Option<&'a str>,
    method: &'a str,
    confidence: Option<f64>,
    confidence_source: &'static str,
    correct: Option<u8>,
    format_adherence: Option<f64>,
    completion_length: Option<f64>,
    question: Option<&'a str>,
    reference: Option<&'a str>,
    text: Option<&'a str>,
}

pub(super) fn run(file: &Path, to: &Path) -> Result<ImportSummary, Problem> {
    let mut summary = ImportSummary::new(
        NAME,
        "humbly stats calibration {to}/rows.jsonl --confidence confidence --correct correct --by method",
    );
    let names = column_names(file)?;
    let methods: Vec<&str> = names.iter().filter_map(|name| name.strip_suffix(CONFIDENCE)).collect();
    if methods.is_empty() {
        return Err(Problem::new(
            file.to_string_lossy(),
            format!("no column ends in `{CONFIDENCE}`, expected one for each method"),
        )
        .hint("this import reads the eval_outputs of the RLCR repository"));
    }
    let has = |name: &str| names.iter().any(|known| known == name);
    let dataset = dataset_name(file);
    let mut out = JsonLines::create(to, "rows.jsonl")?;
    let shared: Vec<&str> =
        ["id", "problem", "question", "answer"].into_iter().filter(|name| has(name)).collect();
    let common = read(file, &shared)?;
    let ids = texts(&common, "id", &shared)?;
    let questions = texts(&common, if has("problem") { "problem" } else { "question" }, &shared)?;
    let references = texts(&common, "answer", &shared)?;
    for method in methods {
        let column = |suffix: &str| format!("{method}{suffix}");
        let wanted: Vec<String> =
            [CONFIDENCE, "-evals", "-output_0", "-conf_format_adherence", "-c_lengths"].map(column).to_vec();
        let present: Vec<&str> = wanted.iter().map(String::as_str).filter(|name| has(name)).collect();
        let table = read(file, &present)?;
        summary.problems.extend(table.problems().iter().cloned());
        let mut numbers = |suffix: &str| -> Result<Vec<Option<f64>>, Problem> {
            let name = column(suffix);
            if !has(&name) {
                return Ok(vec![None; table.len()]);
            }
            let column = table.column_f64(&name)?;
            summary.problems.extend(column.problems);
            Ok(column.values)
        };
        let confidences = numbers(CONFIDENCE)?;
        let adherence = numbers("-conf_format_adherence")?;
        let lengths = numbers("-c_lengths")?;
        let verdicts = table.column_bool(&column("-evals"))?;
        summary.problems.extend(verdicts.problems);
        let outputs = texts(&table, &column("-output_0"), &present)?;
        for row in 0..table.len() {
            let number = row.to_string();
            out.row(&Row {
                id: text_at(&ids, row).unwrap_or(&number),
                index: row,
                dataset: dataset.as_deref(),
                method,
                confidence: confidences.get(row).copied().flatten(),
                confidence_source: source(method),
                correct: verdicts.values.get(row).copied().flatten().map(u8::from),
                format_adherence: adherence.get(row).copied().flatten(),
                completion_length: lengths.get(row).copied().flatten(),
                question: text_at(&questions, row),
                reference: text_at(&references, row),
                text: text_at(&outputs, row),
            })?;
            summary.count(&[method]);
        }
    }
    out.finish(&mut summary)?;
    Ok(summary)
}

/// How a method comes to its confidence (the repository's README: a classifier head, the probability of the
/// answer tokens, else the tag that the model writes).
fn source(method: &str) -> &'static str {
    match method {
        "RLVR-Classifier" => "classifier",
        "Answer-Prob" => "log_probability",
        _ => "tag",
    }
}

fn texts(table: &Table, name: &str, present: &[&str]) -> Result<Vec<Option<String>>, Problem> {
    if present.contains(&name) { table.column_text(name) } else { Ok(Vec::new()) }
}

fn text_at(texts: &[Option<String>], row: usize) -> Option<&str> {
    texts.get(row).and_then(Option::as_deref)
}

/// The data set, as the library that wrote the file names it beside it.
fn dataset_name(file: &Path) -> Option<String> {
    let bytes = std::fs::read(file.parent()?.join("dataset_info.json")).ok()?;
    let info: serde_json::Value = serde_json::from_slice(&bytes).ok()?;
    info.get("dataset_name")?.as_str().map(str::to_owned)
}
