//! From rows of the sources to a suite; no model is asked.

use std::collections::BTreeMap;

use humbly_data::Question;
use humbly_types::{NumberRange, Task};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{Coverage, SourceCount, UA_BENCH, UA_SOURCES, UaSource};
use crate::conflict::{Suite, SuiteTask};

/// Rows of one data set, or why there are none.
pub type UaRows = BTreeMap<&'static str, Result<Vec<Question>, String>>;

/// How questions are drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UaParams {
    /// The most questions of each source; as many as UA-Bench has where it is absent.
    pub limit: Option<usize>,
    /// Seed of the draws.
    pub seed: u64,
}

/// UA-Bench as far as the rows go; what lacks is counted and named in [`Suite::coverage`].
///
/// A task's scenario is its category, its data set the source. An answerable row without a reference falls out and is
/// counted (`answerable, but no reference`). A numeric answer with a tolerance gets it as an acceptable range.
///
/// # Source
/// UA §3.2; the counts are those of the released files.
///
/// # Examples
/// ```
/// use humbly_bench::ua_bench::{UaParams, UaRows, build_ua_bench};
/// use humbly_data::Question;
/// let asked = Question { answerable: Some(false), ..Question::new("1", "selfaware", "Which is the best colour?") };
/// let mut rows = UaRows::new();
/// rows.insert("selfaware", Ok(vec![asked]));
/// rows.insert("gaia", Err("token needed".to_owned()));
/// let suite = build_ua_bench(&rows, UaParams::default());
/// assert_eq!(suite.tasks[0].task.answerable, Some(false));
/// let line = suite.coverage.unwrap().to_string();
/// assert!(line.starts_with("built 1 of 3,505: gaia 0 of 165 (token needed), "), "{line}");
/// ```
pub fn build_ua_bench(rows: &UaRows, params: UaParams) -> Suite {
    let mut dropped: BTreeMap<String, u64> = BTreeMap::new();
    let mut tasks = Vec::new();
    let mut sources = Vec::new();
    for source in UA_SOURCES {
        let questions = rows.get(source.dataset).map_or(Err("not given".to_owned()), Clone::clone);
        let (built, missing) = match questions {
            Err(why) => (Vec::new(), Some(why)),
            Ok(questions) => (usable(&source, questions, &mut dropped), None),
        };
        let found = built.len();
        let whole = usize::try_from(source.questions).unwrap_or(usize::MAX);
        let most = if source.is_sampled { whole } else { found };
        let most = params.limit.map_or(most, |limit| limit.min(most));
        let built = drawn(built, most, params.seed);
        let limited = (params.limit.is_some() && built.len() < found)
            .then(|| format!("{} drawn of {found}", built.len()));
        let note = missing.or_else(|| join(source.note, limited));
        sources.push(SourceCount {
            name: source.name.to_owned(),
            expected: source.questions,
            built: built.len() as u64,
            note,
        });
        tasks.extend(built.iter().map(|question| SuiteTask::new(task(&source, question))));
    }
    Suite { dropped, coverage: Some(Coverage { sources }), tasks, ..Suite::new(UA_BENCH, "", params.seed) }
}

fn join(first: Option<&str>, second: Option<String>) -> Option<String> {
    match (first, second) {
        (Some(first), Some(second)) => Some(format!("{first}; {second}")),
        (first, second) => first.map(str::to_owned).or(second),
    }
}

/// The questions that belong to the source; answerable ones need a reference.
fn usable(source: &UaSource, questions: Vec<Question>, dropped: &mut BTreeMap<String, u64>) -> Vec<Question> {
    let mut kept = Vec::new();
    for question in questions.into_iter().filter(source.wants) {
        if source.answerable && question.references.iter().all(|reference| reference.trim().is_empty()) {
            *dropped.entry(format!("{}: answerable, but no reference", source.name)).or_default() += 1;
        } else {
            kept.push(question);
        }
    }
    kept
}

fn task(source: &UaSource, question: &Question) -> Task {
    Task {
        id: format!("{}/{}", source.name, question.id),
        dataset: Some(source.name.to_owned()),
        scenario: Some(source.category.code().to_owned()),
        answerable: Some(source.answerable),
        acceptable: question.task().acceptable.or_else(|| tolerated(question)),
        ..question.task()
    }
}

