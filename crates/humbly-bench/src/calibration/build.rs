//! From questions to a suite; no model is asked.

use humbly_agent::ToolKind;
use humbly_data::Question;
use humbly_types::Task;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::conflict::{Passage, Suite, SuiteTask, shown};

/// Questions of one data set.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CalibrationSet {
    /// The questions.
    pub questions: Vec<Question>,
    /// The tools that help; evidence where nobody says.
    pub kind: Option<ToolKind>,
    /// Samples a question; `None` leaves it to the experiment.
    pub samples: Option<u32>,
    /// Texts for the search tool beside the passages of the questions.
    pub corpus: Vec<Passage>,
}

/// How many questions are drawn, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CalibrationParams {
    /// The most questions of a set, drawn with the seed; all where it is absent.
    pub limit: Option<usize>,
    /// Seed of the draw.
    pub seed: u64,
}

/// A suite named `calibration` of the questions that have a reference; the others are counted (`no_reference`).
///
/// The scenario of a task is the kind of tool that helps, `evidence` or `verification`, and decides which tools of an
/// experiment it is offered. Passages of questions go into the corpus of the search tool and stand in no prompt.
///
/// # Examples
/// ```
/// use humbly_bench::calibration::{CalibrationParams, CalibrationSet, arithmetic_questions, build_calibration};
/// use humbly_agent::ToolKind;
/// let set = CalibrationSet {
///     questions: arithmetic_questions(), kind: Some(ToolKind::Verification), ..CalibrationSet::default() };
/// let suite = build_calibration(vec![set], CalibrationParams { limit: Some(10), seed: 1 });
/// assert_eq!((suite.name.as_str(), suite.tasks.len()), ("calibration", 10));
/// assert_eq!(suite.tasks[0].task.scenario.as_deref(), Some("verification"));
/// ```
pub fn build_calibration(sets: Vec<CalibrationSet>, params: CalibrationParams) -> Suite {
    let mut suite = Suite::new("calibration", "", params.seed);
    for set in sets {
        let kind = set.kind.unwrap_or(ToolKind::Evidence);
        suite.corpus.extend(set.corpus);
        let (usable, without): (Vec<Question>, Vec<Question>) =
            set.questions.into_iter().partition(|question| !question.references.is_empty());
        if !without.is_empty() {
            *suite.dropped.entry("no_reference".to_owned()).or_default() += without.len() as u64;
        }
        for question in drawn(usable, params) {
            suite.corpus.extend(question.passages.iter().map(shown));
            let task = Task {
                dataset: Some(dataset_of(&question)),
                id: format!("{}/{}", question.dataset, question.id),
                scenario: Some(kind.code().to_owned()),
                // All have an answer: nothing is asked about attribution here.
                answerable: None,
                ..question.task()
            };
            suite.tasks.push(SuiteTask { samples: set.samples, ..SuiteTask::new(task) });
        }
    }
    suite
}

/// The data set of a question; the two years of AIME, which come in one, are two (CAR Tables 1 and 4).
fn dataset_of(question: &Question) -> String {
    let year = question.meta.get("year").map(String::as_str);
    let is_of = |full: &str, short: &str| {
        year.map_or_else(|| question.id.contains(full) || question.id.contains(short), |year| year == full)
    };
    match question.dataset.as_str() {
        "aime" if is_of("2024", "aime24") => "aime-2024".to_owned(),
        "aime" if is_of("2025", "aime25") => "aime-2025".to_owned(),
        other => other.to_owned(),
    }
}

