//! Where a final answer comes from, asked of a model.

use humbly_text::think;
use humbly_types::{AnswerSource, Reason, Task, Undefined};

use crate::{Asked, ModelJudge, Rubric};

const CONTROLLED: &[AnswerSource] = &[
    AnswerSource::Pk,
    AnswerSource::Context,
    AnswerSource::Both,
    AnswerSource::External,
    AnswerSource::NoAnswer,
];
const NATURAL: &[AnswerSource] = &[
    AnswerSource::GroundTruth,
    AnswerSource::FollowsPk,
    AnswerSource::FollowsBoth,
    AnswerSource::FollowsNeither,
    AnswerSource::NoAnswer,
];

impl ModelJudge {
    /// Which of the task's known answers a final answer follows, think blocks taken out.
    ///
    /// With candidates the vocabulary of controlled conflict, without them that of natural conflict. No
    /// model is asked where the outcome is settled: without any answer on the task's side
    /// ([`AnswerSource::NoCandidates`]) or on the agent's ([`AnswerSource::NoAnswer`]).
    ///
    /// # Undefined
    /// `no_labels` without a task, and as every question asked of a model.
    ///
    /// # Source
    /// EH App. A.3.
    pub async fn answer_source(&self, text: Option<&str>, task: Option<&Task>) -> Asked<AnswerSource> {
        let Some(task) = task else { return Asked::settled(Err(Undefined::new(Reason::NoLabels))) };
        let parametric = task.parametric_answer.as_deref();
        let is_controlled = !task.candidates.is_empty();
        let others: Vec<&str> = if is_controlled { &task.candidates } else { &task.references }
            .iter()
            .map(String::as_str)
            .filter(|answer| parametric.is_none_or(|known| known.trim() != answer.trim()))
            .collect();
        if parametric.is_none() && others.is_empty() {
            return Asked::settled(Ok(AnswerSource::NoCandidates));
        }
        let visible = text.map(think::visible);
        let Some(answer) = visible.as_deref().map(str::trim).filter(|answer| !answer.is_empty()) else {
            return Asked::settled(Ok(AnswerSource::NoAnswer));
        };
        let (rubric, vocabulary, variable, name) = if is_controlled {
            (Rubric::SourceControlled, CONTROLLED, "candidates", "answer of the passages")
        } else {
            (Rubric::SourceNatural, NATURAL, "references", "true answer")
        };
        let mut numbered: Vec<(String, &str)> = others
            .into_iter()
            .enumerate()
            .map(|(index, other)| (format!("{name} {}", index + 1), other))
            .collect();
        if numbered.is_empty() {
            numbered.push((name.to_owned(), "(none is known)"));
        }
        let texts = [
            ("parametric", vec![("belief".to_owned(), parametric.unwrap_or("(none is known)"))]),
            (variable, numbered),
            ("answer", vec![("final answer".to_owned(), answer)]),
        ];
        let (asked, _) = self.label(rubric, &texts).await;
        // The labels of the rubric and the vocabulary stand in one order; a test holds them to it.
        asked.map(|label| vocabulary.get(label).copied().unwrap_or(AnswerSource::NoAnswer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_and_vocabulary_stand_in_one_order() {
        for (rubric, vocabulary) in [(Rubric::SourceControlled, CONTROLLED), (Rubric::SourceNatural, NATURAL)]
        {
            let labels: Vec<String> =
                rubric.labels().unwrap().words.iter().map(|word| word.to_lowercase()).collect();
            let sources: Vec<String> = vocabulary
                .iter()
                .map(|source| serde_json::to_value(source).unwrap().as_str().unwrap().to_owned())
                .collect();
            assert_eq!(labels, sources);
        }
    }
}
