//! MiP-Overthinking (Fan et al. 2025, arXiv:2504.06514): questions whose premise was taken away.
//!
//! Each row gives the question that cannot be answered (`…-mip`) and, where the file has it, the whole one
//! (`…-whole`); `meta.pair` joins them. `data/math.json` lacks the rewritten questions: they stand in the
//! files of responses only, next to the outputs of a model, which are left behind. Files of several models
//! repeat the questions; a repeated one is counted and left out.

use std::path::Path;

use crate::load::Questions;
use crate::registry::DataSet;
use crate::row::{Fault, Row};
use crate::sets::gsm8k::final_answer;
use crate::source::{Origin, RemoteFile};

pub(crate) const SET: DataSet = DataSet {
    name: "mip-overthinking",
    title: "MiP-Overthinking: GSM8K, MATH, SVAMP and formulas with a missing premise",
    purpose: "abstention: the premise is missing, most with their whole question beside",
    licence: "MIT",
    home: "https://github.com/tianyi-lab/MiP-Overthinking",
    rows: Some(984),
    expects: "`insufficient_question`, with `question` and `answer` where there is a whole one",
    left_out: "rows of `data/math.json` (it has no rewritten questions; they stand in `response/math`), \
               questions that an earlier file or entry held",
    files: &[
        file(
            "gsm8k.json",
            "data/gsm8k.json",
            "cf1a7b0b8b2ff44f64c6e89ac82ff1aa890ee0366b8544ec648eaf7108486797",
        ),
        file(
            "svamp.json",
            "data/svamp.json",
            "ec8bc9256c6575b06148b68104b243f320c3dcc79e9e1a10899d123b7dcc4a54",
        ),
        file(
            "formula.json",
            "data/formula.json",
            "71dbc9d6806b81db8c594710ef57927f22e39841d21f0f028d24a5074778b6d2",
        ),
        file(
            "math-response.json",
            "response/math/MiP/gpt4o/response.json",
            "f67857de608aea878158596d69c454d8f57175f9971fe7a079bdaed0b44810ff",
        ),
    ],
    read,
    ..DataSet::PLAIN
};

const fn file(name: &'static str, path: &'static str, sha256: &'static str) -> RemoteFile {
    RemoteFile {
        name,
        origin: Origin::GitHub {
            repository: "tianyi-lab/MiP-Overthinking",
            commit: "4090d3b15e7bb93cc5ed4d62250fdd0e8c51d5e2",
            path,
        },
        sha256: Some(sha256),
    }
}

fn read(row: Row<'_>, out: &mut Questions<'_>) -> Result<(), Fault> {
    if row.value("insufficient_question").is_none() && row.value("question").is_some() {
        out.leave_out("no insufficient_question");
        return Ok(());
    }
    let asked = row.text("insufficient_question")?.trim();
    let whole = row.scalar("question")?;
    let key = format!("{asked}\n{}", whole.as_deref().unwrap_or_default());
    if !out.is_new(&key) {
        out.leave_out("repeated question");
        return Ok(());
    }
    let part = part(row, out.path());
    let answer = row.scalar("answer")?;
    let pair = out.question(None, "").id;
    let pair = match row.scalar("unique_id")? {
        Some(id) => id,
        // Files of several models are called alike.
        None => pair.replacen(out.stem(), &format!("mip-{part}"), 1),
    };
    let mut missing = out.question(Some(&format!("{pair}-mip")), asked);
    missing.answerable = Some(false);
    missing.category = Some(part.to_owned());
    for field in ["complexity", "depth", "subject"] {
        missing.note(field, row.scalar(field)?);
    }
    missing.level = row.scalar("level")?;
    missing.note("original_question", whole.clone());
    missing.note("original_answer", answer.clone());
    let Some(whole) = whole else { return out.push(missing) };
    missing.note("pair", Some(pair.as_str()));
    let answer = answer.ok_or_else(|| Fault::new("no `answer`, expected the answer of `question`"))?;
    let mut complete = out.question(Some(&format!("{pair}-whole")), whole.trim());
    complete.answerable = Some(true);
    // GSM8K's answers are worked out; those of MATH are the answer itself.
    complete.references = vec![if answer.contains("####") { final_answer(&answer)? } else { answer }];
    complete.category.clone_from(&missing.category);
    complete.level.clone_from(&missing.level);
    complete.note("pair", Some(pair));
    out.push(missing)?;
    out.push(complete)
}

/// Which of the four parts a row belongs to: its fields say so, else its path.
fn part(row: Row<'_>, path: &str) -> &'static str {
    let has = |name: &str| row.value(name).is_some();
    if has("complexity") && has("depth") {
        return "formula";
    }
    if has("unique_id") || has("subject") {
        return "math";
    }
    if !has("question") {
        return "svamp";
    }
    let answer = row.value("answer").and_then(serde_json::Value::as_str).unwrap_or_default();
    let is_math = Path::new(path).components().any(|part| part.as_os_str() == "math");
    if is_math || !answer.contains("####") { "math" } else { "gsm8k" }
}