/// A lone numeric reference with its tolerance.
fn tolerated(question: &Question) -> Option<NumberRange> {
    let tolerance = question.tolerance?;
    let [reference] = question.references.as_slice() else { return None };
    let number: f64 = reference.trim().parse().ok().filter(|number: &f64| number.is_finite())?;
    Some(NumberRange { low: number - tolerance, high: number + tolerance })
}

/// Where something stands in a draw with this seed; those with the lowest ranks are drawn.
pub fn draw_rank(id: &str, seed: u64) -> u64 {
    xxh3_64_with_seed(id.as_bytes(), seed)
}

/// The drawn questions in their order: those with the smallest hashes of their ids.
fn drawn(questions: Vec<Question>, most: usize, seed: u64) -> Vec<Question> {
    if questions.len() <= most {
        return questions;
    }
    let mut ranks: Vec<(u64, usize)> = questions
        .iter()
        .enumerate()
        .map(|(place, question)| (draw_rank(&question.id, seed), place))
        .collect();
    ranks.sort_unstable();
    let chosen: std::collections::BTreeSet<usize> =
        ranks.into_iter().take(most).map(|(_, place)| place).collect();
    let numbered = questions.into_iter().enumerate();
    numbered.filter(|(place, _)| chosen.contains(place)).map(|(_, question)| question).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(id: &str, dataset: &str) -> Question {
        Question {
            references: vec!["7".into()],
            answerable: Some(true),
            ..Question::new(id, dataset, format!("question {id}?"))
        }
    }

    #[test]
    fn the_sources_are_those_of_the_paper() {
        let total: u64 = UA_SOURCES.iter().map(|source| source.questions).sum();
        assert_eq!(total, 3_505);
        let suite = build_ua_bench(&UaRows::new(), UaParams::default());
        assert_eq!((suite.tasks.len(), suite.coverage.unwrap().built()), (0, 0));
    }

    #[test]
    fn a_thousand_of_musique_are_drawn_with_the_seed() {
        let rows: Vec<Question> = (0..1_200).map(|id| question(&id.to_string(), "musique")).collect();
        let build = |seed| {
            let rows = UaRows::from([("musique", Ok(rows.clone()))]);
            let suite = build_ua_bench(&rows, UaParams { limit: None, seed });
            suite.tasks.into_iter().map(|task| task.task.id).collect::<Vec<_>>()
        };
        assert_eq!(build(1).len(), 1_000);
        assert_eq!(build(1), build(1));
        assert_ne!(build(1), build(2));
    }

    #[test]
    fn rows_of_no_use_fall_out_and_are_counted() {
        let without = Question { references: Vec::new(), ..question("olympiadbench-9", "olympiadbench") };
        let rows = UaRows::from([
            (
                "olympiadbench",
                Ok(vec![question("olympiadbench-1965", "o"), question("olympiadbench-1", "o"), without]),
            ),
            (
                "mip-overthinking",
                Ok(vec![
                    Question {
                        answerable: Some(false),
                        references: Vec::new(),
                        category: Some("math".into()),
                        ..question("m-mip", "mip")
                    },
                    Question { category: Some("math".into()), ..question("m-whole", "mip") },
                ]),
            ),
        ]);
        let suite = build_ua_bench(&rows, UaParams::default());
        let ids: Vec<&str> = suite.tasks.iter().map(|task| task.task.id.as_str()).collect();
        assert_eq!(ids, ["olympiadbench-math/olympiadbench-1", "math-mip/m-mip"]);
        assert_eq!(suite.dropped["olympiadbench-math: answerable, but no reference"], 1);
        assert_eq!(suite.tasks[0].task.scenario.as_deref(), Some("reasoning"));
    }

    #[test]
    fn a_tolerance_is_a_range() {
        let row = Question { tolerance: Some(0.5), ..question("olympiadbench-1", "olympiadbench") };
        let rows = UaRows::from([("olympiadbench", Ok(vec![row]))]);
        let suite = build_ua_bench(&rows, UaParams::default());
        assert_eq!(suite.tasks[0].task.acceptable, Some(NumberRange { low: 6.5, high: 7.5 }));
    }
}
