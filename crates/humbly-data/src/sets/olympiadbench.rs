//! `OlympiadBench` (He et al. 2024, arXiv:2402.14008), text-only English mathematics.
//!
//! Several answers stand in one string of `final_answer`; all are asked for. Upstream marks two such rows that
//! hold a single tuple and one that is a sentence: they stay one reference.

use humbly_types::ReferenceMode;

use crate::answer_list::{split_answers, without_dollars};
use crate::load::Questions;
use crate::registry::DataSet;
use crate::row::{Fault, Row, shortened};
use crate::source::{Origin, RemoteFile};

pub(crate) const SET: DataSet = DataSet {
    name: "olympiadbench",
    title: "OlympiadBench (OE_TO_maths_en_COMP)",
    purpose: "competition mathematics with LaTeX answers",
    licence: "Apache-2.0",
    home: "https://huggingface.co/datasets/Hothan/OlympiadBench",
    rows: Some(675),
    expects: "`id`, `question`, and `final_answer` (a list) or `answer`",
    files: &[RemoteFile {
        name: "test.jsonl",
        origin: Origin::GitHub {
            repository: "QwenLM/Qwen2.5-Math",
            commit: "a45202bd16f1ec06f433442dc1152d0074773465",
            path: "evaluation/data/olympiadbench/test.jsonl",
        },
        sha256: Some("bb8c1e38a16ea9eacb77530315a674d883f267fbff79183effc53681b4fcc416"),
    }],
    read,
    ..DataSet::PLAIN
};

fn read(row: Row<'_>, out: &mut Questions<'_>) -> Result<(), Fault> {
    let id = row.required_scalar("id")?;
    let mut question = out.question(Some(&format!("olympiadbench-{id}")), row.text("question")?.trim());
    let answers = match row.value("final_answer") {
        Some(_) => row.some_texts("final_answer")?,
        None => vec![row.required_scalar("answer")?],
    };
    question.references = if row.flag("is_multiple_answer")? == Some(true) {
        question.note("is_multiple_answer", Some("true"));
        answers.iter().flat_map(|answer| split_answers(answer)).collect()
    } else {
        answers.iter().map(|answer| without_dollars(answer).to_owned()).collect()
    };
    if question.references.is_empty() {
        return Err(Fault::new("`final_answer` holds signs alone, expected an answer"));
    }
    if question.references.len() > 1 {
        question.reference_mode = ReferenceMode::All;
    }
    question.answerable = Some(true);
    question.category = row.scalar("subfield")?;
    question.tolerance = match row.scalar("error")? {
        None => None,
        Some(error) => Some(tolerance(&error)?),
    };
    for field in ["answer_type", "unit", "context"] {
        question.note(field, row.scalar(field)?);
    }
    out.push(question)
}

fn tolerance(text: &str) -> Result<f64, Fault> {
    let number = text.trim().parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| {
        Fault::new(format!("`error` is `{}`, expected a tolerance such as 1e-1", shortened(text)))
    })
}