/// The drawn questions in the order of the set: those with the smallest hashes of their ids.
fn drawn(questions: Vec<Question>, params: CalibrationParams) -> Vec<Question> {
    let Some(limit) = params.limit.filter(|limit| *limit < questions.len()) else { return questions };
    let rank = |question: &Question| xxh3_64_with_seed(question.id.as_bytes(), params.seed);
    let mut ranks: Vec<(u64, usize)> =
        questions.iter().enumerate().map(|(place, question)| (rank(question), place)).collect();
    ranks.sort_unstable();
    let mut chosen: Vec<usize> = ranks.into_iter().take(limit).map(|(_, place)| place).collect();
    chosen.sort_unstable();
    let mut chosen = chosen.into_iter().peekable();
    let mut kept = Vec::with_capacity(limit);
    for (place, question) in questions.into_iter().enumerate() {
        if chosen.peek() == Some(&place) {
            chosen.next();
            kept.push(question);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::{arithmetic_questions, starter_set};
    use super::*;

    fn arithmetic() -> CalibrationSet {
        CalibrationSet {
            questions: arithmetic_questions(),
            kind: Some(ToolKind::Verification),
            samples: Some(4),
            ..CalibrationSet::default()
        }
    }

    fn ids(suite: &Suite) -> Vec<&str> {
        suite.tasks.iter().map(|task| task.task.id.as_str()).collect()
    }

    #[test]
    fn the_same_seed_draws_the_same_questions_and_another_others() {
        let build = |seed| build_calibration(vec![arithmetic()], CalibrationParams { limit: Some(12), seed });
        assert_eq!(build(1), build(1));
        assert_ne!(ids(&build(1)), ids(&build(2)));
        assert_eq!(ids(&build(1)).into_iter().collect::<BTreeSet<_>>().len(), 12);
    }

    #[test]
    fn sets_keep_their_kind_samples_and_corpus() {
        let suite = build_calibration(vec![starter_set(), arithmetic()], CalibrationParams::default());
        assert_eq!(suite.tasks.len(), 240);
        let of = |kind: &str| {
            suite.tasks.iter().filter(|task| task.task.scenario.as_deref() == Some(kind)).count()
        };
        assert_eq!((of("evidence"), of("verification")), (200, 40));
        assert!(suite.tasks.iter().all(|task| task.passages.is_empty()));
        assert_eq!(suite.corpus.len(), 800);
        assert_eq!(suite.tasks.last().unwrap().samples, Some(4));
    }

    #[test]
    fn the_years_of_aime_are_two_data_sets() {
        let of = |id: &str, year: Option<&str>| {
            let mut question = Question::new(id, "aime", "?");
            question.meta.extend(year.map(|year| ("year".to_owned(), year.to_owned())));
            dataset_of(&question)
        };
        assert_eq!(of("aime24-3", None), "aime-2024");
        assert_eq!(of("aime25-3", None), "aime-2025");
        assert_eq!(of("test-7", Some("2025")), "aime-2025");
        assert_eq!(of("test-7", None), "aime");
    }

    #[test]
    fn a_question_without_reference_is_counted() {
        let set = CalibrationSet {
            questions: vec![Question::new("a", "mine", "Why?")],
            ..CalibrationSet::default()
        };
        let suite = build_calibration(vec![set], CalibrationParams::default());
        assert_eq!((suite.tasks.len(), suite.dropped["no_reference"]), (0, 1));
    }

    #[test]
    fn the_calculator_confirms_the_arithmetic_that_it_can_read() {
        let mut checked = 0;
        for question in arithmetic_questions() {
            let Some(expression) =
                question.question.strip_prefix("What is ").and_then(|rest| rest.strip_suffix('?'))
            else {
                continue;
            };
            if !expression.bytes().all(|byte| byte.is_ascii_digit() || b" +-*/()".contains(&byte)) {
                continue;
            }
            let arguments = serde_json::Map::from_iter([("expression".to_owned(), expression.into())]);
            let tool: &dyn humbly_agent::Tool = &humbly_agent::tools::Calculator;
            let found = futures::executor::block_on(tool.call(&arguments)).unwrap();
            assert_eq!(found.text, question.references[0], "{expression}");
            checked += 1;
        }
        assert!(checked >= 14, "{checked}");
    }
}
