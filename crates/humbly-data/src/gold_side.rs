//! Which of two opposite answers is the one of the reference.
//!
//! `ConflictQA` says `True` or `False` of the question and gives the two answers as sentences. The sentence
//! that affirms the question is found by words: it has as many negations as the question, where the two
//! differ in that; else the one that follows the question's words in their order. Upstream's evidence for the
//! right side was written by people and is the same for every model, which gives labels to hold this against
//! (`tests/real_rows.rs`).

use humbly_text::normalize::squad;

/// Longer sentences are not compared word by word: that takes time quadratic in their length.
const MOST_WORDS: usize = 200;

/// Index of the answer that the references speak for; `None` where the texts do not tell.
pub(crate) fn gold_side(question: &str, answers: [&str; 2], references: &[String]) -> Option<usize> {
    match references {
        [one] if one == "True" => affirming(question, answers),
        [one] if one == "False" => affirming(question, answers).map(|index| 1 - index),
        _ => naming(answers, references),
    }
}

/// The answer that names a reference, where the other names none.
fn naming(answers: [&str; 2], references: &[String]) -> Option<usize> {
    let references: Vec<String> =
        references.iter().map(|reference| format!(" {} ", squad(reference))).collect();
    let named = answers.map(|answer| {
        let answer = format!(" {} ", squad(answer));
        references.iter().any(|reference| reference.trim() != "" && answer.contains(reference.as_str()))
    });
    match named {
        [true, false] => Some(0),
        [false, true] => Some(1),
        _ => None,
    }
}

/// The answer that says yes to the question.
fn affirming(question: &str, answers: [&str; 2]) -> Option<usize> {
    let asked = words(question);
    let said = answers.map(words);
    if asked.len().max(said[0].len()).max(said[1].len()) > MOST_WORDS {
        return None;
    }
    let wanted = negations(&asked);
    let distance = [negations(&said[0]).abs_diff(wanted), negations(&said[1]).abs_diff(wanted)];
    if distance[0] != distance[1] {
        return Some(usize::from(distance[1] < distance[0]));
    }
    let shared = [shared_in_order(&asked, &said[0]), shared_in_order(&asked, &said[1])];
    (shared[0] != shared[1]).then_some(usize::from(shared[1] > shared[0]))
}

fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .replace('’', "'")
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

const NEGATIONS: &[&str] = &[
    "not",
    "no",
    "never",
    "cannot",
    "neither",
    "nor",
    "none",
    "nobody",
    "nothing",
    "without",
    "unable",
    "unlikely",
    "impossible",
    "incapable",
    "fail",
    "fails",
    "lack",
    "lacks",
];

fn negations(words: &[String]) -> usize {
    words.iter().filter(|word| word.ends_with("n't") || NEGATIONS.contains(&word.as_str())).count()
}

/// Length of the longest common subsequence.
fn shared_in_order(left: &[String], right: &[String]) -> usize {
    let mut row = vec![0; right.len() + 1];
    for word in left {
        let mut diagonal = 0;
        for (index, other) in right.iter().enumerate() {
            let above = row[index + 1];
            row[index + 1] = if word == other { diagonal + 1 } else { above.max(row[index]) };
            diagonal = above;
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(question: &str, memory: &str, counter: &str, reference: &str) -> Option<usize> {
        gold_side(question, [memory, counter], &[reference.to_owned()])
    }

    #[test]
    fn the_sentence_without_negation_affirms() {
        let (yes, no) = ("Casio products are sold there.", "Casio products aren't sold there.");
        assert_eq!(of("Are Casio products sold there?", yes, no, "True"), Some(0));
        assert_eq!(of("Are Casio products sold there?", no, yes, "True"), Some(1));
        assert_eq!(of("Are Casio products sold there?", yes, no, "False"), Some(1));
        // The question denies: so does the sentence that affirms it.
        assert_eq!(
            of("Is it not sold there?", "It is sold there.", "It is not sold there.", "True"),
            Some(1)
        );
    }

    #[test]
    fn without_negation_the_order_of_the_words_decides() {
        let question = "Would a dog answer a bell before a seal?";
        let (dog, seal) =
            ("A dog would answer a bell before a seal.", "A seal would answer a bell before a dog.");
        assert_eq!(of(question, dog, seal, "True"), Some(0));
        assert_eq!(of(question, seal, dog, "False"), Some(0));
        assert_eq!(of(question, dog, dog, "True"), None);
    }

    #[test]
    fn an_alias_is_named_by_one_answer_only() {
        let aliases = ["J. Austen".to_owned(), "Jane Austen".to_owned()];
        let answers = ["Emma was written by Jane Austen.", "Emma was written by George Eliot."];
        assert_eq!(gold_side("Who wrote Emma?", answers, &aliases), Some(0));
        assert_eq!(gold_side("Who wrote Emma?", [answers[0], answers[0]], &aliases), None);
        assert_eq!(gold_side("Who wrote Emma?", answers, &[String::new()]), None);
    }

    proptest! {
        #[test]
        fn any_texts_are_read(question in any::<String>(), memory in any::<String>(), counter in any::<String>(), truth in any::<String>()) {
            of(&question, &memory, &counter, &truth);
            of(&question, &memory, &counter, "True");
        }

        #[test]
        fn the_other_order_gives_the_other_index(memory in "[a-z not]{0,30}", counter in "[a-z not]{0,30}") {
            let (there, back) = (of("is a not b", &memory, &counter, "True"), of("is a not b", &counter, &memory, "True"));
            prop_assert_eq!(there, back.map(|index| 1 - index));
        }
    }
}
