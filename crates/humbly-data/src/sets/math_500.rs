//! MATH-500 (Lightman et al. 2023, arXiv:2305.20050): five hundred problems of MATH with LaTeX answers.

use crate::load::Questions;
use crate::registry::DataSet;
use crate::row::{Fault, Row};
use crate::sets::verl;
use crate::source::{Origin, RemoteFile};

pub(crate) const SET: DataSet = DataSet {
    name: "math-500",
    title: "MATH-500",
    purpose: "mathematics with LaTeX answers; verification tools",
    licence: "MIT",
    home: "https://huggingface.co/datasets/HuggingFaceH4/MATH-500",
    rows: Some(500),
    expects: "`problem`, `answer`, `subject`, `level` and `unique_id`, or the Parquet rows of verl",
    files: &[RemoteFile {
        name: "test.jsonl",
        origin: Origin::GitHub {
            repository: "GAIR-NLP/LIMO",
            commit: "2284c6a0e6653aa8894bd12fdecc1212ba706c3a",
            path: "eval/data/math/test.jsonl",
        },
        sha256: Some("a239272930e5202bf1d5275f7fa475a56687c775a61f1354a6d3371bf9dd7a94"),
    }],
    read,
    ..DataSet::PLAIN
};

fn read(row: Row<'_>, out: &mut Questions<'_>) -> Result<(), Fault> {
    if let Some(item) = verl::item(row)? {
        let mut question = out.question(None, &item.question);
        question.references = vec![item.answer];
        question.answerable = Some(true);
        return out.push(question);
    }
    let id = row.scalar("unique_id")?;
    let mut question = out.question(id.as_deref(), row.text("problem")?.trim());
    question.references = vec![row.required_scalar("answer")?];
    question.answerable = Some(true);
    question.category = row.scalar("subject")?;
    question.level = row.scalar("level")?;
    out.push(question)
}
