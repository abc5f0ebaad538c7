//! DAPO-Math (Yu et al. 2025, arXiv:2503.14476): problems with whole-number answers, in verl's form.
//!
//! Upstream repeats each problem many times; the first of each `extra_info.index` is kept.

use crate::load::Questions;
use crate::registry::DataSet;
use crate::row::{Fault, Row};
use crate::sets::verl;
use crate::source::{Origin, RemoteFile};

pub(crate) const SET: DataSet = DataSet {
    name: "dapo-math",
    title: "DAPO-Math-17k",
    purpose: "mathematics for training with rewards",
    licence: "Apache-2.0",
    home: "https://huggingface.co/datasets/BytedTsinghua-SIA/DAPO-Math-17k",
    expects: "`prompt`, `reward_model.ground_truth` and `extra_info.index` (Parquet)",
    left_out: "copies: all rows of one `extra_info.index` but the first",
    files: &[RemoteFile {
        name: "dapo-math-17k.parquet",
        // No commit is known to us; the one that answers is recorded.
        origin: Origin::Hub {
            repository: "BytedTsinghua-SIA/DAPO-Math-17k",
            revision: "main",
            path: "data/dapo-math-17k.parquet",
        },
        sha256: None,
    }],
    read,
    ..DataSet::PLAIN
};

fn read(row: Row<'_>, out: &mut Questions<'_>) -> Result<(), Fault> {
    let item = verl::item(row)?
        .ok_or_else(|| Fault::new("no `reward_model`, expected an object with `ground_truth`"))?;
    let key = item.index.clone().unwrap_or_else(|| item.question.clone());
    if !out.is_new(&key) {
        out.leave_out("copy of an earlier row");
        return Ok(());
    }
    let id = item.index.map(|index| format!("dapo-{index}"));
    let mut question = out.question(id.as_deref(), &item.question);
    question.references = vec![item.answer];
    question.answerable = Some(true);
    question.category = row.scalar("data_source")?;
    out.push(question)
}
