//! The tasks file: what is known of the questions.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use humbly_readers::parse_record;
use humbly_types::{Problem, Task};
use serde_json::Value;

/// Tasks by id, and what could not be used.
#[derive(Debug, Default)]
pub struct Tasks {
    all: Vec<Task>,
    by_id: HashMap<String, usize>,
    /// Tasks of single inputs whose ids mean other tasks elsewhere.
    own: BTreeMap<String, Tasks>,
    /// Records that could not be used.
    pub problems: Vec<Problem>,
    /// Hash of the file's bytes.
    pub hash: Option<String>,
}

impl Tasks {
    /// Tasks that are at hand; of two with one id the first is used.
    pub fn new(tasks: Vec<Task>) -> Self {
        let mut all = Self::default();
        for task in tasks {
            all.push(task);
        }
        all
    }

    fn push(&mut self, task: Task) {
        if !self.by_id.contains_key(&task.id) {
            self.by_id.insert(task.id.clone(), self.all.len());
            self.all.push(task);
        }
    }

    /// The tasks of several inputs, each with the path that trajectories name.
    ///
    /// An input keeps tasks of its own where one of its ids is another task in an earlier input: suites that
    /// were built for two models share the ids of their questions, and differ in what the models believe.
    pub(crate) fn of_inputs(inputs: Vec<(String, Vec<Task>)>) -> Self {
        let mut all = Self::default();
        for (path, tasks) in inputs {
            let differs = tasks.iter().any(|task| all.by_id(&task.id).is_some_and(|known| known != task));
            if differs {
                all.own.insert(path, Self::new(tasks.clone()));
            }
            for task in tasks {
                all.push(task);
            }
        }
        all
    }

    /// The tasks that trajectories of this path answer: the input's own, where it has any, else all.
    #[must_use]
    pub fn of(&self, path: &str) -> &Self {
        self.own.get(path).unwrap_or(self)
    }

    /// Whether some input has tasks of its own.
    pub fn differ_by_input(&self) -> bool {
        !self.own.is_empty()
    }

    /// Inputs with tasks of their own.
    pub(crate) fn own(&self) -> impl Iterator<Item = (&str, &Self)> {
        self.own.iter().map(|(path, tasks)| (path.as_str(), tasks))
    }

    /// The task with this id.
    pub fn by_id(&self, id: &str) -> Option<&Task> {
        self.all.get(*self.by_id.get(id)?)
    }

    /// Reads JSONL, or a JSON array, of tasks. A faulty record becomes a problem and the others are used;
    /// of two records with one id the first is used.
    ///
    /// # Errors
    /// A [`Problem`] where the file cannot be read or holds no task at all.
    pub fn read(path: &Path) -> Result<Self, Problem> {
        let shown = path.to_string_lossy();
        let bytes = std::fs::read(path).map_err(|error| {
            Problem::new(shown.as_ref(), format!("tasks cannot be read: {error}"))
                .hint("--tasks takes a JSONL file with one task a line")
        })?;
        let mut tasks = Self { hash: Some(crate::hash::hex(&bytes)), ..Self::default() };
        tasks.add_bytes(&bytes, &shown);
        if tasks.all.is_empty() {
            let message = "holds no usable task, expected JSONL records with at least `id`";
            let first = tasks.problems.first().map(|problem| format!("; first fault: {}", problem.message));
            return Err(Problem::new(shown.as_ref(), format!("{message}{}", first.unwrap_or_default()))
                .hint("fields: id, split (conflict|control), question, references, candidates, …"));
        }
        Ok(tasks)
    }

    fn add_bytes(&mut self, bytes: &[u8], path: &str) {
        if let Ok((Value::Array(items), _)) = parse_record::<Value>(bytes) {
            for (index, item) in items.into_iter().enumerate() {
                self.add(serde_json::from_value(item), index as u64 + 1, path);
            }
            return;
        }
        for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let record = parse_record::<Task>(line).map(|(task, _)| task);
            self.add(record, index as u64 + 1, path);
        }
    }

    fn add(&mut self, record: Result<Task, serde_json::Error>, line: u64, path: &str) {
        match record {
            Ok(task) if self.by_id.contains_key(&task.id) => self.problems.push(
                Problem::new(path, "two tasks have this id, expected unique ids; the first is used")
                    .line(line)
                    .record(task.id)
                    .hint(
                        "give each task its own id, and name conflict and control of one question by `pair`",
                    ),
            ),
            Ok(task) => {
                self.by_id.insert(task.id.clone(), self.all.len());
                self.all.push(task);
            }
            Err(error) => self.problems.push(
                Problem::new(path, format!("not a task: {error}"))
                    .line(line)
                    .hint("expected a JSON object with at least `id`; split is `conflict` or `control`"),
            ),
        }
    }

    /// All tasks in file order.
    pub fn all(&self) -> &[Task] {
        &self.all
    }

    /// The task at a position.
    pub(crate) fn task(&self, position: usize) -> Option<&Task> {
        self.all.get(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Tasks, Problem> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tasks.jsonl");
        std::fs::write(&path, text).unwrap();
        Tasks::read(&path)
    }

    #[test]
    fn duplicate_ids_are_listed_with_their_line() {
        let tasks = read("{\"id\":\"a\"}\n\n{\"id\":\"a\"}\n{\"id\":\"b\"}").unwrap();
        assert_eq!(tasks.all().len(), 2);
        assert_eq!((tasks.problems[0].line, tasks.problems[0].record.as_deref()), (Some(3), Some("a")));
    }

    #[test]
    fn a_faulty_task_leaves_the_others() {
        let tasks = read("{\"id\":\"a\"}\n{\"id\":\"b\",\"split\":\"clash\"}\n").unwrap();
        assert_eq!((tasks.all().len(), tasks.problems[0].line), (1, Some(2)));
    }

    #[test]
    fn an_input_keeps_its_own_meaning_of_a_shared_id() {
        let task = |belief: &str| Task {
            id: "q1".into(),
            parametric_answer: Some(belief.into()),
            ..Task::default()
        };
        let tasks = Tasks::of_inputs(vec![
            ("a".into(), vec![task("Rome")]),
            ("b".into(), vec![task("Milan")]),
            ("c".into(), vec![task("Rome")]),
        ]);
        let belief = |path: &str| tasks.of(path).by_id("q1").unwrap().parametric_answer.clone().unwrap();
        assert_eq!((belief("a"), belief("b"), belief("c")), ("Rome".into(), "Milan".into(), "Rome".into()));
        assert!(tasks.differ_by_input());
        assert_eq!(tasks.own().count(), 1, "equal tasks are held once");
    }

    #[test]
    fn an_array_is_accepted_and_an_empty_file_refused() {
        assert_eq!(read("[{\"id\": 1}]").unwrap().all()[0].id, "1");
        assert!(read("").is_err());
    }
}
