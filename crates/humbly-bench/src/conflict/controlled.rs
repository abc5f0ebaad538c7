//! Controlled conflict: passages for and against the model's belief, and matched controls (EH §2.1).

use humbly_types::{ReferenceMode, Split, Task};
use rand::RngExt;

use super::choice::{draw, order};
use super::{Belief, ConflictQuestion, Level, Passage, Scenario, Side, SuiteTask};

/// How tasks are built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlledParams {
    /// Seed of the passages and their order.
    pub seed: u64,
    /// Scenarios.
    pub scenarios: Vec<Scenario>,
}

/// Builds the tasks of one believed question; none where the belief is not of level 3.
///
/// `position` is the question's place among those of level 3: even ones get the gold passage first, odd ones
/// the rival's, so that the order is balanced whatever the seed. A conflict has one passage for each side, its
/// control two for the gold answer.
pub fn build_controlled(
    question: &ConflictQuestion,
    belief: &Belief,
    position: usize,
    params: &ControlledParams,
) -> Vec<SuiteTask> {
    if belief.level != Level::Agreed {
        return Vec::new();
    }
    let mut tasks = Vec::new();
    for scenario in &params.scenarios {
        if *scenario == Scenario::ClosedBook {
            tasks.push(task(question, belief, *scenario, Split::Control, Vec::new()));
            continue;
        }
        let pick = |side: &Side, purpose: &str| {
            if let Some(whole) = &side.whole {
                return whole.clone();
            }
            let index = draw(params.seed, &question.id, purpose).random_range(0..side.passages.len().max(1));
            side.passages.get(index).cloned().unwrap_or_default()
        };
        let mut conflict = vec![pick(&question.gold, "gold"), pick(&question.rival, "rival")];
        if position % 2 == 1 {
            conflict.reverse();
        }
        let control = order(question.gold.passages.len(), params.seed, &question.id, "control")
            .into_iter()
            .take(2)
            .filter_map(|index| question.gold.passages.get(index).cloned())
            .collect();
        tasks.push(task(question, belief, *scenario, Split::Conflict, conflict));
        tasks.push(task(question, belief, *scenario, Split::Control, control));
    }
    tasks
}

fn task(
    question: &ConflictQuestion,
    belief: &Belief,
    scenario: Scenario,
    split: Split,
    passages: Vec<Passage>,
) -> SuiteTask {
    let pair = format!("{}/{}/{}", question.dataset, question.id, scenario.code());
    let name = match split {
        Split::Conflict => "conflict",
        Split::Control => "control",
    };
    let believed = if belief.choice == Some(1) { &question.rival } else { &question.gold };
    let dataset = match question.group.as_str() {
        "" => question.dataset.clone(),
        group => format!("{}/{group}", question.dataset),
    };
    SuiteTask {
        task: Task {
            id: format!("{pair}/{name}"),
            dataset: Some(dataset),
            split: Some(split),
            pair: Some(pair),
            scenario: Some(scenario.code().to_owned()),
            control_kind: (split == Split::Control && !passages.is_empty())
                .then(|| "consistent_passages".to_owned()),
            question: Some(question.question.clone()),
            references: question.gold.names().map(str::to_owned).collect(),
            reference_mode: ReferenceMode::Any,
            candidates: vec![question.gold.answer.clone(), question.rival.answer.clone()],
            parametric_answer: Some(believed.answer.clone()),
            ..Task::default()
        },
        passages,
        samples: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conflict::{FreeForm, starter_questions};

    fn belief(level: Level, choice: usize) -> Belief {
        Belief {
            id: String::new(),
            free_form: FreeForm::Candidate(choice),
            choice: Some(choice),
            offered: vec![0, 1],
            level,
            replies: [String::new(), String::new()],
            likelihoods: None,
        }
    }

    fn params() -> ControlledParams {
        ControlledParams { seed: 11, scenarios: vec![Scenario::ClosedBook, Scenario::Rag, Scenario::Pck] }
    }

    #[test]
    fn a_conflict_sets_both_sides_against_each_other_and_a_control_does_not() {
        for (position, question) in starter_questions().iter().enumerate() {
            let tasks = build_controlled(question, &belief(Level::Agreed, 1), position, &params());
            let ids: Vec<_> =
                tasks.iter().map(|task| task.task.id.rsplit_once(&question.id).unwrap().1).collect();
            assert_eq!(
                ids,
                ["/closed_book/control", "/rag/conflict", "/rag/control", "/pck/conflict", "/pck/control"]
            );
            let sides = |task: &SuiteTask| {
                let of = |side: &Side| {
                    task.passages.iter().filter(|passage| side.passages.contains(passage)).count()
                };
                (of(&question.gold), of(&question.rival))
            };
            assert_eq!(tasks[0].passages.len(), 0);
            assert_eq!(sides(&tasks[1]), (1, 1));
            assert_eq!(sides(&tasks[2]), (2, 0));
            assert_ne!(tasks[2].passages[0], tasks[2].passages[1]);
            let gold_first = question.gold.passages.contains(&tasks[1].passages[0]);
            assert_eq!(gold_first, position % 2 == 0);
            assert_eq!(tasks[1].task.parametric_answer.as_ref(), Some(&question.rival.answer));
            assert_eq!(tasks[1].task.pair, tasks[2].task.pair);
        }
    }

    #[test]
    fn only_level_3_becomes_a_task() {
        let question = &starter_questions()[0];
        for level in [Level::NoKnowledge, Level::FreeFormOnly, Level::Inconsistent] {
            assert!(build_controlled(question, &belief(level, 0), 0, &params()).is_empty());
        }
    }

    #[test]
    fn the_same_seed_builds_the_same_tasks() {
        let question = &starter_questions()[5];
        let build = |seed| {
            let params = ControlledParams { seed, ..params() };
            build_controlled(question, &belief(Level::Agreed, 0), 0, &params)
        };
        assert_eq!(build(1), build(1));
        assert!((2..20).any(|seed| build(seed) != build(1)));
    }
}
