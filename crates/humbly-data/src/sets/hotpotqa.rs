//! `HotpotQA` (Yang et al. 2018, arXiv:1809.09600): questions over two pages of Wikipedia.
//!
//! Three shapes: the original (`context` is a list of `[title, [sentence]]`), the hub's (columns of titles
//! and sentences), and question, answer and type alone. Answers may be `yes` and `no`.

use std::collections::HashSet;

use serde_json::Value;

use crate::load::Questions;
use crate::question::Passage;
use crate::registry::DataSet;
use crate::row::{Fault, Row};
use crate::source::{Origin, RemoteFile};

pub(crate) const SET: DataSet = DataSet {
    name: "hotpotqa",
    title: "HotpotQA, distractor validation",
    purpose: "two-hop questions with passages; calibration and search",
    licence: "CC-BY-SA-4.0",
    home: "https://hotpotqa.github.io",
    rows: Some(7_405),
    expects: "`question`, `answer`, and `context` with `supporting_facts` as in the original or on the hub",
    files: &[RemoteFile {
        name: "validation-00000-of-00001.parquet",
        origin: Origin::Hub {
            repository: "hotpotqa/hotpot_qa",
            revision: "1908d6afbbead072334abe2965f91bd2709910ab",
            path: "distractor/validation-00000-of-00001.parquet",
        },
        sha256: None,
    }],
    read,
    ..DataSet::PLAIN
};

fn read(row: Row<'_>, out: &mut Questions<'_>) -> Result<(), Fault> {
    let id = match row.scalar("_id")? {
        Some(id) => Some(id),
        None => row.scalar("id")?,
    };
    let mut question = out.question(id.as_deref(), row.text("question")?.trim());
    question.references = vec![row.required_scalar("answer")?];
    question.answerable = Some(true);
    question.category = row.scalar("type")?;
    question.level = row.scalar("level")?;
    let supporting = match row.value("supporting_facts") {
        None => None,
        Some(facts) => Some(
            titles(facts)
                .ok_or_else(|| Fault::found("supporting_facts", facts, "titles with sentence numbers"))?,
        ),
    };
    if let Some(context) = row.value("context") {
        let pages = pages(context)
            .ok_or_else(|| Fault::found("context", context, "titles with as many lists of sentences"))?;
        question.passages = pages
            .into_iter()
            .map(|(title, text)| Passage {
                is_supporting: supporting.as_ref().map(|titles| titles.contains(title)),
                title: Some(title.to_owned()),
                ..Passage::new(text)
            })
            .collect();
    }
    out.push(question)
}

/// Titles of the supporting facts.
fn titles(facts: &Value) -> Option<HashSet<&str>> {
    match facts {
        Value::Array(pairs) => pairs.iter().map(|pair| pair.get(0)?.as_str()).collect(),
        Value::Object(columns) => columns.get("title")?.as_array()?.iter().map(Value::as_str).collect(),
        _ => None,
    }
}

/// Title and text of each page.
fn pages(context: &Value) -> Option<Vec<(&str, String)>> {
    match context {
        Value::Array(pages) => {
            pages.iter().map(|page| Some((page.get(0)?.as_str()?, sentences(page.get(1)?)?))).collect()
        }
        Value::Object(columns) => {
            let titles = columns.get("title")?.as_array()?;
            let texts = columns.get("sentences")?.as_array()?;
            if titles.len() != texts.len() {
                return None;
            }
            titles.iter().zip(texts).map(|(title, text)| Some((title.as_str()?, sentences(text)?))).collect()
        }
        _ => None,
    }
}

/// Sentences carry their own spaces in front.
fn sentences(value: &Value) -> Option<String> {
    let sentences: Option<String> = value.as_array()?.iter().map(Value::as_str).collect();
    sentences.map(|text| text.trim().to_owned())
}
