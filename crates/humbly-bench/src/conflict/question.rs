//! A question with two competing answers and passages for each.

use std::collections::HashSet;
use std::io::BufRead;

use humbly_agent::Passage;
use humbly_types::Problem;
use serde::{Deserialize, Serialize};

/// A question on which two answers compete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConflictQuestion {
    /// Id, unique in its set.
    pub id: String,
    /// Data set.
    pub dataset: String,
    /// Group within the data set, by which tables may be cut; empty for none.
    #[serde(default)]
    pub group: String,
    /// The question.
    pub question: String,
    /// The right answer with its passages.
    pub gold: Side,
    /// The competing answer with its passages.
    pub rival: Side,
}

/// One answer and what speaks for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Side {
    /// The answer.
    pub answer: String,
    /// Other forms of it.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Passages that support it; a control needs two of the gold answer.
    pub passages: Vec<Passage>,
    /// The text that a conflict shows, where the passages are parts of it that only a control shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<Passage>,
}

impl Side {
    /// The answer and its other forms.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.answer.as_str()).chain(self.aliases.iter().map(String::as_str))
    }
}

/// One row of a questions file (`--questions`), as the starter set has them.
#[derive(Debug, Deserialize)]
struct Row {
    id: String,
    #[serde(default)]
    dataset: Option<String>,
    #[serde(default, alias = "relation")]
    group: String,
    question: String,
    answer: String,
    #[serde(default)]
    aliases: Vec<String>,
    false_answer: String,
    #[serde(default)]
    false_aliases: Vec<String>,
    passages_true: Vec<PassageRow>,
    passages_false: Vec<PassageRow>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum PassageRow {
    Text(String),
    Styled {
        title: Option<String>,
        #[serde(alias = "style")]
        source: Option<String>,
        text: String,
    },
}

impl From<PassageRow> for Passage {
    fn from(row: PassageRow) -> Self {
        match row {
            PassageRow::Text(text) => Self { text, ..Self::default() },
            PassageRow::Styled { title, source, text } => Self { title, text, source },
        }
    }
}

/// Reads questions, one JSON object a line; what cannot be used is a problem with its line.
///
/// A row has `id`, `question`, `answer`, `false_answer`, `passages_true` (two) and `passages_false` (one or
/// more; texts or objects with `text`, `title` and `source`); `aliases`, `false_aliases`, `dataset` and `group` may be
/// left out.
///
/// # Examples
/// ```
/// use humbly_bench::conflict::read_questions;
/// let row = r#"{"id":"q1","question":"What is the capital of Italy?","answer":"Rome","false_answer":"Milan",
///   "passages_true":["Rome is the capital of Italy.","Italy is governed from Rome."],
///   "passages_false":["Milan is the capital of Italy."]}"#.replace('\n', " ");
/// let (questions, problems) = read_questions(row.as_bytes(), "mine.jsonl", "mine");
/// assert_eq!((questions.len(), problems.len()), (1, 0));
/// ```
pub fn read_questions(
    reader: impl BufRead,
    path: &str,
    dataset: &str,
) -> (Vec<ConflictQuestion>, Vec<Problem>) {
    let mut questions = Vec::new();
    let mut problems = Vec::new();
    let mut seen = HashSet::new();
    for (index, line) in (1u64..).zip(reader.split(b'\n')) {
        let mut problem = |message: String, hint: &str| {
            problems.push(Problem::new(path, message).line(index).hint(hint));
        };
        let line = match line {
            Ok(line) => line,
            Err(error) => {
                problem(format!("cannot be read: {error}"), "the lines before it were kept");
                break;
            }
        };
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match serde_json::from_slice::<Row>(&line) {
            Err(error) => problem(
                format!("not a question: {error}"),
                "expected id, question, answer, false_answer, passages_true (two), passages_false",
            ),
            Ok(row) => match question(row, dataset) {
                Err(message) => problem(message, "the row was left out"),
                Ok(question) if !seen.insert(question.id.clone()) => {
                    problem(format!("id `{}` stands twice", question.id), "the second one was left out");
                }
                Ok(question) => questions.push(question),
            },
        }
    }
    (questions, problems)
}

fn question(row: Row, dataset: &str) -> Result<ConflictQuestion, String> {
    let id = row.id;
    for (name, text) in
        [("question", &row.question), ("answer", &row.answer), ("false_answer", &row.false_answer)]
    {
        if text.trim().is_empty() {
            return Err(format!("`{name}` of `{id}` is empty"));
        }
    }
    if row.answer.trim().eq_ignore_ascii_case(row.false_answer.trim()) {
        return Err(format!("answer and false_answer of `{id}` are the same: `{}`", row.answer));
    }
    if row.passages_true.len() < 2 || row.passages_false.is_empty() {
        return Err(format!(
            "`{id}` has {} passages_true and {} passages_false, expected at least 2 and 1",
            row.passages_true.len(),
            row.passages_false.len()
        ));
    }
    let side = |answer, aliases, passages: Vec<PassageRow>| Side {
        answer,
        aliases,
        passages: passages.into_iter().map(Passage::from).collect(),
        whole: None,
    };
    Ok(ConflictQuestion {
        id,
        dataset: row.dataset.unwrap_or_else(|| dataset.to_owned()),
        group: row.group,
        question: row.question,
        gold: side(row.answer, row.aliases, row.passages_true),
        rival: side(row.false_answer, row.false_aliases, row.passages_false),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"id":"q1","question":"Q?","answer":"a","false_answer":"b","passages_true":["x","y"],"passages_false":[{"title":"letter","text":"z"}]}"#;

    fn problems_of(text: &str) -> Vec<String> {
        let (_, problems) = read_questions(text.as_bytes(), "q.jsonl", "mine");
        problems.into_iter().map(|problem| problem.message).collect()
    }

    #[test]
    fn a_bad_row_is_named_and_the_rest_kept() {
        let text = format!("{GOOD}\nnot json\n\n{}\n", GOOD.replace("q1", "q2"));
        let (questions, problems) = read_questions(text.as_bytes(), "q.jsonl", "mine");
        assert_eq!(questions.len(), 2);
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].line, Some(2));
        assert_eq!(questions[0].rival.passages[0].title.as_deref(), Some("letter"));
    }

    #[test]
    fn what_cannot_be_a_conflict_is_refused() {
        assert!(
            problems_of(&GOOD.replace(r#""false_answer":"b""#, r#""false_answer":"A ""#))[0]
                .contains("the same")
        );
        assert!(problems_of(&GOOD.replace(r#"["x","y"]"#, r#"["x"]"#))[0].contains("1 passages_true"));
        assert!(problems_of(&GOOD.replace(r#""answer":"a""#, r#""answer":" ""#))[0].contains("is empty"));
        assert!(problems_of(&format!("{GOOD}\n{GOOD}"))[0].contains("stands twice"));
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..400)) {
            let _ = read_questions(bytes.as_slice(), "q.jsonl", "mine");
        }
    }
}
