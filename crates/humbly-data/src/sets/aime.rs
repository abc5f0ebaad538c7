//! AIME: thirty problems a year with whole numbers from 0 to 999 as answers.
//!
//! Three shapes: prompt with a boxed instruction and a whole number; problem and answer as text, as on the
//! hub; the Parquet rows of verl. The instruction belongs to an experiment and is taken off.

use crate::load::Questions;
use crate::registry::DataSet;
use crate::row::{Fault, Row, shortened};
use crate::sets::verl;
use crate::source::{Origin, RemoteFile};

pub(crate) const SET: DataSet = DataSet {
    name: "aime",
    title: "AIME 2024 and 2025",
    purpose: "hard mathematics with whole-number answers",
    licence: "Apache-2.0 (files); the problems belong to the MAA",
    home: "https://github.com/QwenLM/QwQ",
    rows: Some(60),
    expects: "`prompt` or `problem` and `answer` (0 to 999), or the Parquet rows of verl",
    files: &[
        file(
            "aime24.jsonl",
            "eval/data/aime24.jsonl",
            "5a7a817807c8c2b6b541631deaa6d8c2eb7f0420e0f2373a25878921e920b6da",
        ),
        file(
            "aime25.jsonl",
            "eval/data/aime25.jsonl",
            "9da60057135388687f3c594476b211538d0be8e7f3b2de6e680513281412c0ec",
        ),
    ],
    is_reworded: true,
    read,
    ..DataSet::PLAIN
};

const fn file(name: &'static str, path: &'static str, sha256: &'static str) -> RemoteFile {
    RemoteFile {
        name,
        origin: Origin::GitHub {
            repository: "QwenLM/QwQ",
            commit: "620a5eadc89ff464d339367dd9c9973a93215c81",
            path,
        },
        sha256: Some(sha256),
    }
}

fn read(row: Row<'_>, out: &mut Questions<'_>) -> Result<(), Fault> {
    let (text, answer) = match verl::item(row)? {
        Some(item) => (item.question, item.answer),
        None => (
            verl::without_instruction(row.text_of(&["problem", "prompt", "question"])?).to_owned(),
            row.required_scalar("answer")?,
        ),
    };
    let number = answer.trim().parse::<u32>().ok().filter(|number| *number <= 999);
    let number = number.ok_or_else(|| {
        Fault::new(format!("`answer` is `{}`, expected a whole number from 0 to 999", shortened(&answer)))
    })?;
    let mut question = out.question(None, &text);
    question.references = vec![number.to_string()];
    question.answerable = Some(true);
    question.note("year", row.scalar("year")?);
    question.note("url", row.scalar("url")?);
    out.push(question)
}
