//! Rows of data sets as questions of a suite.
//!
//! A controlled conflict needs two agreeing passages for its control. `ConflictQA` has two texts for each side.
//! `WikiContradict` has one, and no side is right: each side is taken as gold in turn, and its context is cut in
//! two between sentences. No model rewrites anything; rows that cannot be used are counted by reason.

use std::collections::BTreeMap;

use humbly_data::{Question, SideName};
use humbly_text::sentences;
use humbly_types::Task;

use super::{ConflictQuestion, Passage, Side};

/// Shorter parts of a context are no passages.
const FEWEST_WORDS: usize = 4;

/// What rows became.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FromRows<T> {
    /// What can be used, in the order of the rows.
    pub usable: Vec<T>,
    /// What cannot, by reason.
    pub dropped: BTreeMap<String, u64>,
}

impl<T> FromRows<T> {
    fn collect(outcomes: impl IntoIterator<Item = Result<T, &'static str>>) -> Self {
        let mut rows = Self { usable: Vec::new(), dropped: BTreeMap::new() };
        for outcome in outcomes {
            match outcome {
                Ok(usable) => rows.usable.push(usable),
                Err(reason) => *rows.dropped.entry(reason.to_owned()).or_default() += 1,
            }
        }
        rows
    }
}

/// Questions of a controlled conflict from rows with two sides.
///
/// A `WikiContradict` row gives two outcomes, one for each side as gold (ids end in `:first` and `:second`), any
/// other row one. Reasons: `no_two_sides`, `same_answer`, `gold_side_unknown`, `one_passage_on_gold_side`,
/// `no_passage_on_rival_side`, `context_cannot_be_split`.
///
/// # Examples
/// ```
/// use humbly_bench::conflict::conflict_questions;
/// use humbly_data::Question;
/// let rows = conflict_questions(&[Question::new("q", "mine", "Who?")]);
/// assert_eq!(rows.dropped["no_two_sides"], 1);
/// ```
pub fn conflict_questions(questions: &[Question]) -> FromRows<ConflictQuestion> {
    FromRows::collect(questions.iter().flat_map(of_row))
}

/// Tasks of a naturally occurring conflict: questions with a reference (`no_reference` counts the others).
pub fn natural_tasks(questions: &[Question]) -> FromRows<Task> {
    FromRows::collect(questions.iter().map(|question| {
        if question.references.is_empty() { Err("no_reference") } else { Ok(question.task()) }
    }))
}

fn of_row(question: &Question) -> Vec<Result<ConflictQuestion, &'static str>> {
    let [first, second] = question.sides.as_slice() else { return vec![Err("no_two_sides")] };
    if first.answer.trim().eq_ignore_ascii_case(second.answer.trim()) {
        return vec![Err("same_answer")];
    }
    if first.name == SideName::First {
        return vec![
            split_side(question, first, second, "first"),
            split_side(question, second, first, "second"),
        ];
    }
    vec![match (first.is_gold, second.is_gold) {
        (Some(true), _) => two_texts(question, first, second),
        (_, Some(true)) => two_texts(question, second, first),
        _ => Err("gold_side_unknown"),
    }]
}

/// The two texts of a side agree.
fn two_texts(
    question: &Question,
    gold: &humbly_data::Side,
    rival: &humbly_data::Side,
) -> Result<ConflictQuestion, &'static str> {
    let (gold_texts, rival_texts) = (passages(gold), passages(rival));
    if gold_texts.len() < 2 {
        return Err("one_passage_on_gold_side");
    }
    if rival_texts.is_empty() {
        return Err("no_passage_on_rival_side");
    }
    let is_yes = question.references.iter().any(|reference| reference == "Yes");
    let is_no = question.references.iter().any(|reference| reference == "No");
    let spoken = |words: [&str; 2]| words.map(str::to_owned).to_vec();
    let (gold_aliases, rival_aliases) = match (is_yes, is_no) {
        (true, false) => (spoken(["Yes", "True"]), spoken(["No", "False"])),
        (false, true) => (spoken(["No", "False"]), spoken(["Yes", "True"])),
        _ => (question.references.clone(), Vec::new()),
    };
    let side = |side: &humbly_data::Side, aliases, passages| Side {
        answer: side.answer.clone(),
        aliases,
        passages,
        whole: None,
    };
    Ok(conflict(
        question,
        question.id.clone(),
        side(gold, gold_aliases, gold_texts),
        side(rival, rival_aliases, rival_texts),
    ))
}

