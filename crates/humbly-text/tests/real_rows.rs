//! The parsers on rows of real data sets and real model outputs, which lie beside the project.

#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "a test; what it skips is said")]

use std::path::PathBuf;

use humbly_text::answer::{AnswerSource, Extraction, choice_letter, extract_answer};
use humbly_text::boxed::last_boxed;
use humbly_text::confidence::{ConfidenceSource, Scale, parse_confidence};
use humbly_text::matching::{gaia_quasi_exact, latex_equivalent};
use humbly_text::normalize::squad;
use serde_json::Value;

/// Text of a shared file, or `None` with a message where it is missing.
fn shared(path: &str) -> Option<String> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(path);
    match std::fs::read_to_string(&file) {
        Ok(text) => Some(text),
        Err(error) => {
            assert!(std::env::var("HUMBLY_REQUIRE").as_deref() != Ok("all"), "{path}: {error}");
            eprintln!("skipped: {path} is missing");
            None
        }
    }
}

fn rows(path: &str) -> Option<Vec<Value>> {
    Some(shared(path)?.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

#[test]
fn math_500_solutions_box_their_answers() {
    let Some(rows) = rows("data/math-500/math500_test.jsonl") else { return };
    assert_eq!(rows.len(), 500);
    let answers: Vec<&str> = rows.iter().map(|row| row["answer"].as_str().unwrap()).collect();
    let different: Vec<_> = rows
        .iter()
        .filter(|row| {
            let boxed = last_boxed(row["solution"].as_str().unwrap());
            !boxed.is_some_and(|boxed| latex_equivalent(boxed, row["answer"].as_str().unwrap()))
        })
        .map(|row| (last_boxed(row["solution"].as_str().unwrap()), row["answer"].as_str()))
        .collect();
    assert!(different.is_empty(), "{different:?}");
    // Answers of different questions are equal only where they are written with the same digits.
    let digits = |text: &str| {
        let mut digits: Vec<char> = text.chars().filter(char::is_ascii_digit).collect();
        digits.sort_unstable();
        digits
    };
    // A power of a unit is no part of the value.
    let without_power = |text: &str| digits(text.trim_end_matches("^2"));
    for (index, left) in answers.iter().enumerate() {
        for right in &answers[index + 1..] {
            let is_equal = latex_equivalent(left, right);
            assert!(!is_equal || without_power(left) == without_power(right), "{left} | {right}");
        }
    }
}

#[test]
fn aime_answers_are_found_in_a_box() {
    let Some(rows) = rows("data/aime/aime24.jsonl") else { return };
    for row in &rows {
        let answer = row["answer"].to_string();
        let response = format!("<think>try \\boxed{{1}}</think>\nThe answer is $\\boxed{{{answer}}}$.");
        let found = extract_answer(&response);
        assert_eq!(found, Extraction::Found { answer: answer.clone(), source: AnswerSource::Boxed });
        assert!(
            latex_equivalent(&answer, &format!("{answer}.0")) && gaia_quasi_exact(&answer, &answer).is_match
        );
    }
    assert_eq!(rows.len(), 30);
}

#[test]
fn gsm8k_answers_stand_behind_their_mark() {
    let Some(rows) = rows("data/gsm8k/test.jsonl") else { return };
    for row in &rows {
        let text = row["answer"].as_str().unwrap();
        let expected = text.rsplit("#### ").next().unwrap();
        let found = extract_answer(text);
        assert_eq!(found.answer().map(String::as_str), Some(expected));
        assert!(latex_equivalent(expected, &expected.replace(',', "")), "{expected}");
    }
    assert_eq!(rows.len(), 1_319);
}

#[test]
fn rlcr_confidences_are_those_that_its_authors_read() {
    let Some(rows) = rows("data/rlcr-outputs/derived/commonsenseqa.first100.jsonl") else { return };
    let (mut compared, mut different) = (0, Vec::new());
    for row in &rows {
        for method in ["Base", "RLVR", "Answer-Prob", "RLCR"] {
            let output = row[format!("{method}-output_0")].as_str().unwrap();
            let published = row[format!("{method}-confidence_levels")][0].as_f64().unwrap();
            let adheres = row[format!("{method}-conf_format_adherence")][0] == 1;
            let unit = parse_confidence(output, Scale::Unit);
            // The authors read values above 1 as percentages; a caller here declares that.
            let stated =
                unit.probability().or_else(|| parse_confidence(output, Scale::Percent).probability());
            if adheres && unit.source().is_none_or(|source| source == ConfidenceSource::Tag) {
                compared += 1;
                if stated.is_none_or(|stated| (stated - published).abs() > 1e-12) {
                    different.push((
                        method,
                        published,
                        unit,
                        output[output.len().saturating_sub(60)..].to_owned(),
                    ));
                }
            }
        }
    }
    assert!(different.is_empty(), "{different:#?}");
    assert_eq!(compared, 400);
}

/// The authors' verdicts come from a judge that reads option texts, so letters are compared with a plain
/// reading of the tag.
#[test]
fn rlcr_letters_are_read_from_the_answer_tag() {
    let Some(rows) = rows("data/rlcr-outputs/derived/commonsenseqa.first100.jsonl") else { return };
    let options = ['A', 'B', 'C', 'D', 'E'];
    let (mut found, mut different) = (0, Vec::new());
    for row in &rows {
        for method in ["Base", "RLVR", "RLVR-Classifier", "Answer-Prob", "RLCR"] {
            let output = row[format!("{method}-output_0")].as_str().unwrap();
            let tagged = output.rsplit("<answer>").next().unwrap().split("</answer>").next().unwrap().trim();
            let bare = tagged.strip_prefix("Option ").unwrap_or(tagged);
            let mut chars = bare.chars();
            let first = chars.next().filter(|c| output.contains("<answer>") && options.contains(c));
            let second = chars.find(|c| *c != ' ');
            let expected = first.filter(|_| second.is_none_or(|c| matches!(c, ')' | '.' | ':')));
            let read = choice_letter(output, &options).answer().copied();
            found += usize::from(read.is_some());
            if expected != read && output.contains("<answer>") {
                different.push(tagged);
            }
        }
    }
    let several = [
        "A) Midwest, B) Countryside, D) Farming areas, E) Illinois",
        "The correct answer is D) offspring.",
        "B) slurred speech and D) forgetfulness",
        "A) California and D) Florida",
        "A) eat in restaurant, C) have lunch, D) cook dinner",
    ];
    assert_eq!(different, several, "{found}");
    assert!(found >= 350, "{found}");
}

#[test]
fn searchr1_normal_forms_are_those_of_its_code() {
    let Some(text) = shared("truth/searchr1_format_truth.json") else { return };
    let truth: Value = serde_json::from_str(&text).unwrap();
    let cases = truth["normalize"].as_array().unwrap();
    for case in cases {
        assert_eq!(squad(case["input"].as_str().unwrap()), case["output"], "{case}");
    }
    assert_eq!(cases.len(), 20);
}
