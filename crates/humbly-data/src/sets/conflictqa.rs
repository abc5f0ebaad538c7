//! `ConflictQA` (Xie et al. 2023, arXiv:2305.13300): what a model believed, the opposite, and evidence for both.
//!
//! The rows belong to one model: `memory_answer` is its belief, `parametric_memory` what it wrote about it,
//! and the aligned evidence a second text for the same answer. The two texts of a side agree, in this order.
//! Evidence may be empty; such a side has fewer passages.

use crate::gold_side::gold_side;
use crate::load::Questions;
use crate::question::{Passage, Side, SideName};
use crate::registry::DataSet;
use crate::row::{Fault, Row};
use crate::source::{Origin, RemoteFile};

pub(crate) const SET: DataSet = DataSet {
    name: "conflictqa",
    title: "ConflictQA (StrategyQA part, beliefs of ChatGPT)",
    purpose: "controlled conflict: two answers with two passages each",
    licence: "Apache-2.0",
    home: "https://github.com/OSU-NLP-Group/LLM-Knowledge-Conflict",
    rows: Some(1_245),
    expects: "`question`, `ground_truth`, `memory_answer`, `counter_answer` and their memories and evidence",
    files: &[RemoteFile {
        name: "conflictQA-strategyQA-chatgpt.json",
        origin: Origin::GitHub {
            repository: "OSU-NLP-Group/LLM-Knowledge-Conflict",
            commit: "595e02b6fedfdb03316b763e5036da93ffb12fbf",
            path: "conflictQA/conflictQA-strategyQA-chatgpt.json",
        },
        sha256: Some("36d20c83466356f06e8646b3a60dba0a303653739f06b79d99fd5a1c7c5841e0"),
    }],
    read,
    ..DataSet::PLAIN
};

fn read(row: Row<'_>, out: &mut Questions<'_>) -> Result<(), Fault> {
    let mut question = out.question(None, row.text("question")?);
    let truth = row.some_texts("ground_truth")?;
    let memory = row.text("memory_answer")?.trim();
    let counter = row.text("counter_answer")?.trim();
    let mut sides = vec![
        side(row, SideName::Memory, memory, ["parametric_memory", "parametric_memory_aligned_evidence"])?,
        side(row, SideName::Counter, counter, ["counter_memory", "counter_memory_aligned_evidence"])?,
    ];
    let gold = gold_side(&question.question, [memory, counter], &truth);
    for (index, side) in sides.iter_mut().enumerate() {
        side.is_gold = gold.map(|gold| gold == index);
    }
    question.candidates = sides.iter().map(|side| side.answer.clone()).collect();
    question.sides = sides;
    // A person answers a yes-no question with yes or no, where the file says True or False.
    let spoken = match truth.as_slice() {
        [one] if one == "True" => Some("Yes"),
        [one] if one == "False" => Some("No"),
        _ => None,
    };
    question.note("answer_kind", spoken.map(|_| "yes_no"));
    question.references = truth;
    question.references.extend(spoken.map(str::to_owned));
    question.note("popularity", row.scalar("popularity")?);
    if let Some((source, model)) =
        out.stem().strip_prefix("conflictQA-").and_then(|rest| rest.split_once('-'))
    {
        question.category = Some(source.to_owned());
        question.note("believed_by", Some(model));
    }
    out.push(question)
}

fn side(row: Row<'_>, name: SideName, answer: &str, fields: [&str; 2]) -> Result<Side, Fault> {
    let mut passages = Vec::new();
    for field in fields {
        if let Some(text) = row.scalar(field)? {
            passages.push(Passage {
                side: Some(name),
                source: Some(field.to_owned()),
                ..Passage::new(text.trim())
            });
        }
    }
    Ok(Side { name, answer: answer.to_owned(), statement: None, is_gold: None, passages })
}
