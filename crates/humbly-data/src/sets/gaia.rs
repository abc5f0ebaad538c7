//! GAIA (Mialon et al. 2023, arXiv:2311.12983): questions for assistants that search and compute.
//!
//! An answer is a number, a string or a list with commas in one string: the scorer takes it apart, so it
//! stays one reference. The annotators' steps tell the way to the answer and are left behind.

use crate::load::Questions;
use crate::registry::DataSet;
use crate::row::{Fault, Row};
use crate::source::{Origin, RemoteFile};

pub(crate) const SET: DataSet = DataSet {
    name: "gaia",
    title: "GAIA, validation",
    purpose: "natural conflict: search and tools over many steps",
    licence: "gated; not to be shared again",
    home: "https://huggingface.co/datasets/gaia-benchmark/GAIA",
    rows: Some(165),
    is_gated: true,
    warning: Some("the terms of GAIA forbid sharing its rows: keep them out of public files"),
    expects: "`task_id`, `Question`, `Level` and `Final answer` (Parquet or JSONL)",
    left_out: "nothing; the answers of the test split are hidden (`?`), so its questions have no references",
    files: &[RemoteFile {
        name: "metadata.parquet",
        origin: Origin::Hub {
            repository: "gaia-benchmark/GAIA",
            revision: "682dd723ee1e1697e00360edccf2366dc8418dd9",
            path: "2023/validation/metadata.parquet",
        },
        sha256: None,
    }],
    read,
    ..DataSet::PLAIN
};

fn read(row: Row<'_>, out: &mut Questions<'_>) -> Result<(), Fault> {
    let id = row.required_scalar("task_id")?;
    let mut question = out.question(Some(&id), row.text("Question")?.trim());
    question.level = Some(row.required_scalar("Level")?);
    let answer = row.required_scalar("Final answer")?;
    if answer.trim() == "?" {
        question.note("reference", Some("withheld"));
    } else {
        question.references = vec![answer.trim().to_owned()];
        question.answerable = Some(true);
    }
    question.note("file_name", row.scalar("file_name")?);
    if let Some(annotator) = row.object("Annotator Metadata")? {
        for field in ["Number of steps", "Number of tools", "Tools"] {
            question.note(field, annotator.scalar(field)?);
        }
    }
    out.push(question)
}
