//! `WikiContradict` (Hou et al. 2024, arXiv:2406.13805): two passages of Wikipedia that contradict each other.
//!
//! No side is right. A complete answer names both, so both answers are references and all are asked for.
//! The passage of a side is the one that stands alone, where the file has it; the excerpt and its
//! surroundings stay in `meta` (`context1`, `context1_info`, …).

use humbly_types::ReferenceMode;

use crate::load::Questions;
use crate::question::{Passage, Side, SideName};
use crate::registry::DataSet;
use crate::row::{Fault, Row};
use crate::source::{Origin, RemoteFile};

pub(crate) const SET: DataSet = DataSet {
    name: "wikicontradict",
    title: "WikiContradict (refined rows)",
    purpose: "controlled conflict: two contradicting passages of Wikipedia",
    licence: "MIT (data), Apache-2.0 (refined form)",
    home: "https://github.com/IBM/FactReasoner",
    rows: Some(253),
    expects: "`question`, `answer1`, `answer2` and `context1`, `context2` (JSONL, or the hub's CSV)",
    files: &[RemoteFile {
        name: "wiki_contradict_refined.jsonl",
        origin: Origin::GitHub {
            repository: "IBM/FactReasoner",
            commit: "586b4ef811af1caf8e34be277f6122ba35b28386",
            path: "data/wiki_contradict_refined.jsonl",
        },
        sha256: Some("9c4204de250d6b803e10cbc9fba05f743e87931ab678e314d4de44ea93302ea3"),
    }],
    read,
    ..DataSet::PLAIN
};

fn read(row: Row<'_>, out: &mut Questions<'_>) -> Result<(), Fault> {
    let mut question = out.question(None, row.text("question")?);
    question.sides = vec![
        side(
            row,
            SideName::First,
            ["answer1", "answer1_self_contained", "context1", "context1_self_contained"],
        )?,
        side(
            row,
            SideName::Second,
            ["answer2", "answer2_self_contained", "context2", "context2_self_contained"],
        )?,
    ];
    question.candidates = question.sides.iter().map(|side| side.answer.clone()).collect();
    question.references.clone_from(&question.candidates);
    question.reference_mode = ReferenceMode::All;
    question.category = match row.scalar("contradiction_type")? {
        Some(kind) => Some(kind),
        None => row.scalar("contradictType")?,
    };
    for field in ["context1", "context2", "context1_info", "context2_info", "WikipediaArticleTitle", "url"] {
        question.note(field, row.scalar(field)?);
    }
    out.push(question)
}

fn side(row: Row<'_>, name: SideName, fields: [&str; 4]) -> Result<Side, Fault> {
    let [answer, statement, context, alone] = fields;
    let (source, text) = match row.scalar(alone)? {
        Some(text) => (alone, text),
        None => (context, row.text(context)?.to_owned()),
    };
    let passage = Passage { side: Some(name), source: Some(source.to_owned()), ..Passage::new(text.trim()) };
    Ok(Side {
        name,
        answer: row.text(answer)?.trim().to_owned(),
        statement: row.scalar(statement)?,
        is_gold: None,
        passages: vec![passage],
    })
}
