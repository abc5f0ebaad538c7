//! Natural Questions, open form (Lee et al. 2019, arXiv:1906.00300): what people asked a search engine.
//!
//! The graded predictions of the `EfficientQA` test file are outputs of models and are left behind.

use crate::load::Questions;
use crate::registry::DataSet;
use crate::row::{Fault, Row};
use crate::source::{Origin, RemoteFile};

pub(crate) const SET: DataSet = DataSet {
    name: "nq-open",
    title: "NQ-open, development set",
    purpose: "short factual answers; calibration and search",
    licence: "CC-BY-SA-3.0",
    home: "https://github.com/google-research-datasets/natural-questions",
    rows: Some(3_610),
    expects: "`question` and `answer` (a list of texts)",
    files: &[RemoteFile {
        name: "NQ-open.dev.jsonl",
        origin: Origin::GitHub {
            repository: "google-research-datasets/natural-questions",
            commit: "fb26a3073b1fe636c97302890a27b491d6530130",
            path: "nq_open/NQ-open.dev.jsonl",
        },
        sha256: Some("f15567f38099f3615f5b8a685c0aef449c11ad90d3da3735e8d1b98115b40616"),
    }],
    read,
    ..DataSet::PLAIN
};

fn read(row: Row<'_>, out: &mut Questions<'_>) -> Result<(), Fault> {
    let mut question = out.question(None, row.text("question")?);
    question.references = row.some_texts("answer")?;
    question.answerable = Some(true);
    out.push(question)
}
