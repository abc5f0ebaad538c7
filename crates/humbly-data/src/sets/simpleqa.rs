//! `SimpleQA` (Wei et al. 2024, arXiv:2411.04368): short facts, hard for models without search.
//!
//! `metadata` is the text of a Python dict (single quotes, so no JSON).

use serde_json::Value;

use crate::load::Questions;
use crate::python_literal::python_literal;
use crate::registry::DataSet;
use crate::row::{Fault, Row};
use crate::source::{Origin, RemoteFile};

pub(crate) const SET: DataSet = DataSet {
    name: "simpleqa",
    title: "SimpleQA",
    purpose: "short factual answers; calibration and abstention",
    licence: "MIT",
    home: "https://github.com/openai/simple-evals",
    rows: Some(4_326),
    expects: "`metadata` (a Python dict with topic, answer_type and urls), `problem` and `answer` (CSV)",
    files: &[RemoteFile {
        name: "simple_qa_test_set.csv",
        origin: Origin::Web("https://openaipublic.blob.core.windows.net/simple-evals/simple_qa_test_set.csv"),
        sha256: None,
    }],
    read,
    ..DataSet::PLAIN
};

fn read(row: Row<'_>, out: &mut Questions<'_>) -> Result<(), Fault> {
    let mut question = out.question(None, row.text("problem")?.trim());
    question.references = vec![row.required_scalar("answer")?];
    question.answerable = Some(true);
    let parsed;
    let metadata = match row.value("metadata") {
        // Re-hosts in JSON hold an object.
        Some(Value::Object(fields)) => fields,
        Some(Value::String(text)) => {
            parsed = python_literal(text)
                .map_err(|reason| Fault::new(format!("`metadata` is no Python dict: {reason}")))?;
            parsed.as_object().ok_or_else(|| Fault::found("metadata", &parsed, "a Python dict"))?
        }
        Some(other) => return Err(Fault::found("metadata", other, "a Python dict")),
        None => return Err(Fault::new("no `metadata`, expected a Python dict")),
    };
    let metadata = Row::new(metadata);
    question.category = metadata.scalar("topic")?;
    question.note("answer_type", metadata.scalar("answer_type")?);
    if metadata.value("urls").is_some() {
        question.note("urls", Some(metadata.texts("urls")?.join("\n")));
    }
    out.push(question)
}
