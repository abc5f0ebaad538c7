//! `BrowseComp` (Wei et al. 2025, arXiv:2504.12516): short answers that are hard to find.
//!
//! Question and answer are encrypted with the row's own canary. `BrowseComp-ZH` uses the same scheme with
//! other names for its columns, and its topic in the clear.

use crate::canary::decrypt;
use crate::load::Questions;
use crate::registry::DataSet;
use crate::row::{Fault, Row, shortened};
use crate::source::{Origin, RemoteFile};

pub(crate) const SET: DataSet = DataSet {
    name: "browsecomp",
    title: "BrowseComp",
    purpose: "natural conflict: facts that are hard to find",
    licence: "MIT (code)",
    home: "https://github.com/openai/simple-evals",
    rows: Some(1_266),
    warning: Some(
        "BrowseComp asks that its rows never appear in plain text in public: keep them out of public files",
    ),
    expects: "`problem`, `answer` (encrypted, base64) and `canary` (CSV or JSONL)",
    files: &[RemoteFile {
        name: "browse_comp_test_set.csv",
        origin: Origin::Web(
            "https://openaipublic.blob.core.windows.net/simple-evals/browse_comp_test_set.csv",
        ),
        sha256: None,
    }],
    read,
    ..DataSet::PLAIN
};

fn read(row: Row<'_>, out: &mut Questions<'_>) -> Result<(), Fault> {
    // The canary is a key: not a space of it may be lost.
    let canary = row.text("canary")?;
    let problem = plain(row.text_of(&["problem", "Question"])?, canary, "problem")?;
    let answer = plain(row.text_of(&["answer", "Answer"])?, canary, "answer")?;
    let mut question = out.question(None, problem.trim());
    question.references = vec![answer.trim().to_owned()];
    question.answerable = Some(true);
    question.category = match row.scalar("problem_topic")? {
        Some(topic) => Some(topic),
        None => row.scalar("Topic")?,
    };
    out.push(question)
}

fn plain(encrypted: &str, canary: &str, field: &str) -> Result<String, Fault> {
    match decrypt(encrypted, canary) {
        Some(text) if !text.trim().is_empty() => Ok(text),
        Some(_) => Err(Fault::new(format!("`{field}` is empty when decrypted, expected text"))),
        None => Err(Fault::new(format!(
            "`{field}` is `{}`, expected base64 that the row's canary decrypts to text",
            shortened(encrypted)
        ))),
    }
}
