//! Which task a trajectory answers.

use std::collections::BTreeMap;

use aho_corasick::AhoCorasick;
use humbly_types::{Task, Trajectory};
use regex::Regex;

use crate::tasks::Tasks;

/// Joins trajectories to tasks: by trajectory id, sample id, a pattern over the path, else by the question.
pub struct Joiner<'a> {
    tasks: &'a Tasks,
    pattern: Option<Regex>,
    questions: Option<Questions>,
    /// Joiners over the tasks of single inputs.
    own: BTreeMap<&'a str, Joiner<'a>>,
}

/// Why no task was joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unjoined {
    /// No task fits.
    NoMatch,
    /// Several tasks fit; their ids.
    Ambiguous(Vec<String>),
}

struct Questions {
    automaton: AhoCorasick,
    tasks: Vec<usize>,
}

impl<'a> Joiner<'a> {
    /// A joiner over these tasks. The pattern's first group (or its whole match) is the task id.
    pub fn new(tasks: &'a Tasks, pattern: Option<Regex>) -> Self {
        let own = tasks.own().map(|(path, own)| (path, Self::new(own, pattern.clone()))).collect();
        Self { tasks, pattern, questions: questions(tasks.all()), own }
    }

    /// The task of a trajectory.
    ///
    /// # Errors
    /// [`Unjoined`] where none or several fit.
    pub fn join(&self, trajectory: &Trajectory) -> Result<&'a Task, Unjoined> {
        if let Some(own) = self.own.get(&*trajectory.path) {
            return own.join(trajectory);
        }
        let base = trajectory.id.rsplit_once('#').map_or(trajectory.id.as_str(), |(base, _)| base);
        let ids = [Some(trajectory.id.as_str()), trajectory.sample_id.as_deref(), Some(base)];
        for id in ids.into_iter().flatten() {
            if let Some(task) = self.tasks.by_id(id) {
                return Ok(task);
            }
        }
        if let Some(pattern) = &self.pattern {
            let id = pattern
                .captures(&trajectory.path)
                .and_then(|groups| groups.get(1).or_else(|| groups.get(0)).map(|group| group.as_str()));
            if let Some(task) = id.and_then(|id| self.tasks.by_id(id)) {
                return Ok(task);
            }
        }
        self.by_question(trajectory)
    }

    fn by_question(&self, trajectory: &Trajectory) -> Result<&'a Task, Unjoined> {
        let (Some(questions), Some(prompt)) = (&self.questions, &trajectory.question) else {
            return Err(Unjoined::NoMatch);
        };
        let prompt = fold(prompt);
        let mut best: Vec<usize> = Vec::new();
        let mut longest = 0;
        for found in questions.automaton.find_overlapping_iter(&prompt) {
            let length = found.len();
            if length > longest {
                best.clear();
                longest = length;
            }
            if length == longest
                && let Some(&task) = questions.tasks.get(found.pattern().as_usize())
                && !best.contains(&task)
            {
                best.push(task);
            }
        }
        match best.as_slice() {
            [] => Err(Unjoined::NoMatch),
            [task] => self.tasks.task(*task).ok_or(Unjoined::NoMatch),
            several => Err(Unjoined::Ambiguous(
                several
                    .iter()
                    .filter_map(|task| self.tasks.task(*task))
                    .map(|task| task.id.clone())
                    .collect(),
            )),
        }
    }
}

fn questions(tasks: &[Task]) -> Option<Questions> {
    let (positions, texts): (Vec<usize>, Vec<String>) = tasks
        .iter()
        .enumerate()
        .filter_map(|(position, task)| Some((position, fold(task.question.as_deref()?))))
        .filter(|(_, text)| !text.is_empty())
        .unzip();
    if texts.is_empty() {
        return None;
    }
    AhoCorasick::new(&texts).ok().map(|automaton| Questions { automaton, tasks: positions })
}

/// White space folded to single spaces.
fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn tasks(text: &str) -> Tasks {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tasks.jsonl");
        std::fs::write(&path, text).unwrap();
        Tasks::read(&path).unwrap()
    }

    fn trajectory(id: &str, path: &str, question: &str) -> Trajectory {
        let mut trajectory = Trajectory::new("test", &Arc::from(path), id);
        trajectory.question = Some(question.to_owned());
        trajectory
    }

    #[test]
    fn id_then_path_then_question() {
        let tasks = tasks(
            "{\"id\":\"a\"}\n{\"id\":\"b\"}\n{\"id\":\"c\",\"question\":\"Who  wrote it?\"}\n{\"id\":\"d\",\"question\":\"wrote\"}",
        );
        let joiner = Joiner::new(&tasks, Regex::new("run-(.)").ok());
        assert_eq!(joiner.join(&trajectory("a#2", "x", "")).unwrap().id, "a");
        assert_eq!(joiner.join(&trajectory("x", "run-b/log", "")).unwrap().id, "b");
        let question = "Context.\nWho wrote\nit? Answer briefly.";
        assert_eq!(
            joiner.join(&trajectory("x", "y", question)).unwrap().id,
            "c",
            "the longest question wins"
        );
        assert_eq!(joiner.join(&trajectory("x", "y", "other")), Err(Unjoined::NoMatch));
    }

    #[test]
    fn two_tasks_with_one_question_are_ambiguous() {
        let tasks = tasks("{\"id\":\"a\",\"question\":\"q\"}\n{\"id\":\"b\",\"question\":\"q\"}");
        let joined = Joiner::new(&tasks, None).join(&trajectory("x", "y", "q"));
        assert_eq!(joined, Err(Unjoined::Ambiguous(vec!["a".into(), "b".into()])));
    }
}
