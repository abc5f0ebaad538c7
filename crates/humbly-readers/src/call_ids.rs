//! Joining results to calls where ids repeat, restart or are missing.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::builder::{Builder, CallDraft};

/// Ids of calls made unique over a trajectory, and which of them wait for a result.
///
/// A result answers the nearest call before it that has the same logged id and no result yet: some servers
/// number calls from 1 in every generation.
#[derive(Debug, Default)]
pub(crate) struct CallIds {
    seen: HashSet<String>,
    by_logged_id: HashMap<String, Vec<OpenCalls>>,
    last_step: usize,
    of_last_step: VecDeque<(String, String)>,
    answered: HashSet<String>,
    renamed: usize,
}

/// Open calls of one step that share a logged id, in order.
#[derive(Debug)]
struct OpenCalls {
    step: usize,
    ids: VecDeque<String>,
}

impl CallIds {
    /// An id that no call before has.
    pub(crate) fn unique(&mut self, logged: &str) -> String {
        if self.seen.insert(logged.to_owned()) {
            return logged.to_owned();
        }
        loop {
            self.renamed += 1;
            let id = format!("{logged}~{}", self.renamed);
            if self.seen.insert(id.clone()) {
                return id;
            }
        }
    }

    /// Adds a call whose logged id may repeat one of an earlier turn; it waits for its result.
    pub(crate) fn add_call(
        &mut self,
        builder: &mut Builder,
        step: usize,
        logged: Option<&str>,
        name: &str,
        arguments: &str,
    ) {
        let unique = logged.map(|id| self.unique(id));
        let draft = CallDraft { id: unique.as_deref(), name, arguments, server_side: false };
        let id = builder.call_with_id(step, draft);
        self.open(step, logged, &id, name);
    }

    /// The call of a step waits for its result.
    pub(crate) fn open(&mut self, step: usize, logged: Option<&str>, id: &str, name: &str) {
        if self.last_step != step {
            self.last_step = step;
            self.of_last_step.clear();
        }
        self.of_last_step.push_back((id.to_owned(), name.to_owned()));
        if let Some(logged) = logged {
            let steps = self.by_logged_id.entry(logged.to_owned()).or_default();
            match steps.last_mut() {
                Some(open) if open.step == step => open.ids.push_back(id.to_owned()),
                _ => steps.push(OpenCalls { step, ids: VecDeque::from([id.to_owned()]) }),
            }
        }
    }

    /// The call that a result answers: by its logged id, else the oldest open call of the last step (of
    /// the same name, where the result names one).
    pub(crate) fn answer(&mut self, logged: Option<&str>, name: Option<&str>) -> Option<String> {
        let id = match logged {
            Some(logged) => Some(self.by_id(logged).unwrap_or_else(|| logged.to_owned())),
            None => self.by_order(name),
        }?;
        self.answered.insert(id.clone());
        Some(id)
    }

    fn by_id(&mut self, logged: &str) -> Option<String> {
        let steps = self.by_logged_id.get_mut(logged)?;
        while let Some(open) = steps.last_mut() {
            while let Some(id) = open.ids.pop_front() {
                if !self.answered.contains(&id) {
                    return Some(id);
                }
            }
            steps.pop();
        }
        None
    }

    fn by_order(&mut self, name: Option<&str>) -> Option<String> {
        while self.of_last_step.front().is_some_and(|(id, _)| self.answered.contains(id)) {
            self.of_last_step.pop_front();
        }
        let open = || self.of_last_step.iter().filter(|(id, _)| !self.answered.contains(id));
        open()
            .find(|(_, called)| name.is_none_or(|name| called == name))
            .or_else(|| open().next())
            .map(|(id, _)| id.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_restarts_answers_the_nearest_open_call() {
        let mut ids = CallIds::default();
        for step in 0..2 {
            let id = ids.unique("1");
            ids.open(step, Some("1"), &id, "search");
        }
        assert_eq!(ids.answer(Some("1"), None).as_deref(), Some("1~1"));
        assert_eq!(ids.answer(Some("1"), None).as_deref(), Some("1"));
        assert_eq!(ids.answer(Some("9"), None).as_deref(), Some("9"), "an orphan keeps its id");
    }

    #[test]
    fn one_id_twice_in_a_step_is_answered_in_order() {
        let mut ids = CallIds::default();
        let (first, second) = (ids.unique("x"), ids.unique("x"));
        ids.open(0, Some("x"), &first, "a");
        ids.open(0, Some("x"), &second, "a");
        assert_eq!(ids.answer(Some("x"), None), Some(first));
        assert_eq!(ids.answer(None, Some("a")), Some(second));
        assert_eq!(ids.answer(None, None), None);
    }
}
