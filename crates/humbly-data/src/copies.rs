//! Which questions of a file an earlier file asks too.

use std::collections::{BTreeSet, HashMap};

use sha2::{Digest, Sha256};

use crate::question::Question;

/// Share of words that two wordings of one problem have in common: over both years of AIME copies share 0.66 and more,
/// other problems with the same answer 0.18 at most.
const SAME_WORDS: f64 = 0.5;
/// So many wordings are kept for one answer, so that the time stays linear.
const MOST_WORDINGS: usize = 64;

/// The questions of earlier files.
///
/// A copy has the same text but for white space and drawings, the same references, answerability and sides. Where a set is
/// known in several wordings, one with the same references and half of its words is a copy too.
#[derive(Default)]
pub(crate) struct Copies {
    is_reworded: bool,
    file: u64,
    /// The file that asked each question first.
    asked: HashMap<[u8; 32], u64>,
    /// By references: the file and the words of a question.
    wordings: HashMap<Vec<String>, Vec<(u64, BTreeSet<String>)>>,
}

impl Copies {
    pub(crate) fn new(is_reworded: bool) -> Self {
        Self { is_reworded, ..Self::default() }
    }

    /// Another file begins.
    pub(crate) fn next_file(&mut self) {
        self.file += 1;
    }

    /// Whether an earlier file asks this; it is remembered.
    pub(crate) fn is_copy(&mut self, question: &Question) -> bool {
        if *self.asked.entry(content(question)).or_insert(self.file) < self.file {
            return true;
        }
        if !self.is_reworded {
            return false;
        }
        let words = words(&question.question);
        let wordings = self.wordings.entry(question.references.clone()).or_default();
        if wordings.iter().any(|(file, earlier)| *file < self.file && is_same(&words, earlier)) {
            return true;
        }
        if wordings.len() < MOST_WORDINGS {
            wordings.push((self.file, words));
        }
        false
    }
}

fn is_same(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    let shared = one.intersection(other).count() as f64;
    shared >= SAME_WORDS * one.union(other).count() as f64
}

fn words(text: &str) -> BTreeSet<String> {
    without_drawings(text)
        .to_lowercase()
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Digest of what makes two questions one.
fn content(question: &Question) -> [u8; 32] {
    let mut digest = Sha256::new();
    let mut add = |part: &str| {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part.as_bytes());
    };
    add(&without_drawings(&question.question).split_whitespace().collect::<String>());
    add(match question.answerable {
        Some(true) => "answerable",
        Some(false) => "unanswerable",
        None => "",
    });
    for list in [&question.references, &question.candidates, &question.choices] {
        add("list");
        for text in list {
            add(text);
        }
    }
    for side in &question.sides {
        add("side");
        add(&side.answer);
        for passage in &side.passages {
            add(&passage.text);
        }
    }
    digest.finalize().into()
}

/// A text without its `[asy]…[/asy]`, which some copies carry; one without an end stays.
fn without_drawings(text: &str) -> String {
    const END: &str = "[/asy]";
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, (_, after))) =
        rest.split_once("[asy]").and_then(|(before, drawing)| Some((before, drawing.split_once(END)?)))
    {
        kept.push_str(before);
        rest = after;
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::{Loaded, data_set, load_all};

    fn loaded(set: &str, files: &[(&str, &str)]) -> Loaded {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        load_all(data_set(set).unwrap(), folder.path()).unwrap()
    }

    fn counts(found: &Loaded) -> (u64, u64, u64, u64) {
        let report = &found.report;
        (report.rows, report.questions, report.bad_rows, report.left_out.values().sum())
    }

    #[test]
    fn a_copy_in_another_file_is_left_out_and_counted() {
        let problem = r#"{"problem": "Find the largest even $n$ below six.", "answer": 4}"#;
        let others = [
            r#"{"problem": "Find the largest\neven $n$ below six. [asy] draw((0,0)--(1,1)); [/asy]", "answer": "4"}"#,
            r#"{"problem": "What is the largest even $n$ below six?", "answer": 4}"#,
            r#"{"problem": "Find the largest even $n$ below six.", "answer": 6}"#,
            r#"{"problem": "How many sides has a square?", "answer": 4}"#,
        ];
        let found = loaded("aime", &[("a.jsonl", problem), ("b.jsonl", &others.join("\n"))]);
        assert_eq!(counts(&found), (5, 3, 0, 2));
        let ids: Vec<&str> = found.questions.iter().map(|question| question.id.as_str()).collect();
        assert_eq!(ids, ["a-0", "b-2", "b-3"], "another answer or other words are another question");
        let why = "question that an earlier file asks".to_owned();
        assert_eq!(found.report.left_out, BTreeMap::from([(why, 2)]));
    }

    #[test]
    fn within_a_file_nothing_is_a_copy() {
        let row = r#"{"problem": "Find $n$.", "answer": 4}"#;
        assert_eq!(counts(&loaded("aime", &[("a.jsonl", &format!("{row}\n{row}\n"))])), (2, 2, 0, 0));
    }

    #[test]
    fn a_copy_under_the_same_id_is_no_bad_row_and_another_text_is_one() {
        let row = |text: &str| format!(r#"{{"id": 7, "question": "{text}", "final_answer": ["5"]}}"#);
        let files = [("a.jsonl", row("Compute.")), ("b.jsonl", row("Compute. ")), ("c.jsonl", row("Add."))];
        let found = loaded("olympiadbench", &files.each_ref().map(|(name, text)| (*name, text.as_str())));
        assert_eq!(counts(&found), (3, 1, 1, 1));
    }

    #[test]
    fn most_sets_know_no_rewording() {
        let row =
            |name: &str| format!(r#"{{"question": "in which year was {name} born", "answer": ["1970"]}}"#);
        let found = loaded("nq-open", &[("a.jsonl", &row("ann")), ("b.jsonl", &row("ben"))]);
        assert_eq!(counts(&found), (2, 2, 0, 0));
    }

    #[test]
    fn a_drawing_without_an_end_stays() {
        assert_eq!(without_drawings("a [asy] b [/asy] c [asy] d"), "a  c [asy] d");
        let hostile = "[asy]".repeat(100_000);
        assert_eq!(without_drawings(&hostile), hostile);
    }

    proptest! {
        #[test]
        fn any_text_is_its_own_copy(text in any::<String>()) {
            let question = Question::new("1", "aime", text);
            let mut copies = Copies::new(true);
            copies.next_file();
            prop_assert!(!copies.is_copy(&question));
            copies.next_file();
            prop_assert!(copies.is_copy(&question));
        }
    }
}
