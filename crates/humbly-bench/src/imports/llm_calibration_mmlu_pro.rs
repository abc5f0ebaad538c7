//! MMLU-Pro answers of many models with three kinds of confidence.
//!
//! The kinds stay in columns of their own: what the model states as a number, the probability of its tokens,
//! and what its words were taken to mean. An answer that was not extracted is neither right nor wrong.

use std::path::Path;

use humbly_table::{Column, Table, read};
use humbly_types::Problem;
use serde::Serialize;

use crate::summary::ImportSummary;
use crate::write::{JsonLines, files};

pub(super) const NAME: &str = "llm-calibration-mmlu-pro";

const COLUMNS: &[&str] = &[
    "category",
    "correct_answer",
    "extracted_answer",
    "verbal_numerical_confidence",
    "logit_perplexity_confidence",
    "verbal_linguistic_confidence",
    "token_length",
];

#[derive(Serialize)]
struct Row<'a> {
    id: String,
    dataset: &'static str,
    model: &'a str,
    category: Option<&'a str>,
    answer: Option<&'a str>,
    reference: Option<&'a str>,
    correct: Option<u8>,
    confidence_number: Option<f64>,
    confidence_log_probability: Option<f64>,
    confidence_words: Option<f64>,
    token_length: Option<f64>,
}

pub(super) fn run(path: &Path, to: &Path) -> Result<ImportSummary, Problem> {
    let mut summary = ImportSummary::new(
        NAME,
        "humbly stats calibration {to}/rows.jsonl --confidence confidence_number --correct correct --by model",
    );
    let mut out = JsonLines::create(to, "rows.jsonl")?;
    let files = files(path, |file| file.extension().is_some_and(|extension| extension == "csv"))?;
    for file in files {
        let table = read(&file, COLUMNS)?;
        add(&table, &model_name(&file), &mut out, &mut summary)?;
    }
    out.finish(&mut summary)?;
    Ok(summary)
}

fn add(table: &Table, model: &str, out: &mut JsonLines, summary: &mut ImportSummary) -> Result<(), Problem> {
    summary.problems.extend(table.problems().iter().cloned());
    let mut numbers = |name: &str| -> Result<Vec<Option<f64>>, Problem> {
        let Column { values, problems } = table.column_f64(name)?;
        summary.problems.extend(problems);
        Ok(values)
    };
    let stated = numbers("verbal_numerical_confidence")?;
    let tokens = numbers("logit_perplexity_confidence")?;
    let words = numbers("verbal_linguistic_confidence")?;
    let lengths = numbers("token_length")?;
    let categories = table.column_text("category")?;
    let references = table.column_text("correct_answer")?;
    let answers = table.column_text("extracted_answer")?;
    let mut without_answer = 0_usize;
    for row in 0..table.len() {
        let text = |column: &[Option<String>]| column.get(row).cloned().flatten();
        let number = |column: &[Option<f64>]| column.get(row).copied().flatten();
        let (answer, reference) = (text(&answers), text(&references));
        without_answer += usize::from(answer.is_none());
        let correct =
            answer.as_ref().zip(reference.as_ref()).map(|(answer, reference)| u8::from(answer == reference));
        out.row(&Row {
            id: row.to_string(),
            dataset: "mmlu-pro",
            model,
            category: text(&categories).as_deref(),
            answer: answer.as_deref(),
            reference: reference.as_deref(),
            correct,
            confidence_number: number(&stated),
            confidence_log_probability: number(&tokens),
            confidence_words: number(&words),
            token_length: number(&lengths),
        })?;
        summary.count(&[model]);
    }
    if without_answer > 0 {
        summary.problems.push(
            Problem::new(
                table.path(),
                format!("{without_answer} rows without an extracted answer, expected a letter"),
            )
            .hint("`correct` is null there: count them as wrong only if you mean to"),
        );
    }
    Ok(())
}

/// `mmlu_pro_MODEL_eval_all_None.csv` names the model.
fn model_name(file: &Path) -> String {
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let name = stem.split_once("mmlu_pro_").map_or(stem.as_str(), |(_, rest)| rest);
    name.strip_suffix("_eval_all_None").unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_names_the_model() {
        assert_eq!(
            model_name(Path::new("x/FULL_mmlu_pro_Qwen3-8B-think_eval_all_None.csv")),
            "Qwen3-8B-think"
        );
        assert_eq!(model_name(Path::new("mine.csv")), "mine");
    }
}
