//! GSM8K (Cobbe et al. 2021, arXiv:2110.14168): grade-school word problems.
//!
//! The answer is worked out, with calculator marks `<<…>>`; what follows `####` is the reference, without the
//! commas between thousands, as upstream's own evaluation takes it.

use crate::load::Questions;
use crate::registry::DataSet;
use crate::row::{Fault, Row, shortened};
use crate::source::{Origin, RemoteFile};

pub(crate) const SET: DataSet = DataSet {
    name: "gsm8k",
    title: "GSM8K, test",
    purpose: "calculation; verification tools",
    licence: "MIT",
    home: "https://github.com/openai/grade-school-math",
    rows: Some(1_319),
    expects: "`question` and `answer` with the number after `####`",
    files: &[RemoteFile {
        name: "test.jsonl",
        origin: Origin::GitHub {
            repository: "openai/grade-school-math",
            commit: "3101c7d5072418e28b9008a6636bde82a006892c",
            path: "grade_school_math/data/test.jsonl",
        },
        sha256: Some("3730d312f6e3440559ace48831e51066acaca737f6eabec99bccb9e4b3c39d14"),
    }],
    read,
    ..DataSet::PLAIN
};

fn read(row: Row<'_>, out: &mut Questions<'_>) -> Result<(), Fault> {
    let mut question = out.question(None, row.text("question")?.trim());
    question.references = vec![final_answer(row.text("answer")?)?];
    question.answerable = Some(true);
    out.push(question)
}

/// What stands behind the last `####`.
pub(super) fn final_answer(worked: &str) -> Result<String, Fault> {
    let answer = worked.rsplit_once("####").map(|(_, answer)| answer.trim().replace(',', ""));
    answer.filter(|answer| !answer.is_empty()).ok_or_else(|| {
        Fault::new(format!("`answer` is `{}`, expected a number after `####`", shortened(worked)))
    })
}
