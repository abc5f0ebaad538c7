//! `SimpleQA Verified` (Haas et al. 2025, arXiv:2509.07968): a thousand rows of `SimpleQA`, checked again.
//!
//! Numeric answers carry a range of numbers that count as right; it is taken out of the reference.

use crate::acceptable::split_range;
use crate::load::Questions;
use crate::registry::DataSet;
use crate::row::{Fault, Row, shortened};
use crate::source::{Origin, RemoteFile};

pub(crate) const SET: DataSet = DataSet {
    name: "simpleqa-verified",
    title: "SimpleQA Verified",
    purpose: "short factual answers; calibration and abstention",
    licence: "MIT",
    home: "https://huggingface.co/datasets/google/simpleqa-verified",
    rows: Some(1_000),
    expects: "`original_index`, `problem`, `answer`, `topic`, `answer_type` (CSV)",
    files: &[RemoteFile {
        name: "simpleqa_verified.csv",
        origin: Origin::Hub {
            repository: "google/simpleqa-verified",
            revision: "0dc97e0d28d8233463e005cdc4475cc2a13ba2dc",
            path: "simpleqa_verified.csv",
        },
        sha256: None,
    }],
    read,
    ..DataSet::PLAIN
};

fn read(row: Row<'_>, out: &mut Questions<'_>) -> Result<(), Fault> {
    let index = row.required_scalar("original_index")?;
    let mut question = out.question(Some(&format!("simpleqa-{index}")), row.text("problem")?.trim());
    let answer = row.required_scalar("answer")?;
    let (reference, acceptable) = split_range(&answer).map_err(|range| {
        Fault::new(format!("`answer` ends with `{}`, expected a range of two numbers", shortened(range)))
    })?;
    if reference.is_empty() {
        return Err(Fault::new("`answer` is a range alone, expected an answer before it"));
    }
    question.references = vec![reference.to_owned()];
    question.acceptable = acceptable;
    question.answerable = Some(true);
    question.category = row.scalar("topic")?;
    question.note("answer_type", row.scalar("answer_type")?);
    for field in ["multi_step", "requires_reasoning"] {
        question.note(field, row.flag(field)?.map(|flag| flag.to_string()));
    }
    question.note("urls", row.scalar("urls")?);
    out.push(question)
}
