//! Where a final answer comes from: the parametric belief, the context, the ground truth, both or neither.

use humbly_types::{AnswerSource, Reason, Task, Undefined};

use crate::LexicalJudge;

impl LexicalJudge {
    /// Which of the task's known answers a final answer names.
    ///
    /// With `candidates` (controlled conflict): the parametric answer, another candidate, both or neither.
    /// Without (natural conflict): a reference, the parametric answer, both or neither. An answer names
    /// another where its words stand in it as whole words, case and punctuation aside; a candidate that
    /// only stands inside a longer named candidate does not count.
    ///
    /// # Errors
    /// Undefined `no_labels` without a task. [`AnswerSource::NoAnswer`] and [`AnswerSource::NoCandidates`]
    /// are values: the first where `text` is absent, blank or only abstains, the second where the task
    /// names no answer at all.
    ///
    /// # Source
    /// EH, diagnostics of §2.2 and App. A.
    pub fn answer_source(&self, text: Option<&str>, task: Option<&Task>) -> Result<AnswerSource, Undefined> {
        let Some(task) = task else { return Err(Undefined::new(Reason::NoLabels)) };
        let parametric: Vec<&str> = task.parametric_answer.iter().map(String::as_str).collect();
        let is_controlled = !task.candidates.is_empty();
        let others: Vec<&str> = if is_controlled { &task.candidates } else { &task.references }
            .iter()
            .map(String::as_str)
            .filter(|answer| !parametric.iter().any(|known| words(known) == words(answer)))
            .collect();
        if parametric.is_empty() && others.is_empty() {
            return Ok(AnswerSource::NoCandidates);
        }
        let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else {
            return Ok(AnswerSource::NoAnswer);
        };
        let answer = words(text);
        let named = |answers: &[&str], rivals: &[&str]| {
            answers.iter().any(|known| names(&answer, &words(known), rivals))
        };
        let follows_parametric = named(&parametric, &others);
        let follows_other = named(&others, &parametric);
        Ok(match (is_controlled, follows_parametric, follows_other) {
            (_, false, false) if self.refusal(text).is_yes() => AnswerSource::NoAnswer,
            (true, true, true) => AnswerSource::Both,
            (true, true, false) => AnswerSource::Pk,
            (true, false, true) => AnswerSource::Context,
            (true, false, false) => AnswerSource::External,
            (false, true, true) => AnswerSource::FollowsBoth,
            (false, true, false) => AnswerSource::FollowsPk,
            (false, false, true) => AnswerSource::GroundTruth,
            (false, false, false) => AnswerSource::FollowsNeither,
        })
    }
}

/// Lower-case words, numbers without their commas.
fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character.is_alphanumeric() {
            word.extend(character.to_lowercase());
        } else if matches!(character, ',' | '.')
            && word.ends_with(|last: char| last.is_ascii_digit())
            && characters.peek().is_some_and(char::is_ascii_digit)
        {
            if character == '.' {
                word.push('.');
            }
        } else if !matches!(character, '\'' | '’') && !word.is_empty() {
            found.push(std::mem::take(&mut word));
        }
    }
    if !word.is_empty() {
        found.push(word);
    }
    found.retain(|word| !matches!(word.as_str(), "the" | "a" | "an"));
    found
}

/// Whether `known` stands in `answer` outside every longer rival that contains it.
fn names(answer: &[String], known: &[String], rivals: &[&str]) -> bool {
    if known.is_empty() {
        return false;
    }
    let rivals: Vec<Vec<String>> =
        rivals.iter().map(|rival| words(rival)).filter(|rival| rival.len() > known.len()).collect();
    let covered = |start: usize| {
        rivals.iter().any(|rival| {
            rival.windows(known.len()).enumerate().any(|(offset, part)| {
                part == known
                    && start.checked_sub(offset).is_some_and(|from| {
                        answer.get(from..from + rival.len()).is_some_and(|span| span == rival.as_slice())
                    })
            })
        })
    };
    answer.windows(known.len()).enumerate().any(|(start, span)| span == known && !covered(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str, task: &Task) -> AnswerSource {
        LexicalJudge::new().answer_source(Some(text), Some(task)).unwrap()
    }

    #[test]
    fn controlled_answers_follow_belief_context_both_or_neither() {
        let task = Task {
            candidates: vec!["Lyon".into(), "Paris".into()],
            parametric_answer: Some("paris".into()),
            ..Task::default()
        };
        assert_eq!(source("It is Paris.", &task), AnswerSource::Pk);
        assert_eq!(source("**Lyon**", &task), AnswerSource::Context);
        assert_eq!(source("Lyon, though I thought Paris", &task), AnswerSource::Both);
        assert_eq!(source("Comparison with Nice", &task), AnswerSource::External);
        assert_eq!(source("I don't know.", &task), AnswerSource::NoAnswer);
        assert_eq!(source("  ", &task), AnswerSource::NoAnswer);
    }

    #[test]
    fn natural_answers_follow_truth_belief_both_or_neither() {
        let task = Task {
            references: vec!["1,234".into()],
            parametric_answer: Some("12".into()),
            ..Task::default()
        };
        assert_eq!(source("There were 1234 of them", &task), AnswerSource::GroundTruth);
        assert_eq!(source("12.", &task), AnswerSource::FollowsPk);
        assert_eq!(source("not 12 but 1,234", &task), AnswerSource::FollowsBoth);
        assert_eq!(source("about 120", &task), AnswerSource::FollowsNeither);
    }

    #[test]
    fn an_answer_inside_a_longer_rival_is_not_named() {
        let task = Task {
            candidates: vec!["York".into(), "New York".into()],
            parametric_answer: Some("York".into()),
            ..Task::default()
        };
        assert_eq!(source("New York", &task), AnswerSource::Context);
    }

    #[test]
    fn without_a_task_it_is_undefined_and_without_answers_it_is_said() {
        let judge = LexicalJudge::new();
        assert_eq!(judge.answer_source(Some("x"), None).unwrap_err().reason, Reason::NoLabels);
        assert_eq!(source("x", &Task::default()), AnswerSource::NoCandidates);
    }
}