/// The one context of a side in two parts.
fn split_side(
    question: &Question,
    gold: &humbly_data::Side,
    rival: &humbly_data::Side,
    turn: &str,
) -> Result<ConflictQuestion, &'static str> {
    let (gold_texts, rival_texts) = (passages(gold), passages(rival));
    let whole = gold_texts.first().ok_or("one_passage_on_gold_side")?;
    if rival_texts.is_empty() {
        return Err("no_passage_on_rival_side");
    }
    let parts = split_in_two(&whole.text).ok_or("context_cannot_be_split")?;
    let part = |text: &str| Passage { text: text.to_owned(), ..whole.clone() };
    let gold = Side {
        answer: gold.answer.clone(),
        aliases: Vec::new(),
        passages: parts.iter().map(|text| part(text)).collect(),
        whole: Some(whole.clone()),
    };
    let rival =
        Side { answer: rival.answer.clone(), aliases: Vec::new(), passages: rival_texts, whole: None };
    Ok(conflict(question, format!("{}:{turn}", question.id), gold, rival))
}

fn conflict(question: &Question, id: String, gold: Side, rival: Side) -> ConflictQuestion {
    ConflictQuestion {
        id,
        dataset: question.dataset.clone(),
        group: String::new(),
        question: question.question.clone(),
        gold,
        rival,
    }
}

/// Texts of a side, each once.
fn passages(side: &humbly_data::Side) -> Vec<Passage> {
    let mut texts: Vec<Passage> = Vec::new();
    for passage in &side.passages {
        let text = passage.text.trim();
        if !text.is_empty() && !texts.iter().any(|known| known.text == text) {
            texts.push(shown(passage));
        }
    }
    texts
}

/// A passage of a data set as an agent is given it: which side it speaks for is not shown.
pub(crate) fn shown(passage: &humbly_data::Passage) -> Passage {
    Passage { title: passage.title.clone(), text: passage.text.trim().to_owned(), source: None }
}

/// Two parts of a text, cut between the sentences that lie nearest to its middle.
fn split_in_two(text: &str) -> Option<[String; 2]> {
    let starts = sentences::split(text).skip(1).map(|(range, _)| range.start);
    let middle = text.len() / 2;
    let cut = starts.min_by_key(|start| start.abs_diff(middle))?;
    let parts = [text.get(..cut)?.trim(), text.get(cut..)?.trim()];
    let is_long_enough = |part: &&str| part.split_whitespace().count() >= FEWEST_WORDS;
    parts.iter().all(is_long_enough).then(|| parts.map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_is_cut_between_sentences_near_its_middle() {
        let text =
            "Ada Lovelace wrote notes. She was born in 1815 in London. They were printed again in 1843.";
        let [first, second] = split_in_two(text).unwrap();
        assert_eq!(first, "Ada Lovelace wrote notes. She was born in 1815 in London.");
        assert_eq!(second, "They were printed again in 1843.");
        for text in ["One sentence that goes on for some time.", "", "Yes. It was so on that day."] {
            assert_eq!(split_in_two(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_word_is_lost(text in "[A-Za-z .!?\n]{0,200}") {
            if let Some(parts) = split_in_two(&text) {
                let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
                prop_assert_eq!(words(&parts.join(" ")), words(&text));
            }
        }
    }
}
