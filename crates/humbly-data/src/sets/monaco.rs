//! `MoNaCo` (Wolfson et al. 2025, arXiv:2508.11133): questions over dozens of pages, mostly with list answers.
//!
//! `validated_answer` is a list: `[true]` and `[false]` mean yes and no, several items are all asked for. A
//! list inside the list is one item whose parts belong together; it becomes one reference.

use humbly_types::ReferenceMode;
use serde_json::Value;

use crate::load::Questions;
use crate::registry::DataSet;
use crate::row::{Fault, Row, scalar};
use crate::source::{Origin, RemoteFile};

pub(crate) const SET: DataSet = DataSet {
    name: "monaco",
    title: "MoNaCo, version 1",
    purpose: "natural conflict: list questions over many pages",
    licence: "ODC-By (gated)",
    home: "https://huggingface.co/datasets/allenai/MoNaCo_Benchmark",
    rows: Some(1_315),
    is_gated: true,
    warning: Some("the rows of MoNaCo are gated against training on them: keep them out of public files"),
    expects: "`ex_num`, `question` and `validated_answer` (a list)",
    files: &[RemoteFile {
        name: "monaco_version_1_release.jsonl",
        // No commit is known to us; the one that answers is recorded.
        origin: Origin::Hub {
            repository: "allenai/MoNaCo_Benchmark",
            revision: "main",
            path: "monaco_version_1_release.jsonl",
        },
        sha256: None,
    }],
    read,
    ..DataSet::PLAIN
};

fn read(row: Row<'_>, out: &mut Questions<'_>) -> Result<(), Fault> {
    let number = row.required_scalar("ex_num")?;
    let mut question = out.question(Some(&format!("monaco-{number}")), row.text("question")?.trim());
    let answers = match row.value("validated_answer") {
        Some(Value::Array(items)) => items.as_slice(),
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    let kind;
    (question.references, kind) = match answers {
        [] => return Err(Fault::new("no `validated_answer`, expected a list with at least one answer")),
        [Value::Bool(flag)] => (vec![if *flag { "yes" } else { "no" }.to_owned()], "yes_no"),
        [_] => (vec![item(&answers[0])?], "one"),
        several => (several.iter().map(item).collect::<Result<_, _>>()?, "list"),
    };
    if question.references.len() > 1 {
        question.reference_mode = ReferenceMode::All;
    }
    question.answerable = Some(true);
    question.note("answer_kind", Some(kind));
    if let Some(Value::Array(steps)) = row.value("decomposition") {
        question.note("steps", Some(steps.len().to_string()));
    }
    out.push(question)
}

fn item(value: &Value) -> Result<String, Fault> {
    let text = match value {
        Value::Array(parts) => {
            let parts: Option<Vec<String>> = parts.iter().map(scalar).collect();
            parts.map(|parts| parts.join(", "))
        }
        one => scalar(one),
    };
    text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).ok_or_else(|| {
        Fault::found("validated_answer[…]", value, "text, a number, true, false or a list of these")
    })
}
