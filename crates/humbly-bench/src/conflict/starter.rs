//! The starter set: 200 factual questions and 60 that cannot be answered, written for Humbly.

use serde::Deserialize;

use super::{ConflictQuestion, read_questions};

const QUESTIONS: &str = include_str!("../../data/starter.jsonl");
const UNANSWERABLE: &str = include_str!("../../data/unanswerable.jsonl");

/// A question that has no answer.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct UnanswerableQuestion {
    /// Id.
    pub id: String,
    /// `missing_premise`, `ambiguous` or `subjective`.
    pub kind: String,
    /// The question.
    pub question: String,
    /// Why it has none.
    pub why: String,
}

/// The questions that come with Humbly.
pub fn starter_questions() -> Vec<ConflictQuestion> {
    let (mut questions, _) = read_questions(QUESTIONS.as_bytes(), "starter.jsonl", "starter");
    for question in &mut questions {
        question.group = domain(&question.group).to_owned();
    }
    questions
}

/// The questions without an answer that come with Humbly.
pub fn unanswerable_questions() -> Vec<UnanswerableQuestion> {
    UNANSWERABLE.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Four domains, so that a small run has more than a few questions in each cell of a table.
fn domain(relation: &str) -> &'static str {
    match relation {
        "capital_of" | "continent_or_country_location" | "language_or_currency" => "places",
        "author_of_book" | "famous_person" | "inventor_or_discoverer" => "people",
        "chemical_symbol_or_element" | "planet_or_space" | "colour_or_material" => "matter",
        _ => "life",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet, HashMap};

    use serde_json::Value;

    use super::*;

    fn rows() -> Vec<Value> {
        QUESTIONS.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn words(text: &str) -> Vec<String> {
        text.split(|character: char| !character.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect()
    }

    #[test]
    fn every_row_is_read() {
        let (questions, problems) = read_questions(QUESTIONS.as_bytes(), "starter.jsonl", "starter");
        assert_eq!((questions.len(), problems.len()), (200, 0));
        assert!(
            questions
                .iter()
                .all(|question| { question.gold.passages.len() == 2 && question.rival.passages.len() == 2 })
        );
        let texts: BTreeSet<_> = questions.iter().map(|question| question.question.to_lowercase()).collect();
        assert_eq!(texts.len(), 200);
    }

    #[test]
    fn there_are_enough_relations_and_styles() {
        let rows = rows();
        let relations: BTreeSet<_> = rows.iter().map(|row| row["relation"].as_str().unwrap()).collect();
        assert!(relations.len() >= 8, "{relations:?}");
        let mut styles: BTreeMap<&str, usize> = BTreeMap::new();
        for row in &rows {
            for side in ["passages_true", "passages_false"] {
                for passage in row[side].as_array().unwrap() {
                    *styles.entry(passage["style"].as_str().unwrap()).or_default() += 1;
                }
            }
        }
        assert!(styles.len() >= 40, "{} styles", styles.len());
    }

    #[test]
    fn no_two_passages_share_six_words_in_a_row() {
        let mut seen: HashMap<Vec<String>, String> = HashMap::new();
        for question in starter_questions() {
            for (side, passages) in [("gold", &question.gold.passages), ("rival", &question.rival.passages)] {
                for (index, passage) in passages.iter().enumerate() {
                    let place = format!("{} {side} {index}", question.id);
                    for window in words(&passage.text).windows(6) {
                        let other = seen.entry(window.to_vec()).or_insert_with(|| place.clone());
                        assert_eq!(*other, place, "{window:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn each_passage_speaks_for_its_side_alone() {
        let names = |text: &str, answer: &str| {
            humbly_text::matching::word_bounded_contains(&text.to_lowercase(), &answer.to_lowercase())
        };
        for question in starter_questions() {
            for (side, other) in [(&question.gold, &question.rival), (&question.rival, &question.gold)] {
                for passage in &side.passages {
                    let text = &passage.text;
                    assert!(side.names().any(|name| names(text, name)), "{}: {text}", question.id);
                    assert!(!names(text, &other.answer), "{}: {text}", question.id);
                    assert!(!text.to_lowercase().contains("the answer is"), "{text}");
                }
            }
        }
    }

    #[test]
    fn the_unanswerable_are_of_three_kinds() {
        let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
        for question in unanswerable_questions() {
            *kinds.entry(question.kind).or_default() += 1;
        }
        let expected = ["ambiguous", "missing_premise", "subjective"].map(|kind| (kind.to_owned(), 20));
        assert_eq!(kinds, BTreeMap::from(expected));
    }
}
