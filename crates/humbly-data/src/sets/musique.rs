//! `MuSiQue` (Trivedi et al. 2022, arXiv:2108.00573): questions of two to four hops with twenty paragraphs.
//!
//! Where `answerable` is false the paragraphs do not hold the answer; upstream's answer then belongs to the
//! question with other paragraphs and is kept in `meta` (`original_answer`), not as a reference. The full set
//! has every question twice under one id, once answerable and once not: the id tells them apart.

use crate::load::Questions;
use crate::question::Passage;
use crate::registry::DataSet;
use crate::row::{Fault, Row};
use crate::source::{Origin, RemoteFile};

pub(crate) const SET: DataSet = DataSet {
    name: "musique",
    title: "MuSiQue-Ans, development set",
    purpose: "multi-hop questions with passages; some cannot be answered from them",
    licence: "CC-BY-4.0",
    home: "https://github.com/StonyBrookNLP/musique",
    rows: Some(2_417),
    expects: "`id`, `question`, `paragraphs`, `answer`, `answer_aliases`, `answerable`",
    files: &[RemoteFile {
        name: "musique_ans_v1.0_dev.jsonl",
        origin: Origin::Hub {
            repository: "dgslibisey/MuSiQue",
            revision: "c8f4f8c9465fb69d31a8eae894c3fd509c4ca321",
            path: "musique_ans_v1.0_dev.jsonl",
        },
        sha256: None,
    }],
    read,
    ..DataSet::PLAIN
};

fn read(row: Row<'_>, out: &mut Questions<'_>) -> Result<(), Fault> {
    let id = row.required_scalar("id")?;
    let answerable = row.flag("answerable")?;
    let full = if answerable == Some(false) { format!("{id}-unanswerable") } else { id.clone() };
    let mut question = out.question(Some(&full), row.text("question")?.trim());
    question.answerable = answerable;
    let answer = row.required_scalar("answer")?;
    if answerable == Some(false) {
        question.note("original_answer", Some(answer));
    } else {
        question.references = vec![answer];
        if row.value("answer_aliases").is_some() {
            question.references.extend(row.texts("answer_aliases")?);
        }
    }
    question.level = id.split_once("__").map(|(hops, _)| hops.to_owned());
    for paragraph in row.list("paragraphs")? {
        let fields =
            paragraph.as_object().ok_or_else(|| Fault::found("paragraphs[…]", paragraph, "an object"))?;
        let paragraph = Row::new(fields);
        question.passages.push(Passage {
            title: paragraph.scalar("title")?,
            is_supporting: paragraph.flag("is_supporting")?,
            ..Passage::new(paragraph.text("paragraph_text")?)
        });
    }
    out.push(question)
}
