//! `SelfAware` (Yin et al. 2023, arXiv:2305.18153): questions that can be answered, and ones that cannot.
//!
//! The file is one object with its rows under `example`.

use crate::load::Questions;
use crate::registry::DataSet;
use crate::row::{Fault, Row};
use crate::source::{Origin, RemoteFile};

pub(crate) const SET: DataSet = DataSet {
    name: "selfaware",
    title: "SelfAware",
    purpose: "abstention: 2,337 answerable and 1,032 unanswerable questions",
    licence: "CC-BY-SA-4.0",
    home: "https://github.com/yinzhangyue/SelfAware",
    rows: Some(3_369),
    expects: "`question_id`, `question`, `answer` (a list, null where unanswerable), `answerable`, `source`",
    files: &[RemoteFile {
        name: "SelfAware.json",
        origin: Origin::GitHub {
            repository: "yinzhangyue/SelfAware",
            commit: "f0bad1ff77bd42fc4eb2360281ed646c7bb7bd0c",
            path: "data/SelfAware.json",
        },
        sha256: Some("32929585ffdd4048f35f7f167720722eb8ddcf59908ffc958da2f84ea634dc54"),
    }],
    wrapper: Some("example"),
    read,
    ..DataSet::PLAIN
};

fn read(row: Row<'_>, out: &mut Questions<'_>) -> Result<(), Fault> {
    let id = row.required_scalar("question_id")?;
    let mut question = out.question(Some(&format!("selfaware-{id}")), row.text("question")?);
    let answerable =
        row.flag("answerable")?.ok_or_else(|| Fault::new("no `answerable`, expected true or false"))?;
    question.answerable = Some(answerable);
    if answerable {
        question.references = row.some_texts("answer")?;
    } else if row.value("answer").is_some() {
        return Err(Fault::new("`answer` is given although `answerable` is false, expected null"));
    }
    question.category = row.scalar("source")?;
    out.push(question)
}
